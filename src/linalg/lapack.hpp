// The few dense routines of BLAS and LAPACK that Mercer calls, on row-major views.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::linalg {

// C = alpha A B' + beta C, all row-major; A is m x k, B is n x k.
void multiply_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c);
// C = alpha A B + beta C
void multiply(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c);
// C = alpha A' B + beta C
void multiply_left_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c);
// The lower triangle of C = A A'.
void symmetric_product(MatrixView a, MatrixRef c);

// The lower trapezoid L with L L' = A A' and non-negative diagonal, by reflections of a copy of A: unlike a Cholesky
// factor of A A' it has not lost half the digits to the square of A's condition number.
Matrix factor_of_product(Matrix a);

// Eigenvalues in increasing order of a symmetric matrix, of which the lower triangle is read.
Vector eigenvalues(MatrixView a);
struct Eigen {
  Vector values;   // increasing
  Matrix vectors;  // row i belongs to values[i]
};
Eigen eigen(MatrixView a);

}  // namespace mercer::linalg
