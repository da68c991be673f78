#include "machines/sparse_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kParallel = 1 - 1e-10;  // squared cosines above: the same column but for its size
// A column of which less than this is left when its part in the span of the model is taken away is all rounding error.
constexpr double kInSpan = 1e-13;
constexpr double kLeast = 1e-7;  // of q^2/s - 1: below, a column's worth, its square over 4, is nothing
constexpr double kLeastGain = 1e-11;

void add_multiple(double factor, const Vector& from, Vector& to) {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] += factor * from[j];
}

}  // namespace

std::optional<Matrix> scaled_factor(MatrixView g, const Vector& alpha) {
  const Index m = g.rows();
  Matrix factor(m, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j <= i; ++j) factor(i, j) = g(i, j) / std::sqrt(alpha[at(i)]) / std::sqrt(alpha[at(j)]);
    factor(i, i) += 1;
  }
  Index failed = 0;
  few_rows(m, [&] { failed = linalg::cholesky(factor); });
  if (failed != 0) return std::nullopt;
  return factor;
}

SparseBayes::SparseBayes(const RvmBasis& basis)
    : basis_(&basis), place_(at(basis.columns()), -1), barred_(at(basis.columns()), false) {}

bool SparseBayes::pose(Vector point_weights, VectorView weighted_z, double precision) {
  point_weights_ = std::move(point_weights);
  unbar();
  Matrix rows = Matrix::uninitialized(size() + 1, basis_->points());
  for (Index m = 0; m < size(); ++m) {
    for (Index i = 0; i < rows.cols(); ++i) rows(m, i) = point_weights_[at(i)] * values_[at(m)][at(i)];
  }
  weighted_z_.assign(weighted_z.begin(), weighted_z.end());
  std::copy(weighted_z.begin(), weighted_z.end(), rows.row(size()));
  const Matrix projected = basis_->project(rows);
  for (Index m = 0; m < size(); ++m) overlaps_[at(m)].assign(projected.row(m), projected.row(m) + projected.cols());
  products_.assign(projected.row(size()), projected.row(size()) + projected.cols());
  squares_ = basis_->squares(point_weights_);
  return refresh(precision);
}

bool SparseBayes::refresh(double precision, bool sharp) {
  for (Index m = size() - 1; m >= 0; --m) {
    if (std::isinf(alpha_[at(m)])) erase(m);
  }
  if (!look(precision, alpha_)) return false;
  compute_statistics(sharp);
  return true;
}

bool SparseBayes::look(double precision, Vector alpha) {
  precision_ = precision;
  alpha_ = std::move(alpha);
  const Index m = size();
  Matrix g(m, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j <= i; ++j) g(i, j) = precision * overlaps_[at(i)][at(active_[at(j)])];
  }
  auto factor = scaled_factor(g, alpha_);
  if (!factor) return false;
  factor_ = std::move(*factor);
  log_determinant_ = 0;
  for (Index i = 0; i < m; ++i) log_determinant_ += 2 * std::log(factor_(i, i));

  // covariance = D (L L')^-1 D and mean = covariance Phi'B z, side by side
  Matrix solved(m, m + 1);
  for (Index i = 0; i < m; ++i) {
    solved(i, i) = 1 / std::sqrt(alpha_[at(i)]);
    solved(i, m) = precision * products_[at(active_[at(i)])] / std::sqrt(alpha_[at(i)]);
  }
  few_rows(m, [&] { linalg::cholesky_solve(factor_, solved); });
  covariance_ = Matrix(m, m);
  mean_.assign(at(m), 0.0);
  for (Index i = 0; i < m; ++i) {
    const double own = 1 / std::sqrt(alpha_[at(i)]);
    mean_[at(i)] = own * solved(i, m);
    for (Index j = 0; j <= i; ++j) {
      const double other = 1 / std::sqrt(alpha_[at(j)]);
      covariance_(i, j) = covariance_(j, i) = (own * solved(i, j) + other * solved(j, i)) / 2;
    }
  }
  return true;
}

// S = precision squares - |L^-1 D overlaps|^2, Q = precision (products - overlaps mean)
void SparseBayes::compute_statistics(bool sharp) {
  constexpr Index kColumns = 1024;  // a piece of work
  const Index m = size(), columns = basis_->columns();
  s_.resize(at(columns));
  q_.resize(at(columns));
  parallel_for((columns + kColumns - 1) / kColumns, basis_->threads(), {}, "statistics", [&](Index piece, int) {
    const Index first = piece * kColumns, count = std::min(columns - first, kColumns);
    Matrix scaled = Matrix::uninitialized(m, count);
    double *s = s_.data() + first, *q = q_.data() + first;
    for (Index j = 0; j < count; ++j) q[j] = products_[at(first + j)];
    for (Index i = 0; i < m; ++i) {
      const double* overlap = overlaps_[at(i)].data() + first;
      const double scale = precision_ / std::sqrt(alpha_[at(i)]);
      for (Index j = 0; j < count; ++j) {
        scaled(i, j) = scale * overlap[j];
        q[j] -= mean_[at(i)] * overlap[j];
      }
    }
    linalg::solve_lower(factor_, scaled);
    for (Index j = 0; j < count; ++j) {
      s[j] = precision_ * squares_[at(first + j)];
      q[j] *= precision_;
    }
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < count; ++j) s[j] -= scaled(i, j) * scaled(i, j);
    }
  });
  if (!sharp) return;
  const Vector f = fitted();
  Matrix residual = Matrix::uninitialized(1, basis_->points());
  for (Index i = 0; i < residual.cols(); ++i) residual(0, i) = weighted_z_[at(i)] - point_weights_[at(i)] * f[at(i)];
  const Matrix projected = basis_->project(residual);
  for (Index j = 0; j < columns; ++j) q_[at(j)] = precision_ * projected(0, j);
}

// The evidence as a function of one alpha is  (log(alpha / (alpha + s)) + q^2 / (alpha + s)) / 2  and a constant, where
// s and q are what S and Q would be without that column. It has one maximum, at s^2 / (q^2 - s) if that is positive.
double SparseBayes::leave_out_gain(double s, double q, double alpha) const {
  return std::isinf(alpha) ? 0 : (q * q / (alpha + s) - std::log1p(s / alpha)) / 2;
}

std::optional<SparseBayes::Step> SparseBayes::best(double tolerance) {
  for (;;) {
    Step step;
    for (Index m = 0; m < size(); ++m) {
      if (barred_[at(active_[at(m)])]) continue;
      const double variance = covariance_(m, m), now = alpha_[at(m)];
      const double s = std::max(0.0, 1 / variance - now), q = mean_[at(m)] / variance;
      const double excess = s > 0 ? q * q / s - 1 : -1;
      const double alpha = excess > kLeast ? s / excess : kInfinity;
      if (std::abs(std::log(alpha / now)) <= tolerance) continue;
      const double gain = leave_out_gain(s, q, alpha) - leave_out_gain(s, q, now);
      if (gain > step.gain) step = {active_[at(m)], alpha, gain};
    }
    if (step.gain < kLeastGain) step = {};
    for (Index j = 0; j < basis_->columns(); ++j) {
      if (place_[at(j)] >= 0 || barred_[at(j)]) continue;
      const double s = s_[at(j)];
      if (!(s > kInSpan * precision_ * squares_[at(j)])) continue;
      const double excess = q_[at(j)] * q_[at(j)] / s - 1;
      if (!(excess > kLeast)) continue;
      const double gain = (excess - std::log1p(excess)) / 2;
      if (gain > tolerance && gain > step.gain) step = {j, s / excess, gain};
    }
    if (step.gain == 0) return std::nullopt;
    if (place_[at(step.column)] >= 0 || !parallel_to_active(step.column)) return step;
    barred_[at(step.column)] = true;
  }
}

bool SparseBayes::parallel_to_active(Index column) const {
  for (Index m = 0; m < size(); ++m) {
    const double overlap = overlaps_[at(m)][at(column)];
    if (overlap * overlap > kParallel * squares_[at(column)] * squares_[at(active_[at(m)])]) return true;
  }
  return false;
}

void SparseBayes::take(const Step& step) {
  const Index m = place_[at(step.column)];
  if (m < 0) return append(step.column, step.alpha);
  change(m, step.alpha);
  if (std::isinf(step.alpha)) erase(m);
}

// `response` is phi_j' C^-1 phi_i of all columns j, and C^-1 phi_i = B (phi_i - Phi u).
void SparseBayes::append(Index column, double alpha) {
  Vector values = basis_->column(column);
  Matrix weighted = Matrix::uninitialized(1, basis_->points());
  for (Index i = 0; i < weighted.cols(); ++i) weighted(0, i) = point_weights_[at(i)] * values[at(i)];
  const Matrix projected = basis_->project(weighted);
  Vector overlap(projected.row(0), projected.row(0) + projected.cols());

  const Index m = size();
  Vector u(at(m));
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < m; ++k) u[at(i)] += precision_ * covariance_(i, k) * overlap[at(active_[at(k)])];
  }
  Vector response = overlap;
  for (Index i = 0; i < m; ++i) add_multiple(-u[at(i)], overlaps_[at(i)], response);
  for (double& e : response) e *= precision_;
  const double variance = 1 / (alpha + s_[at(column)]), mean = variance * q_[at(column)];
  for (std::size_t j = 0; j < response.size(); ++j) {
    s_[j] -= variance * response[j] * response[j];
    q_[j] -= mean * response[j];
  }

  Matrix covariance = Matrix::uninitialized(m + 1, m + 1);
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < m; ++k) covariance(i, k) = covariance_(i, k) + variance * u[at(i)] * u[at(k)];
    covariance(i, m) = covariance(m, i) = -variance * u[at(i)];
    mean_[at(i)] -= mean * u[at(i)];
  }
  covariance(m, m) = variance;
  covariance_ = std::move(covariance);
  mean_.push_back(mean);
  alpha_.push_back(alpha);
  place_[at(column)] = m;
  active_.push_back(column);
  values_.push_back(std::move(values));
  overlaps_.push_back(std::move(overlap));
}

void SparseBayes::change(Index m, double alpha) {
  const double now = alpha_[at(m)], variance = covariance_(m, m), weight = mean_[at(m)];
  Vector column(at(size())), response(at(basis_->columns()));
  for (Index i = 0; i < size(); ++i) column[at(i)] = covariance_(i, m);
  // (alpha - now) / (1 + (alpha - now) variance), with its limit where alpha is infinite
  const double factor = std::isinf(alpha) ? 1 / variance : (alpha - now) / (1 + (alpha - now) * variance);
  for (Index i = 0; i < size(); ++i) add_multiple(precision_ * column[at(i)], overlaps_[at(i)], response);
  // `response` is phi_j' C^-1 phi_m over alpha_m, and `factor` is -alpha_m^2 d / (1 + d S_m) for d = 1/alpha - 1/now.
  for (std::size_t j = 0; j < response.size(); ++j) {
    s_[j] += factor * response[j] * response[j];
    q_[j] += factor * weight * response[j];
  }
  for (Index i = 0; i < size(); ++i) {
    for (Index k = 0; k < size(); ++k) covariance_(i, k) -= factor * column[at(i)] * column[at(k)];
    mean_[at(i)] -= factor * weight * column[at(i)];
  }
  alpha_[at(m)] = alpha;
}

// Takes a column whose weight is 0 for certain out of the lists.
void SparseBayes::erase(Index m) {
  const auto without = [&](auto& list) { list.erase(list.begin() + m); };
  place_[at(active_[at(m)])] = -1;
  without(active_);
  without(values_);
  without(overlaps_);
  without(alpha_);
  without(mean_);
  Matrix covariance = Matrix::uninitialized(size(), size());
  for (Index i = 0; i < size(); ++i) {
    for (Index k = 0; k < size(); ++k) covariance(i, k) = covariance_(i < m ? i : i + 1, k < m ? k : k + 1);
    place_[at(active_[at(i)])] = i;
  }
  covariance_ = std::move(covariance);
}

double SparseBayes::variance(Index column) const {
  return place_[at(column)] < 0 ? 0 : 1 / alpha_[at(place_[at(column)])];
}

double SparseBayes::well_determined() const {
  double sum = 0;
  for (Index m = 0; m < size(); ++m) {
    if (!std::isinf(alpha_[at(m)])) sum += 1 - alpha_[at(m)] * covariance_(m, m);
  }
  return sum;
}

Vector SparseBayes::fitted() const {
  Vector f(at(basis_->points()));
  for (Index m = 0; m < size(); ++m) add_multiple(mean_[at(m)], values_[at(m)], f);
  return f;
}

double SparseBayes::penalty() const {
  double sum = 0;
  for (Index m = 0; m < size(); ++m) {
    if (!std::isinf(alpha_[at(m)])) sum += alpha_[at(m)] * mean_[at(m)] * mean_[at(m)];
  }
  return sum;
}

}  // namespace mercer::detail
