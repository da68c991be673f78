#include "linalg/low_rank.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"

namespace mercer::linalg {

namespace {

// The shift of a column of b, where each has as many.
auto shift_of(VectorView shifts, Index columns) {
  const Index each = columns / static_cast<Index>(shifts.size());
  return [shifts, each](Index column) { return shifts[at(column / each)]; };
}

}  // namespace

LowRank::LowRank(MatrixView g) {
  const Index r = g.cols();
  Matrix inner(r, r);
  multiply_left_transposed(1, g, g, 0, inner);
  Eigen eigen = linalg::eigen(inner);
  values_ = std::move(eigen.values);
  for (double& value : values_) value = std::max(value, 0.0);
  p_ = Matrix::uninitialized(g.rows(), r);
  multiply_transposed(1, g, eigen.vectors, 0, p_);
}

Matrix LowRank::projected(MatrixView v) const {
  Matrix out(p_.cols(), v.cols());
  multiply_left_transposed(1, p_, v, 0, out);
  return out;
}

Matrix LowRank::solve(Matrix b, VectorView shifts) const {
  const auto shift = shift_of(shifts, b.cols());
  Matrix small = projected(b);
  for (Index j = 0; j < small.rows(); ++j) {
    for (Index c = 0; c < small.cols(); ++c) small(j, c) /= values_[at(j)] + shift(c);
  }
  multiply(-1, p_, small, 1, b);
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index c = 0; c < b.cols(); ++c) b(i, c) /= shift(c);
  }
  return b;
}

Matrix LowRank::refined_solve(const Matrix& b, VectorView shifts) const {
  const auto shift = shift_of(shifts, b.cols());
  Matrix z = solve(b, shifts), rest = b;
  multiply(-1, p_, projected(z), 1, rest);
  for (Index i = 0; i < rest.rows(); ++i) {
    for (Index c = 0; c < rest.cols(); ++c) rest(i, c) -= shift(c) * z(i, c);
  }
  rest = solve(std::move(rest), shifts);
  std::transform(z.data(), z.data() + z.rows() * z.cols(), rest.data(), z.data(), std::plus<>());
  return z;
}

// (I - P E P') / s^1/2 with E = (1 - (s / (D + s))^1/2) / D, whose square is that of the class comment since P'P = D;
// written so that nothing is divided by a D that may be 0.
void LowRank::solve_root(double shift, MatrixRef rows) const {
  Matrix small = Matrix::uninitialized(rows.rows(), p_.cols());
  multiply(1, rows, p_, 0, small);
  for (Index k = 0; k < small.cols(); ++k) {
    const double all = values_[at(k)] + shift, factor = 1 / (all * (1 + std::sqrt(shift / all)));
    for (Index i = 0; i < small.rows(); ++i) small(i, k) *= factor;
  }
  multiply_transposed(-1, small, p_, 1, rows);
  const double unit = std::sqrt(shift);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) rows(i, j) /= unit;
  }
}

double LowRank::log_determinant(double shift) const {
  double out = static_cast<double>(rows() - rank()) * std::log(shift);
  for (const double value : values_) out += std::log(value + shift);
  return out;
}

double LowRank::condition(double shift) const {
  return (values_.empty() ? 0 : *std::max_element(values_.begin(), values_.end())) / shift + 1;
}

Matrix LowRank::inverse_diagonals(VectorView shifts) const {
  const auto count = static_cast<Index>(shifts.size());
  Matrix weights(p_.cols(), count), squares = p_, out(p_.rows(), count, 1.0);
  std::for_each_n(squares.data(), squares.rows() * squares.cols(), [](double& value) { value *= value; });
  for (Index j = 0; j < weights.rows(); ++j) {
    for (Index s = 0; s < count; ++s) weights(j, s) = 1 / (values_[at(j)] + shifts[at(s)]);
  }
  multiply(-1, squares, weights, 1, out);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index s = 0; s < count; ++s) out(i, s) /= shifts[at(s)];
  }
  return out;
}

void LowRank::inverse_tile(double shift, Range i, Range j, double* out) const {
  const Range all{0, p_.cols()};
  Matrix left(p_.view().block(i, all));
  for (Index a = 0; a < left.rows(); ++a) {
    for (Index k = 0; k < left.cols(); ++k) left(a, k) /= (values_[at(k)] + shift) * shift;
  }
  const MatrixRef tile(out, i.size(), j.size());
  multiply_transposed(-1, left, p_.view().block(j, all), 0, tile);
  for (Index a = std::max(i.begin, j.begin); a < std::min(i.end, j.end); ++a) {
    tile(a - i.begin, a - j.begin) += 1 / shift;
  }
}

ShiftedSolves low_rank_solves(MatrixView g, MatrixView b, VectorView shifts, const Monitor& monitor) {
  const Index n = b.rows(), m = b.cols(), count = static_cast<Index>(shifts.size());
  monitor.report({"solve", 0});
  const LowRank matrix(g);
  monitor.report({"solve", 0.5});
  Matrix right = Matrix::uninitialized(n, count * m);
  for (Index i = 0; i < n; ++i) {
    for (Index s = 0; s < count; ++s) std::copy_n(b.row(i), m, right.row(i) + s * m);
  }
  const Matrix z = matrix.refined_solve(right, shifts);
  monitor.report({"solve", 0.8});
  ShiftedSolves out;
  for (Index s = 0; s < count; ++s) out.z.emplace_back(z.view().block({0, n}, {s * m, s * m + m}));
  out.inverse_diagonals = matrix.inverse_diagonals(shifts);
  return out;
}

}  // namespace mercer::linalg
