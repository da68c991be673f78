#include "machines/sparse_bayes/weight_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeast = 1e-7;  // of an excess: below, a column's worth, its square over 4, is nothing

}  // namespace

std::optional<Matrix> scaled_factor(MatrixView g, const Vector& alpha) {
  const Index m = g.rows();
  Matrix factor(m, m);
  Vector root;  // of each alpha
  for (const double a : alpha) root.push_back(std::sqrt(a));
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j <= i; ++j) factor(i, j) = g(i, j) / root[at(i)] / root[at(j)];
    factor(i, i) += 1;
  }
  if (linalg::cholesky(factor) != 0) return std::nullopt;
  return factor;
}

// covariance = D (L L')^-1 D and mean = covariance Phi'B z
bool WeightPosterior::update() {
  const Index m = size(), k = root.cols();
  Vector deviation(at(m));  // of the prior
  for (Index i = 0; i < m; ++i) deviation[at(i)] = 1 / std::sqrt(alpha[at(i)]);
  Matrix sides(m, k + m);
  for (Index i = 0; i < m; ++i) {
    const double scale = std::sqrt(precision) * deviation[at(i)];
    for (Index j = 0; j < k; ++j) sides(i, j) = scale * root(i, j);
    sides(i, k + i) = 1;
  }
  factor = linalg::factor_of_product(std::move(sides));
  log_determinant = 0;
  for (Index i = 0; i < m; ++i) log_determinant += 2 * std::log(factor(i, i));
  if (!std::isfinite(log_determinant)) return false;
  covariance = factor;
  if (m > 0) linalg::inverse(covariance);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j <= i; ++j) covariance(j, i) = covariance(i, j) *= deviation[at(i)] * deviation[at(j)];
  }
  Matrix solved(m, 1);
  for (Index i = 0; i < m; ++i) solved(i, 0) = precision * moments[at(i)] * deviation[at(i)];
  if (m > 0) linalg::cholesky_solve(factor, solved);
  mean.resize(at(m));
  for (Index i = 0; i < m; ++i) mean[at(i)] = deviation[at(i)] * solved(i, 0);
  return true;
}

void WeightPosterior::refine(const Vector& projected_residual) {
  const Index m = size();
  Matrix solved(m, 1);
  for (Index i = 0; i < m; ++i) {
    solved(i, 0) = (precision * projected_residual[at(i)] - alpha[at(i)] * mean[at(i)]) / std::sqrt(alpha[at(i)]);
  }
  if (m > 0) linalg::cholesky_solve(factor, solved);
  for (Index i = 0; i < m; ++i) mean[at(i)] += solved(i, 0) / std::sqrt(alpha[at(i)]);
}

double WeightPosterior::penalty() const {
  double sum = 0;
  for (std::size_t m = 0; m < alpha.size(); ++m) sum += alpha[m] * mean[m] * mean[m];
  return sum;
}

double WeightPosterior::well_determined() const {
  double sum = 0;
  for (Index m = 0; m < size(); ++m) sum += 1 - alpha[at(m)] * covariance(m, m);
  return sum;
}

double WeightPosterior::Alone::best_alpha() const { return excess() > kLeast ? s / excess() : kInfinity; }
double WeightPosterior::Alone::gain(double alpha) const {
  return std::isinf(alpha) ? 0 : (q * q / (alpha + s) - std::log1p(s / alpha)) / 2;
}
double WeightPosterior::Alone::best_gain() const {
  return excess() > kLeast ? (excess() - std::log1p(excess())) / 2 : 0;
}

// 2 push (alpha + s)^2 + s (alpha + s) - alpha q^2 = 0, the slope by log alpha times 2 (alpha + s)^2, has a root.
bool WeightPosterior::Alone::holds(double push) const {
  if (push <= 0) return true;
  const double linear = s - q * q + 4 * push * s;
  return linear < 0 && linear * linear >= 8 * push * s * s * (1 + 2 * push);
}

WeightPosterior::Alone WeightPosterior::alone(Index m) const {
  const double variance = covariance(m, m);
  return {std::max(0.0, 1 / variance - alpha[at(m)]), mean[at(m)] / variance};
}

void WeightPosterior::append(double value, double moment, const Vector& row) {
  Matrix wider(root.rows() + 1, static_cast<Index>(row.size()));
  for (Index i = 0; i < root.rows(); ++i) std::copy_n(root.row(i), root.cols(), wider.row(i));
  std::copy(row.begin(), row.end(), wider.row(root.rows()));
  root = std::move(wider);
  alpha.push_back(value);
  moments.push_back(moment);
}

void WeightPosterior::erase(Index m) {
  Matrix smaller = Matrix::uninitialized(root.rows() - 1, root.cols());
  for (Index i = 0; i < smaller.rows(); ++i) std::copy_n(root.row(i < m ? i : i + 1), root.cols(), smaller.row(i));
  root = std::move(smaller);
  alpha.erase(alpha.begin() + m);
  moments.erase(moments.begin() + m);
}

// With a = log alpha and t = log precision: d covariance / da_m = -alpha_m cov_m cov_m', d mean / da_m = -alpha_m
// mean_m cov_m; d covariance / dt = -(cov - cov A cov), d mean / dt = cov A mean.
WeightPosterior::Slopes WeightPosterior::slopes(std::optional<double> misfit, double points) const {
  const Index m = size(), all = m + (misfit ? 1 : 0);
  Slopes out{Vector(at(all)), Matrix(all, all)};
  for (Index i = 0; i < m; ++i) {
    const double a = alpha[at(i)], second_moment = a * (covariance(i, i) + mean[at(i)] * mean[at(i)]);
    out.first[at(i)] = (1 - second_moment) / 2;
    for (Index k = 0; k < m; ++k) {
      const double c = covariance(i, k);
      out.second(i, k) = a * alpha[at(k)] * c * (c / 2 + mean[at(i)] * mean[at(k)]);
    }
    out.second(i, i) -= second_moment / 2;
  }
  if (!misfit) return out;
  double kept = 0, pull = 0;  // tr A (cov - cov A cov), mean' A cov A mean
  for (Index i = 0; i < m; ++i) {
    double left = covariance(i, i), moved = 0;  // of cov - cov A cov, and of cov A mean
    for (Index k = 0; k < m; ++k) {
      left -= alpha[at(k)] * covariance(i, k) * covariance(i, k);
      moved += alpha[at(k)] * covariance(i, k) * mean[at(k)];
    }
    kept += alpha[at(i)] * left;
    pull += alpha[at(i)] * mean[at(i)] * moved;
    out.second(i, m) = out.second(m, i) = alpha[at(i)] * (left / 2 - mean[at(i)] * moved);
  }
  out.first[at(m)] = (points - well_determined() - precision * *misfit) / 2;
  out.second(m, m) = pull - (kept + precision * *misfit) / 2;
  return out;
}

NewtonStep newton_step(const WeightPosterior::Slopes& slopes, double shift) {
  const auto m = static_cast<Index>(slopes.first.size());
  for (; shift < 1e12; shift = std::max(1e-3, 4 * shift)) {
    Matrix bend = Matrix::uninitialized(m, m), step(m, 1);
    for (Index i = 0; i < m; ++i) {
      for (Index k = 0; k <= i; ++k) bend(i, k) = -slopes.second(i, k);
      bend(i, i) += shift;
      step(i, 0) = slopes.first[at(i)];
    }
    if (m > 0 && linalg::cholesky(bend) != 0) continue;
    if (m > 0) linalg::cholesky_solve(bend, step);
    NewtonStep out{Vector(at(m))};
    for (Index i = 0; i < m; ++i) {
      out.step[at(i)] = step(i, 0);
      out.promised += step(i, 0) * slopes.first[at(i)] / 2;
    }
    return out;
  }
  return {Vector(at(m))};
}

}  // namespace mercer::detail
