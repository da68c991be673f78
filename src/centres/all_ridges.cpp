// Restricted least squares for every ridge at once.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "centres/restricted.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::centres {

AllRidges::AllRidges(const LeastSquares& problem, const Execution& how) : problem_(problem) {
  const Index m = problem.centres.size(), targets = problem.y.cols();
  // Phi'V Phi, Phi'V y and y'V y
  distributed::Part moments = problem.pass.sum(
      kTall, {{m, m}, {m, targets}, {1, 1}},
      [&](Range rows, MatrixRef K, distributed::Part& sums) {
        linalg::solve_lower_rows(problem.centres.root(), K);
        Matrix y = Matrix::uninitialized(rows.size(), targets);
        for (Index i = 0; i < rows.size(); ++i) {
          const double root = std::sqrt(problem.weight(rows.begin + i));
          for (Index j = 0; j < m && root != 1; ++j) K(i, j) *= root;
          for (Index t = 0; t < targets; ++t) {
            y(i, t) = root * problem.y(rows.begin + i, t);
            sums[2](0, 0) += y(i, t) * y(i, t);
          }
        }
        linalg::symmetric_left_product(K, 1, sums[0]);
        linalg::multiply_left_transposed(1, K, y, 1, sums[1]);
      },
      how);
  y_square_ = moments[2](0, 0);
  linalg::Eigen eigen = linalg::eigen(moments[0], how.monitor);
  moments[0] = Matrix();
  values_ = std::move(eigen.values);
  for (double& value : values_) value = std::max(value, 0.0);  // but for rounding
  vectors_ = std::move(eigen.vectors);
  rotated_ = Matrix(m, targets);
  linalg::multiply(1, vectors_, moments[1], 0, rotated_);
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
  // Of f, the coefficients of each ridge and target side by side; of leverages, the reciprocals.
  Matrix coefficients(m, tried * targets), reciprocals(m, tried);
  for (Index k = 0; k < m; ++k) {
    for (Index r = 0; r < tried; ++r) {
      reciprocals(k, r) = 1 / (values_[at(k)] + ridges[at(r)]);
      for (Index t = 0; t < targets; ++t) coefficients(k, r * targets + t) = rotated_(k, t) * reciprocals(k, r);
    }
  }
  const distributed::Part left = problem_.pass.sum(
      kTall, {{1, tried}},
      [&](Range rows, MatrixRef K, distributed::Part& sums) {
        linalg::solve_lower_rows(problem_.centres.root(), K);
        Matrix features(rows.size(), m), f(rows.size(), tried * targets), leverage(rows.size(), tried);
        linalg::multiply_transposed(1, K, vectors_, 0, features);
        linalg::multiply(1, features, coefficients, 0, f);
        for (Index i = 0; i < rows.size() * m; ++i) features.data()[i] *= features.data()[i];
        linalg::multiply(1, features, reciprocals, 0, leverage);
        for (Index i = 0; i < rows.size(); ++i) {
          const Index row = rows.begin + i;
          const double v = problem_.weight(row);
          for (Index r = 0; r < tried; ++r) {
            for (Index t = 0; t < targets; ++t) {
              const double left = (problem_.y(row, t) - f(i, r * targets + t)) / (1 - v * leverage(i, r));
              sums[0](0, r) += v * left * left;
            }
          }
        }
      },
      how);
  return Vector(left[0].data(), left[0].data() + tried);
}

}  // namespace mercer::centres
