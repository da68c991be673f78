// Variances from a Posterior of kind `softmax`: those of the latent functions of all classes, which are coupled.
//
// With D_ic = scale_i^2 probabilities_ic (scale_i^2 is signal times the weight of point i) and M = (W^-1 + K)^-1 as in
// softmax_factors.hpp, K being that of the kernel without the signal,
//     cov(f_c(x), f_d(x')) = signal ([c = d] k(x, x') - k_x' M_cd k_x')
// Posterior::signal has the same number for every output.
#pragma once

#include "mercer/model.hpp"

namespace mercer::detail {

struct Factors;

// What the rest needs, for factors_of(). Where rounding leaves a matrix not positive definite, its diagonal grows by
// the smallest power of ten that helps.
void make_softmax_factors(const Model::Parts& parts, const Execution& how, Factors& to);

// All of a model with a kernel; x are scaled and checked by the caller. C (3 n^2 + C n) flops for each point, and when
// first asked C n^3.
Matrix softmax_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how);
// One row per point: its C x C covariance between the classes, row by row.
Matrix softmax_class_covariances(const Model::Parts& parts, const Points& x, const Execution& how);

}  // namespace mercer::detail
