// mercer/tune.hpp: choosing the options of a machine and the parameters of its kernel by cross-validation.
//
//     Training data{.K = lazy(rbf(1), x), .labels = Labels::from(names)};
//     Tuned best = tune({.machine = "svc",
//                        .axes = parse_grid("C=1:1000, ell=0.1:10"),
//                        .folds = divide(data, 5).folds}, data);
//     best.model.predict(test);
//
// The Gram of each kernel is computed once and shared by all folds and options; where the inputs are scaled, they are
// scaled before, on all points. Candidates and folds run side by side; results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/error.hpp"
#include "mercer/machines.hpp"

namespace mercer {

// ---- dividing the points ----

using Fold = std::vector<Index>;  // the points held out, increasing

// n points, of which nothing else is known, dealt out at random to k folds whose sizes differ by one at most; `repeats`
// times, so k * repeats folds.
std::vector<Fold> random_folds(Index n, Index k, std::uint64_t seed = 1, Index repeats = 1);
// The same class by class, so that each fold holds its share of every class.
std::vector<Fold> stratified_folds(const Labels& labels, Index k, std::uint64_t seed = 1, Index repeats = 1);
// Of a training set, class by class where it has classes. Points that are equal (in content, or in their rows of a
// matrix of numbers) go to one fold: a model that has seen a point's twin is not asked about a point that is new to it.
// Folds differ in weight by as little as this allows, so that a weight of 2 is a point twice, and one of 0 is none.
struct Division {
  std::vector<Fold> folds;
  std::string remark;  // how many points are different; empty where all are
};
Division divide(const Training& training, Index k, std::uint64_t seed = 1, Index repeats = 1);
// How many points some fold holds out while an equal point is fitted to: none of those that divide() makes.
Index points_split(const Training& training, const std::vector<Fold>& folds);
// Given: the name of each point's fold.
std::vector<Fold> given_folds(std::span<const std::string> names);

// ---- what is tried ----

struct Axis {
  // An option of the machine or else a parameter of the kernel: "C", "ell", "rbf2.ell". "gamma" stands for the ell of
  // an rbf: gamma = 1/(2 ell^2).
  std::string name;
  std::vector<std::string> values;
  // Where values came from a range: random search then draws between the ends, evenly in the logarithm if low > 0.
  bool range = false;
  double low = 0, high = 0;

  friend bool operator==(const Axis&, const Axis&) = default;
};

// "C=1:1000, ell=0.1,1,10": a range of `points` values, evenly spaced in the logarithm if it starts above 0, or a list.
// "C=1:1000:7" has 7 points whatever `points` is; "clusters=2:10:9", with as many as there are whole numbers, has
// these. max-iterations means max_iterations, as on the command line. Throws UsageError.
std::vector<Axis> parse_grid(std::string_view text, Index points = 5);

struct Tuning {
  std::string machine = {};
  Settings settings = {};        // of all candidates
  std::vector<Axis> axes = {};   // the candidates are all combinations, the last axis changing fastest
  Index random = 0;              // > 0: so many candidates drawn at random from the axes instead
  std::uint64_t seed = 1;        // of that draw
  std::vector<Fold> folds = {};  // not needed where the metric is one of a fit to all points
  // accuracy, balanced_accuracy, f1, auc, log_loss, brier; rmse, mae, r2; log_density, of kde and of machines that know
  // how sure they are (gp, rvm).
  // Empty: the usual one of the machine's task. Machines that find clusters or coordinates are fitted to all points and
  // judged as they are, without folds.
  std::string metric = {};
};

struct Candidate {
  std::vector<std::string> values;  // one per axis
  Settings settings = {};
  std::optional<Kernel> kernel = {};        // none for a precomputed Gram
  Vector scores = {};                       // one per fold
  double mean = 0, sd = 0;                  // of the scores; sd with division by their number less one
  std::vector<Report::Figure> others = {};  // of a fit to all points: what the other criteria of the task say
  bool converged = true;                    // in all folds
  std::string failure = {};                 // why it could not be fitted; it then has no scores
};

struct SearchTable {
  std::string metric;
  bool larger_is_better = true;
  std::vector<std::string> axes;  // their names
  std::vector<Candidate> candidates;
  std::size_t best = 0;  // the first among equals: write axes from simple to complex
};
struct Tuned : SearchTable {
  Model model;  // fitted to all points
};

// A search that the monitor stopped, of kind cancelled: with what was found by then. Candidates that were not tried in
// every fold have this as their failure.
class SearchStopped : public Error {
 public:
  explicit SearchStopped(SearchTable found);
  SearchTable table;
};

// `training.K` must know its kernel and points if the axes name kernel parameters. Throws what all candidates failed
// with if none could be fitted. When the monitor says stop it throws SearchStopped, or Error(cancelled) if no candidate
// is done.
// Whether a machine's metric is one of a fit to all points, which needs no folds.
bool needs_folds(const Tuning& tuning);
Tuned tune(const Tuning& tuning, const Training& training);
// One candidate: no axes, no final fit.
Candidate cross_validate(const std::string& machine, const Settings& settings, const Training& training,
                         const std::vector<Fold>& folds, const std::string& metric = {});

// ---- for machines with a way of their own (Machine::cross) ----

// One Gram, several settings, several folds.
struct Crossing {
  const Training& training;               // all points; K is in memory if it fits
  const std::vector<Settings>& settings;  // in the order in which a start from the one before helps
  const std::vector<Fold>& folds;
};

// What a model fitted without a fold says of the points of that fold.
struct HeldOut {
  Matrix values = {};               // regression, density: one column per target
  Matrix variances = {};            // regression: of an observation, likewise; empty: not known, or not asked for
  std::vector<Index> classes = {};  // classification: numbers in the training labels
  Matrix class_scores = {};         // one column per class, larger the likelier
  Matrix probabilities = {};        // one column per class; empty: not calibrated
  // What orders the points by how likely a class is, as auc() takes it: the probabilities, where there are some. Raw
  // scores of one class at different points lie on different scales, and averages over what f may be are not in the
  // order of f.
  const Matrix& ranking() const { return probabilities.rows() > 0 ? probabilities : class_scores; }
  bool converged = true;
  std::string failure = {};  // why there is nothing to say
  std::exception_ptr cause = {};
};
// Machine::cross returns settings x folds of these, the fold changing fastest.

}  // namespace mercer
