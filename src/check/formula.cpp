// Evaluating and printing formulas.
#include "mercer/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "check/program.hpp"

namespace mercer {

using checking::Function;
using checking::is_reduction;
using checking::Op;
using checking::OpCode;

namespace {

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

template <class T>
T apply(OpCode code, T u) {
  switch (code) {
    case OpCode::negate: return -u;
    case OpCode::sin: return std::sin(u);
    case OpCode::cos: return std::cos(u);
    case OpCode::tan: return std::tan(u);
    case OpCode::asin: return std::asin(u);
    case OpCode::acos: return std::acos(u);
    case OpCode::atan: return std::atan(u);
    case OpCode::sinh: return std::sinh(u);
    case OpCode::cosh: return std::cosh(u);
    case OpCode::tanh: return std::tanh(u);
    case OpCode::exp: return std::exp(u);
    case OpCode::log: return std::log(u);
    case OpCode::log1p: return std::log1p(u);
    case OpCode::sqrt: return std::sqrt(u);
    case OpCode::abs: return std::abs(u);
    case OpCode::sign: return std::isnan(u) ? u : T(u > 0) - T(u < 0);
    case OpCode::floor: return std::floor(u);
    case OpCode::step: return std::isnan(u) ? u : T(u >= 0);
    default: return nan_of<T>;
  }
}

template <class T>
T apply(OpCode code, T u, T v) {
  // The library's pow, fmin and comparisons would hide an undefined operand: pow(nan, 0) = 1.
  if (std::isnan(u) || std::isnan(v)) return nan_of<T>;
  switch (code) {
    case OpCode::add: return u + v;
    case OpCode::subtract: return u - v;
    case OpCode::multiply: return u * v;
    case OpCode::divide: return u / v;
    case OpCode::power: return v == 2 ? u * u : std::pow(u, v);
    case OpCode::less: return T(u < v);
    case OpCode::less_equal: return T(u <= v);
    case OpCode::greater: return T(u > v);
    case OpCode::greater_equal: return T(u >= v);
    case OpCode::minimum: return std::min(u, v);
    case OpCode::maximum: return std::max(u, v);
    default: return nan_of<T>;
  }
}

template <class T>
T reduce(OpCode code, const T* u, const T* v, Index n) {
  T out = code == OpCode::product ? T(1) : T(0);
  switch (code) {
    case OpCode::dot:
      for (Index i = 0; i < n; ++i) out += u[i] * v[i];
      return out;
    case OpCode::norm:
      if (n == 1) return std::abs(v[0]);
      for (Index i = 0; i < n; ++i) out += v[i] * v[i];
      return std::sqrt(out);
    case OpCode::norm1:
      for (Index i = 0; i < n; ++i) out += std::abs(v[i]);
      return out;
    case OpCode::sum:
      for (Index i = 0; i < n; ++i) out += v[i];
      return out;
    case OpCode::product:
      for (Index i = 0; i < n; ++i) out *= v[i];
      return out;
    default:  // smallest, largest
      out = v[0];
      for (Index i = 1; i < n; ++i) {
        out = apply(code == OpCode::smallest ? OpCode::minimum : OpCode::maximum, out, v[i]);
      }
      return out;
  }
}

// Every value on the stack has room for d numbers; one that is not a point uses the first.
template <class T>
T run(std::span<const Op> ops, VectorView x, VectorView y, Index d, T* stack) {
  T* next = stack;
  for (const Op& op : ops) {
    switch (op.code) {
      case OpCode::number: *next = T(op.value); break;
      case OpCode::pi: *next = std::numbers::pi_v<T>; break;
      case OpCode::e: *next = std::numbers::e_v<T>; break;
      case OpCode::x: std::copy(x.begin(), x.end(), next); break;
      case OpCode::y: std::copy(y.begin(), y.end(), next); break;
      case OpCode::x_component: *next = T(x[static_cast<std::size_t>(op.component)]); break;
      case OpCode::y_component: *next = T(y[static_cast<std::size_t>(op.component)]); break;
      default: {
        const bool two = op.code == OpCode::dot || (op.code >= OpCode::add && op.code <= OpCode::maximum);
        T* v = next - d;
        T* u = two ? v - d : v;
        const Index width = op.point ? d : 1;
        if (is_reduction(op.code)) {
          *u = reduce(op.code, u, v, op.right_point ? d : 1);
        } else if (!two) {
          for (Index i = 0; i < width; ++i) v[i] = apply(op.code, v[i]);
        } else if (op.point && !op.left_point) {
          const T left = *u;
          for (Index i = 0; i < width; ++i) u[i] = apply(op.code, left, v[i]);
        } else {
          for (Index i = 0; i < width; ++i) u[i] = apply(op.code, u[i], v[op.right_point ? i : 0]);
        }
        next = u;
      }
    }
    next += d;
  }
  return *stack;
}

template <class T>
T evaluate(std::span<const Op> ops, Index depth, VectorView x, VectorView y) {
  const Index d = std::max<Index>(1, std::ssize(x));
  if (depth * d <= 64) {
    std::array<T, 64> stack;
    return run(ops, x, y, d, stack.data());
  }
  std::vector<T> stack(static_cast<std::size_t>(depth * d));
  return run(ops, x, y, d, stack.data());
}

void check_shapes(bool one_dimensional, Index min_dimension, VectorView x, VectorView y) {
  if (x.size() != y.size()) {
    fail(ErrorKind::shape, "formula: x has {} components and y has {}; give points of one dimension", x.size(),
         y.size());
  }
  if (std::ssize(x) < min_dimension) {
    fail(ErrorKind::shape, "formula: needs points of at least {} component{}; got {}", min_dimension,
         min_dimension == 1 ? "" : "s", x.size());
  }
  if (one_dimensional && x.size() > 1) {
    fail(ErrorKind::shape,
         "formula: its value is a point, so it is for one-dimensional points only; got {} components; reduce them with "
         "dot, norm or sum",
         x.size());
  }
}

// How tightly the outermost operation of a text binds.
enum Binding { comparing = 1, summing, multiplying, signing, raising, closed };

struct Piece {
  std::string text;
  Binding binding;
};

std::string wrapped(Piece&& piece, int at_least) {
  return piece.binding >= at_least ? std::move(piece.text) : '(' + piece.text + ')';
}

struct Infix {
  OpCode code;
  std::string_view sign;
  Binding binding;
  int left, right;  // what an operand must bind at least to stand without parentheses
};
// The right operand of + and * is kept from being a bare sign: a*(-b), not a*-b.
constexpr std::array infix_table = {
    Infix{OpCode::add, " + ", summing, summing, multiplying},
    Infix{OpCode::subtract, " - ", summing, summing, multiplying},
    Infix{OpCode::multiply, "*", multiplying, multiplying, raising},
    Infix{OpCode::divide, "/", multiplying, multiplying, raising},
    Infix{OpCode::power, "^", raising, closed, signing},
    Infix{OpCode::less, " < ", comparing, summing, summing},
    Infix{OpCode::less_equal, " <= ", comparing, summing, summing},
    Infix{OpCode::greater, " > ", comparing, summing, summing},
    Infix{OpCode::greater_equal, " >= ", comparing, summing, summing},
};

}  // namespace

double Formula::operator()(VectorView x, VectorView y) const {
  check_shapes(one_dimensional(), program_->min_dimension, x, y);
  return evaluate<double>(program_->ops, program_->depth, x, y);
}

long double Formula::precise(VectorView x, VectorView y) const {
  check_shapes(one_dimensional(), program_->min_dimension, x, y);
  return evaluate<long double>(program_->ops, program_->depth, x, y);
}

bool Formula::needs_vectors() const { return program_->reductions || program_->components; }
bool Formula::has_reductions() const { return program_->reductions; }
bool Formula::one_dimensional() const { return program_->ops.back().point; }
Index Formula::min_dimension() const { return program_->min_dimension; }

bool operator==(const Formula& a, const Formula& b) { return a.program_->ops == b.program_->ops; }

std::string Formula::str() const {
  std::vector<Piece> stack;
  const auto pop = [&stack] {
    Piece piece = std::move(stack.back());
    stack.pop_back();
    return piece;
  };
  for (const Op& op : program_->ops) {
    switch (op.code) {
      case OpCode::number: stack.push_back({number(op.value), closed}); continue;
      case OpCode::pi: stack.push_back({"pi", closed}); continue;
      case OpCode::e: stack.push_back({"e", closed}); continue;
      case OpCode::x: stack.push_back({"x", closed}); continue;
      case OpCode::y: stack.push_back({"y", closed}); continue;
      case OpCode::x_component: stack.push_back({fmt::format("x[{}]", op.component + 1), closed}); continue;
      case OpCode::y_component: stack.push_back({fmt::format("y[{}]", op.component + 1), closed}); continue;
      case OpCode::negate: stack.push_back({'-' + wrapped(pop(), raising), signing}); continue;
      default: break;
    }
    const auto infix =
        std::find_if(infix_table.begin(), infix_table.end(), [&](const Infix& i) { return i.code == op.code; });
    if (infix != infix_table.end()) {
      const std::string right = wrapped(pop(), infix->right);
      // Appending to the left operand keeps a long sum linear.
      std::string text = wrapped(pop(), infix->left);
      text += infix->sign;
      text += right;
      stack.push_back({std::move(text), infix->binding});
      continue;
    }
    const auto table = checking::functions();
    const auto f = std::find_if(table.begin(), table.end(), [&](const Function& g) { return g.code == op.code; });
    std::string arguments = pop().text;
    if (f->operands == 2) arguments = pop().text + ", " + arguments;
    stack.push_back({fmt::format("{}({})", f->name, arguments), closed});
  }
  return stack.back().text;
}

}  // namespace mercer
