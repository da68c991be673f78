// What the damping of oscillators does to a step: P = T P' T' + Q and m = T m'.
#pragma once

#include "state_space/states.hpp"

namespace mercer::state_space {

class Damping {
 public:
  explicit Damping(const std::vector<Block>& blocks);
  bool any() const { return any_; }
  // G = d value / d P and r = d value / d m after a step, given P' and m' before it.
  void add(const double* G, const double* before, const double* r, const double* m, Index T, double dt,
           const double* step, MotionSlopes& to);

 private:
  const std::vector<Block>* blocks_;
  Blocks states_;
  bool any_ = false;
  Vector turned_, dphi_, dq_;  // room
};

}  // namespace mercer::state_space
