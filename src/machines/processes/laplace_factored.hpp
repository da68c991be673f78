// The Laplace approximation where F F' stands for K and F has few columns, m.
//
// One latent function: with V = W,
//     M = V - V F A^-1 F'V,   A = I + F'V F,   log |I + F F' W| = log |A|
// Softmax: what all classes of a point have in common changes no probability, so that C - 1 contrasts of them are all
// there is to be found: with Q the orthonormal contrasts and V_i = Q'W_i Q,
//     M = Q (V - V F A^-1 F'V) Q'
// where F stands for a block of it for each contrast, so that A has (C - 1) m rows. Q = 1 of one latent function.
//
// What F lacks, r_i = K_ii - |F_i|^2, may be told. log |I + K W| is at most log |A| + sum_i r_i tr W_i for any K >= F
// F' of these diagonals, and that takes its place: the bound below the evidence of a regression (Titsias, AISTATS 2009)
// for the normal likelihood that Laplace puts in the place of this one.
//
// C^2 m^2 n + (C m)^3 flops for what others take C n^3 for; F twice beside the caller's, and (C m)^2 doubles.
#pragma once

#include "machines/processes/laplace.hpp"

namespace mercer::detail {

class FactoredSystem final : public LaplaceSystem {
 public:
  FactoredSystem(Observations data, int threads = 0);

  // r, until it is told anew; empty: nothing is lacking.
  void lacks(Vector r) { lacking_ = std::move(r); }
  double lost() const { return lost_; }           // sum_i r_i tr W_i at the last factor()
  const Matrix& root() const { return A_; }       // the Cholesky factor of A, contrast by contrast
  const Vector& total() const { return total_; }  // tr W_i

  double log_likelihood(const Matrix& f) const override { return likelihood_->log_likelihood(f); }
  Matrix slope(const Matrix& f) const override { return likelihood_->slope(f); }
  Matrix curvature(const Matrix& f) const override { return likelihood_->curvature(f); }
  Matrix curve(const Matrix& curvature, const Matrix& v) const override { return likelihood_->curve(curvature, v); }
  bool by_factor() const override { return true; }
  Matrix product(MatrixView F, const Matrix& v) const override;

  const Matrix* factored() const override { return made_ ? &F_ : nullptr; }
  bool factor(MatrixView F, const Matrix& f, const Monitor& monitor) override;
  double log_determinant() const override { return log_determinant_ + lost_; }
  Matrix apply(const Matrix& v) const override;
  Matrix pull(const Monitor& monitor) override;
  MatrixRef block_sum(const Monitor&) override { return sum_; }  // sum_c (M_cc - tr W) F where something is lacking

 private:
  Range part(Index j) const { return {j * F_.cols(), (j + 1) * F_.cols()}; }
  Vector& V(Index j, Index k) { return curve_[static_cast<std::size_t>(j * contrasts_.cols() + k)]; }
  const Vector& V(Index j, Index k) const { return curve_[static_cast<std::size_t>(j * contrasts_.cols() + k)]; }
  double contrasted(Index i, Index j, Index k) const;
  Matrix curved(const Matrix& v) const;
  void pull_of_point(Index i, const Matrix& S, double* s) const;

  std::unique_ptr<LaplaceSystem> likelihood_;
  Matrix contrasts_;           // Q
  Matrix F_, p_;               // p: the curvature
  Vector skew_;                // of one latent function
  std::vector<Vector> curve_;  // V, for each pair of contrasts
  Vector lacking_, total_;
  Matrix A_;    // its Cholesky factor
  Matrix sum_;  // after pull()
  double log_determinant_ = 0, lost_ = 0;
  bool made_ = false;
};

}  // namespace mercer::detail
