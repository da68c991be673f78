#include "linalg/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

// Products of columns of P have errors of rounding beside the largest eigenvalue. Those of eigenvalues that are not far
// below it are orthogonal up to a few digits of these, and so is what is left of the others without them; among
// themselves these others are a matrix G of their own.
LowRank::LowRank(MatrixView g, double least_shift)
    : values_(at(g.cols())), p_(Matrix::uninitialized(g.rows(), g.cols())) {
  constexpr double kSound = 1e-6, kRounding = std::numeric_limits<double>::epsilon();
  const Range all{0, g.rows()};
  Matrix rest;
  double nothing = 0;
  for (Index columns = g.cols(); columns > 0;) {
    const Range some{0, columns};
    Matrix inner = Matrix::uninitialized(columns, columns);
    multiply_left_transposed(1, g, g, 0, inner);
    const Eigen eigen = linalg::eigen(inner);
    std::transform(eigen.values.begin(), eigen.values.end(), values_.begin(),
                   [](double v) { return std::max(v, 0.0); });
    const MatrixRef p = p_.ref().block(all, some);
    multiply_transposed(1, g, eigen.vectors, 0, p);

    const double largest = values_[at(columns - 1)];
    if (columns == g.cols()) nothing = std::max(least_shift / kSound, kRounding * kRounding * largest);
    if (!(largest > nothing)) break;
    columns = std::lower_bound(values_.begin(), values_.begin() + columns, kSound * largest) - values_.begin();
    // What is left of the others without those.
    const Range others{0, columns}, sound{columns, some.end};
    rest = Matrix(p_.view().block(all, others));
    Matrix shares = Matrix::uninitialized(sound.size(), columns);
    multiply_left_transposed(1, p_.view().block(all, sound), rest, 0, shares);
    for (Index j = 0; j < shares.rows(); ++j) {
      for (Index k = 0; k < columns; ++k) shares(j, k) /= values_[at(sound.begin + j)];
    }
    multiply(-1, p_.view().block(all, sound), shares, 1, rest);
    g = rest;
  }
}

Matrix LowRank::projected(MatrixView v) const {
  Matrix out(p_.cols(), v.cols());
  multiply_left_transposed(1, p_, v, 0, out);
  return out;
}

// P'z has all digits although z may be far larger than it. The second step makes up for those in which P'P is not D.
Matrix LowRank::take_out(MatrixRef b, VectorView shifts) const {
  constexpr int kSteps = 2;
  const auto shift = shift_of(shifts, b.cols());
  Matrix found(p_.cols(), b.cols());
  for (int step = 0; step < kSteps; ++step) {
    Matrix more = projected(b);
    for (Index j = 0; j < more.rows(); ++j) {
      for (Index c = 0; c < more.cols(); ++c) {
        more(j, c) = (more(j, c) - shift(c) * found(j, c)) / (values_[at(j)] + shift(c));
        found(j, c) += more(j, c);
      }
    }
    multiply(-1, p_, more, 1, b);
  }
  return found;
}

Matrix LowRank::solve(Matrix b, VectorView shifts) const {
  const auto shift = shift_of(shifts, b.cols());
  (void)take_out(b, shifts);
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index c = 0; c < b.cols(); ++c) b(i, c) /= shift(c);
  }
  return b;
}

// P D^-1 P'z; columns of P that are rounding of others are none.
Matrix LowRank::seen_part(Matrix b, VectorView shifts) const {
  Matrix found = take_out(b, shifts);
  Vector squares(at(rank()));
  for (Index i = 0; i < p_.rows(); ++i) {
    for (Index j = 0; j < rank(); ++j) squares[at(j)] += p_(i, j) * p_(i, j);
  }
  const double rounding = static_cast<double>(rank()) * std::numeric_limits<double>::epsilon();
  const double least = squares.empty() ? 0 : rounding * rounding * *std::max_element(squares.begin(), squares.end());
  for (Index j = 0; j < rank(); ++j) {
    for (Index c = 0; c < found.cols(); ++c) found(j, c) = squares[at(j)] > least ? found(j, c) / squares[at(j)] : 0;
  }
  multiply(1, p_, found, 0, b);
  return b;
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
  const LowRank matrix(g, *std::min_element(shifts.begin(), shifts.end()));
  monitor.report({"solve", 0.5});
  Matrix right = Matrix::uninitialized(n, count * m);
  for (Index i = 0; i < n; ++i) {
    for (Index s = 0; s < count; ++s) std::copy_n(b.row(i), m, right.row(i) + s * m);
  }
  const Matrix z = matrix.solve(std::move(right), shifts);
  monitor.report({"solve", 0.8});
  ShiftedSolves out;
  for (Index s = 0; s < count; ++s) out.z.emplace_back(z.view().block({0, n}, {s * m, s * m + m}));
  out.inverse_diagonals = matrix.inverse_diagonals(shifts);
  return out;
}

}  // namespace mercer::linalg
