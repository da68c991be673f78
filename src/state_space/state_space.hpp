// A kernel on one real column as a sum of products of functions of time and of motions (state_space/motion.hpp):
//
//     k(t, s) = sum_g sum_c phi_gc(t) phi_gc(s) k_g(t, s),   k_g that of the motion of group g
//
// const, linear, poly, wave and periodic are functions alone: their states do not move. periodic has infinitely many,
// cosines and sines of its harmonics, and those are left out that add up to less than kLeftOut of k(t, t).
#pragma once

#include <optional>

#include "mercer/kernel.hpp"
#include "state_space/states.hpp"

namespace mercer::state_space {

constexpr double kLeftOut = 1e-14;
constexpr Index kMostStates = 256;  // beyond, a kernel has no state space

// Functions of time, as many as `count`.
struct Functions {
  enum class Kind { powers, harmonics };
  Kind kind = Kind::powers;
  Vector weights = {};   // of each
  Vector slopes = {};    // d log weight / d shape
  Index shape = -1;      // the parameter that they depend on: c of poly, ell of periodic
  int first = 0;         // powers: t^first, and on; harmonics: 0, with the constant, or 1
  double period = 1;     // harmonics: 1, cos, sin, cos 2, sin 2, ...
  Index period_at = -1;  // its parameter

  Index count() const { return static_cast<Index>(weights.size()); }
};

// A number that multiplies k: its root multiplies the functions.
struct Multiple {
  double value = 1;
  Index parameter = -1;
};

struct Group {
  std::vector<Process> processes = {};
  std::vector<Functions> functions = {};  // all products of theirs; none: 1
  std::vector<Multiple> multiples = {};

  Index count() const;
};

class StateSpace {
 public:
  StateSpace(std::vector<Group> groups, Index parameters);

  const std::vector<Block>& blocks() const { return blocks_; }
  Index states() const { return states_; }
  Index features() const { return features_; }
  Index parameters() const { return parameters_; }  // of the kernel

  // phi of each time: a row of `features()`.
  void features(VectorView times, MatrixRef out) const;
  // Adds d value / d parameter, given d value / d phi. Times are counted from `origin` where only differences matter.
  void pull_features(VectorView times, double origin, MatrixView values, MatrixView adjoint, VectorRef to) const;
  // Adds what motions say.
  void pull_motions(const MotionSlopes& slopes, VectorRef to) const;
  MotionSlopes no_slopes() const;

 private:
  std::vector<Group> groups_;
  std::vector<Block> blocks_;
  Index states_ = 0, features_ = 0, parameters_ = 0;
};

// A kernel along a line, or along several that have nothing in common: k(x, y) = k(t, t') where the columns of `apart`
// are equal, and 0 else.
struct AlongLines {
  StateSpace model;                   // of each line
  std::optional<Columns> time = {};   // none: the points are one column, and that is it
  std::optional<Columns> apart = {};  // none: one line
};
// None where the kernel has none: rbf, rq, matern beyond nu = 9/2, sums of what lines share and what they do not, ...;
// k must be resolved.
std::optional<AlongLines> along_lines(const Kernel& k);
std::optional<StateSpace> state_space_of(const Kernel& k);  // of one column alone

}  // namespace mercer::state_space
