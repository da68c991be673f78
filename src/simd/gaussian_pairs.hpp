// What kernels between Gaussians need of a pair N(m, S), N(n, T): of C = (S + T)/2 and the difference u = m - n the
// log-determinant of C and u'C^-1u; and for slopes the trace of C^-1 and |C^-1 u|^2. One Cholesky factor of C a pair,
// d^3/6 multiplications, for as many pairs side by side as a vector has lanes.
#pragma once

#include "simd/loops.hpp"

namespace mercer::simd {

// A Gaussian is d + d (d + 1)/2 numbers: its mean, then the lower triangle of its covariance row by row. Panels hold
// kGaussianPanel of them: number e of Gaussian i is at (i / 8) * 8 * numbers + 8 e + i % 8.
constexpr Size kGaussianPanel = 8;
inline Size gaussian_numbers(Size d) { return d + d * (d + 1) / 2; }
// Buffer of gaussian_pairs.
inline Size gaussian_scratch(Size d) { return kGaussianPanel * (gaussian_numbers(d) + 2 * d); }

struct GaussianPairs {  // one number each for the Gaussians of a panel
  double log_determinant[kGaussianPanel], square[kGaussianPanel];
  double trace[kGaussianPanel], squared_slope[kGaussianPanel];  // where slopes are wanted
};
// `x` against a panel; `x` has its numbers side by side. A C that is not positive definite gives NaN.
void gaussian_pairs(const double* x, const double* panel, Size d, bool slopes, double* scratch, GaussianPairs& out);

}  // namespace mercer::simd
