// A dual problem by an interior-point method, for those on which pairs of variables crawl: a huge C, nearly equal
// points, kernels of a few directions that matter.
//
// With x = b - lower, t = upper - b, their multipliers z, w and a level lambda for the sum of each group, Newton's
// method is followed along  K b + p - lambda = z - w,  x z = t w = mu -> 0  (Mehrotra 1992, SIAM J. Optim. 2). What
// must be factored is K + diag, of the points: n^3/3 flops for each of some 10 to 40 iterations, whatever C is. Where
// the groups fix their sums, K is centred first: a constant in K has no effect then, and would drown the rest.
#pragma once

#include <functional>

#include "machines/svm/dual.hpp"

namespace mercer::detail {

// Bytes that it takes for so many points.
inline double interior_point_bytes(Index n) {
  return 2.0 * static_cast<double>(n) * static_cast<double>(n) * sizeof(double);
}

struct InteriorPoint {
  Vector b;  // feasible, variables at a bound exactly there
  double gap = 0;
  Index iterations = 0;
};

// From a feasible b with f = K b, which need not be near the optimum. Ends when the gap is below `tolerance`, when
// rounding allows no more, or when keep_going, asked between iterations, says no; returns the best point seen.
InteriorPoint interior_point(const DualProblem& problem, const Rows& rows, int threads, const Vector& b,
                             const Vector& f, double tolerance, const std::function<bool()>& keep_going);

}  // namespace mercer::detail
