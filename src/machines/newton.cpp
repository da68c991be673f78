#include "machines/newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/assemble.hpp"
#include "model/training.hpp"

namespace mercer::detail {

DenseGram::DenseGram(std::string_view machine, const Training& training, int others) : gram_(training.K) {
  shared_ = gram_.dense();
  require_matrices(machine, training, gram_.size(), others + (shared_.empty() ? 1 : 0));
  if (!shared_.empty()) return;
  own_ = Matrix::uninitialized(gram_.size(), gram_.size());
  assemble(gram_, own_, training.how);
}

NewtonSystem::NewtonSystem(MatrixView K, double lambda, VectorView w, const Monitor& monitor) : K_(K), lambda_(lambda) {
  for (Index i = 0; i < K.rows(); ++i) {
    if (!(w[at(i)] > 0)) continue;
    active_.push_back(i);
    root_.push_back(std::sqrt(w[at(i)]));
  }
  const auto m = static_cast<Index>(active_.size());
  factor_ = Matrix::uninitialized(m, m);
  constexpr Index kRows = 64;  // a piece of work
  parallel_for((m + kRows - 1) / kRows, thread_count(0), {}, "solve", [&](Index piece, int) {
    for (Index i = piece * kRows; i < std::min(m, (piece + 1) * kRows); ++i) {
      const double* row = K.row(active_[at(i)]);
      for (Index j = 0; j <= i; ++j) factor_(i, j) = root_[at(i)] * row[active_[at(j)]] / lambda * root_[at(j)];
      factor_(i, i) += 1;
    }
  });
  sound_ = linalg::cholesky(factor_, monitor) == 0;
}

void NewtonSystem::solve(MatrixRef c) const {
  const auto m = static_cast<Index>(active_.size());
  const Matrix all = times(K_, c);
  Matrix t = Matrix::uninitialized(m, c.cols());
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c.cols(); ++j) t(i, j) = root_[at(i)] * all(active_[at(i)], j) / lambda_;
  }
  linalg::cholesky_solve(factor_, t);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c.cols(); ++j) c(active_[at(i)], j) -= root_[at(i)] * t(i, j);
  }
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.cols(); ++j) c(i, j) /= lambda_;
  }
}

Matrix times(MatrixView K, MatrixView v) {
  Matrix out = Matrix::uninitialized(K.rows(), v.cols());
  linalg::multiply(1, K, v, 0, out);
  return out;
}

Vector times(MatrixView K, const Vector& v) {
  Vector out(v.size());
  linalg::multiply(1, K, MatrixView(v.data(), K.rows(), 1), 0, MatrixRef(out.data(), K.rows(), 1));
  return out;
}

}  // namespace mercer::detail
