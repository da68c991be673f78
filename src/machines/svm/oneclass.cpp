// OneClass: the smallest half-space of features that keeps most of the points.
#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/svm/clock.hpp"
#include "machines/svm/limits.hpp"
#include "machines/svm/outcome.hpp"
#include "machines/svm/record.hpp"
#include "machines/svm/start.hpp"
#include "mercer/machines/svm.hpp"
#include "model/tasks.hpp"

namespace mercer {

using namespace detail;

namespace {

// Of all rho that meet the optimality conditions within the tolerance, the largest that leaves every point inside whose
// alpha is below its bound: those outside then weigh nu of all at most, as at the exact solution, where the points
// between the bounds lie on the edge. What f may differ by when it is computed once more is left as room.
double rho_with_the_edge_inside(const DualProblem& dual, const DualSolution& solution, const Vector& diagonal) {
  double rho = solution.level[0], size = 0;  // where no point is on the edge, the middle of what is possible
  for (std::size_t v = 0; v < solution.b.size(); ++v) {
    const std::size_t i = at(dual.point[v]);
    size += solution.b[v] * diagonal[i];
    if (solution.b[v] < dual.upper[v]) rho = std::min(rho, solution.f[i]);
  }
  return solution.converged ? rho - 1e-12 * size : solution.level[0];
}

}  // namespace

Model OneClass::fit(const Training& training) const {
  if (!(nu > 0 && nu <= 1)) fail(ErrorKind::usage, "oneclass: nu is {}; give a number above 0, at most 1", nu);
  const Limits limits{tolerance, max_iterations, max_seconds, training.seconds};
  check_limits("oneclass", limits);
  const Threads threads = check_training("oneclass", Task::novelty, training);
  require_plain(training.K);
  const Clock clock(limits.least_seconds());
  Record record(training.checkpoints, 1);
  const auto start = starting_alphas(training, "oneclass", Reading::novelty, {}, 1);
  const auto store = RowStore::of_fit(training.K, std::span<const Index>{}, training.memory, training.how);
  const Vector weights = weights_of(training);
  std::vector<Outcome> outcomes(1);
  bool nothing = false;
  run_tasks(Vector{1}, training.how, "oneclass", [&](Index, const Execution& how) {
    Rows rows(store);
    const std::size_t n = at(rows.size());
    DualProblem dual{.point = std::vector<Index>(n),
                     .linear = Vector(n),
                     .lower = Vector(n),
                     .upper = Vector(n),
                     .start = {},
                     .group = std::vector<std::uint8_t>(n)};
    std::iota(dual.point.begin(), dual.point.end(), Index{0});
    Vector wish(n);
    for (std::size_t i = 0; i < n; ++i) {
      dual.upper[i] = weights[at(rows.points()[i])];
      if (start) wish[i] = (*start)(rows.points()[i], 0);
    }
    begin_near(dual, wish, {nu * std::accumulate(weights.begin(), weights.end(), 0.0), 0});
    const DualSolution solution = solve(dual, rows, options_of(limits, clock.left(), record.of(0)), how);
    nothing = vanishes(dual, solution, rows);
    outcomes[0] = read_solution(dual, solution, rows);
    outcomes[0].rho = rho_with_the_edge_inside(dual, solution, rows.diagonal());
  });
  record.end();
  Model::Parts parts = parts_of("oneclass", training, expansion_of(outcomes, training.K), Reading::novelty);
  parts.report = report_of(outcomes, std::vector<std::string>{"oneclass"}, "outputs", *store);
  if (nothing) {
    parts.report.notes.emplace_back(
        "the points surround the origin of the kernel's features: f is 0, and nothing is novel; raise nu, or take a "
        "kernel whose values are above 0, as rbf");
  }
  return Model(std::move(parts));
}

}  // namespace mercer
