// The log evidence of classes as a function of a kernel and a signal, evaluated again and again.
#pragma once

#include "kernel/all_pairs.hpp"
#include "machines/processes/laplace.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// Likelihood::none: logistic for two classes, softmax for more. UsageError where the one asked for is for two classes
// only, or for numbers.
Likelihood likelihood_for(Likelihood asked, Index classes);

// Points, their classes, and room for one evaluation after the other, each beginning at the mode of the last.
class ClassEvaluation {
 public:
  // K is used where there is no kernel to evaluate at the points.
  ClassEvaluation(Observations data, Gram K, std::optional<Points> x, Execution how);

  // log q(y) under f ~ GP(0, signal k), -inf where it cannot be computed. With `gradient`, its derivatives by the value
  // of every parameter of the kernel, then by the signal.
  double operator()(const std::optional<Kernel>& k, double signal, Vector* gradient);

  const Mode& mode() const { return mode_; }
  void begin_at(Matrix alpha) { mode_ = {.alpha = std::move(alpha)}; }

 private:
  void fill(const std::optional<Kernel>& k, double signal);
  Vector by_kernel(MatrixView by_K, double signal) const;

  Gram K_;
  std::optional<Points> x_;
  Execution how_;
  std::unique_ptr<LaplaceSystem> system_;
  std::optional<AllPairs> pairs_;  // the kernel at hand on the points
  Matrix matrix_;                  // signal K
  Mode mode_;
};

}  // namespace mercer::detail
