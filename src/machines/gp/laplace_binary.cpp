// Two classes: one latent function, W diagonal, everything from B = I + W^1/2 K W^1/2, which has no eigenvalue below 1.
#include <cmath>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "machines/gp/laplace.hpp"
#include "model/posterior/link.hpp"

namespace mercer::detail {

namespace {

class BinarySystem final : public LaplaceSystem {
 public:
  using LaplaceSystem::LaplaceSystem;

  double log_likelihood(const Matrix& f) const override {
    double sum = 0;
    for (Index i = 0; i < f.rows(); ++i) sum += data_.weights[at(i)] * terms(i, f).log_p;
    return sum;
  }

  Matrix slope(const Matrix& f) const override {
    Matrix out = Matrix::uninitialized(f.rows(), 1);
    for (Index i = 0; i < f.rows(); ++i) out(i, 0) = data_.weights[at(i)] * terms(i, f).slope;
    return out;
  }

  Matrix curvature(const Matrix& f) const override {
    Matrix out = Matrix::uninitialized(f.rows(), 1);
    for (Index i = 0; i < f.rows(); ++i) out(i, 0) = data_.weights[at(i)] * terms(i, f).curvature;
    return out;
  }

  bool factor(MatrixView K, const Matrix& f, const Monitor& monitor) override {
    const Index n = K.rows();
    if (B_.rows() != n) B_ = Matrix::uninitialized(n, n);
    root_.resize(at(n));
    skew_.resize(at(n));
    for (Index i = 0; i < n; ++i) {
      const LinkTerms t = terms(i, f);
      root_[at(i)] = std::sqrt(data_.weights[at(i)] * t.curvature);
      skew_[at(i)] = t.skew;
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) B_(i, j) = root_[at(i)] * K(i, j) * root_[at(j)];
      B_(i, i) += 1;
    }
    inverted_ = false;
    return linalg::cholesky(B_, monitor) == 0;
  }

  double log_determinant() const override { return linalg::log_determinant(B_); }

  Matrix apply(const Matrix& v) const override {
    Matrix t = v;
    for (Index i = 0; i < t.rows(); ++i) t(i, 0) *= root_[at(i)];
    if (inverted_) {
      t = symmetric_times(t);
    } else {
      linalg::cholesky_solve(B_, t);
    }
    for (Index i = 0; i < t.rows(); ++i) t(i, 0) *= root_[at(i)];
    return t;
  }

  // s_i = -1/2 dW_i/df_i [(K^-1 + W)^-1]_ii, and W_i [(K^-1 + W)^-1]_ii = 1 - [B^-1]_ii: no product with K.
  Matrix pull(const Monitor& monitor) override {
    linalg::inverse(B_, monitor);
    inverted_ = true;
    Matrix s = Matrix::uninitialized(B_.rows(), 1);
    for (Index i = 0; i < B_.rows(); ++i) s(i, 0) = -0.5 * skew_[at(i)] * (1 - B_(i, i));
    return s;
  }

  MatrixRef block_sum(const Monitor&) override {
    for (Index i = 0; i < B_.rows(); ++i) {
      for (Index j = 0; j <= i; ++j) B_(i, j) *= root_[at(i)] * root_[at(j)];
    }
    return B_;
  }

 private:
  LinkTerms terms(Index i, const Matrix& f) const {
    return link_terms(data_.link, data_.of[at(i)] == 1 ? 1 : -1, f(i, 0));
  }

  // B^-1 v from the lower triangle.
  Matrix symmetric_times(const Matrix& v) const {
    Matrix out(v.rows(), 1);
    for (Index i = 0; i < v.rows(); ++i) {
      const double* row = B_.row(i);
      double sum = row[i] * v(i, 0);
      for (Index j = 0; j < i; ++j) {
        sum += row[j] * v(j, 0);
        out(j, 0) += row[j] * v(i, 0);
      }
      out(i, 0) += sum;
    }
    return out;
  }

  Matrix B_;  // its factor, then its inverse
  Vector root_, skew_;
  bool inverted_ = false;
};

}  // namespace

std::unique_ptr<LaplaceSystem> binary_system(ClassData data, int threads) {
  return std::make_unique<BinarySystem>(std::move(data), threads);
}

}  // namespace mercer::detail
