// mercer/machines/gd.hpp: least squares by gradient descent, which may be stopped early.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// Gradient descent in the function space on  L(f) = 1/2 sum_i w_i (y_i - f(x_i))^2,  from f = 0:
//     f <- f + step sum_i w_i (y_i - f(x_i)) k(x_i, .),   that is  alpha <- alpha + step W (y - K alpha)
//
// Converges to `ols` for 0 < step < 2 / lambda, lambda the largest eigenvalue of W^1/2 K W^1/2; small eigenvalues
// are fitted last, so stopping early regularises. Without a step, 1 / lambda is taken, lambda found by power iteration.
// n^2 per iteration; K is held in memory where it fits.
//
// Stops when an iteration changes the residuals by less than tolerance |y|; with a validation share, also when the
// error on those points (drawn by the seed, left out of the descent) has not improved for `patience` iterations, and
// then returns the best iterate. Cancelled, it returns what it has, as not converged.
//
// Report: step, largest_eigenvalue, rmse, validation_rmse, and the table `path` of at most 200 iterations.
struct GradientDescent {
  std::optional<double> step = {};
  double tolerance = 1e-6;
  Index max_iterations = 10000;
  double validation = 0;  // share of the points, below 1
  Index patience = 20;
  std::uint64_t seed = 0;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

}  // namespace mercer
