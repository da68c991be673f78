// What edges between rows of numbers have in common: tiles of packed rows, and the way back to dense and sparse ones.
#pragma once

#include "kernel/program_parts.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

void packed_tile(simd::Pairing pairing, const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out);

void clear(MatrixRef m);

// Whether an edge is |x - y|^2 of rows of numbers.
bool is_squared_distance(const Edge& edge);

// gx = V Y and gy = V' X for sparse rows.
void weigh_sparse(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, MatrixRef gx, MatrixRef gy);

// g of each entry of rows i of x: sum_j v_ij y_j in its column, times `factor`. `v` is read by columns if `turned`.
void weigh_entries(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, bool turned, double factor,
                   Vector& g);

// Row i; of a sparse side in `room`, which has its columns.
const double* dense_row(const RealSide& side, Index i, Vector& room);

}  // namespace mercer::detail
