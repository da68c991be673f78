// Svr and NuSvr: two variables for each point, one that pulls f up and one that pulls it down. Several targets are
// several problems on the same rows of K.
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/assemble.hpp"
#include "machines/svm/limits.hpp"
#include "machines/svm/outcome.hpp"
#include "machines/svm/start.hpp"
#include "machines/svm/tasks.hpp"
#include "mercer/machines/svm.hpp"

namespace mercer {

namespace detail {

namespace {

struct Regression {
  std::string machine;
  Vector cost;         // of each training point
  double epsilon = 0;  // half-width of the tube, for Svr
  double nu = 0;       // above 0: nu-SVR
  bool bias = true;
  Limits limits;
};

DualProblem dual_of(const Regression& r, const Rows& rows, const Matrix& y, Index target) {
  const std::size_t n = at(rows.size());
  DualProblem dual{.point = std::vector<Index>(2 * n),
                   .linear = Vector(2 * n),
                   .lower = Vector(2 * n),
                   .upper = Vector(2 * n),
                   .start = {}};
  if (r.bias) dual.group.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Index point = rows.points()[i];
    const double value = y(point, target), cost = r.cost[at(point)];
    dual.point[i] = dual.point[n + i] = static_cast<Index>(i);
    dual.linear[i] = r.epsilon - value;
    dual.linear[n + i] = -r.epsilon - value;
    dual.upper[i] = cost;
    dual.lower[n + i] = -cost;
    if (r.nu > 0) dual.group[n + i] = 1;
  }
  return dual;
}

// An alpha is the sum of a point's two variables, of which one is 0.
Vector split(const Matrix& alpha, Index target, const Rows& rows) {
  const std::size_t n = at(rows.size());
  Vector out(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = alpha(rows.points()[i], target);
    out[a > 0 ? i : n + i] = a;
  }
  return out;
}

Model fit_targets(const Regression& r, const Training& training) {
  check_limits(r.machine, r.limits);
  require_plain(training.K);
  const Clock clock(r.limits.max_seconds);
  const Index targets = training.y.cols();
  const auto start = starting_alphas(training, r.machine, Reading::value, {}, targets);
  const auto store = std::make_shared<RowStore>(training.K, std::span<const Index>{}, training.memory, training.how);
  std::vector<Outcome> outcomes(at(targets));
  std::vector<std::string> names;
  for (Index t = 0; t < targets; ++t) names.push_back(fmt::format("target {}", t + 1));
  const double sum = r.nu * std::accumulate(r.cost.begin(), r.cost.end(), 0.0) / 2;
  run_tasks(Vector(at(targets), 1.0), training.how, r.machine, [&](Index t, const Execution& how) {
    Rows rows(store);
    DualProblem dual = dual_of(r, rows, training.y, t);
    begin_near(dual, start ? split(*start, t, rows) : Vector(at(dual.size())), {sum, -sum});
    const DualSolution solution = solve(dual, rows, options_of(r.limits, clock), how);
    outcomes[at(t)] = read_solution(dual, solution, rows);
  });
  Model::Parts parts = parts_of(r.machine, training, expansion_of(outcomes, training.K), Reading::value);
  parts.report = report_of(outcomes, names, "targets", *store);
  if (r.nu > 0 && targets == 1) parts.report.add("epsilon", -outcomes.front().spread);
  return Model(std::move(parts));
}

Vector costs(const Training& training, double C) {
  Vector cost = weights_of(training);
  for (double& c : cost) c *= C;
  return cost;
}

void check_cost(const char* machine, double C) {
  if (!(C > 0) || std::isinf(C)) fail(ErrorKind::usage, "{}: C is {}; give a finite number above 0", machine, C);
}

}  // namespace

}  // namespace detail

Model Svr::fit(const Training& training) const {
  detail::check_cost("svr", C);
  if (!(epsilon >= 0) || std::isinf(epsilon)) {
    fail(ErrorKind::usage, "svr: epsilon is {}; give a finite number, at least 0", epsilon);
  }
  detail::check_training("svr", Task::regression, training);
  Vector cost = detail::costs(training, C);
  if (C_over_m) {
    const double m = std::accumulate(cost.begin(), cost.end(), 0.0) / C;
    for (double& c : cost) c /= m;
  }
  return detail::fit_targets({.machine = "svr",
                              .cost = std::move(cost),
                              .epsilon = epsilon,
                              .bias = bias,
                              .limits = {tolerance, max_iterations, max_seconds}},
                             training);
}

Model Svr::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Model NuSvr::fit(const Training& training) const {
  detail::check_cost("nusvr", C);
  if (!(nu > 0 && nu <= 1)) fail(ErrorKind::usage, "nusvr: nu is {}; give a number above 0, at most 1", nu);
  detail::check_training("nusvr", Task::regression, training);
  return detail::fit_targets({.machine = "nusvr",
                              .cost = detail::costs(training, C),
                              .nu = nu,
                              .limits = {tolerance, max_iterations, max_seconds}},
                             training);
}

Model NuSvr::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

}  // namespace mercer
