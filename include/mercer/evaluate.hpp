// mercer/evaluate.hpp: numbers from a kernel.
//
//     Matrix K  = gram(k, x);               // K(X, X), symmetric to the last bit
//     Matrix Ks = cross(k, test, x);        // K(X*, X)
//     Vector g  = gradient(k, x, W);        // d sum_ij W_ij K_ij / d parameter, for every parameter
//
// All calls work tile by tile on every core (`MERCER_NUM_THREADS`, else all) and give the same bits
// whatever the number of threads. A kernel with `auto` is resolved on x first.
#pragma once

#include <functional>

#include "mercer/kernel.hpp"
#include "mercer/monitor.hpp"

namespace mercer {

struct Execution {
  Index tile = 144;  // rows and columns of a tile: a performance knob, results agree to rounding
  int threads = 0;   // 0: MERCER_NUM_THREADS or one per core
  Monitor monitor = {};
};

Matrix gram(const Kernel& k, const Points& x, const Execution& how = {});
void gram(const Kernel& k, const Points& x, MatrixRef out, const Execution& how = {});
Matrix cross(const Kernel& k, const Points& x, const Points& y, const Execution& how = {});
void cross(const Kernel& k, const Points& x, const Points& y, MatrixRef out, const Execution& how = {});
Vector diagonal(const Kernel& k, const Points& x);

// K(X, Y) V without forming K: memory of a few tiles per thread.
Matrix multiply(const Kernel& k, const Points& x, const Points& y, MatrixView v, const Execution& how = {});
void multiply(const Kernel& k, const Points& x, const Points& y, MatrixView v, MatrixRef out,
              const Execution& how = {});

// Reverse mode. Given W = dL/dK, dL/d(value) of every parameter of k, fixed ones included, in the
// order of k.params(); memory of a few tiles per thread. W need not be symmetric.
Vector gradient(const Kernel& k, const Points& x, MatrixView w, const Execution& how = {});
Vector gradient(const Kernel& k, const Points& x, const Points& y, MatrixView w, const Execution& how = {});

// A W that need never exist: fills `out`, contiguous by rows, with the weights of the tile (i, j), j not after i:
// W_ij + W_ji below the diagonal of the matrix, W_ii on it; what it puts above the diagonal counts as it stands. Called
// from several threads.
using WeightTile = std::function<void(Range i, Range j, double* out)>;

// dL/dX for L = sum_ij W_ij k(x_i, y_j) with Y held fixed; x and y are real vectors. One row per point.
Matrix input_gradient(const Kernel& k, const Points& x, const Points& y, MatrixView w, const Execution& how = {});

}  // namespace mercer
