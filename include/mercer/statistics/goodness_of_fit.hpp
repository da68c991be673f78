// mercer/statistics/goodness_of_fit.hpp: do points come from a given density?
//
//     TestResult r = GoodnessOfFitTest{}.run(rq(1, 0.5), x, [](VectorView x) { return Vector{-x[0]}; });   // N(0, 1)?
//
// The kernel Stein discrepancy needs the density only by its score s(x) = grad log p(x), so that p may be known up to a
// factor. It is the mean of Stein's kernel,
//     u(x, y) = s(x).s(y) k + s(x).grad_y k + s(y).grad_x k + tr grad_x grad_y k,
// whose mean under p is 0 in either argument. Liu, Lee & Jordan; Chwialkowski, Strathmann & Gretton (both ICML 2016).
// rq(ell, alpha=0.5) is the inverse multiquadric, which also sees a sample that is no sample of p because it does not
// spread out (Gorham & Mackey, ICML 2017).
#pragma once

#include <functional>

#include "mercer/gram.hpp"
#include "mercer/statistics/test_result.hpp"

namespace mercer {

using Score = std::function<Vector(VectorView x)>;

// u(x_i, x_j) with row i of `scores` the score at x_i: a Gram like any other, nothing kept but the rows of numbers.
// k is rbf or rq with one length scale, or a sum of multiples of these. DomainError otherwise.
Gram stein(const Kernel& k, const Points& x, Matrix scores);
Gram stein(const Kernel& k, const Points& x, const Score& score);

// The mean of u over all pairs (biased, never below 0), or over pairs of different points (unbiased).
double ksd2(const Gram& u, Estimate estimate = Estimate::unbiased, const Execution& how = {});

// Resamples flip the sign of each point with probability 1/2 (the wild bootstrap, for independent points): the level
// holds for many points. The density must be given beforehand: one fitted to the same points is rejected too rarely.
struct GoodnessOfFitTest {
  Resampling resampling = {};
  Estimate estimate = Estimate::unbiased;

  TestResult run(const Gram& u, const Execution& how = {}) const;
  TestResult run(const Kernel& k, const Points& x, Matrix scores, const Execution& how = {}) const;
  TestResult run(const Kernel& k, const Points& x, const Score& score, const Execution& how = {}) const;
};

// Are the points normal, with whatever mean and covariance? They are brought to mean 0 and covariance I, and the
// discrepancy to N(0, I) is compared with that of as many normal points brought there likewise, which does not depend
// on the mean and the covariance: the level is exact. DataError when the points lie in a plane, or are not more than
// columns.
TestResult test_normality(const Points& x, const Resampling& options = {.resamples = 500}, const Execution& how = {});

}  // namespace mercer
