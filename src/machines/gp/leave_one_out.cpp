// With P = A^-1 - A^-1 H (H' A^-1 H)^-1 H' A^-1, the prediction of y_i from all others, the trend fitted to them too,
// has
//     mean y_i - (P y)_i / P_ii     and variance     signal / P_ii        (Dubrule 1983; R&W 5.4.2 without a trend)
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/gp/process.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer {

namespace {

using detail::Process;

// Less of a point's own precision than this left by the trend: the trend goes through the point by itself.
constexpr double kDetermined = 1e-10;

void check(const Process& process, const Matrix& y) {
  const Index n = process.size(), outputs = process.parts.f.outputs();
  if (y.rows() != n || y.cols() != outputs) {
    fail(ErrorKind::shape,
         "leave_one_out: y is {} x {}; give one row for each of the {} points of the model (those of weight 0 are "
         "none), and {} columns",
         y.rows(), y.cols(), n, outputs);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < outputs; ++j) {
      if (!std::isfinite(y(i, j))) {
        fail(ErrorKind::data, "leave_one_out: the target of row {} is {}; give the numbers of the fit", i + 1, y(i, j));
      }
    }
  }
}

Vector precisions(const Process& process, const Monitor& monitor) {
  Matrix lower = process.factors.lower;
  Vector out = linalg::inverse_diagonal(lower, monitor);
  if (!has_trend(process)) return out;
  const Matrix& trend = process.factors.trend;
  Matrix solved(trend.cols(), trend.rows());
  for (Index i = 0; i < trend.rows(); ++i) {
    for (Index j = 0; j < trend.cols(); ++j) solved(j, i) = trend(i, j);
  }
  linalg::solve_lower(process.factors.trend_factor, solved);
  for (Index i = 0; i < trend.rows(); ++i) {
    double& p = out[at(i)];
    const double whole = p;
    for (Index j = 0; j < trend.cols(); ++j) p -= solved(j, i) * solved(j, i);
    if (!(p > kDetermined * whole)) {
      fail(ErrorKind::numeric,
           "leave_one_out: without point {} the trend is not determined; fit more points or a simpler mean", i + 1);
    }
  }
  return out;
}

// P y.
Matrix projected(const Process& process, const Matrix& y) {
  Matrix out = y;
  linalg::cholesky_solve(process.factors.lower, out);
  if (!has_trend(process)) return out;
  Matrix b(process.factors.trend.cols(), y.cols());
  linalg::multiply_left_transposed(1, process.factors.trend, y, 0, b);
  detail::solve_trend(process, b);
  linalg::multiply(-1, process.factors.trend, b, 1, out);
  return out;
}

}  // namespace

LeaveOneOut leave_one_out(const Model& gp, const Matrix& y, const Execution& how) {
  const Threads threads(how.threads);
  const Process process = detail::regression_of("leave_one_out", gp, how);
  check(process, y);
  const Vector precision = precisions(process, how.monitor);
  const Matrix scaled = projected(process, y);
  LeaveOneOut out{Matrix(y.rows(), y.cols()), Matrix(y.rows(), y.cols()), 0};
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < y.cols(); ++j) {
      const double residual = scaled(i, j) / precision[at(i)];
      const double variance = process.posterior.signal[at(j)] / precision[at(i)];
      out.mean(i, j) = y(i, j) - residual;
      out.variance(i, j) = variance;
      out.log_density -= 0.5 * (residual * residual / variance + std::log(2 * std::numbers::pi * variance));
    }
  }
  return out;
}

}  // namespace mercer
