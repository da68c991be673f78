// The gradient of sum_ij W_ij k(x_i, x_j) for a symmetric W that is given tile by tile and need never exist.
#pragma once

#include <functional>

#include "mercer/evaluate.hpp"

namespace mercer::detail {

// Fills `out`, contiguous by rows, with the weights of the tile (i, j), j not after i: W_ij + W_ji below the diagonal
// of the matrix, W_ii on it; what it puts above the diagonal counts as it stands. Called from several threads.
using WeightTile = std::function<void(Range i, Range j, double* out)>;

// d / d(value) of every parameter of a resolved kernel, fixed ones included.
Vector symmetric_gradient(const Kernel& k, const Points& x, const WeightTile& weights, const Execution& how);

}  // namespace mercer::detail
