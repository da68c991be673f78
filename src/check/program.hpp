// A formula as a postfix program: no pointers, so no recursion to evaluate, print, compare or destroy one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/formula.hpp"

namespace mercer::checking {

enum class OpCode : std::uint8_t {
  // leaves
  number,
  pi,
  e,
  x,
  y,
  x_component,
  y_component,
  // one operand, elementwise
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log1p,
  sqrt,
  abs,
  sign,
  floor,
  step,
  // two operands, elementwise
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  minimum,
  maximum,
  // reductions
  dot,
  norm,
  norm1,
  sum,
  product,
  smallest,
  largest,
};

struct Op {
  OpCode code{};
  bool point = false;       // the result has a number for every component, not just one
  bool left_point = false;  // the same of the operands, the only one being the right one
  bool right_point = false;
  Index component = 0;  // x_component, y_component: from 0
  double value = 0;     // number
  friend bool operator==(const Op&, const Op&) = default;
};

struct Function {
  std::string_view name;
  OpCode code;
  int operands;
};
std::span<const Function> functions();

inline bool is_reduction(OpCode code) { return code >= OpCode::dot; }

// For who takes a formula apart.
std::span<const Op> ops_of(const Formula& formula);

}  // namespace mercer::checking

namespace mercer {

struct Formula::Program {
  std::vector<checking::Op> ops;
  Index depth = 0;  // the most values alive at once
  Index min_dimension = 1;
  bool reductions = false;
  bool components = false;
};

}  // namespace mercer
