// The hard margin: C-SVC without a bound on the alphas.
//
// Where a margin exists, the alphas add to 1 / margin^2, so a bound C above that changes nothing; where none exists
// they grow without end, one small step after the other. So C grows by rungs, each begun at the last solution stretched
// along its own ray, until no alpha is at its bound (the hard margin is found) or the solution proves that there is no
// margin worth the name: for any signed alphas b of sum 0, margin <= |sum_i b_i phi(x_i)| / sum_i |b_i|.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "machines/svm/binary.hpp"
#include "machines/svm/clock.hpp"
#include "machines/svm/start.hpp"

namespace mercer::detail {

namespace {

constexpr double kSmallestMargin = 1e-5;                   // of the largest |phi(x)|
constexpr double kFirst = 1e2, kRung = 1e2, kLast = 1e10;  // C times the largest k(x, x)

struct Size {
  double sum = 0;      // sum |b|
  double squares = 0;  // b'Kb
  bool bounded = false;
};

Size size_of(const DualSolution& solution, double bound) {
  Size out;
  for (std::size_t i = 0; i < solution.b.size(); ++i) {
    out.sum += std::abs(solution.b[i]);
    out.squares += solution.b[i] * solution.f[i];
    out.bounded |= std::abs(solution.b[i]) >= bound;
  }
  return out;
}

// With costs for bounds the primal objective charges what the tolerance leaves of violations at an absurd price; f
// stretched to meet every constraint is a fair one.
void set_primal(BinaryOutcome& found, const BinaryProblem& problem) {
  double margin = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.scores.size(); ++i) {
    if (problem.cost[i] > 0) margin = std::min(margin, problem.sign[i] * found.scores[i]);
  }
  if (margin > 0) found.outcome.primal = found.outcome.squared_norm / (2 * margin * margin);
}

}  // namespace

BinaryOutcome solve_hard_margin(const BinaryProblem& problem, Rows& rows, VectorView wish, const DualOptions& options,
                                const Execution& how) {
  const Clock clock(options.max_seconds);
  const double largest = std::max(problem.largest_phi * problem.largest_phi, std::numeric_limits<double>::min());
  DualOptions rung = options;
  rung.objective_floor = -1 / (2 * kSmallestMargin * kSmallestMargin * largest);
  BinaryProblem bounded = problem;
  Vector begin(wish.begin(), wish.end());
  begin.resize(problem.sign.size());
  Index steps = 0;
  for (double c = kFirst;; c *= kRung) {
    const double bound = c / largest;
    for (std::size_t i = 0; i < problem.cost.size(); ++i) bounded.cost[i] = problem.cost[i] > 0 ? bound : 0;
    DualProblem dual = dual_of(bounded);
    begin_near(dual, begin, {0, 0});
    rung.max_seconds = clock.left();
    if (options.max_steps > 0) rung.max_steps = std::max<Index>(1, options.max_steps - steps);
    const DualSolution solution = solve(dual, rows, rung, how);
    steps += solution.steps;
    const Size size = size_of(solution, bound);
    const bool no_margin =
        size.sum > 0 && std::sqrt(std::max(0.0, size.squares)) < kSmallestMargin * size.sum * std::sqrt(largest);
    const bool inseparable =
        no_margin || solution.objective < rung.objective_floor || (solution.converged && size.bounded && c >= kLast);
    if (inseparable || !solution.converged || !size.bounded) {
      BinaryOutcome out{.outcome = read_solution(dual, solution, rows), .separable = !inseparable};
      out.outcome.steps = steps;
      out.scores = scores_of(solution, out.outcome.rho);
      set_primal(out, problem);
      return out;
    }
    // The best point on the ray through b: the minimum over t of t^2/2 b'Kb - t sum |b|.
    const double stretch = size.squares > 0 ? std::clamp(size.sum / size.squares, 1.0, kRung) : kRung;
    for (std::size_t i = 0; i < begin.size(); ++i) begin[i] = stretch * solution.b[i];
  }
}

}  // namespace mercer::detail
