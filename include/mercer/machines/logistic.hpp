// mercer/machines/logistic.hpp: kernel logistic regression, whose scores are probabilities.
//
//     Model m = KernelLogistic{.lambda = 0.1}.fit(lazy(k, x), Labels::from(names));
//     Matrix p = m.probabilities(test);
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// two classes, y_i = +-1     minimise  sum_i w_i log(1 + exp(-y_i (f(x_i) + b))) + lambda/2 |f|^2
// several, y_i = 1 .. k      minimise  sum_i w_i (log sum_c exp(f_c(x_i) + b_c) - f_y(x_i) - b_y) + lambda/2 sum_c
// |f_c|^2
//
// with P(+1 | x) = 1 / (1 + exp(-f(x) - b)), or P(c | x) = exp(f_c(x) + b_c) / sum exp(f(x) + b). The bias is not
// penalised; of several classes the f_c add to 0, and the b_c too. scikit-learn's C is 1 / lambda.
//
// Newton's method with halved steps. Two classes: each step is one Cholesky factor (Rasmussen & Williams 2006,
// algorithm 3.1), n^3/3 and 2 n^2 doubles when K is lazy, and some six of them are taken. Several: steps by conjugate
// gradients, preconditioned by the same factor with the mean curvature of the classes. Where lambda is too small for
// that to get anywhere and memory allows it, the steps are direct (section 3.5 there): 3 n^3 and n^2 doubles for each
// class. It ends when
//     |lambda alpha_i + w_i loss'(f(x_i))| <= tolerance max w   for all i, and   |sum_i w_i loss'(f(x_i))| <= tolerance
//     sum w,
// or when a further step promises nothing beyond rounding. A tiny lambda is reached through larger ones, which keeps
// the systems well-conditioned.
//
// With centres (Training::centres, m of them) f is made of these alone, f = w'phi with phi their features. Newton's
// method in w by conjugate gradients, 4 n m flops for a step of each output, preconditioned by sketches of 2 m rows, 5
// m^3 flops for each output and some three times. n m numbers are kept where they find room, and else computed in every
// pass. It ends when the gradient in w is at most tolerance sum w in the units of |phi|, the root of the mean of k(x,
// x).
//
// Report: objective, gradient (the larger of the left sides above over their weights); for several classes
// and with centres conjugate_gradient_steps, for several classes of all points direct_steps.
struct KernelLogistic {
  double lambda = 1;
  bool bias = true;
  double tolerance = 1e-8;
  Index max_iterations = 200;  // Newton steps

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

}  // namespace mercer
