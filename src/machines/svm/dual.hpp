// The dual problem of every support vector machine, in signed coefficients b (f = sum_i b_i k(x_i, .)):
//
//     minimise  1/2 b'Kb + p'b   subject to  lower <= b <= upper,  and the sum of b in each group as it is at the start
//
// C-SVC    p = -y, b in [0, C] where y = 1 and [-C, 0] where y = -1, one group
// nu-SVC   p = 0, b in [0, 1] or [-1, 0], a group per sign
// SVR      two variables per point, [0, C] with p = epsilon - y and [-C, 0] with p = -epsilon - y, one group
// nu-SVR   the same with epsilon = 0, a group per sign;   one-class  p = 0, b in [0, 1], one group
// Without a bias there is no group.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "machines/svm/kernel_rows.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

class RecordOfProblem;  // machines/svm/record.hpp

struct DualProblem {
  std::vector<Index> point;              // whose row of K a variable multiplies: a position in the Rows
  Vector linear, lower, upper;           // p and the box; lower == upper freezes a variable
  Vector start;                          // feasible
  std::vector<std::uint8_t> group = {};  // 0 or 1 for each variable; empty: no constraint, no bias
  // A b whose K b (at every point of the Rows) is known, so that only what `start` differs by is computed; or nothing.
  Vector known_b = {}, known_f = {};

  Index size() const { return static_cast<Index>(point.size()); }
};

struct DualOptions {
  double tolerance = 1e-3;  // of the KKT gap
  Index max_steps = 0;      // 0: no limit but the one that keeps a hopeless problem from running for ever
  double max_seconds = std::numeric_limits<double>::infinity();
  std::string over = "time limit";                                    // what is said when they are
  double objective_floor = -std::numeric_limits<double>::infinity();  // stop below: the problem is unbounded
  // f is wanted where it decides, at points with an alpha and those that say what the gap is; elsewhere, and when the
  // time is over, to within a bound that shows that it does not.
  bool f_where_it_decides = false;
  RecordOfProblem* record = nullptr;  // what is kept of it, and where another process was in it; null: nothing
};

struct DualSolution {
  Vector b;                       // of each variable
  Vector f;                       // K b at every point of the Rows, in double precision (see f_where_it_decides)
  std::array<double, 2> level{};  // of each group: the gradient K b + p at free variables. The bias is -level
  double objective = 0;           // 1/2 b'Kb + p'b
  double gap = 0;                 // largest violation of the KKT conditions, from f; at most so, when the time is over
  bool certified = true;          // f is of double precision: it is, unless somebody would not wait for it
  bool converged = false;
  std::string stopped;          // "optimal to the tolerance", "time limit", "iteration limit", "interrupted", ...
  Index steps = 0, rounds = 0;  // pair updates; working sets
};

// What a machine takes that solves such problems, of so many variables for each point.
Needs needs_of_duals(const Extent& extent, Index variables);

// Deterministic, whatever the number of threads. When the monitor cancels, returns the feasible point reached.
DualSolution solve(const DualProblem& problem, const Rows& rows, const DualOptions& options, const Execution& how);

}  // namespace mercer::detail
