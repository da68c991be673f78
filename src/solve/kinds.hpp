// The ways to solve a system, for system_for().
#pragma once

#include "solve/system.hpp"

namespace mercer::solve {

// The lower triangle of S K S / unit.
void assemble_lower(const Equations& equations, MatrixRef a, const Execution& how);

// G with S K S / unit = G G' and its squared entries added up, where K has a factor of few columns for its points.
struct Factor {
  Matrix G;
  double trace = 0;
};
std::optional<Factor> factor_of(const Equations& equations);

// By the Cholesky factor of A: n^3/3, then 2 n^2 for each right side. n^2 numbers.
Made dense_system(const Equations& equations, const Wishes& wishes, const Execution& how);
// By Woodbury's formula in r features: 2 n r^2 + 9 r^3, then 8 n r for each right side. n r numbers. None where there
// are no few features, or more than one shift.
std::unique_ptr<System> factored_system(const Equations& equations, const Wishes& wishes, const Monitor& monitor);

// By a Kalman filter along the line, J^2 to J^3 flops for each point and J states. J n numbers. UsageError where the
// kernel has no state space for the points.
Made state_space_system(const Equations& equations, const Wishes& wishes, const Execution& how);

// Where A is not positive definite in floating point: what is added to its diagonal next, of the mean of that; none:
// that would be too much.
std::optional<double> more_jitter(double last, double mean);

// By conjugate gradients: n^2/2 values of K and 4 k n for each step, and before them k^2 n for a preconditioner of rank
// k. (k + 150) n numbers; A is nowhere. None where there is more than one shift.
std::unique_ptr<System> iterative_system(const Equations& equations, const Wishes& wishes, const Execution& how);

}  // namespace mercer::solve
