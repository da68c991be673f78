// The dual of a linear machine, one variable at a time:
//
//     minimise over b  1/2 |w|^2 + sum_i (1/2 d_i b_i^2 - y_i b_i + epsilon |b_i|),   lower <= b <= upper,
//     w = sum_i b_i (x_i, s)
//
// hinge      y = +-1, epsilon = 0, b of the sign of y and at most C_i in size, d = 0
// tube       b in [-C_i, C_i], d = 0;   squared losses  no bound in size, d_i = 1 / (2 C_i)
//
// w is kept, so that the gradient w.x_i + d_i b_i - y_i of a variable costs a row of x (Hsieh, Chang, Lin, Keerthi &
// Sundararajan 2008, ICML; for regression Ho & Lin 2012, JMLR 13). Passes go in random order; a variable that is at
// home at a bound, by more than the worst of the last pass is off, is left out until the others are done. Where squared
// losses of few columns take long, Newton's method in the primal takes it to the optimum (primal_newton.hpp), and
// passes go on from there.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "machines/svm/linear/feature_matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::detail {

struct LinearProblem {
  std::span<const Index> order;   // the points that take part: from their order the passes draw theirs
  Vector y, lower, upper, ridge;  // of each point; lower == upper leaves it out. ridge is d
  double epsilon = 0;
  double bias_scale = 1;  // s; 0: no bias
};

struct LinearOptions {
  double tolerance = 1e-4;  // of the violation of the optimality conditions, beside the largest |y|
  Index max_passes = 1000;
  std::uint64_t seed = 0;
};

struct LinearSolution {
  Vector b, w;      // of each point; of each column
  double bias = 0;  // s times its weight
  double dual = 0;  // minus the objective above
  double size = 0;  // |w|^2, the weight of the bias included
  double gap = 0;   // the largest violation
  Index passes = 0;
  bool converged = false;
  std::string stopped;
};

// On one thread. Told to stop, returns the feasible point reached.
LinearSolution coordinate_descent(const FeatureMatrix& x, const LinearProblem& problem, const LinearOptions& options,
                                  const Monitor& monitor);

}  // namespace mercer::detail
