// Svr and NuSvr: two variables for each point, one that pulls f up and one that pulls it down. Several targets are
// several problems on the same rows of K.
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/svm/clock.hpp"
#include "machines/svm/cross.hpp"
#include "machines/svm/limits.hpp"
#include "machines/svm/linear_start.hpp"
#include "machines/svm/outcome.hpp"
#include "machines/svm/record.hpp"
#include "machines/svm/start.hpp"
#include "model/target_scale.hpp"
#include "model/tasks.hpp"
#include "selection/held_out.hpp"

namespace mercer {

namespace detail {

namespace {

struct Regression {
  std::string machine;
  Vector cost;         // of each training point
  double epsilon = 0;  // half-width of the tube, for Svr
  double nu = 0;       // above 0: nu-SVR
  bool bias = true;
  std::vector<TargetScale> scales = {};  // of each target, what it is solved in
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
    const double value = (y(point, target) - r.scales[at(target)].mean) / r.scales[at(target)].deviation,
                 cost = r.cost[at(point)];
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
Vector split(const Vector& alpha) {
  const std::size_t n = alpha.size();
  Vector out(2 * n);
  for (std::size_t i = 0; i < n; ++i) out[alpha[i] > 0 ? i : n + i] = alpha[i];
  return out;
}

// A solution to begin at: the b of each variable, and K b at each point where it is known.
struct Solved {
  Vector b, f = {};
  double rho = 0;
};

struct TargetFit {
  Model model;
  std::vector<Solved> targets;
};

// `last`: of each target, or nothing.
TargetFit fit_targets(const Regression& r, const Training& training, const std::shared_ptr<RowStore>& store,
                      std::vector<Solved> last) {
  const Clock clock(r.limits.least_seconds());
  const Index targets = training.y.cols();
  Record record(training.checkpoints, targets);
  Shares shares(clock, Vector(at(targets), 1.0), side_by_side(at(targets), training.how));
  last.resize(at(targets));
  std::vector<Outcome> outcomes(at(targets));
  std::vector<std::string> names;
  for (Index t = 0; t < targets; ++t) names.push_back(fmt::format("target {}", t + 1));
  const double sum = r.nu * std::accumulate(r.cost.begin(), r.cost.end(), 0.0) / 2;
  run_tasks(Vector(at(targets), 1.0), training.how, r.machine, [&](Index t, const Execution& how) {
    Rows rows(store);
    DualProblem dual = dual_of(r, rows, training.y, t);
    auto& [b, f, rho] = last[at(t)];
    DualOptions options = options_of(r.limits, shares.seconds(t), record.of(t));
    if (b.empty() && r.nu == 0) b = split(near_start(dual, rows, options, how));
    b.resize(at(dual.size()));
    begin_near(dual, b, {sum, -sum});
    if (!f.empty()) {
      dual.known_b = std::move(b);
      dual.known_f = std::move(f);
    }
    DualSolution solution = solve(dual, rows, options, how);
    outcomes[at(t)] = read_solution(dual, solution, rows);
    last[at(t)] = {std::move(solution.b), std::move(solution.f), outcomes[at(t)].rho};
    const auto [mean, deviation] = r.scales[at(t)];
    outcomes[at(t)].scale(deviation);
    outcomes[at(t)].rho -= mean;
  });
  record.end();
  Model::Parts parts = parts_of(r.machine, training, expansion_of(outcomes, training.K), Reading::value);
  parts.report = report_of(outcomes, names, "targets", *store);
  if (r.nu > 0 && targets == 1) parts.report.add("epsilon", -outcomes.front().spread * r.scales.front().deviation);
  return {Model(std::move(parts)), std::move(last)};
}

Model fit_targets(const Regression& r, const Training& training) {
  require_plain(training.K);
  const auto start = starting_alphas(training, r.machine, Reading::value, {}, training.y.cols());
  const auto store = RowStore::of_fit(training.K, std::span<const Index>{}, training.memory, training.how);
  const Rows rows(store);
  std::vector<Solved> begin;
  for (Index t = 0; start && t < training.y.cols(); ++t) {
    Vector alpha;
    for (const Index point : rows.points()) alpha.push_back((*start)(point, t));
    begin.push_back({split(alpha)});
    for (double& b : begin.back().b) b /= r.scales[at(t)].deviation;
  }
  return fit_targets(r, training, store, std::move(begin)).model;
}

Vector costs(const Training& training, double C) {
  Vector cost = weights_of(training);
  for (double& c : cost) c *= C;
  return cost;
}

// The units that the targets are solved in: their own, or what makes their mean 0 and their standard deviation 1.
std::vector<TargetScale> scales_of(const Training& training, bool scale_target, bool bias) {
  if (!scale_target) return std::vector<TargetScale>(at(training.y.cols()));
  std::vector<TargetScale> scales = target_scales(training.y, training.weights);
  for (TargetScale& scale : scales) {
    if (!bias) scale.mean = 0;  // there is no b to put it back into
  }
  return scales;
}

void check_cost(const char* machine, double C) {
  if (!(C > 0) || std::isinf(C)) fail(ErrorKind::usage, "{}: C is {}; give a finite number above 0", machine, C);
}

Regression regression_of(const Svr& svr, const Training& training) {
  check_cost("svr", svr.C);
  if (!(svr.epsilon >= 0) || std::isinf(svr.epsilon)) {
    fail(ErrorKind::usage, "svr: epsilon is {}; give a finite number, at least 0", svr.epsilon);
  }
  const Limits limits{svr.tolerance, svr.max_iterations, svr.max_seconds, training.seconds};
  check_limits("svr", limits);
  const Threads threads = check_training("svr", Task::regression, training);
  Vector cost = costs(training, svr.C);
  if (svr.C_over_m) {
    const double m = std::accumulate(cost.begin(), cost.end(), 0.0) / svr.C;
    for (double& c : cost) c /= m;
  }
  return {.machine = "svr",
          .cost = std::move(cost),
          .epsilon = svr.epsilon,
          .bias = svr.bias,
          .scales = scales_of(training, svr.scale_target, svr.bias),
          .limits = limits};
}

Regression regression_of(const NuSvr& nusvr, const Training& training) {
  check_cost("nusvr", nusvr.C);
  if (!(nusvr.nu > 0 && nusvr.nu <= 1)) {
    fail(ErrorKind::usage, "nusvr: nu is {}; give a number above 0, at most 1", nusvr.nu);
  }
  const Limits limits{nusvr.tolerance, nusvr.max_iterations, nusvr.max_seconds, training.seconds};
  check_limits("nusvr", limits);
  const Threads threads = check_training("nusvr", Task::regression, training);
  return {.machine = "nusvr",
          .cost = costs(training, nusvr.C),
          .nu = nusvr.nu,
          .scales = scales_of(training, nusvr.scale_target, true),
          .limits = limits};
}

template <class Config>
std::vector<mercer::HeldOut> cross_targets(const Crossing& crossing, const std::string& machine,
                                           const std::function<Config(const Settings&)>& read) {
  const Training& all = crossing.training;
  const Threads threads = check_training(machine, Task::regression, all);
  require_plain(all.K);
  const auto store = store_for(all, {});
  struct Part {
    Training rest;
    std::vector<Solved> last;
  };
  return walk_all(crossing, machine, [&](const Fold& fold) -> Walk {
    return [&, part = std::make_shared<Part>(Part{weighing_nothing(all, fold), {}})](const Settings& settings,
                                                                                     const Execution& how) {
      part->rest.how = how;
      const Regression r = regression_of(read(settings), part->rest);
      TargetFit fitted = fit_targets(r, part->rest, store, std::move(part->last));
      part->last = std::move(fitted.targets);
      // With one segment, positions in the rows are numbers of points.
      Matrix f(static_cast<Index>(fold.size()), all.y.cols());
      for (Index i = 0; i < f.rows(); ++i) {
        for (Index t = 0; t < f.cols(); ++t) {
          const Solved& solved = part->last[at(t)];
          const auto [mean, deviation] = r.scales[at(t)];
          f(i, t) = mean + deviation * (solved.f[at(fold[at(i)])] - solved.rho);
        }
      }
      return read_scores(all.labels, fitted.model, f);
    };
  });
}

}  // namespace

std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<Svr(const Settings&)>& read) {
  return cross_targets(crossing, "svr", read);
}

std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<NuSvr(const Settings&)>& read) {
  return cross_targets(crossing, "nusvr", read);
}

}  // namespace detail

Model Svr::fit(const Training& training) const {
  return detail::fit_targets(detail::regression_of(*this, training), training);
}
Model Svr::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Model NuSvr::fit(const Training& training) const {
  return detail::fit_targets(detail::regression_of(*this, training), training);
}
Model NuSvr::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

}  // namespace mercer
