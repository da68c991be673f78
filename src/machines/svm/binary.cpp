#include "machines/svm/binary.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "machines/svm/clock.hpp"
#include "machines/svm/linear_start.hpp"
#include "machines/svm/start.hpp"

namespace mercer::detail {

namespace {

double side(const BinaryProblem& problem, double sign) {
  double total = 0;
  for (std::size_t i = 0; i < problem.sign.size(); ++i) {
    if (problem.sign[i] == sign) total += problem.cost[i];
  }
  return total;
}

// nu-SVC has a model divided by its margin r. Its alphas times r, which is what makes their sum right again.
void unscale(Beginning& begin, double sum) {
  double given = 0;
  for (const double a : begin.alpha) given += std::abs(a);
  begin.scale(given > 0 ? 2 * sum / given : 0);
}

// Where most alphas stand at a bound, they will stand at a larger one too: alphas of a smaller C are stretched with it.
// That bound is read off the alphas themselves: the largest share of a cost, which several have in common.
void stretch(const BinaryProblem& problem, Beginning& begin) {
  const Vector& wish = begin.alpha;
  double share = 0;
  for (std::size_t i = 0; i < wish.size(); ++i) {
    if (problem.cost[i] > 0) share = std::max(share, std::abs(wish[i]) / problem.cost[i]);
  }
  std::size_t bounded = 0, nonzero = 0;
  for (std::size_t i = 0; i < wish.size(); ++i) {
    if (problem.cost[i] == 0 || wish[i] == 0) continue;
    ++nonzero;
    bounded += std::abs(wish[i]) >= (1 - 1e-9) * share * problem.cost[i] ? 1 : 0;
  }
  if (share == 0 || share >= 1 || bounded < 2 || 2 * bounded < nonzero) return;
  begin.scale(1 / share);
}

// A margin this small beside the largest |f| that the alphas allow is rounding.
constexpr double kNoMargin = 1e-12;
// A margin of nu-SVC that is less than so many gaps is not known yet.
constexpr double kClear = 10;

double margin_of(const DualSolution& solution) { return (solution.level[0] - solution.level[1]) / 2; }

// The gap is in the units of f, of which the margin may be any part: the tolerance follows it until it is known.
DualSolution solve_for_margin(DualProblem& dual, const Rows& rows, DualOptions options, const Execution& how) {
  const Clock clock(options.max_seconds);
  const Index most = options.max_steps;
  DualSolution found = solve(dual, rows, options, how);
  while (found.converged && margin_of(found) < kClear * found.gap && !vanishes(dual, found, rows)) {
    options.tolerance = std::min(options.tolerance, found.gap) / (kClear * kClear);
    if (!(options.tolerance > 0) || (most > 0 && found.steps >= most)) break;
    options.max_steps = most > 0 ? most - found.steps : 0;
    options.max_seconds = clock.left();
    dual.start = dual.known_b = found.b;
    dual.known_f = found.f;
    const Index steps = found.steps, rounds = found.rounds;
    found = solve(dual, rows, options, how);
    found.steps += steps;
    found.rounds += rounds;
  }
  return found;
}

void divide_by_margin(BinaryOutcome& found) {
  Outcome& outcome = found.outcome;
  double largest = 0;
  for (const double f : found.scores) largest = std::max(largest, std::abs(f + outcome.rho));
  if (!(outcome.spread > kNoMargin * largest) || !std::isfinite(1 / outcome.spread)) {
    outcome.spread = 0;
    return;
  }
  outcome.scale(1 / outcome.spread);
  for (double& f : found.scores) f /= outcome.spread;
}

BinaryOutcome constant(double sign, const Rows& rows) {
  BinaryOutcome out;
  out.outcome.points = rows.points();
  out.outcome.alpha.assign(at(rows.size()), 0.0);
  out.outcome.rho = -sign;
  out.outcome.converged = true;
  out.outcome.stopped = "one class only";
  out.scores.assign(at(rows.size()), sign);
  return out;
}

}  // namespace

void Beginning::scale(double factor) {
  for (double& a : alpha) a *= factor;
  for (double& y : f) y *= factor;
}

Beginning BinaryOutcome::next() const {
  Beginning out{outcome.alpha, scores};
  for (double& f : out.f) f += outcome.rho;
  return out;
}

double BinaryProblem::positive() const { return side(*this, 1); }
double BinaryProblem::negative() const { return side(*this, -1); }

DualProblem dual_of(const BinaryProblem& problem) {
  const std::size_t n = problem.sign.size();
  DualProblem dual{
      .point = std::vector<Index>(n), .linear = Vector(n), .lower = Vector(n), .upper = Vector(n), .start = {}};
  for (std::size_t i = 0; i < n; ++i) {
    dual.point[i] = static_cast<Index>(i);
    dual.linear[i] = problem.nu > 0 ? 0 : -problem.sign[i];
    (problem.sign[i] > 0 ? dual.upper : dual.lower)[i] = problem.sign[i] * problem.cost[i];
  }
  if (problem.nu > 0 || problem.bias) {
    dual.group.resize(n);
    for (std::size_t i = 0; i < n; ++i) dual.group[i] = problem.nu > 0 && problem.sign[i] < 0;
  }
  return dual;
}

Vector scores_of(const DualSolution& solution, double rho) {
  Vector out = solution.f;
  for (double& f : out) f -= rho;
  return out;
}

BinaryOutcome solve_binary(const BinaryProblem& problem, Rows& rows, Beginning begin, const DualOptions& options,
                           const Execution& how) {
  const double positive = problem.positive(), negative = problem.negative();
  if (positive == 0 || negative == 0) return constant(positive > 0 ? 1 : negative > 0 ? -1 : 0, rows);
  if (problem.hard) return solve_hard_margin(problem, rows, begin.alpha, options, how);
  DualProblem dual = dual_of(problem);
  // In a fold the sides may be less even than the whole, for which nu was found feasible.
  const double sum = std::min({problem.nu * (positive + negative) / 2, positive, negative});
  DualOptions own = options;
  if (problem.nu == 0 && begin.alpha.empty()) {
    begin.alpha = near_start(dual, rows, own, how);
  } else if (problem.nu == 0) {
    stretch(problem, begin);
  } else {
    unscale(begin, sum);
  }
  begin.alpha.resize(problem.sign.size());
  begin_near(dual, begin.alpha, problem.nu > 0 ? std::array{sum, -sum} : std::array{0.0, 0.0});
  if (!begin.f.empty()) {
    dual.known_b = std::move(begin.alpha);
    dual.known_f = std::move(begin.f);
  }
  const DualSolution solution = problem.nu > 0 ? solve_for_margin(dual, rows, own, how) : solve(dual, rows, own, how);
  BinaryOutcome out{.outcome = read_solution(dual, solution, rows)};
  out.scores = scores_of(solution, out.outcome.rho);
  if (problem.nu > 0) {
    // The hulls of the sides, reduced as nu says, meet: r = 0 is best.
    out.separable = !vanishes(dual, solution, rows);
    divide_by_margin(out);
  }
  return out;
}

}  // namespace mercer::detail
