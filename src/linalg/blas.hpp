// Every call of BLAS and LAPACK that Mercer makes, on row-major views: the one door to OpenBLAS.
//
// OpenBLAS is linked in its serial build, so a call stays on the thread that makes it, its bits depend on its numbers
// alone, and nothing is started or allocated before the first call. What is large is cut into tasks by lapack.cpp and
// cholesky.cpp. Calls may run side by side. Each throws NumericError when the system has no room for its buffer.
//
// L is a lower triangle; what is above its diagonal is neither read nor written.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/aligned.hpp"
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

// The reflection I - scale v v', v's last number 1, that leaves of x only its last number: that number, and before it
// v.
double larfg(VectorRef x);
// Eigenvalues of a tridiagonal matrix, in increasing order, in `diagonal`; `beside` is used up. False: no convergence.
bool sterf(VectorRef diagonal, VectorRef beside);
bool steqr(VectorRef diagonal, VectorRef beside, MatrixRef vectors);  // and eigenvectors, as rows; for small ones

// Two blocks of eigenvectors, one behind the other in the rows of `vectors`, are to become those of
//     diag(values) + rho z z',    z the last numbers of the first `cut` vectors and the first of the others.
// What is an eigenvector already, or becomes one by turning two of them, is put behind the `kept` others.
struct Deflation {
  Index kept = 0;
  double rho = 0;
  Vector poles, z;          // of the secular equation 1 + rho sum z_i^2 / (poles_i - x) = 0: `kept` each
  std::vector<int> order;   // where the part of each pole is among the parts that follow
  std::array<Index, 3> by;  // of those that are kept, how many are 0 in the second half, in neither, in the first half
  AlignedArray parts;       // their first halves where these are not 0, cut numbers each; then their second halves
};
// `sorted`: the order of each half by value, from 1, which is used up.
Deflation laed2(VectorRef values, MatrixRef vectors, Index cut, double rho, std::span<int> sorted);
// Root number `which` of the secular equation, and the poles less that root. False: not found.
bool laed4(const Deflation& equation, Index which, double* distances, double& root);
// The order by value of `first` increasing values and decreasing ones behind them, from 1.
void lamrg(VectorView values, Index first, std::span<int> order);

// Of the reflectors of tridiagonal_form() those numbered `which`, as one block I - V S V': S, by columns.
Matrix larft(MatrixView a, VectorView scales, Range which);
void larfb(MatrixView a, MatrixView s, Range which, MatrixRef rows);  // applies the block to each row

}  // namespace mercer::linalg::blas
