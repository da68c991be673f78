// Restricted least squares for every ridge at once.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "centres/restricted.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::centres {

namespace {

MatrixView column(VectorView numbers) { return {numbers.data(), static_cast<Index>(numbers.size()), 1}; }

// Phi'V Phi, Phi'V y and y'V y
distributed::Shapes shapes_of_moments(const Given& given, Index m, Index) {
  return {{m, m}, {m, given.rows[0].cols()}, {1, 1}};
}

void add_moments(const Seen& seen, distributed::Part& sums) {
  const MatrixRef K = seen.K;
  const MatrixView targets = seen.given.rows[0], weights = seen.given.rows[1];
  linalg::solve_lower_rows(seen.given.all[0], K);
  Matrix y(targets);
  for (Index i = 0; i < K.rows(); ++i) {
    const double root = weights.empty() ? 1 : std::sqrt(weights(i, 0));
    for (Index j = 0; j < K.cols() && root != 1; ++j) K(i, j) *= root;
    for (Index t = 0; t < y.cols(); ++t) {
      y(i, t) *= root;
      sums[2](0, 0) += y(i, t) * y(i, t);
    }
  }
  linalg::symmetric_left_product(K, 1, sums[0]);
  linalg::multiply_left_transposed(1, K, y, 1, sums[1]);
}

// sum_i v_i (y_i - f_i(x_i))^2 of each ridge, of all targets. Given root, eigenvectors, the coefficients of f of each
// ridge and target side by side, and for leverages the reciprocals of eigenvalue + ridge.
distributed::Shapes shapes_of_left_out(const Given& given, Index, Index) { return {{1, given.all[3].cols()}}; }

void add_left_out(const Seen& seen, distributed::Part& sums) {
  const MatrixView vectors = seen.given.all[1], coefficients = seen.given.all[2], reciprocals = seen.given.all[3],
                   y = seen.given.rows[0], weights = seen.given.rows[1];
  const Index rows = seen.K.rows(), m = seen.K.cols(), tried = reciprocals.cols(), targets = y.cols();
  linalg::solve_lower_rows(seen.given.all[0], seen.K);
  Matrix features(rows, m), f(rows, tried * targets), leverage(rows, tried);
  linalg::multiply_transposed(1, seen.K, vectors, 0, features);
  linalg::multiply(1, features, coefficients, 0, f);
  for (Index i = 0; i < rows * m; ++i) features.data()[i] *= features.data()[i];
  linalg::multiply(1, features, reciprocals, 0, leverage);
  for (Index i = 0; i < rows; ++i) {
    const double v = weights.empty() ? 1 : weights(i, 0);
    for (Index r = 0; r < tried; ++r) {
      for (Index t = 0; t < targets; ++t) {
        const double left = (y(i, t) - f(i, r * targets + t)) / (1 - v * leverage(i, r));
        sums[0](0, r) += v * left * left;
      }
    }
  }
}

}  // namespace

const Summand moments{"moments", kTall, shapes_of_moments, add_moments};
const Summand left_out{"left out", kTall, shapes_of_left_out, add_left_out};

AllRidges::AllRidges(const LeastSquares& problem, const Execution& how) : problem_(problem) {
  const Index m = problem.centres.size(), targets = problem.y.cols();
  distributed::Part sums =
      problem.pass.sum(moments, {{problem.centres.root()}, {problem.y, column(problem.weights)}}, how);
  y_square_ = sums[2](0, 0);
  linalg::Eigen eigen = linalg::eigen(sums[0], how.monitor);
  sums[0] = Matrix();
  values_ = std::move(eigen.values);
  for (double& value : values_) value = std::max(value, 0.0);  // but for rounding
  vectors_ = std::move(eigen.vectors);
  rotated_ = Matrix(m, targets);
  linalg::multiply(1, vectors_, sums[1], 0, rotated_);
}

double AllRidges::trace() const {
  double out = 0;
  for (const double value : values_) out += value;
  return out;
}

Matrix AllRidges::w(double ridge) const {
  Matrix scaled = rotated_, out(rotated_.rows(), rotated_.cols());
  for (Index k = 0; k < scaled.rows(); ++k) {
    for (Index t = 0; t < scaled.cols(); ++t) scaled(k, t) /= values_[at(k)] + ridge;
  }
  linalg::multiply_left_transposed(1, vectors_, scaled, 0, out);
  return out;
}

double AllRidges::freedom(double ridge) const {
  double out = 0;
  for (const double value : values_) out += value / (value + ridge);
  return out;
}

double AllRidges::squares(double ridge) const {
  double explained = 0;
  for (Index k = 0; k < rotated_.rows(); ++k) {
    const double value = values_[at(k)], share = (value + 2 * ridge) / ((value + ridge) * (value + ridge));
    for (Index t = 0; t < rotated_.cols(); ++t) explained += share * rotated_(k, t) * rotated_(k, t);
  }
  return std::max(0.0, y_square_ - explained);
}

double AllRidges::condition(double ridge) const { return (values_.back() + ridge) / (values_.front() + ridge); }

Vector AllRidges::left_out(VectorView ridges, const Execution& how) const {
  const Index m = problem_.centres.size(), targets = problem_.y.cols();
  const auto tried = static_cast<Index>(ridges.size());
  Matrix coefficients(m, tried * targets), reciprocals(m, tried);
  for (Index k = 0; k < m; ++k) {
    for (Index r = 0; r < tried; ++r) {
      reciprocals(k, r) = 1 / (values_[at(k)] + ridges[at(r)]);
      for (Index t = 0; t < targets; ++t) coefficients(k, r * targets + t) = rotated_(k, t) * reciprocals(k, r);
    }
  }
  const distributed::Part left = problem_.pass.sum(
      centres::left_out,
      {{problem_.centres.root(), vectors_, coefficients, reciprocals}, {problem_.y, column(problem_.weights)}}, how);
  return Vector(left[0].data(), left[0].data() + tried);
}

}  // namespace mercer::centres
