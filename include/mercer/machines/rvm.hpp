// mercer/machines/rvm.hpp: relevance vector machines, sparse by Bayes' rule.
//
//     Model m = Rvm{}.fit(lazy(k, x), y);                     // mean and variance from a handful of points
//     Model c = Rvc{}.fit(lazy(k, x), Labels::from(names));   // probabilities
#pragma once

#include "mercer/machines.hpp"
#include "mercer/prior.hpp"

namespace mercer {

// y_i = sum_j w_j k(x_j, x_i) + b + e_i,   w_j ~ N(0, 1/alpha_j),   b ~ N(0, 1/alpha_b),   e_i ~ N(0, noise)
//
// The alphas and the noise maximise the evidence p(y | alpha, noise); most alphas are infinite there, and the points of
// the others are called relevance vectors. From the empty model, the one function that gains most evidence is added
// (Tipping & Faul 2003), then all alphas and the noise climb to a maximum, where functions may drop out again. The
// maximum is a local one, but the same for the same points: their order, points of weight 0 and the CPU do not show.
// Any kernel will do, but its parameters are not learnt: a width is best tuned. Several targets are fitted each by
// itself. A weight of 2 counts a point's error twice; a point of weight 0 is no candidate either.
//
// For m functions in the model, an addition costs a product with K, n^2, n m^2 and a few times m^3. n^2 doubles where
// memory allows, else K is computed again for each addition. It ends when no function left out would gain more than the
// tolerance.
//
// The model has a Posterior: variances are those of w and b given the alphas. They shrink to what b knows far from all
// relevance vectors, where kernels vanish: do not take them for certainty there.
//
// Report: log_marginal_likelihood, relevance_vectors, noise; why it ended; table `course`.
struct Rvm {
  Learnable noise = {};  // variance of e
  bool bias = true;
  double tolerance = 1e-4;
  Index max_iterations = 20000;  // functions added for each target

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// P(+1 | x) = 1 / (1 + exp(-f(x))),   f(x) = sum_j w_j k(x_j, x) + b,   w_j ~ N(0, 1/alpha_j)
//
// As above, with the likelihood replaced by a normal one around the mode of w and b (Laplace's approximation), which is
// found again until alphas and mode agree: n m^2 each time, and n^2 m for an addition. The evidence is that
// approximation's; a function that would leave it lower is not added. Several classes: each against the rest,
// probabilities divided by their sum.
//
// Report: log_marginal_likelihood, relevance_vectors; why it ended; for two classes the table `course`.
struct Rvc {
  bool bias = true;
  double tolerance = 1e-4;
  Index max_iterations = 20000;  // functions added for each problem

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

}  // namespace mercer
