#include "solve/regression.hpp"

#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::solve {

std::optional<TrendPart> trend_part(const System& A, const Matrix& H) {
  if (H.cols() == 0) return TrendPart{.solved = H};
  TrendPart out{.solved = H, .factor = Matrix(H.cols(), H.cols())};
  A.solve(out.solved);
  linalg::multiply_left_transposed(1, H, out.solved, 0, out.factor);
  if (linalg::cholesky(out.factor) != 0) return std::nullopt;
  return out;
}

std::optional<Regression> regression(const System& A, const Matrix& H, const Matrix& y) {
  Regression out{.b = Matrix(H.cols(), y.cols()), .alpha = y};
  A.solve(out.alpha);
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
