// A symmetric matrix as a tridiagonal one in another orthonormal basis, and the eigenvectors of that.
#pragma once

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

// A = Q T Q', Q a product of reflections.
struct Tridiagonal {
  Vector diagonal, beside;  // of T: n numbers, and n - 1 with one more that means nothing
  Matrix reflectors;        // row i + 1: the vector of reflection i, n - 1 of them, as its first i numbers before a 1
  Vector scales;            // reflection i is I - scales[i] v v'
};

// Reads the lower triangle of A, which is used up. 4/3 n^3 flops, half of them in products with single vectors, which
// run at the speed of memory. The number of threads does not show in the result. The monitor is told "eigen" at every
// per cent and ten times a second.
Tridiagonal tridiagonal_form(Matrix a, const Monitor& monitor = {});

// Each row v becomes Q v. 2 n^2 flops for a row.
void apply_basis(const Tridiagonal& form, MatrixRef rows, const Monitor& monitor = {});

// All eigenvectors of T, as rows that belong to the numbers of `diagonal`, which become the eigenvalues in increasing
// order; `beside` is used up. Divide and conquer: T is torn into blocks, and blocks are put together two by two
// (Cuppen, Numer. Math. 36, 1981; Gu & Eisenstat, SIAM J. Matrix Anal. 16, 1995). Up to 4/3 n^3 flops, most of them in
// products, the fewer the more eigenvalues lie together; n^2 doubles beside the vectors. False: no convergence.
bool tridiagonal_eigen(VectorRef diagonal, VectorRef beside, MatrixRef vectors, const Monitor& monitor = {});

}  // namespace mercer::linalg
