// The log evidence of classes as a function of a kernel and a signal, evaluated again and again.
#pragma once

#include <utility>

#include "kernel/all_pairs.hpp"
#include "machines/processes/laplace.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// Likelihood::none: logistic for two classes, softmax for more. UsageError where the one asked for is for two classes
// only, or for numbers.
Likelihood likelihood_for(Likelihood asked, Index classes);

// Points and their classes, for one evaluation after the other, each beginning at the mode of the last.
class ClassEvidenceAt {
 public:
  virtual ~ClassEvidenceAt() = default;
  // log q(y) under f ~ GP(0, signal k), -inf where it cannot be computed. With `gradient`, its derivatives by the value
  // of every parameter of the kernel, then by the signal.
  virtual double operator()(const std::optional<Kernel>& k, double signal, Vector* gradient) = 0;

  const Mode& mode() const { return mode_; }
  void begin_at(Matrix alpha) { mode_ = {.alpha = std::move(alpha)}; }
  // Where another has ended, on the same points, which has to be there until the next evaluation is done.
  void begin_with(const ClassEvidenceAt& other) {
    mode_ = {.alpha = other.mode_.alpha, .f = other.mode_.f, .converged = other.mode_.converged};
    near_ = other.system_.get();
  }

 protected:
  explicit ClassEvidenceAt(std::unique_ptr<LaplaceSystem> system) : system_(std::move(system)) {}
  double evidence_at(MatrixView K, const Monitor& monitor) {
    return laplace_evidence(*system_, K, mode_, monitor, std::exchange(near_, nullptr));
  }

  std::unique_ptr<LaplaceSystem> system_;
  Mode mode_;

 private:
  const LaplaceSystem* near_ = nullptr;
};

// With all of K, and room for it.
class ClassEvaluation final : public ClassEvidenceAt {
 public:
  // K is used where there is no kernel to evaluate at the points.
  ClassEvaluation(Observations data, Gram K, std::optional<Points> x, Execution how);
  double operator()(const std::optional<Kernel>& k, double signal, Vector* gradient) override;

 private:
  void fill(const std::optional<Kernel>& k, double signal);
  Vector by_kernel(MatrixView by_K, double signal) const;

  Gram K_;
  std::optional<Points> x_;
  Execution how_;
  std::optional<AllPairs> pairs_;  // the kernel at hand on the points
  Matrix matrix_;                  // signal K
};

}  // namespace mercer::detail
