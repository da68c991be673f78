// What Newton's method needs in a reproducing kernel Hilbert space. For f = sum_i a_i k(x_i, .) and an objective
// sum_i loss_i(f(x_i)) + lambda/2 |f|^2, with W the second derivatives of the losses, a step solves
//
//     (lambda I + W K) da = -(lambda a + loss'(f))
//
// without inverting K, which may be singular, or W, which may be zero (Rasmussen & Williams 2006, algorithm 3.1).
#pragma once

#include <string_view>
#include <vector>

#include "mercer/machines.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

// K as a matrix in memory: the Gram's own where it has one.
class DenseGram {
 public:
  // Room for `others` more n x n matrices is asked for: UsageError when training.memory does not give it.
  DenseGram(std::string_view machine, const Training& training, int others);
  MatrixView view() const { return own_.rows() > 0 ? own_.view() : shared_; }

 private:
  Gram gram_;
  Matrix own_;
  MatrixView shared_;
};

// (lambda I + W K)^-1 for a diagonal W >= 0, by the system B = I + W^1/2 K W^1/2 / lambda on the points where W is
// not 0. B has no eigenvalue below 1. K must outlive it. m^3/3 for m such points, then n^2 + m^2 per column.
class NewtonSystem {
 public:
  NewtonSystem(MatrixView K, double lambda, VectorView w, const Monitor& monitor);
  // False when lambda is too small beside W K for B to be positive definite in floating point.
  bool sound() const { return sound_; }
  void solve(MatrixRef c) const;  // each column c becomes (lambda I + W K)^-1 c

 private:
  MatrixView K_;
  double lambda_;
  std::vector<Index> active_;
  Vector root_;                       // of w, where active
  std::unique_ptr<solve::System> B_;  // none where no point is active
  bool sound_ = true;
};

// K v
Matrix times(MatrixView K, MatrixView v);
Vector times(MatrixView K, const Vector& v);

}  // namespace mercer::detail
