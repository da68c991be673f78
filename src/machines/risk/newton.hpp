// What Newton's method needs in a reproducing kernel Hilbert space. For f = sum_i a_i k(x_i, .) and an objective
// sum_i loss_i(f(x_i)) + lambda/2 |f|^2, with W the second derivatives of the losses, a step solves
//
//     (lambda I + W K) da = -(lambda a + loss'(f))
//
// without inverting K, which may be singular, or W, which may be zero (Rasmussen & Williams 2006, algorithm 3.1).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "mercer/machines.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

// K as Newton's steps take it: training.K itself where its numbers are in memory, or where it has few features
// (`in_few_features`), through which it is multiplied and solved; else all of its numbers, for which and for `others`
// more n x n matrices there must be room: UsageError when training.memory does not give it.
Gram held(std::string_view machine, const Training& training, int others);
// Where held() takes features: what so many steps need.
std::optional<Needs> in_few_features(const Extent& extent, double steps);

// (lambda I + W K)^-1 for a diagonal W >= 0, by the system B = I + W^1/2 K W^1/2 / lambda on the points where W is
// not 0. B has no eigenvalue below 1. m^3/3 for m such points, then n^2 + m^2 per column; with r features 2 m r^2, then
// 4 n r + 8 m r. K is what held() gives.
class NewtonSystem {
 public:
  NewtonSystem(const Gram& K, double lambda, VectorView w, const Monitor& monitor);
  // False when lambda is too small beside W K for B to be positive definite in floating point.
  bool sound() const { return sound_; }
  void solve(MatrixRef c) const;  // each column c becomes (lambda I + W K)^-1 c

 private:
  Gram K_;
  double lambda_;
  std::vector<Index> active_;
  Vector root_;                       // of w, where active
  std::unique_ptr<solve::System> B_;  // none where no point is active
  bool sound_ = true;
};

// K v
Matrix times(MatrixView K, MatrixView v);
Matrix times(const Gram& K, MatrixView v);
Vector times(const Gram& K, const Vector& v);

}  // namespace mercer::detail
