#include "model/readings.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/probabilities.hpp"

namespace mercer {

const std::vector<Reading>& readings() {
  static const std::vector<Reading> all = {Reading::value,         Reading::binary,          Reading::votes,
                                           Reading::largest,       Reading::ratio,           Reading::density,
                                           Reading::novelty,       Reading::embedding,       Reading::projection,
                                           Reading::gower,         Reading::clusters,        Reading::cut,
                                           Reading::neighbour_cut, Reading::nearest_classes, Reading::nearest_numbers,
                                           Reading::mixture,       Reading::class_means};
  return all;
}

std::string_view name_of(Reading reading) { return reading->name; }

Reading reading_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Reading one : readings()) {
    if (one->name == name) return one;
    known.push_back(one->name);
  }
  fail(ErrorKind::data, "model: no reading is called \"{}\"; known: {}", name, fmt::join(known, ", "));
}

namespace detail {

std::vector<std::string> target_names(const ModelParts& parts, Index count) {
  if (static_cast<Index>(parts.targets.size()) == count) return parts.targets;
  return count == 1 ? std::vector<std::string>{"prediction"} : counted_names("prediction", count);
}

std::vector<std::string> counted_names(std::string_view stem, Index count) {
  std::vector<std::string> out;
  for (Index i = 1; i <= count; ++i) out.push_back(fmt::format("{}{}", stem, i));
  return out;
}

std::vector<std::string> class_names(const ModelParts& parts) { return parts.classes; }

std::vector<std::string> coordinate_names(const ModelParts& parts) {
  return counted_names("component", parts.f.outputs());
}

Matrix unchanged(const ModelParts&, MatrixView scores) { return Matrix(scores); }

namespace {

// The number of the best of each row, the first among equals.
template <class Best>
Matrix place_of(MatrixView scores, Best best) {
  Matrix out = Matrix::uninitialized(scores.rows(), 1);
  for (Index i = 0; i < out.rows(); ++i) {
    const double* const row = scores.row(i);
    out(i, 0) = static_cast<double>(best(row, row + scores.cols()) - row);
  }
  return out;
}

}  // namespace

Matrix smallest(const ModelParts&, MatrixView scores) {
  return place_of(scores, [](const double* a, const double* b) { return std::min_element(a, b); });
}
Matrix largest(const ModelParts&, MatrixView scores) {
  return place_of(scores, [](const double* a, const double* b) { return std::max_element(a, b); });
}

std::vector<std::string> target_name(const ModelParts& parts) { return target_names(parts, 1); }
std::vector<std::string> cluster_name(const ModelParts&) { return {"cluster"}; }

Matrix softmax(const ModelParts&, MatrixView scores) { return softmax_of(scores); }

Matrix as_column(const std::vector<Index>& numbers) {
  Matrix out = Matrix::uninitialized(static_cast<Index>(numbers.size()), 1);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = static_cast<double>(numbers[at(i)]);
  return out;
}

std::string wrong_outputs(const ModelParts& parts, Index wanted) {
  if (parts.f.outputs() == wanted) return "";
  return fmt::format("{} outputs of f for the reading {} of {} classes", parts.f.outputs(), parts.reading->name,
                     parts.classes.size());
}

std::string wrong_classes(const ModelParts& parts, Index least, Index wanted) {
  if (static_cast<Index>(parts.classes.size()) < least) {
    return fmt::format("{} classes for the reading {}", parts.classes.size(), parts.reading->name);
  }
  return wrong_outputs(parts, wanted);
}

}  // namespace detail

}  // namespace mercer
