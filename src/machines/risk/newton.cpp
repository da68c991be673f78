#include "machines/risk/newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "gram/viewed.hpp"
#include "linalg/lapack.hpp"
#include "model/training.hpp"

namespace mercer::detail {

DenseGram::DenseGram(std::string_view machine, const Training& training, int others) : gram_(training.K) {
  shared_ = gram_.dense();
  require_matrices(machine, training, gram_.size(), others + (shared_.empty() ? 1 : 0));
  if (!shared_.empty()) return;
  own_ = Matrix::uninitialized(gram_.size(), gram_.size());
  gram_.fill(own_, training.how);
}

NewtonSystem::NewtonSystem(MatrixView K, double lambda, VectorView w, const Monitor& monitor) : K_(K), lambda_(lambda) {
  for (Index i = 0; i < K.rows(); ++i) {
    if (!(w[at(i)] > 0)) continue;
    active_.push_back(i);
    root_.push_back(std::sqrt(w[at(i)]));
  }
  if (active_.empty()) return;
  Execution how;
  how.monitor = monitor;
  B_ = solve::system_for({.K = viewed(K), .points = active_, .scale = root_, .shift = {1.0}, .unit = lambda},
                         {.method = Method::dense}, how)
           .system;
  sound_ = B_ != nullptr;
}

void NewtonSystem::solve(MatrixRef c) const {
  const auto m = static_cast<Index>(active_.size());
  const Matrix all = times(K_, c);
  Matrix t = Matrix::uninitialized(m, c.cols());
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c.cols(); ++j) t(i, j) = root_[at(i)] * all(active_[at(i)], j) / lambda_;
  }
  if (B_) B_->solve(t);
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
