// What a dual problem's solution says about the machine, and the model made of one or several of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machines/svm/dual.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// One output f = sum_i alpha_i k(x_i, .) - rho.
struct Outcome {
  Vector alpha;               // at each point of the Rows
  std::vector<Index> points;  // which training points these are
  double rho = 0;
  double squared_norm = 0;      // alpha' K alpha
  double primal = 0, dual = 0;  // primal >= dual
  double gap = 0;               // of the KKT conditions, in the solver's units
  double spread = 0;            // half of level[0] - level[1]: the margin of nu-SVC, -epsilon of nu-SVR
  Index support = 0, free = 0, bounded = 0, steps = 0;
  bool converged = false, certified = true;
  std::string stopped;

  // f - rho times factor; the objectives, being quadratic in f, times factor^2.
  void scale(double factor);
};

// The primal objective comes from the dual's own Lagrangian: with the multipliers level of the groups' sums s,
//     1/2 b'Kb + sum_v max over x in [lower_v, upper_v] of -(f_v + p_v - level) x - sum_g level_g s_g,
// which for every machine is its loss added up.
Outcome read_solution(const DualProblem& problem, const DualSolution& solution, const Rows& rows);

// Whether f = sum_v b_v phi(x_v) is 0 but for rounding: without a linear term (nu-SVC, one class) nothing is left of it
// where the origin lies among the points, or one side among the other.
bool vanishes(const DualProblem& problem, const DualSolution& solution, const Rows& rows);

// Figures, notes and, for several outputs, a table of this name with a row for each. `names` says what each output is:
// "a" against "b", target 2.
Report report_of(std::span<const Outcome> outcomes, std::span<const std::string> names, const std::string& table,
                 const RowStore& store);
// The expansion over the points with a nonzero alpha in any output.
Expansion expansion_of(std::span<const Outcome> outcomes, const Gram& K);

}  // namespace mercer::detail
