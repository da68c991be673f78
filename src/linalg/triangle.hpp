// Factors of positive definite matrices and solves with them on the calling thread: what the tasks of cholesky.cpp do.
// OpenBLAS has these too, at a third of the speed of its products; here as much as can be is a product.
//
// L is a lower triangle; what is above its diagonal is neither read nor written.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::linalg {

// The lower triangle of `a` becomes L with A = L L'. Returns 0, or the number of the first pivot that fails, from 1.
Index factor_triangle(MatrixRef a);

void solve_triangle(MatrixView l, MatrixRef b);       // b = L^-1 b
void solve_triangle_rows(MatrixView l, MatrixRef b);  // each row b becomes L^-1 b

}  // namespace mercer::linalg
