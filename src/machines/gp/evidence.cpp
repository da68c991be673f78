#include "machines/gp/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/assemble.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kLogTwoPi = std::log(2 * std::numbers::pi);

Matrix select_rows(const Matrix& m, std::span<const Index> which) {
  Matrix out = Matrix::uninitialized(static_cast<Index>(which.size()), m.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(m.row(which[at(i)]), m.cols(), out.row(i));
  return out;
}

Vector select_numbers(const Vector& v, std::span<const Index> which) {
  Vector out;
  for (const Index i : which) {
    if (!v.empty()) out.push_back(v[at(i)]);
  }
  return out;
}

Matrix left_product(const Matrix& a, const Matrix& b) {  // a' b
  Matrix out(a.cols(), b.cols());
  if (a.cols() > 0 && b.cols() > 0) linalg::multiply_left_transposed(1, a, b, 0, out);
  return out;
}

// Both triangles from the lower one, by blocks that stay in cache.
void mirror(MatrixRef a) {
  constexpr Index block = 32;
  for (Index i0 = 0; i0 < a.rows(); i0 += block) {
    for (Index j0 = 0; j0 <= i0; j0 += block) {
      for (Index i = i0; i < std::min(a.rows(), i0 + block); ++i) {
        for (Index j = j0; j < std::min(i, j0 + block); ++j) a(j, i) = a(i, j);
      }
    }
  }
}

}  // namespace

ProcessData ProcessData::select(std::span<const Index> which) const {
  ProcessData out{.K = mercer::select(K, {which.begin(), which.end()}),
                  .y = select_rows(y, which),
                  .H = select_rows(H, which),
                  .shape = select_numbers(shape, which),
                  .known = select_numbers(known, which)};
  if (x) out.x = x->select(which);
  return out;
}

ProcessSystem::ProcessSystem(const ProcessData& data, GaussianProcess::Objective objective, Execution how)
    : data_(data), objective_(objective), how_(std::move(how)) {}

void ProcessSystem::fill(const At& where, double jitter) {
  const Index n = data_.y.rows();
  if (buffer_.rows() != n) buffer_ = Matrix::uninitialized(n, n);
  if (where.kernel) {
    pairs_.emplace(*where.kernel, *data_.x);
    pairs_->gram(buffer_, how_);
  } else {
    assemble(data_.K, buffer_, how_);
  }
  for (Index i = 0; i < n; ++i) buffer_(i, i) += shift(where, i, jitter);
}

double ProcessSystem::shift(const At& where, Index i, double jitter) const {
  const double known = data_.known.empty() ? 0 : data_.known[at(i)] / *where.signal;
  return where.noise * data_.shape[at(i)] + known + jitter;
}

// alpha and b from the factor in the buffer.
void ProcessSystem::solve_trend() {
  log_determinant_ = linalg::log_determinant(buffer_);
  alpha_ = data_.y;
  linalg::cholesky_solve(buffer_, alpha_);
  trend_ = data_.H;
  if (trend_.cols() == 0) {
    b_ = Matrix(0, alpha_.cols());
    trend_factor_ = Matrix();
    return;
  }
  linalg::cholesky_solve(buffer_, trend_);
  trend_factor_ = left_product(data_.H, trend_);
  if (linalg::cholesky(trend_factor_) != 0) {
    fail(
        ErrorKind::numeric,
        "gp: the mean function cannot be told apart from its parts on these points: a column of the inputs is constant "
        "or follows from others; use mean=constant or zero");
  }
  b_ = left_product(data_.H, alpha_);
  linalg::cholesky_solve(trend_factor_, b_);
  linalg::multiply(-1, trend_, b_, 1, alpha_);
}

double ProcessSystem::quadratic(Index target) const {
  double sum = 0;
  for (Index i = 0; i < alpha_.rows(); ++i) sum += data_.y(i, target) * alpha_(i, target);
  return std::max(sum, 0.0);
}

// sum over targets of -1/2 q/s - n/2 log(2 pi s) - 1/2 log |A|
double ProcessSystem::likelihood(const At& where, Vector& signal) const {
  const auto n = static_cast<double>(data_.y.rows());
  double value = 0;
  signal.clear();
  for (Index t = 0; t < alpha_.cols(); ++t) {
    const double q = quadratic(t);
    // A target without any spread has no scale; any positive number does.
    const double s = where.signal ? *where.signal : std::max(q / n, std::numeric_limits<double>::min());
    signal.push_back(s);
    value += -0.5 * q / s - 0.5 * n * (kLogTwoPi + std::log(s)) - 0.5 * log_determinant_;
  }
  return value;
}

ProcessSystem::Value ProcessSystem::evaluate(const At& where, bool gradient) {
  try {
    fill(where, 0);
  } catch (const Error& error) {  // a kernel that overflows here is out of the question, as an indefinite matrix is
    if (error.kind() != ErrorKind::numeric) throw;
    return {.objective = -kInfinity, .signal = {}};
  }
  if (linalg::cholesky(buffer_, how_.monitor) != 0) return {.objective = -kInfinity, .signal = {}};
  solve_trend();
  return objective_ == GaussianProcess::Objective::loo ? finish_leave_one_out(where, gradient)
                                                       : finish_likelihood(where, gradient);
}

// With W = 1/2 (sum_t alpha_t alpha_t' / s_t - T A^-1), d value / d A = W; b and s are at their best, where small
// changes of theirs do not matter.
ProcessSystem::Value ProcessSystem::finish_likelihood(const At& where, bool gradient) {
  Value out{.objective = 0, .signal = {}};
  out.objective = likelihood(where, out.signal);
  if (!std::isfinite(out.objective)) out.objective = -kInfinity;
  if (!gradient || !std::isfinite(out.objective)) return out;
  linalg::inverse(buffer_, how_.monitor);
  const Index n = data_.y.rows(), targets = alpha_.cols();
  const auto count = static_cast<double>(targets);
  for (Index i = 0; i < n; ++i) {
    double w = -count * buffer_(i, i);
    for (Index t = 0; t < targets; ++t) w += alpha_(i, t) * alpha_(i, t) / out.signal[at(t)];
    out.by_noise += 0.5 * w * data_.shape[at(i)];
    if (!data_.known.empty()) out.by_signal -= 0.5 * w * data_.known[at(i)] / (*where.signal * *where.signal);
  }
  for (Index t = 0; t < targets; ++t) {
    const double s = out.signal[at(t)];
    out.by_signal += 0.5 * (quadratic(t) / s - static_cast<double>(n)) / s;
  }
  if (!where.kernel) return out;
  out.by_kernel = pairs_->gradient(
      [&](Range i, Range j, double* w) {
        for (Index a = i.begin; a < i.end; ++a) {
          const double* inverse = buffer_.row(a) + j.begin;
          for (Index b = 0; b < j.size(); ++b) w[b] = -count * inverse[b];
          for (Index t = 0; t < targets; ++t) {
            const double own = alpha_(a, t) / out.signal[at(t)];
            for (Index b = 0; b < j.size(); ++b) w[b] += own * alpha_(j.begin + b, t);
          }
          if (i.begin == j.begin) {
            w[a - i.begin] *= 0.5;
            std::fill(w + (a - i.begin) + 1, w + j.size(), 0.0);
          }
          w += j.size();
        }
      },
      how_);
  return out;
}

// With P = A^-1 - A^-1 H (H' A^-1 H)^-1 H' A^-1, alpha = P y and c = diag P, point i is predicted from the others with
// error alpha_i / c_i and variance s / c_i. Since dP = -P dA P,
//     d value / d A = -sum_t sym(u_t alpha_t') - P diag(d value / d c) P,   u_t = P d value / d alpha_t
// and d value / d c is positive, so that the last term is a symmetric product.
ProcessSystem::Value ProcessSystem::finish_leave_one_out(const At& where, bool gradient) {
  const Index n = data_.y.rows(), targets = alpha_.cols();
  linalg::inverse(buffer_, how_.monitor);
  mirror(buffer_);
  if (trend_.cols() > 0) {
    Matrix half = trend_;  // rows become those of A^-1 H L^-T
    for (Index i = 0; i < n; ++i) linalg::solve_lower(trend_factor_, MatrixRef(half.row(i), half.cols(), 1));
    linalg::multiply_transposed(-1, half, half, 1, buffer_);
  }
  Value out{.objective = 0, .signal = {}};
  for (Index t = 0; t < targets; ++t) {
    double mean_square = 0, logs = 0;
    for (Index i = 0; i < n; ++i) {
      mean_square += alpha_(i, t) * alpha_(i, t) / buffer_(i, i) / static_cast<double>(n);
      logs += std::log(buffer_(i, i));
    }
    const double s = where.signal ? *where.signal : std::max(mean_square, std::numeric_limits<double>::min());
    out.signal.push_back(s);
    out.objective += 0.5 * (logs - static_cast<double>(n) * (std::log(s) + kLogTwoPi + mean_square / s));
    out.by_signal += 0.5 * static_cast<double>(n) * (mean_square / s - 1) / s;
  }
  if (!std::isfinite(out.objective)) out.objective = -kInfinity;
  if (!gradient || !std::isfinite(out.objective)) return out;
  Matrix pull = Matrix::uninitialized(n, targets);
  Vector root(at(n));
  for (Index i = 0; i < n; ++i) {
    const double c = buffer_(i, i);
    double by_c = 0.5 * static_cast<double>(targets) / c;
    for (Index t = 0; t < targets; ++t) {
      const double s = out.signal[at(t)];
      pull(i, t) = -alpha_(i, t) / (c * s);
      by_c += 0.5 * alpha_(i, t) * alpha_(i, t) / (c * c * s);
    }
    root[at(i)] = std::sqrt(by_c);
  }
  Matrix u = Matrix::uninitialized(n, targets);
  linalg::multiply(1, buffer_, pull, 0, u);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) buffer_(i, j) *= root[at(j)];
  }
  if (second_.rows() != n) second_ = Matrix::uninitialized(n, n);
  linalg::symmetric_product(buffer_, second_, how_.monitor);
  for (Index i = 0; i < n; ++i) {
    double w = -second_(i, i);
    for (Index t = 0; t < targets; ++t) w -= u(i, t) * alpha_(i, t);
    out.by_noise += w * data_.shape[at(i)];
    if (!data_.known.empty()) out.by_signal -= w * data_.known[at(i)] / (*where.signal * *where.signal);
  }
  if (!where.kernel) return out;
  out.by_kernel = pairs_->gradient(
      [&](Range i, Range j, double* w) {
        for (Index a = i.begin; a < i.end; ++a) {
          std::fill_n(w, j.size(), 0.0);
          for (Index b = j.begin; b < std::min(j.end, a + 1); ++b) {
            double both = -2 * second_(a, b);
            for (Index t = 0; t < targets; ++t) both -= u(a, t) * alpha_(b, t) + u(b, t) * alpha_(a, t);
            w[b - j.begin] = b < a ? both : both / 2;
          }
          w += j.size();
        }
      },
      how_);
  return out;
}

ProcessSystem::Solution ProcessSystem::solution_so_far(const At& where) const {
  Solution out{.alpha = alpha_, .b = b_};
  out.log_likelihood = likelihood(where, out.signal);
  return out;
}

// Where A is singular in floating point, the smallest power of ten that helps is added to its diagonal.
ProcessSystem::Solution ProcessSystem::solve(const At& where) {
  Solution out{};
  double norm = 0, mean_diagonal = 0;
  while (true) {
    fill(where, out.jitter);
    if (out.jitter == 0) {
      for (Index i = 0; i < buffer_.rows(); ++i) mean_diagonal += buffer_(i, i) / static_cast<double>(buffer_.rows());
    }
    norm = linalg::symmetric_norm(buffer_);
    const Index pivot = linalg::cholesky(buffer_, how_.monitor);
    if (pivot == 0) break;
    out.jitter = out.jitter == 0 ? 1e-15 * mean_diagonal : 10 * out.jitter;
    if (!(out.jitter < 1e-5 * mean_diagonal)) {
      fail(ErrorKind::numeric,
           "gp: K + noise is not positive definite in floating point (pivot {} of {}), even with {:.1g} added to its "
           "diagonal; give the noise a larger value, or leave out duplicated points",
           pivot, buffer_.rows(), out.jitter / 10);
    }
  }
  solve_trend();
  out.log_likelihood = likelihood(where, out.signal);
  out.condition = linalg::condition(buffer_, norm);
  out.lower = std::move(buffer_);
  out.alpha = std::move(alpha_);
  out.b = std::move(b_);
  out.trend = std::move(trend_);
  out.trend_factor = std::move(trend_factor_);
  return out;
}

}  // namespace mercer::detail
