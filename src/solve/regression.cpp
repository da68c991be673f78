#include "solve/regression.hpp"

#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "mercer/error.hpp"

namespace mercer::solve {

namespace {

Accuracy solve_all(const System& A, MatrixRef b) {
  const Accuracy found = A.solve(b);
  if (found.cancelled) throw Error(ErrorKind::cancelled, "solve: stopped on request");
  return found;
}

}  // namespace

std::optional<TrendPart> trend_part(const System& A, const Matrix& H) {
  if (H.cols() == 0) return TrendPart{.solved = H};
  TrendPart out{.solved = H, .factor = Matrix(H.cols(), H.cols())};
  (void)solve_all(A, out.solved);
  linalg::multiply_left_transposed(1, H, out.solved, 0, out.factor);
  if (linalg::cholesky(out.factor) != 0) return std::nullopt;
  return out;
}

std::optional<Regression> regression(const System& A, const Matrix& H, const Matrix& y) {
  Regression out{.b = Matrix(H.cols(), y.cols()), .alpha = y};
  out.accuracy = solve_all(A, out.alpha);
  std::optional<TrendPart> trend = trend_part(A, H);
  if (!trend) return std::nullopt;
  out.trend = std::move(*trend);
  if (H.cols() == 0) return out;
  linalg::multiply_left_transposed(1, H, out.alpha, 0, out.b);
  linalg::cholesky_solve(out.trend.factor, out.b);
  linalg::multiply(-1, out.trend.solved, out.b, 1, out.alpha);
  return out;
}

}  // namespace mercer::solve
