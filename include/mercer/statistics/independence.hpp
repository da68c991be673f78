// mercer/statistics/independence.hpp: does y depend on x?
//
//     TestResult r = IndependenceTest{}.run(exact(rbf(1), x), exact(equal(), y));
//
// The Hilbert-Schmidt independence criterion is the squared norm of the covariance of the two features, with H = I -
// 11'/n: biased tr(K H L H)/n^2; unbiased (Song, Smola, Gretton, Bedo & Borgwardt, JMLR 13, 2012), with K~ and L~ for K
// and L with zeros on the diagonal,
//     [tr(K~ L~) + 1'K~1 1'L~1/((n-1)(n-2)) - 2 1'K~L~1/(n-2)] / (n(n-3)).
// It is 0 for independent x and y; for characteristic kernels for these alone. Any kernel on any data, on each side.
#pragma once

#include <span>

#include "mercer/gram.hpp"
#include "mercer/statistics/test_result.hpp"

namespace mercer {

// Row i of both matrices belongs to the same observation. Neither matrix is copied. Unbiased needs four points.
double hsic(const Gram& K, const Gram& L, Estimate estimate = Estimate::unbiased, const Execution& how = {});

// Who goes with whom is drawn anew: exact, the level holds for every number of points. With several kernels on a side
// all pairs of them are tried, and the level holds for all together, as in TwoSampleTest. Where the points of the first
// matrix are known, the order of the rows does not matter to p.
// Cost: n^2/2 reads of a matrix in any order for each resample; memory of one more matrix.
struct IndependenceTest {
  Resampling resampling = {};
  Estimate estimate = Estimate::unbiased;

  TestResult run(const Gram& K, const Gram& L, const Execution& how = {}) const;
  TestResult run(std::span<const Gram> K, std::span<const Gram> L, const Execution& how = {}) const;
};

}  // namespace mercer
