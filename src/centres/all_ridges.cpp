// Restricted least squares for every ridge at once.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/at.hpp"
#include "centres/restricted.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::centres {

namespace {

void add_to(const Matrix& from, Matrix& to) {
  for (Index i = 0; i < to.rows() * to.cols(); ++i) to.data()[i] += from.data()[i];
}

// Phi'V Phi, Phi'V y and y'V y of some rows.
struct Moments {
  Matrix second, first;
  double of_y = 0;
};

}  // namespace

AllRidges::AllRidges(const LeastSquares& problem, const Execution& how) : problem_(problem) {
  const Index m = problem.centres.size(), targets = problem.y.cols();
  std::vector<Moments> parts(at(problem.pass.pieces()));
  Moments all{Matrix(m, m), Matrix(m, targets)};
  problem.pass.strips(
      kTall,
      [&](Index piece, Range rows, MatrixRef K) {
        Moments& part = parts[at(piece)];
        if (part.second.rows() == 0) part = {Matrix(m, m), Matrix(m, targets)};
        linalg::solve_lower_rows(problem.centres.root(), K);
        Matrix y = Matrix::uninitialized(rows.size(), targets);
        for (Index i = 0; i < rows.size(); ++i) {
          const double root = std::sqrt(problem.weight(rows.begin + i));
          for (Index j = 0; j < m && root != 1; ++j) K(i, j) *= root;
          for (Index t = 0; t < targets; ++t) {
            y(i, t) = root * problem.y(rows.begin + i, t);
            part.of_y += y(i, t) * y(i, t);
          }
        }
        linalg::symmetric_left_product(K, 1, part.second);
        linalg::multiply_left_transposed(1, K, y, 1, part.first);
      },
      [&](Index piece) {
        const Moments part = std::exchange(parts[at(piece)], Moments());
        add_to(part.second, all.second);
        add_to(part.first, all.first);
        all.of_y += part.of_y;
      },
      how);
  y_square_ = all.of_y;
  linalg::Eigen eigen = linalg::eigen(all.second, how.monitor);
  all.second = Matrix();
  values_ = std::move(eigen.values);
  for (double& value : values_) value = std::max(value, 0.0);  // but for rounding
  vectors_ = std::move(eigen.vectors);
  rotated_ = Matrix(m, targets);
  linalg::multiply(1, vectors_, all.first, 0, rotated_);
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
  std::vector<Vector> parts(at(problem_.pass.pieces()));
  Vector out(ridges.size());
  problem_.pass.strips(
      kTall,
      [&](Index piece, Range rows, MatrixRef K) {
        Vector& part = parts[at(piece)];
        part.resize(ridges.size());
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
              part[at(r)] += v * left * left;
            }
          }
        }
      },
      [&](Index piece) {
        for (std::size_t r = 0; r < out.size(); ++r) out[r] += parts[at(piece)][r];
      },
      how);
  return out;
}

}  // namespace mercer::centres
