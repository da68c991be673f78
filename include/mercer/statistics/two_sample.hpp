// mercer/statistics/two_sample.hpp: are two samples of one distribution?
//
//     TestResult r = TwoSampleTest{}.run(a, b);                             // numbers; no bandwidth to choose
//     TestResult r = TwoSampleTest{}.run({normalize(spectrum(3))}, a, b);   // any kernel on its inputs
//     if (r.rejected()) ...                                                 // r.p <= alpha
//
// The maximum mean discrepancy is the distance of the two means in feature space,
//     MMD^2 = E k(x, x') + E k(y, y') - 2 E k(x, y),
// and 0 for equal distributions; for characteristic kernels (rbf, laplace, ...) for these alone. Gretton, Borgwardt,
// Rasch, Schoelkopf & Smola, "A kernel two-sample test", JMLR 13 (2012).
//
// Where the points are known, neither the order of the rows nor which sample comes first matters: resamples are drawn
// for the points in an order that their content decides. A matrix that is given has no such order, and where points are
// paired at random (sign_flips, normal) which sample comes first decides the pairs. Cost with N points: N^2 kernel
// values and N^2 resamples flops for each kernel; memory of N resamples numbers.
#pragma once

#include <span>

#include "mercer/gram.hpp"
#include "mercer/scaling.hpp"
#include "mercer/statistics/test_result.hpp"

namespace mercer {

// The matrix is that of both samples together, the `first` points of the first one before the others. Unbiased needs
// two points of each.
double mmd2(const Gram& K, Index first, Estimate estimate = Estimate::unbiased, const Execution& how = {});
// Kernels with `auto` are resolved on both samples together; columns are matched by name.
double mmd2(const Kernel& k, const Points& a, const Points& b, Estimate estimate = Estimate::unbiased,
            const Execution& how = {});

struct TwoSampleTest {
  // permutations  who is of which sample is drawn anew. Exact: the level holds for every number of points
  // sign_flips    for samples of one size: points are paired at random, and a coin says whether a pair changes sides
  //               (the wild bootstrap); the statistic leaves out the pairs
  // normal        the statistic in linear time: the mean of k(x,x') + k(y,y') - k(x,y') - k(x',y) over disjoint
  //               quadruples, which is normal for many of them. For samples too large for all pairs; far less power
  enum class Null { permutations, sign_flips, normal };

  Resampling resampling = {};
  Estimate estimate = Estimate::unbiased;
  Null null = Null::permutations;
  Scaling::Kind scale = Scaling::Kind::none;  // of the columns, by both samples together

  // With several kernels the test is of all at once: each has its own p, and the smallest is compared with the smallest
  // of the resamples, as Westfall & Young (1993) do, so that the level holds however many kernels there are.
  TestResult run(std::span<const Kernel> kernels, const Points& a, const Points& b, const Execution& how = {}) const;
  TestResult run(const Kernel& k, const Points& a, const Points& b, const Execution& how = {}) const;
  // Over bandwidths(a and b): after MMDAgg (Schrab, Kim, Albert, Laurent, Guedj & Gretton, JMLR 24, 2023), whose two
  // sets of resamples, for quantiles and for the level, are one here. Real vectors only.
  TestResult run(const Points& a, const Points& b, const Execution& how = {}) const;
  TestResult run(const Gram& K, Index first, const Execution& how = {}) const;
};

// Ten laplace and ten rbf kernels, length scales in geometric steps from half a small distance between points (the 5 %
// quantile, or the smallest where that is above a tenth of the median) to twice the largest. Distances are those among
// at most 1000 points. DataError when all points are equal, DomainError when they are no vectors.
std::vector<Kernel> bandwidths(const Points& x);

}  // namespace mercer
