// The Cholesky factor of a symmetric positive definite matrix and what is read off it, in place on row-major buffers.
#pragma once

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

// The lower triangle of `a` becomes L with A = L L'; what is above the diagonal is of no meaning afterwards. Returns 0,
// or, when A is not positive definite in floating point, the number (from 1) of the first pivot that fails.
// n^3/3 flops. As the inverses below, reports "solve" to the monitor between tiles, so that it can be cancelled.
Index cholesky(MatrixRef a, const Monitor& monitor = {});

void solve_lower(MatrixView l, MatrixRef b);             // b = L^-1 b
void solve_lower_transposed(MatrixView l, MatrixRef b);  // b = L^-T b
// Each row b becomes L^-1 b; as many as columns of L take n^3 flops, and the monitor is told between some of them.
void solve_lower_rows(MatrixView l, MatrixRef b, const Monitor& monitor = {});
void cholesky_solve(MatrixView l, MatrixRef b);  // b = (L L')^-1 b

// The lower triangle of `l` becomes L^-1; what is above it is not touched. n^3/3 flops.
void invert_lower(MatrixRef l, const Monitor& monitor = {});
// The diagonal of (L L')^-1; the lower triangle of `l` becomes L^-1. n^3/3 flops.
Vector inverse_diagonal(MatrixRef l, const Monitor& monitor = {});

// The lower triangle of `l` becomes that of (L L')^-1. 2/3 n^3 flops.
void inverse(MatrixRef l, const Monitor& monitor = {});
double log_determinant(MatrixView l);  // of L L'

// An estimate of |A|_1 |A^-1|_1 from the factor of A and |A|_1; a few solves.
double condition(MatrixView l, double norm);
// The largest sum of absolute values in a row of a symmetric matrix, of which the lower triangle is read.
double symmetric_norm(MatrixView a);

}  // namespace mercer::linalg
