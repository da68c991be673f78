// With P = A^-1 - A^-1 H (H' A^-1 H)^-1 H' A^-1, the prediction of y_i from all others, the trend fitted to them too,
// has
//     mean y_i - (P y)_i / P_ii     and variance     signal / P_ii        (Dubrule 1983; R&W 5.4.2 without a trend)
// and so have points that are equal, which are left out together, with the block of P in the place of P_ii.
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/groups_left_out.hpp"
#include "machines/processes/process.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer {

namespace {

using detail::Group;
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

// P_FF of groups of points.
class Precisions {
 public:
  Precisions(const Process& process, const std::vector<Group>& groups, const Monitor& monitor) : process_(process) {
    const std::unique_ptr<solve::System> A = process.factors.A->clone();
    const bool some_equal = static_cast<Index>(groups.size()) < process.size();
    if (some_equal) blocks_ = A->blocks_of_equals(groups);
    if (blocks_) {
      block_at_.resize(at(process.size()));
      for (std::size_t g = 0; g < groups.size(); ++g) block_at_[at(groups[g].front())] = g;
    } else if (some_equal) {
      inverse_ = std::move(*std::move(*A).inverse(monitor)).lower();
    } else {
      diagonal_ = std::move(*A).inverse_diagonal(monitor).values;
    }
    if (!has_trend(process)) return;
    const Matrix& trend = process.factors.trend.solved;
    trend_ = Matrix(trend.cols(), trend.rows());
    for (Index i = 0; i < trend.rows(); ++i) {
      for (Index j = 0; j < trend.cols(); ++j) trend_(j, i) = trend(i, j);
    }
    linalg::solve_lower(process.factors.trend.factor, trend_);
  }

  Matrix operator()(const Group& F) const {
    const auto size = static_cast<Index>(F.size());
    Matrix out(size, size);
    for (Index a = 0; a < size && !blocks_; ++a) {
      for (Index b = 0; b <= a; ++b) out(a, b) = out(b, a) = inverse(F[at(a)], F[at(b)]);
    }
    if (blocks_) out = (*blocks_)[block_at_[at(F.front())]];
    if (!has_trend(process_)) return out;
    Matrix whole = out;
    for (Index a = 0; a < size; ++a) {
      for (Index b = 0; b < size; ++b) {
        for (Index j = 0; j < trend_.rows(); ++j) out(a, b) -= trend_(j, F[at(a)]) * trend_(j, F[at(b)]);
      }
    }
    Matrix left = out;
    bool determined = linalg::cholesky(whole) == 0 && linalg::cholesky(left) == 0;
    for (Index a = 0; a < size; ++a) {
      determined = determined && left(a, a) * left(a, a) > kDetermined * (whole(a, a) * whole(a, a));
    }
    if (!determined) {
      fail(ErrorKind::numeric,
           "leave_one_out: without point {}{} the trend is not determined; fit more points or a simpler mean",
           F.front() + 1, size > 1 ? " and those equal to it" : "");
    }
    return out;
  }

 private:
  double inverse(Index i, Index j) const {
    return inverse_.rows() > 0 ? inverse_(std::max(i, j), std::min(i, j)) : diagonal_[at(i)];
  }

  const Process& process_;
  Matrix inverse_, trend_;
  std::optional<std::vector<Matrix>> blocks_;
  std::vector<std::size_t> block_at_;  // of the first point of a group
  Vector diagonal_;
};

// P y.
Matrix projected(const Process& process, const Matrix& y) {
  Matrix out = y;
  process.factors.A->solve(out);
  if (!has_trend(process)) return out;
  const Matrix& trend = process.factors.trend.solved;
  Matrix b(trend.cols(), y.cols());
  linalg::multiply_left_transposed(1, trend, y, 0, b);
  detail::solve_trend(process, b);
  linalg::multiply(-1, trend, b, 1, out);
  return out;
}

}  // namespace

LeaveOneOut leave_one_out(const Model& gp, const Matrix& y, const Execution& how) {
  const Threads threads(how.threads);
  const Process process = detail::regression_of("leave_one_out", gp, how);
  check(process, y);
  const std::vector<Group> groups = detail::groups_of_equals(process.centres());
  const Precisions precision(process, groups, how.monitor);
  const auto left = detail::leave_groups_out(groups, projected(process, y), precision);
  if (!left) {
    fail(ErrorKind::numeric,
         "leave_one_out: what is known of some points from the others is not positive definite in floating point; "
         "more noise would help");
  }
  LeaveOneOut out{Matrix(y.rows(), y.cols()), Matrix(y.rows(), y.cols()), 0};
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < y.cols(); ++j) {
      const double residual = left->error(i, j);
      const double variance = process.posterior.signal[at(j)] * left->variance[at(i)];
      out.mean(i, j) = y(i, j) - residual;
      out.variance(i, j) = variance;
      out.log_density -= 0.5 * (residual * residual / variance + std::log(2 * std::numbers::pi * variance));
    }
  }
  return out;
}

}  // namespace mercer
