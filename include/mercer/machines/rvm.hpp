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
// the others are called relevance vectors. Fast marginal likelihood maximisation (Tipping & Faul 2003): from the empty
// model, each step adds, re-estimates or deletes the one function that gains most evidence. The maximum is a local one.
// Any kernel will do, but its parameters are not learnt: a width is best tuned. Several targets are fitted each by
// itself. A weight of 2 counts a point's error twice; a point of weight 0 is no candidate either.
//
// For m functions in the model: n^2 for a step that adds one, n m for another, and n m^2 to compute all afresh, about
// every m steps; more often where functions overlap so much that rounding errors would tell. n^2 doubles where memory
// allows, else K is computed again for each addition. It ends when no log alpha and no log noise would move by more
// than the tolerance, and no function left out would gain as much.
//
// The model has a Posterior: variances are those of w and b given the alphas. They shrink to what b knows far from all
// relevance vectors, where kernels vanish: do not take them for certainty there.
//
// Report: log_marginal_likelihood, relevance_vectors, noise; why it ended; table `course`.
struct Rvm {
  Learnable noise = {};  // variance of e
  bool bias = true;
  double tolerance = 1e-4;
  Index max_iterations = 20000;  // steps of each target

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// P(+1 | x) = 1 / (1 + exp(-f(x))),   f(x) = sum_j w_j k(x_j, x) + b,   w_j ~ N(0, 1/alpha_j)
//
// As above, with the likelihood replaced by a normal one around the mode of w and b (Laplace's approximation), found
// again after every few steps: n^2 m, and n m^2 for each step of Newton's method. The evidence is that approximation's,
// and may fall a little on the way. Several classes: each against the rest, probabilities divided by their sum.
//
// Report: log_marginal_likelihood, relevance_vectors; why it ended; for two classes the table `course`.
struct Rvc {
  bool bias = true;
  double tolerance = 1e-4;
  Index max_iterations = 20000;  // steps of each problem

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

}  // namespace mercer
