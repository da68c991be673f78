// mercer/reading.hpp: how the values of a model's f become its answers.
//
// A Reading is a value that points to a row of functions. Each row is one file in src/model/readings; a model file
// names its row. A machine with answers of a new kind adds a row, and prediction, scoring, model files and Python take
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer {

struct ModelParts;  // mercer/model.hpp
struct Execution;   // mercer/evaluate.hpp
class Points;

class Reading {
 public:
  enum class Gives {
    numbers,   // targets, coordinates, densities
    classes,   // the number of a class that the training data named
    clusters,  // the number of a group that the machine found
  };
  // A row states what it has; functions that are null do nothing special. `scores` has one row per point.
  struct Row {
    std::string_view name;  // in files: "value", "binary", ...
    Gives gives;
    // What is wrong with the parts for this reading (outputs of f, classes, readout); empty: nothing.
    std::string (*fault)(const ModelParts& parts) = nullptr;
    // Scores from f, in place; null: f itself.
    void (*scores)(const ModelParts& parts, Matrix& f) = nullptr;
    // Answers from scores. Of classes and clusters one column, their numbers.
    Matrix (*answers)(const ModelParts& parts, MatrixView scores);
    // One column per class or cluster, rows adding to 1, where the parts are calibrated; null: there are none.
    Matrix (*probabilities)(const ModelParts& parts, MatrixView scores) = nullptr;
    // What each column of the scores, and of the answers where they are numbers, stands for.
    std::vector<std::string> (*score_names)(const ModelParts& parts);
    std::vector<std::string> (*answer_names)(const ModelParts& parts);
    // What each output of f stands for, where these are not the scores; null: they are.
    std::vector<std::string> (*output_names)(const ModelParts& parts) = nullptr;
    // Scores that are no expansion: from the values of the kernel at the centres, one column each, and k(x, x). The
    // latter is empty where it is not known.
    Matrix (*from_kernel)(const ModelParts& parts, MatrixView k, VectorView self) = nullptr;
    // The same from the points, scaled already, for readings that need not see all values of the kernel; null: by
    // from_kernel.
    Matrix (*from_points)(const ModelParts& parts, const Points& x, const Execution& how) = nullptr;
    // Whether the answer of a point is the same for all scores within `error` of these; null: not known.
    bool (*settled)(const ModelParts& parts, const double* scores, double error) = nullptr;
  };

  static const Reading value;    // regression: f itself, one output per target
  static const Reading binary;   // one output; positive: classes[1], else classes[0]
  static const Reading votes;    // one output per pair of classes a < b in the order (0,1) (0,2) ... (1,2) ...;
                                 // positive: a vote for a. The most votes win, the first class among equals
  static const Reading largest;  // one output per class; the largest wins, the first among equals
  static const Reading ratio;    // the outputs before the last divided by the last (Nadaraya-Watson)
  static const Reading
      density;  // one output, a density over the inputs as they come: f times the volume of the scaling
  static const Reading novelty;     // one output; at least 0: like the training points (+1), else not (-1)
  static const Reading embedding;   // f itself: coordinates
  static const Reading gower;       // coordinates, from distances instead of values of a kernel
  static const Reading projection;  // coordinates, and last |phi(x) - mean|^2, of which they explain a part
  static const Reading
      clusters;              // one output per cluster, a squared distance; the smallest wins, the first among equals
  static const Reading cut;  // one output per cluster, sum_i w_i k(x_i, x) over its points; the smallest of its squared
                             // distances in the geometry of normalised cuts wins, the first among equals

  // The same with training points joined to x as nearest neighbours instead of k(x_i, x)
  // (mercer/machines/spectral.hpp).
  static const Reading neighbour_cut;

  // The shares of the classes, or the mean of the targets, among the nearest centres (mercer/machines/knn.hpp).
  static const Reading nearest_classes, nearest_numbers;
  static const Reading mixture;      // coordinates; the likeliest of the Gaussians in the readout wins
  static const Reading class_means;  // coordinates; the class whose mean, in the readout, is nearest wins

  constexpr explicit Reading(const Row& row) : row_(&row) {}
  const Row* operator->() const { return row_; }
  friend bool operator==(const Reading& a, const Reading& b) { return a.row_ == b.row_; }

 private:
  const Row* row_;
};

const std::vector<Reading>& readings();  // all of them
std::string_view name_of(Reading reading);
Reading reading_named(std::string_view name);  // throws DataError

}  // namespace mercer
