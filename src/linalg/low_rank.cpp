#include "linalg/low_rank.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "linalg/lapack.hpp"

namespace mercer::linalg {

namespace {

class LowRank {
 public:
  LowRank(Matrix g, VectorView shifts, Index columns) : shifts_(shifts), columns_(columns) {
    const Index r = g.cols();
    Matrix inner(r, r);
    multiply_left_transposed(1, g, g, 0, inner);
    Eigen eigen = linalg::eigen(inner);
    values_ = std::move(eigen.values);
    for (double& value : values_) value = std::max(value, 0.0);
    p_ = Matrix::uninitialized(g.rows(), r);
    multiply_transposed(1, g, eigen.vectors, 0, p_);
  }

  // Right sides and solutions of all shifts stand side by side. b becomes (A + s I)^-1 b.
  void solve(MatrixRef b) const {
    const Matrix inner = projected(b);
    Matrix small = inner;
    for (Index j = 0; j < small.rows(); ++j) {
      for (Index c = 0; c < small.cols(); ++c) small(j, c) /= values_[at(j)] + shift_of(c);
    }
    multiply(-1, p_, small, 1, b);
    for (Index i = 0; i < b.rows(); ++i) {
      for (Index c = 0; c < b.cols(); ++c) b(i, c) /= shift_of(c);
    }
  }

  // b - (A + s I) z
  Matrix residual(const Matrix& b, const Matrix& z) const {
    Matrix out = b;
    multiply(-1, p_, projected(z), 1, out);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index c = 0; c < out.cols(); ++c) out(i, c) -= shift_of(c) * z(i, c);
    }
    return out;
  }

  // One column for each shift. Uses P up.
  Matrix inverse_diagonals() && {
    std::for_each_n(p_.data(), p_.rows() * p_.cols(), [](double& value) { value *= value; });
    const auto count = static_cast<Index>(shifts_.size());
    Matrix weights(p_.cols(), count), out(p_.rows(), count, 1.0);
    for (Index j = 0; j < weights.rows(); ++j) {
      for (Index s = 0; s < count; ++s) weights(j, s) = 1 / (values_[at(j)] + shifts_[at(s)]);
    }
    multiply(-1, p_, weights, 1, out);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index s = 0; s < count; ++s) out(i, s) /= shifts_[at(s)];
    }
    return out;
  }

 private:
  double shift_of(Index column) const { return shifts_[at(column / columns_)]; }

  Matrix projected(MatrixView v) const {
    Matrix out(p_.cols(), v.cols());
    multiply_left_transposed(1, p_, v, 0, out);
    return out;
  }

  VectorView shifts_;
  Index columns_;  // of b
  Vector values_;  // D
  Matrix p_;
};

}  // namespace

ShiftedSolves low_rank_solves(Matrix g, MatrixView b, VectorView shifts, const Monitor& monitor) {
  const Index n = b.rows(), m = b.cols(), count = static_cast<Index>(shifts.size());
  monitor.report({"solve", 0});
  LowRank system(std::move(g), shifts, m);
  monitor.report({"solve", 0.5});
  Matrix right = Matrix::uninitialized(n, count * m);
  for (Index i = 0; i < n; ++i) {
    for (Index s = 0; s < count; ++s) std::copy_n(b.row(i), m, right.row(i) + s * m);
  }
  Matrix z = right;
  system.solve(z);
  right = system.residual(right, z);
  system.solve(right);
  std::transform(z.data(), z.data() + n * count * m, right.data(), z.data(), std::plus<>());
  monitor.report({"solve", 0.8});
  ShiftedSolves out;
  for (Index s = 0; s < count; ++s) out.z.emplace_back(z.view().block({0, n}, {s * m, s * m + m}));
  out.inverse_diagonals = std::move(system).inverse_diagonals();
  return out;
}

}  // namespace mercer::linalg
