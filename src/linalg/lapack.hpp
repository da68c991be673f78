// The few dense routines of BLAS and LAPACK that Mercer calls, on row-major views.
#pragma once

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

// Products are cut into strips where they are large, and the monitor is told "multiply" between them.
//
// C = alpha A B' + beta C, all row-major; A is m x k, B is n x k.
void multiply_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c,
                         const Monitor& monitor = {});
// C = alpha A B + beta C
void multiply(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c, const Monitor& monitor = {});
// C = alpha A' B + beta C
void multiply_left_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c,
                              const Monitor& monitor = {});
// The lower triangle of C = A A'.
void symmetric_product(MatrixView a, MatrixRef c, const Monitor& monitor = {});
// The lower triangle of C = A'A + beta C.
void symmetric_left_product(MatrixView a, double beta, MatrixRef c, const Monitor& monitor = {});

// The lower trapezoid L with L L' = A A' and non-negative diagonal, by reflections of a copy of A: unlike a Cholesky
// factor of A A' it has not lost half the digits to the square of A's condition number.
Matrix factor_of_product(Matrix a);

// Eigenvalues in increasing order of a symmetric matrix, of which the lower triangle is read. The monitor is told
// "eigen" at every per cent and ten times a second.
Vector eigenvalues(MatrixView a, const Monitor& monitor = {});
struct Eigen {
  Vector values;   // increasing
  Matrix vectors;  // row i belongs to values[i]
};
Eigen eigen(MatrixView a, const Monitor& monitor = {});

}  // namespace mercer::linalg
