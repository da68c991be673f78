// The evidence of Gaussian process regression and its derivatives, in one n x n buffer.
#pragma once

#include "kernel/all_pairs.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer::detail {

// What is modelled: y = H b + f + e with cov(f) = s K and var(e_i) = s noise shape_i + known_i.
struct ProcessData {
  Gram K;                        // where the matrix comes from when there is no kernel to learn
  std::optional<Points> x = {};  // there when K has a kernel
  Matrix y = {};                 // points x targets
  Matrix H = {};                 // points x functions of the trend
  Vector shape = {};             // 1 / weight
  Vector known = {};             // empty: none

  ProcessData select(std::span<const Index> which) const;
};

// Everything relative to the signal variance: A = K + noise diag(shape) + diag(known) / s.
class ProcessSystem {
 public:
  ProcessSystem(const ProcessData& data, GaussianProcess::Objective objective, Execution how);

  // Without a signal, that of each target is the one that maximises the objective; `known` must then be empty.
  struct At {
    std::optional<Kernel> kernel;  // none: the matrix of data.K
    double noise;
    std::optional<double> signal;
  };
  // What is added to K at point i.
  double shift(const At& at, Index i, double jitter) const;
  struct Value {
    double objective;       // -inf when A is not positive definite in floating point
    Vector signal;          // of each target
    Vector by_kernel = {};  // d objective / d value of each parameter of the kernel
    double by_noise = 0, by_signal = 0;
  };
  Value evaluate(const At& at, bool gradient);

  // What predictions need, at one place. The factor is moved out: the system is used up.
  struct Solution {
    Matrix lower = {};         // the Cholesky factor of A (+ jitter)
    Matrix alpha = {};         // A^-1 (y - H b)
    Matrix b = {};             // functions x targets
    Matrix trend = {};         // A^-1 H
    Matrix trend_factor = {};  // the Cholesky factor of H' A^-1 H
    Vector signal = {};
    double log_likelihood = 0;
    double jitter = 0;     // added to the diagonal of A; 0 where none was needed
    double condition = 0;  // estimated, of A
  };
  Solution solve(const At& at);
  // What is known of it from the last evaluate(), at the same place, without further work: alpha, b, the signal and the
  // likelihood.
  Solution solution_so_far(const At& at) const;

 private:
  void fill(const At& at, double jitter);  // the buffer, with A
  void solve_trend();
  Value finish_likelihood(const At& at, bool gradient);
  Value finish_leave_one_out(const At& at, bool gradient);
  double quadratic(Index target) const;
  double likelihood(const At& at, Vector& signal) const;

  const ProcessData& data_;
  GaussianProcess::Objective objective_;
  Execution how_;
  std::optional<AllPairs> pairs_;  // the kernel at hand on the points
  Matrix buffer_;                  // K, then L, then A^-1
  Matrix second_;                  // leave-one-out alone
  Matrix alpha_, b_, trend_, trend_factor_;
  double log_determinant_ = 0;
};

}  // namespace mercer::detail
