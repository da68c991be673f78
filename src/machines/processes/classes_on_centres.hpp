// The log evidence of classes with K replaced by what few points explain of it, K(X, Z) K(Z, Z)^-1 K(Z, X): cheap, and
// near that of K where a search for hyper-parameters ends.
#pragma once

#include <optional>

#include "machines/processes/class_evaluation.hpp"

namespace mercer::detail {

// How many centres among n points save much of the time, and lose little.
Index centres_for(Index n, Index classes);

class ClassesOnCentres final : public ClassEvidenceAt {
 public:
  ClassesOnCentres(Observations data, Points x, Index centres, std::uint64_t seed, Execution how);

  // Softmax, of a kernel. The centres are drawn for the first one and then stay, so that the evidence is smooth.
  double operator()(const std::optional<Kernel>& k, double signal, Vector* gradient) override;

 private:
  void draw(const Kernel& k, double signal);
  Vector slopes(const Kernel& k, double signal, MatrixView by_F) const;

  Points x_;
  Index count_;
  std::uint64_t seed_;
  Execution how_;
  std::optional<Points> centres_;
  double jitter_ = 0;  // on the diagonal of K(Z, Z)
  Matrix lower_;       // its Cholesky factor
  Matrix factor_;      // F with F F' in the place of signal K
};

}  // namespace mercer::detail
