// f(t) = sum_i alpha_i k(t_i, t) for a kernel with a state space: J numbers kept of each centre, and then J^2 flops and
// a search for each t, however many centres there are.
#pragma once

#include "mercer/evaluate.hpp"
#include "state_space/line.hpp"

namespace mercer::state_space {

// Does not change once made; threads may share it. An answer has the same bits whatever else is asked.
class Sums {
 public:
  Sums(StateSpace model, VectorView times, MatrixView alpha);  // times in any order
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;
  Matrix at_times(VectorView times, const Execution& how) const;

 private:
  StateSpace model_;
  Blocks states_;
  Index outputs_, moving_ = 0;
  Vector times_;         // in order
  Matrix left_, right_;  // what the centres up to, and from, each say of moving states: outputs x moving numbers a row
  Matrix still_;         // of the others, all together: outputs x states
};

// The same of points on lines that have nothing in common: 0 on another line.
class SumsAlongLines {
 public:
  SumsAlongLines(AlongLines lines, const Points& x, MatrixView alpha);
  Matrix at_points(const Points& x, const Execution& how) const;

 private:
  AlongLines lines_;
  std::shared_ptr<const Placed> placed_;
  std::vector<std::unique_ptr<const Sums>> sums_;
  Index outputs_;
};

}  // namespace mercer::state_space
