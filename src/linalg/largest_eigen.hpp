// The largest eigenvalues of a symmetric matrix and their vectors, where the matrix is too large to be taken apart or
// known only by what it does to vectors.
#pragma once

#include <cstdint>
#include <functional>

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

// A symmetric matrix A by its products.
struct Symmetric {
  Index size = 0;
  std::function<void(MatrixView v, MatrixRef out)> multiply;  // out = A v, v and out of size x some columns
};

struct LargestEigen {
  Vector values;        // decreasing
  Matrix vectors;       // row i belongs to values[i]; the entry of largest size is positive, the first of equals
  double residual = 0;  // the largest |A v - lambda v| there is, as a share of the largest |lambda|
  Index products = 0;   // blocks of vectors that were multiplied by A
  bool converged = true;
};

struct Krylov {
  double tolerance = 1e-9;  // |A v - lambda v| <= tolerance |lambda_1|, of all that are asked for
  Index block = 0;          // vectors multiplied at once; 0: 8, a fourth of those asked for more, 16 where it depends
  Index most = 1000;        // products at most; then what there is, as not converged
  std::uint64_t seed = 1;   // of the vectors to begin with
};

// How many eigenvalues are wanted, seen from the best estimates so far, in decreasing order. These are never above the
// eigenvalues themselves. More than there are estimates: more of them are needed to say.
using Wanted = std::function<Index(VectorView estimates)>;

// By block Lanczos: the best approximations that the products so far, A^j times some random vectors, hold. A product of
// K with a block costs little more than with one vector, since making K's entries, or fetching them, is shared; and
// close eigenvalues are told apart. All vectors are kept orthogonal to each other; when they are too many, the
// best are kept (thick restart: Wu & Simon, SIAM J. Matrix Anal. 22, 2000). Beside the products 4 n m^2 flops and n m
// doubles, m the number of vectors kept, at most wanted + 18 blocks. Of an eigenvalue that comes more often than the
// block is wide, copies can be missed. Reports "eigen" to the monitor before each product.
LargestEigen largest_eigen(const Symmetric& a, const Wanted& wanted, const Krylov& how = {},
                           const Monitor& monitor = {});
LargestEigen largest_eigen(const Symmetric& a, Index count, const Krylov& how = {}, const Monitor& monitor = {});

// By all eigenvalues of a matrix in memory: 9 n^3 flops. The lower triangle is read.
LargestEigen largest_eigen(MatrixView a, const Wanted& wanted, const Monitor& monitor = {});
LargestEigen largest_eigen(MatrixView a, Index count, const Monitor& monitor = {});

// Turns each row so that its entry of largest size, the first of equals, is positive.
void fix_signs(MatrixRef rows);

}  // namespace mercer::linalg
