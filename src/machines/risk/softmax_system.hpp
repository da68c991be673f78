// The Newton system of several classes, solved directly.
#pragma once

#include <vector>

#include "machines/risk/softmax.hpp"
#include "mercer/monitor.hpp"

namespace mercer::detail {

// (lambda I + W K)^-1 for the W of softmax, which couples the outputs of each point: W = D - D R (R'DR)^-1 R'D with D
// diagonal and R the identity stacked once per class. A factor for each class and one for what couples them, after
// Rasmussen & Williams 2006, section 3.5. n^3 and n^2 doubles for each class, then 4 n^2 per column; several
// right-hand sides at once are quicker than one after the other.
class SoftmaxSystem {
 public:
  SoftmaxSystem(MatrixView K, double lambda, const SoftmaxLoss::Curvature& W, const Monitor& monitor);
  // False when lambda is too small beside W K for the factors to exist in floating point.
  bool sound() const { return sound_; }
  // Each right-hand side, a column for each class, becomes (lambda I + W K)^-1 of it. r: points x (sides x classes).
  void solve(MatrixRef r) const;

  static double bytes(Index n, Index classes) {
    return static_cast<double>((classes + 2) * n) * static_cast<double>(n) * sizeof(double);
  }

 private:
  // E_c v = (D_c^-1 + K / lambda)^-1 v
  Matrix apply(Index c, Matrix v) const;

  MatrixView K_;
  double lambda_;
  Matrix root_;                 // of D: points x classes
  std::vector<Matrix> factor_;  // of I + D_c^1/2 K D_c^1/2 / lambda
  Matrix coupling_;             // factor of sum_c E_c
  bool sound_ = true;
};

}  // namespace mercer::detail
