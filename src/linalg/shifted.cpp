#include "linalg/shifted.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "linalg/lapack.hpp"

namespace mercer::linalg {

// With A = Q D Q': z = Q (D + s)^-1 Q'b, and the diagonal of the inverse is (Q o Q) (D + s)^-1 1. All shifts share
// one matrix product for each.
ShiftedSolves shifted_solves(MatrixView a, MatrixView b, VectorView shifts, const Monitor& monitor) {
  const Index n = a.rows(), m = b.cols(), count = static_cast<Index>(shifts.size());
  monitor.report({"eigen", 0});
  Eigen e = eigen(a);  // eigenvectors are rows
  monitor.report({"path", 0});
  Matrix projected(n, m);
  multiply(1, e.vectors, b, 0, projected);
  Matrix weights = Matrix::uninitialized(n, count);  // 1 / (d_k + s)
  Matrix scaled = Matrix::uninitialized(n, count * m);
  for (Index k = 0; k < n; ++k) {
    for (Index s = 0; s < count; ++s) {
      weights(k, s) = 1 / (std::max(0.0, e.values[at(k)]) + shifts[at(s)]);
      for (Index j = 0; j < m; ++j) scaled(k, s * m + j) = weights(k, s) * projected(k, j);
    }
  }
  Matrix solutions(n, count * m);
  multiply_left_transposed(1, e.vectors, scaled, 0, solutions);
  monitor.report({"path", 0.5});
  for (Index i = 0; i < n * n; ++i) e.vectors.data()[i] *= e.vectors.data()[i];
  ShiftedSolves out{std::move(e.values), {}, Matrix(n, count)};
  multiply_left_transposed(1, e.vectors, weights, 0, out.inverse_diagonals);
  for (Index s = 0; s < count; ++s) out.z.emplace_back(solutions.view().block({0, n}, {s * m, s * m + m}));
  return out;
}

}  // namespace mercer::linalg
