// The evidence of a linear model with a prior variance for each weight, as a function of those variances, one step at a
// time (Tipping & Faul 2003).
//
//     z ~ N(Phi w, B^-1),   w_j ~ N(0, 1/alpha_j),   B = precision diag(points)
//
// Most alpha are infinite: those columns are not in the model. With C = B^-1 + Phi A^-1 Phi', all that is asked for are
// S_j = phi_j' C^-1 phi_j and Q_j = phi_j' C^-1 z of every column j. Changing one variance 1/alpha_i by d changes C by
// a matrix of rank one, and log p(z) by  d Q_i^2 / (2 (1 + d S_i)) - log(1 + d S_i) / 2,  whether that adds the column,
// re-estimates its alpha or deletes it. A step costs O(J m) for J columns of which m are in the model; only adding one
// takes a product with K as well.
#pragma once

#include <optional>

#include "base/parallel.hpp"
#include "machines/rvm_basis.hpp"

namespace mercer::detail {

class SparseBayes {
 public:
  explicit SparseBayes(const RvmBasis& basis);

  // The data: weights of the points, those times z, the precision. Statistics are computed again, by as many products
  // with K as there are columns in the model, and two more passes. False: see refresh().
  [[nodiscard]] bool pose(Vector point_weights, VectorView weighted_z, double precision);
  // Weights and statistics from scratch at the alphas there are: O(J m^2). False when the precision matrix of the
  // weights is not positive definite in floating point; nothing can be asked then until it is true again. `sharp`: Q
  // from the residuals, by a product with K, which keeps more digits where large weights cancel.
  [[nodiscard]] bool refresh(double precision, bool sharp = false);
  // The weights alone, O(m^3), also at infinite alphas: a look at what another place is worth. To be followed by a
  // refresh, which takes columns of infinite alpha out.
  [[nodiscard]] bool look(double precision, Vector alpha);

  struct Step {
    Index column = 0;
    double alpha = 0;  // infinity: out of the model
    double gain = 0;   // of the log evidence
  };
  // The step that gains most. Of alphas that are in the model only those count whose logarithm would move by more than
  // `tolerance`, of others those that would gain more than it. Columns parallel to one in the model never count: they
  // could not add anything.
  std::optional<Step> best(double tolerance);
  void take(const Step& step);
  void bar(Index column) { barred_[static_cast<std::size_t>(column)] = true; }  // takes no more steps ...
  void unbar() { barred_.assign(barred_.size(), false); }                       // ... until then

  // Columns in the model, and what is known of their weights.
  Index size() const { return static_cast<Index>(active_.size()); }
  const std::vector<Index>& active() const { return active_; }
  const Vector& alpha() const { return alpha_; }
  const Vector& mean() const { return mean_; }
  const Matrix& covariance() const { return covariance_; }
  const Vector& values(Index m) const { return values_[static_cast<std::size_t>(m)]; }  // phi of a column
  double precision() const { return precision_; }
  double variance(Index column) const;  // 1/alpha of any column; 0: not in the model
  double well_determined() const;       // sum_m 1 - alpha_m covariance_mm: how many weights the data decide

  // As of the last refresh or look: log |A + Phi'B Phi| - log |A|.
  double log_determinant() const { return log_determinant_; }
  Vector fitted() const;   // Phi mean, at each point
  double penalty() const;  // mean' A mean

 private:
  double leave_out_gain(double s, double q, double alpha) const;
  void compute_statistics(bool sharp);
  bool parallel_to_active(Index column) const;
  void change(Index m, double alpha);
  void append(Index column, double alpha);
  void erase(Index m);

  const RvmBasis* basis_;
  Vector point_weights_, weighted_z_;
  Vector squares_, products_;  // phi_j' W phi_j and phi_j' W z of all columns, W = diag(points)
  double precision_ = 1;
  std::vector<Index> active_;
  std::vector<Index> place_;      // of a column among the active; -1: not there
  std::vector<bool> barred_;      // parallel to a column that has been chosen, or barred by the caller
  std::vector<Vector> values_;    // phi of the active at all points
  std::vector<Vector> overlaps_;  // phi_j' W phi_m of all columns j, for each active m
  Vector alpha_, mean_;
  Matrix covariance_;
  Vector s_, q_;
  Matrix factor_;  // of I + D Phi'B Phi D, D = A^-1/2, as of the last refresh or look
  double log_determinant_ = 0;
};

// Runs `work` on matrices of m rows. Few rows are no work to wake other threads for, as BLAS would.
template <class Work>
void few_rows(Index m, Work work) {
  if (m > 256) return work();
  parallel_for(1, 1, {}, "", [&](Index, int) { work(); });
}

// The Cholesky factor of I + D G D for D = A^-1/2, of which the lower triangle of G is read: no eigenvalue is below 1,
// whatever the alphas. Empty when it fails in floating point.
std::optional<Matrix> scaled_factor(MatrixView g, const Vector& alpha);

}  // namespace mercer::detail
