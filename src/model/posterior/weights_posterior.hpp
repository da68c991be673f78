// Variances from a Posterior of kind `weights`: f(x) = sum_i w_i k(x_i, x) + b with (w, b) normal.
#pragma once

#include "mercer/model.hpp"

namespace mercer::detail {

// Posterior::covariance of `weights` has a square block for each output, one below the other: the covariance of the w
// of all centres, in their order, and of b in the last row and column, which is 0 where a machine has no b. The block
// of one output.
MatrixView weights_block(const Model::Parts& parts, Index output);

// The model has a kernel; x are scaled and checked by the caller. n* m^2 flops for m centres and each output.
Matrix weights_variances(const Model::Parts& parts, const Points& x, const Execution& how);
Matrix weights_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how);

}  // namespace mercer::detail
