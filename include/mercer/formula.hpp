// mercer/formula.hpp: a real function k(x, y) of two points, written as text.
//
//     Formula k = Formula::parse("exp(-norm(x-y)^2/2)");
//     double value = k(x, y);                       // x and y: spans of equal length
//
// A formula is any function, not a proved kernel; mercer/check.hpp searches for a proof that it is none.
//
//   numbers      2  0.5  1e-3  pi  e
//   points       x  y  x[1]  y[2]                   (components count from 1)
//   operators    < <= > >=   + -   * /   - (sign)   ^        from loosest to tightest; ^ groups to the right, -x^2 =
//   -(x^2);
//                                                   a comparison gives 0 or 1
//   elementwise  sin cos tan asin acos atan sinh cosh tanh exp log log1p sqrt abs sign floor step (1 from 0 on)
//                min(u, v) max(u, v) pow(u, v)
//   reductions   dot(u, v) norm(u) norm1(u) sum(u) prod(u) min(u) max(u)      a number from the components
//
// Points combine with points and numbers component by component. The value must be a number: a formula that stays a
// point, such as sin(x)*cos(y), is one for one-dimensional points only. NaN is never swallowed: NaN < 1 is NaN.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mercer/matrix.hpp"

namespace mercer {

// Immutable; copies share. Safe to evaluate from many threads. Evaluation costs a switch per operation and no
// allocation for formulas and points of common size.
class Formula {
 public:
  // Throws Error(grammar) with the column, what was expected and what was found.
  static Formula parse(std::string_view text);

  // Throws Error(shape) when x and y differ in length, have too few components, or are vectors for a formula that is
  // for one-dimensional points only.
  double operator()(VectorView x, VectorView y) const;
  // The same in long double arithmetic: the difference tells how much of a value is rounding.
  long double precise(VectorView x, VectorView y) const;

  // Whether a reduction (dot, norm, ...) or a component x[i] occurs.
  bool needs_vectors() const;
  // Whether a reduction occurs: then every dimension from min_dimension() on makes sense.
  bool has_reductions() const;
  // Whether the value is a point, so that only one-dimensional points can be evaluated.
  bool one_dimensional() const;
  // The largest i of an x[i] or y[i]; 1 if there is none.
  Index min_dimension() const;

  // Canonical text: parse(str()) is equal to this formula.
  std::string str() const;
  friend bool operator==(const Formula& a, const Formula& b);

 private:
  struct Program;
  explicit Formula(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  friend class FormulaParser;
  std::shared_ptr<const Program> program_;
};

}  // namespace mercer
