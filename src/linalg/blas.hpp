// Every call of BLAS and LAPACK that Mercer makes, on row-major views: the one door to OpenBLAS.
//
// OpenBLAS is linked in its serial build, so a call stays on the thread that makes it, its bits depend on its numbers
// alone, and nothing is started or allocated before the first call. What is large is cut into tasks by lapack.cpp and
// cholesky.cpp. Calls may run side by side. Each throws NumericError when the system has no room for its buffer.
//
// L is a lower triangle; what is above its diagonal is neither read nor written.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::linalg::blas {

enum class Op { plain, transposed };

void gemm(Op op_a, Op op_b, double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c);
// The lower triangle of alpha A A', or A' A, plus beta C.
void syrk(Op op, double alpha, MatrixView a, double beta, MatrixRef c);
void trsv(Op op, MatrixView l, MatrixRef b);               // b = op(L)^-1 b, one column
void trsm_left_transposed(MatrixView l, MatrixRef b);      // b = L^-T b
void trmm_left_transposed(MatrixView l, MatrixRef b);      // b = L' b
void trmm_right(double alpha, MatrixView l, MatrixRef b);  // b = alpha b L

// The lower triangle of `a` becomes L with A = L L'. Returns 0, or the number of the first pivot that fails, from 1.
Index potrf(MatrixRef a);
void trtri(MatrixRef l);  // L becomes L^-1
void lauum(MatrixRef l);  // L becomes the lower triangle of L' L
// An estimate of 1 / (|A|_1 |A^-1|_1) from the factor of A and |A|_1.
double pocon(MatrixView l, double norm);

// A band matrix, `band` n x (width + 1) with band(j, k) = A(j + k, j): its Cholesky factor, and solves with that for
// right-hand sides in rows. pbtrf returns as potrf does.
Index pbtrf(MatrixRef band);
void pbtrs(MatrixView band, MatrixRef rows);

// QR of a matrix that is given by columns, `columns` being its transpose: R above, reflectors below the diagonal; and,
// of few columns, the triangle that joins the reflectors to one block, again by columns.
void geqrf(MatrixRef columns);
void geqrt3(MatrixRef columns, MatrixRef triangle);

// A = Q T Q', T tridiagonal: its diagonals, and Q as reflectors in `a` and `scales`. The lower triangle is read.
void sytrd(MatrixRef a, VectorRef diagonal, VectorRef beside, VectorRef scales);
// Eigenvalues of a tridiagonal matrix, in increasing order, in `diagonal`; `beside` is used up. False: no convergence.
bool sterf(VectorRef diagonal, VectorRef beside);
bool stedc(VectorRef diagonal, VectorRef beside, MatrixRef vectors);  // and eigenvectors, as rows
// Of the reflectors of sytrd those numbered `which`, as one block I - V S V': S, by columns.
Matrix larft(MatrixView a, VectorView scales, Range which);
void larfb(MatrixView a, MatrixView s, Range which, MatrixRef rows);  // applies the block to each row

}  // namespace mercer::linalg::blas
