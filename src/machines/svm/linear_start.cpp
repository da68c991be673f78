#include "machines/svm/linear_start.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/stages.hpp"
#include "base/stopwatch.hpp"
#include "machines/svm/linear/coordinate_descent.hpp"
#include "machines/svm/record.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

// Working sets of as many have done most of it after one or two rounds.
constexpr Index kFewPoints = 4096;
// To what share of the largest |y| the conditions are to hold: from there on working sets are faster.
constexpr double kNear = 0.05;
constexpr Index kMostPasses = 1000;
// Of the time, where it is limited.
constexpr double kShare = 0.5;

// The problem as coordinate descent has it: one variable for each point, with a tube where there were two.
LinearProblem penalised(const DualProblem& problem, const std::vector<Index>& positions, Index points) {
  const auto n = at(points);
  LinearProblem out{.order = positions, .y = Vector(n), .lower = Vector(n), .upper = Vector(n), .ridge = Vector(n)};
  // p is -y, or epsilon - y and -epsilon - y of the two variables of a point.
  const bool two = problem.size() > static_cast<Index>(positions.size());
  for (std::size_t v = 0; v < at(problem.size()); ++v) {
    const std::size_t i = at(positions[at(problem.point[v])]);
    out.y[i] -= two ? problem.linear[v] / 2 : problem.linear[v];
    out.lower[i] += problem.lower[v];
    out.upper[i] += problem.upper[v];
  }
  if (two) out.epsilon = std::max(0.0, problem.linear.front() + out.y[at(positions[at(problem.point.front())])]);
  return out;
}

}  // namespace

Vector near_start(const DualProblem& problem, const Rows& rows, DualOptions& options, const Execution& how) {
  const FeatureRows* const features = rows.features();
  if (features == nullptr || rows.size() < kFewPoints) return {};
  if (options.record != nullptr && options.record->knows_next()) return {};
  const WholeStage stage("start");
  const std::vector<Index> positions = rows.positions();
  const FeatureMatrix& x = features->matrix();
  LinearProblem linear = penalised(problem, positions, x.points());
  linear.bias_scale = 0;
  if (!problem.group.empty()) {
    double squares = 0;
    for (const Index i : positions) squares += x.square(i);
    linear.bias_scale = std::sqrt(squares / static_cast<double>(positions.size()));
  }
  const Stopwatch watch;
  const Monitor monitor([&](const Progress& progress) {
    how.monitor.report({progress.stage, 0});  // it is no progress of the problem
    return watch.seconds() <= kShare * options.max_seconds;
  });
  const LinearSolution found = coordinate_descent(x, linear, {.tolerance = kNear, .max_passes = kMostPasses}, monitor);
  options.max_seconds -= watch.seconds();
  if (found.stopped == "interrupted" && options.record != nullptr) {
    options.record->give_up();
    options.record = nullptr;
  }
  Vector out;
  for (const Index i : positions) out.push_back(found.b[at(i)]);
  return out;
}

}  // namespace mercer::detail
