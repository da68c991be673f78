// The exact evidence of Gaussian process regression and its derivatives.
#pragma once

#include "machines/processes/approach.hpp"
#include "machines/processes/groups_left_out.hpp"
#include "solve/regression.hpp"

namespace mercer::detail {

// sum over targets of -1/2 q/s - n/2 log(2 pi s) - 1/2 log |A|, q = (y - H b)'A^-1 (y - H b); and s, at its best where
// it is not given.
double log_likelihood(const Approach::At& at, VectorView q, Index n, double log_determinant, Vector& signal);
// What q says of s, and d value / d A_ii of noise and signal.
void add_by_signal(VectorView q, Index n, Approach::Value& out);
void add_by_shift(const ProcessData& data, const Approach::At& at, Index i, double slope, Approach::Value& out);

// From A = K + shift itself, by a solved system.
class ProcessSystem : public Approach {
 public:
  // By `dense`, or `iterative`, which knows the evidence between two numbers; `state_space`: solve() alone
  // (line_process.hpp).
  ProcessSystem(const ProcessData& data, GaussianProcess::Objective objective, Execution how,
                Method method = Method::dense);

  Value evaluate(const At& at, bool gradient) override;
  Solution solve(const At& at) override;
  Solution solution_so_far(const At& at) const override;

 protected:
  const ProcessData& data() const { return data_; }
  const Execution& how() const { return how_; }

 private:
  solve::Equations equations(const At& at) const;
  void fit_trend(const solve::System& A);
  Value finish_likelihood(const At& at, solve::System&& A, const Gram* K);
  Value finish_leave_one_out(const At& at, solve::System&& A, const Gram* K);
  void multiply_by_blocks(Matrix& P, const std::vector<Matrix>& slope);
  double quadratic(Index target) const;
  Vector quadratics() const;
  Matrix residuals(const Vector& signal) const;
  double likelihood(const At& at, Vector& signal) const;
  solve::Interval between(const At& at, const Vector& signal, const solve::System& A) const;
  solve::Made system(const solve::Equations& equations, solve::Wishes wishes) const;

  const ProcessData& data_;
  GaussianProcess::Objective objective_;
  Method method_;
  Execution how_;
  std::shared_ptr<solve::Storage> storage_ = std::make_shared<solve::Storage>();  // K, then what becomes of it
  Matrix second_;                                                                 // leave-one-out alone
  std::vector<Group> groups_;                                                     // likewise: points that are equal
  solve::Regression fit_;
  solve::Interval log_determinant_;
};

}  // namespace mercer::detail
