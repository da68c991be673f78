#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/progress.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "linalg/tridiagonal.hpp"

namespace mercer::linalg {

namespace {

// Far from 1 the squares on the way would leave the range of numbers: such a matrix is brought near it by a power of 2.
double scale_for(MatrixView a) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      if (!std::isfinite(a(i, j))) fail(ErrorKind::numeric, "eigen: row {}, column {} is {}", i + 1, j + 1, a(i, j));
      largest = std::max(largest, std::abs(a(i, j)));
    }
  }
  const bool extreme = largest > 0 && std::abs(std::log2(largest)) > 300;
  return extreme ? std::exp2(-std::round(std::log2(largest))) : 1;
}

// How much of the time goes by until T is found, and until its eigenvectors are.
constexpr double kReduced = 0.5, kSolved = 0.8;

Eigen solve(MatrixView a, bool vectors, const Monitor& monitor) {
  const Index n = a.rows();
  if (n == 0) return {};
  Matrix copy(a);
  const double scale = scale_for(a);
  for (Index i = 0; scale != 1 && i < n; ++i) {
    for (Index j = 0; j <= i; ++j) copy(i, j) *= scale;
  }
  Tridiagonal form = tridiagonal_form(std::move(copy), part_of(monitor, "eigen", 0, vectors ? kReduced : 1));
  Eigen result;
  if (vectors) result.vectors = Matrix::uninitialized(n, n);
  const bool found = vectors ? tridiagonal_eigen(form.diagonal, form.beside, result.vectors,
                                                 part_of(monitor, "eigen", kReduced, kSolved))
                             : blas::sterf(form.diagonal, form.beside);
  if (!found) fail(ErrorKind::numeric, "eigen: no convergence on a {0} x {0} matrix", n);
  if (vectors) apply_basis(form, result.vectors, part_of(monitor, "eigen", kSolved, 1));
  result.values = std::move(form.diagonal);
  for (double& value : result.values) value /= scale;
  return result;
}

}  // namespace

Vector eigenvalues(MatrixView a, const Monitor& monitor) { return solve(a, false, monitor).values; }

Eigen eigen(MatrixView a, const Monitor& monitor) { return solve(a, true, monitor); }

}  // namespace mercer::linalg
