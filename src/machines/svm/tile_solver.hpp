// Sequential minimal optimisation of a small problem whose matrix is at hand. T is float or double.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

// minimise 1/2 b'Kb + ..., of which only the gradient g at the present b is known; sums over each group stay.
template <class T>
struct TileProblem {
  const T* K = nullptr;  // row-major
  Index stride = 0;
  std::vector<T> g, diagonal;
  Vector b, lower, upper;
  std::vector<Index> group_ends;  // variables are ordered by group; empty: no constraint
  std::span<T> room;              // for the matrix of the variables that are left when most stay at a bound

  Index size() const { return static_cast<Index>(b.size()); }
};

// Moves b (and g) until the gap is at most `tolerance`, progress is lost in rounding, `max_steps` are done, or
// keep_going says no. It is asked every few thousand steps. Returns the number of steps.
template <class T>
Index solve_tile(TileProblem<T>& problem, double tolerance, Index max_steps, const std::function<bool()>& keep_going);

}  // namespace mercer::detail
