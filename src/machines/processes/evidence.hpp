// The evidence of Gaussian process regression and its derivatives.
#pragma once

#include "machines/processes/groups_left_out.hpp"
#include "mercer/machines/gp.hpp"
#include "solve/regression.hpp"

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
  Vector shift(const At& at) const;  // what is added to the diagonal of K
  struct Value {
    double objective;       // -inf when A is not positive definite in floating point
    Vector signal;          // of each target
    Vector by_kernel = {};  // d objective / d value of each parameter of the kernel
    double by_noise = 0, by_signal = 0;
  };
  Value evaluate(const At& at, bool gradient);

  // What predictions need, at one place.
  struct Solution {
    std::shared_ptr<const solve::System> A = {};  // its certificate tells the jitter and the condition
    Matrix alpha = {};                            // A^-1 (y - H b)
    Matrix b = {};                                // functions x targets
    solve::TrendPart trend = {};
    Vector signal = {};
    double log_likelihood = 0;
  };
  Solution solve(const At& at);
  // What is known of it from the last evaluate(), at the same place, without further work: alpha, b, the signal and the
  // likelihood.
  Solution solution_so_far(const At& at) const;

 private:
  solve::Equations equations(const At& at) const;
  void fit_trend(const solve::System& A);
  Value finish_likelihood(const At& at, solve::System&& A, const Gram* K);
  Value finish_leave_one_out(const At& at, solve::System&& A, const Gram* K);
  void multiply_by_blocks(Matrix& P, const std::vector<Matrix>& slope);
  double quadratic(Index target) const;
  double likelihood(const At& at, Vector& signal) const;

  const ProcessData& data_;
  GaussianProcess::Objective objective_;
  Execution how_;
  std::shared_ptr<solve::Storage> storage_ = std::make_shared<solve::Storage>();  // K, then what becomes of it
  Matrix second_;                                                                 // leave-one-out alone
  std::vector<Group> groups_;                                                     // likewise: points that are equal
  solve::Regression fit_;
  double log_determinant_ = 0;
};

}  // namespace mercer::detail
