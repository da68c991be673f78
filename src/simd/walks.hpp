// Sums over pairs of eigenvalues: what kernels that compare walks of two graphs are made of.
#pragma once

#include <cstddef>

namespace mercer::simd {

using Size = std::size_t;

// Eigenvalues and their weights.
struct Weighted {
  const double *values, *weights;
  Size count;
};

// sum_ij a_i b_j f(lambda mu_i nu_j) of x = (mu, a) and y = (nu, b), and by `slope`, unless it is null, the derivative
// by lambda. f(t) is 1 / (1 - t), or exp(t).
double geometric_sum(double lambda, const Weighted& x, const Weighted& y, double* slope);
double exponential_sum(double lambda, const Weighted& x, const Weighted& y, double* slope);

}  // namespace mercer::simd
