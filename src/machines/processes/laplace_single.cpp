// One latent function: W diagonal, everything from B = I + W^1/2 K W^1/2, which has no eigenvalue below 1.
#include <cmath>

#include "base/at.hpp"
#include "gram/viewed.hpp"
#include "machines/processes/laplace.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

namespace {

class SingleSystem final : public LaplaceSystem {
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

  Matrix curve(const Matrix& curvature, const Matrix& v) const override {
    Matrix out = v;
    for (Index i = 0; i < v.rows(); ++i) out(i, 0) *= curvature(i, 0);
    return out;
  }

  bool factor(MatrixView K, const Matrix& f, const Monitor& monitor) override {
    const Index n = K.rows();
    give_back();
    root_.resize(at(n));
    skew_.resize(at(n));
    for (Index i = 0; i < n; ++i) {
      const Likelihood::Terms t = terms(i, f);
      root_[at(i)] = std::sqrt(data_.weights[at(i)] * t.curvature);
      skew_[at(i)] = t.skew;
    }
    Execution how;
    how.monitor = monitor;
    system_ = solve::system_for({.K = viewed(K), .scale = root_, .shift = {1.0}},
                                {.method = Method::dense, .storage = storage_}, how)
                  .system;
    if (system_) log_determinant_ = system_->log_determinant().middle();
    return system_ != nullptr;
  }

  double log_determinant() const override { return log_determinant_; }

  Matrix apply(const Matrix& v) const override {
    Matrix t = v;
    for (Index i = 0; i < t.rows(); ++i) t(i, 0) *= root_[at(i)];
    if (inverse_) {
      t = inverse_->multiply(t);
    } else {
      system_->solve(t);
    }
    for (Index i = 0; i < t.rows(); ++i) t(i, 0) *= root_[at(i)];
    return t;
  }

  // s_i = -1/2 dW_i/df_i [(K^-1 + W)^-1]_ii, and W_i [(K^-1 + W)^-1]_ii = 1 - [B^-1]_ii: no product with K.
  Matrix pull(const Monitor& monitor) override {
    inverse_ = std::move(*system_).inverse(monitor);
    system_.reset();
    const Vector diagonal = inverse_->diagonal();
    Matrix s = Matrix::uninitialized(static_cast<Index>(diagonal.size()), 1);
    for (Index i = 0; i < s.rows(); ++i) s(i, 0) = -0.5 * skew_[at(i)] * (1 - diagonal[at(i)]);
    return s;
  }

  MatrixRef block_sum(const Monitor&) override {
    B_ = std::move(*inverse_).lower();
    inverse_.reset();
    for (Index i = 0; i < B_.rows(); ++i) {
      for (Index j = 0; j <= i; ++j) B_(i, j) *= root_[at(i)] * root_[at(j)];
    }
    return B_;
  }

 private:
  Likelihood::Terms terms(Index i, const Matrix& f) const { return data_.likelihood->terms(data_.y[at(i)], f(i, 0)); }

  // What the last factor() led to.
  void give_back() {
    system_.reset();
    inverse_.reset();
    if (B_.rows() > 0) storage_->square = std::move(B_);
    B_ = {};
  }

  std::shared_ptr<solve::Storage> storage_ = std::make_shared<solve::Storage>();
  std::unique_ptr<solve::System> system_;    // B, after factor()
  std::unique_ptr<solve::Inverse> inverse_;  // of B, after pull()
  Matrix B_;                                 // M, after block_sum()
  double log_determinant_ = 0;
  Vector root_, skew_;
};

}  // namespace

std::unique_ptr<LaplaceSystem> single_system(Observations data, int threads) {
  return std::make_unique<SingleSystem>(std::move(data), threads);
}

}  // namespace mercer::detail
