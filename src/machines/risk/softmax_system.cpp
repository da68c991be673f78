#include "machines/risk/softmax_system.hpp"

#include <cmath>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "machines/risk/newton.hpp"

namespace mercer::detail {

SoftmaxSystem::SoftmaxSystem(MatrixView K, double lambda, const SoftmaxLoss::Curvature& W, const Monitor& monitor)
    : K_(K), lambda_(lambda), root_(W.diagonal()), coupling_(K.rows(), K.rows()) {
  const Index n = K.rows();
  for (Index i = 0; i < root_.rows() * root_.cols(); ++i) root_.data()[i] = std::sqrt(root_.data()[i]);
  for (Index c = 0; c < root_.cols() && sound_; ++c) {
    Matrix B = Matrix::uninitialized(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) B(i, j) = root_(i, c) * K(i, j) / lambda * root_(j, c);
      B(i, i) += 1;
    }
    sound_ = linalg::cholesky(B, monitor) == 0;
    if (!sound_) return;
    Matrix inverse(B);
    linalg::inverse(inverse, monitor);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) coupling_(i, j) += root_(i, c) * inverse(i, j) * root_(j, c);  // E_c
    }
    monitor.report({"solve", static_cast<double>(c) / static_cast<double>(root_.cols())});
    factor_.push_back(std::move(B));
  }
  for (Index i = 0; i < n; ++i) {
    if (coupling_(i, i) == 0) coupling_(i, i) = 1;  // a point of no weight, which nothing reaches
  }
  sound_ = linalg::cholesky(coupling_, monitor) == 0;
}

Matrix SoftmaxSystem::apply(Index c, Matrix v) const {
  const auto times_root = [&] {
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index s = 0; s < v.cols(); ++s) v(i, s) *= root_(i, c);
    }
  };
  times_root();
  linalg::cholesky_solve(factor_[at(c)], v);
  times_root();
  return v;
}

// (I - M K / lambda) r / lambda with M = (W^-1 + K / lambda)^-1 = E - E R (R'ER)^-1 R'E.
void SoftmaxSystem::solve(MatrixRef r) const {
  const Index n = r.rows(), classes = root_.cols(), sides = r.cols() / classes;
  const Matrix K_r = times(K_, r);
  Matrix sum(n, sides);
  std::vector<Matrix> by_class;
  for (Index c = 0; c < classes; ++c) {
    Matrix v = Matrix::uninitialized(n, sides);
    for (Index i = 0; i < n; ++i) {
      for (Index s = 0; s < sides; ++s) v(i, s) = K_r(i, s * classes + c) / lambda_;
    }
    by_class.push_back(apply(c, std::move(v)));
    for (Index i = 0; i < n * sides; ++i) sum.data()[i] += by_class.back().data()[i];
  }
  linalg::cholesky_solve(coupling_, sum);
  for (Index c = 0; c < classes; ++c) {
    const Matrix shared = apply(c, sum);
    for (Index i = 0; i < n; ++i) {
      for (Index s = 0; s < sides; ++s) {
        double& here = r(i, s * classes + c);
        here = (here - by_class[at(c)](i, s) + shared(i, s)) / lambda_;
      }
    }
  }
}

}  // namespace mercer::detail
