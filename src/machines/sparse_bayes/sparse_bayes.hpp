// The evidence of a linear model with a prior variance for each weight, as a function of those variances.
//
//     z ~ N(Phi w, B^-1),   w_j ~ N(0, 1/alpha_j),   B = precision W,   W = diag(points)
//
// Most alpha are infinite: those columns are not in the model. With C = B^-1 + Phi A^-1 Phi', what a column j that is
// not would gain is known from S_j = phi_j' C^-1 phi_j and Q_j = phi_j' C^-1 z (Tipping & Faul 2003).
//
// What comes out must not hang on rounding errors, which differ from CPU to CPU. So columns come in one at a time, each
// followed by a climb to where the evidence of those in the model is stationary, to many digits: Newton's method gets
// there in a few steps, all m x m. Columns are seen through an orthonormal basis of those that have been in the model,
// so that what lies in their span and what does not are told apart before they are added up. Gains that are equal to
// six digits are ties, and go to the first.
#pragma once

#include <memory>
#include <optional>

#include "machines/sparse_bayes/rvm_basis.hpp"
#include "machines/sparse_bayes/weight_posterior.hpp"

namespace mercer::detail {

class SparseBayes {
 public:
  explicit SparseBayes(const RvmBasis& basis) : basis_(&basis), barred_(static_cast<std::size_t>(basis.columns())) {}

  // The data: weights of the points, those times z, the precision. False: see look().
  [[nodiscard]] bool pose(Vector point_weights, Vector weighted_z, double precision);
  // The weights at the present alphas and precision: n m^2 after pose(), else n m + m^3; nothing where they are known
  // already. False when their precision matrix is not positive definite in floating point; nothing can be asked then
  // until it is true again.
  [[nodiscard]] bool look();

  // Climbs to a maximum over the alphas of the columns in the model, of which it takes some out, and, where bounds are
  // given, over the noise 1/precision. n m + m^3 for each step. False when it failed in floating point.
  struct Bounds {
    double lower, upper;
  };
  [[nodiscard]] bool settle(const std::optional<Bounds>& noise, const Monitor& monitor, const Progress& progress);
  // From then on settle() climbs the evidence + sum_m push_m log alpha_m, and takes out the columns that this drives
  // off: for who knows a slope that the evidence here lacks. Empty: the evidence alone.
  void push(Vector by_log_alpha) { push_ = std::move(by_log_alpha); }

  // The column that gains most, and more than `least`; up to `most` of them where others gain half as much and tell
  // something else. Those never do that are barred, or parallel to one in the model. To be asked of what has settled.
  // One product with K, one more for each column that is new in the model, and n m^2.
  struct Candidate {
    Index column = 0;
    WeightPosterior::Alone stats;  // S and Q
    double gain() const { return stats.best_gain(); }
  };
  std::vector<Candidate> choose(double least, std::size_t most);
  void add(const Candidate& chosen);  // look() or settle() has to follow
  void bar(Index column) { barred_[static_cast<std::size_t>(column)] = true; }
  void unbar() { barred_.assign(barred_.size(), false); }

  // Columns in the model, and what is known of their weights.
  Index size() const { return weights_.size(); }
  std::vector<Index> active() const;
  const WeightPosterior& weights() const { return weights_; }
  const Vector& values(Index m) const { return columns_[static_cast<std::size_t>(m)]->values; }  // phi of a column

  const Vector& fitted() const { return fitted_; }  // Phi mean, at each point
  double misfit() const;                            // (z - Phi mean)'W (z - Phi mean)
  double log_evidence() const;

 private:
  // Copies of a state share what they have in common.
  struct Column {
    Index index;
    Vector values;  // phi at all points
  };
  // Of the orthonormal basis.
  struct Direction {
    Vector unit;     // W^1/2 times a combination of columns
    Vector overlap;  // with W^1/2 phi_j of all columns j; empty where not yet computed
  };

  Vector fit(const Vector& w) const;
  Vector residual() const;            // W (z - Phi mean)
  Vector in_span(const Vector& phi);  // coordinates of a column, for which the basis grows if need be
  void span_columns();                // the basis anew
  void compute_statistics();
  std::vector<Candidate> candidates(double least) const;  // the few best, by number
  // phi_i'C^-1 phi_j
  double response(Index i, Index j) const;
  double pushed() const;  // sum_m push_m log alpha_m
  bool erase_worst(double promised);
  void erase(Index m);
  bool climb(const NewtonStep& newton, const std::optional<Bounds>& noise, bool near);

  const RvmBasis* basis_;
  Vector point_weights_, weighted_z_;
  double total_ = 0;  // of the weights of points
  Vector squares_;    // phi_j'W phi_j of all columns; empty where not yet computed
  std::vector<bool> barred_;
  std::vector<std::shared_ptr<const Column>> columns_;
  std::vector<std::shared_ptr<const Direction>> span_;  // that the root is made of; empty where it was found without
  WeightPosterior weights_;
  Vector push_;          // of the columns in the model; empty: none
  bool looked_ = false;  // weights and fitted are those of the present alphas
  Vector fitted_;
  Vector s_, q_;
  Matrix inside_;  // the factor of 1/precision + root' A^-1 root, as of the last statistics
};

}  // namespace mercer::detail
