// The log evidence of classes with K replaced by what few points explain of it, K(X, Z) K(Z, Z)^-1 K(Z, X): cheap, and
// near that of K where a search for hyper-parameters ends; or, as inducing points, what the model is made of.
#pragma once

#include <optional>

#include "centres/pass.hpp"
#include "machines/processes/class_evaluation.hpp"
#include "machines/processes/inducing_points.hpp"
#include "machines/processes/laplace_factored.hpp"

namespace mercer::detail {

// How many centres among n points save much of the time, and lose little.
Index centres_for(Index n, Index classes);

class ClassesOnCentres final : public ClassEvidenceAt {
 public:
  // Of a kernel. The centres are drawn for the first one and then stay, so that the evidence is smooth.
  ClassesOnCentres(Observations data, Points x, Index centres, std::uint64_t seed, const Execution& how);
  // The same by inducing points, which must outlive it: what they lack of k(x, x) counts (laplace_factored.hpp).
  ClassesOnCentres(Observations data, Points x, const InducingPoints& inducing, const Execution& how);

  double operator()(const std::optional<Kernel>& k, double signal, Vector* gradient) override;

  // What predictions need, at the place of the last call that was finite.
  struct Solution {
    Points centres;
    Matrix alpha = {};  // centres x outputs: f = sum_j alpha_j k(z_j, x)
    Posterior posterior = {};
    double trace_left_out = 0;  // the share of tr K that the centres lack
    double lost = 0;            // nats of the evidence that they cannot explain
  };
  Solution solution() const;

 private:
  ClassesOnCentres(std::unique_ptr<FactoredSystem> system, Points x, Execution how);
  Points drawn_for(const Kernel& k, double signal) const;
  void measure(const Kernel& k);
  Vector slopes(const Kernel& k, MatrixView by_F) const;

  FactoredSystem& factored_;  // what the base has
  Points x_;
  Execution how_;
  std::shared_ptr<const centres::Pieces> pieces_;
  Index count_ = 0;
  std::uint64_t seed_ = 0;
  const InducingPoints* inducing_ = nullptr;
  std::optional<Points> centres_;
  double jitter_ = 0;  // on the diagonal of K(Z, Z)
  Matrix lower_;       // its Cholesky factor
  Matrix factor_;      // F with F F' in the place of signal K
  double signal_ = 0;
  Vector variance_;                  // k(x, x)
  double trace_ = 0, left_out_ = 0;  // of signal K, and of what F F' lacks of it
};

}  // namespace mercer::detail
