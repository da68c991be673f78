// Formulas that are kernels by their form: dot products, functions of differences, and what sums, products, powers and
// exp make of them. The program is run on terms instead of numbers; one that is none of these forms ends it.
#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "check/program.hpp"
#include "check/suspect.hpp"
#include "mercer/check.hpp"

namespace mercer {

namespace {

using checking::Op;
using checking::OpCode;

// The names say what the numbers c, w and a of a term multiply; d = x - y, component by component.
enum class Form {
  unknown,
  number,       // c
  x,            // c x
  y,            // c y
  product,      // c x y, component by component
  inner,        // c x.y
  difference,   // c d
  absolute,     // c |d|
  square,       // c d^2
  sine,         // sin(w d)
  sine_square,  // c sin(w d)^2
  distance,     // c |d|, Euclidean
  distance1,    // c |d|_1
  distance2,    // c |d|^2
  shifted,      // a + c |d|^2 or a + c d^2
  kernel,       // a text
};

struct Term {
  Form form = Form::unknown;
  double c = 1, w = 1, a = 0;
  std::string text = {};
  bool is_sum = false, is_atom = true;  // of the text
  bool nonnegative = false;             // a kernel of nonnegative inputs only

  bool is(Form other) const { return form == other; }
};

Term number_term(double value) { return {.form = Form::number, .c = value}; }
Term kernel_term(std::string text) { return {.form = Form::kernel, .text = std::move(text)}; }

Term scaled(Term term, double factor) {
  switch (term.form) {
    case Form::kernel:
      if (!(factor > 0) || !std::isfinite(factor)) return {};
      if (factor == 1) return term;
      term.text = number(factor) + "*" + (term.is_sum ? "(" + term.text + ")" : term.text);
      term.is_sum = term.is_atom = false;
      return term;
    case Form::sine:
    case Form::unknown: return {};
    default:
      term.c *= factor;
      term.a *= factor;
      return term;
  }
}

// As a kernel, if it is one.
Term as_kernel(const Term& term) {
  if (term.is(Form::kernel)) return term;
  if (term.is(Form::number) && term.c >= 0) return kernel_term("const(c=" + number(term.c) + ")");
  if (term.is(Form::product) || term.is(Form::inner)) return scaled(kernel_term("linear()"), term.c);
  return {};
}

// A number that a kernel takes for a length.
bool is_length(double value) { return value > 0 && std::isfinite(value); }

Term sum_of(const Term& left, const Term& right) {
  const auto both = [&](Form form) { return left.is(form) && right.is(form); };
  for (const Form form : {Form::number, Form::product, Form::inner, Form::difference, Form::absolute, Form::square,
                          Form::distance, Form::distance1, Form::distance2}) {
    if (!both(form)) continue;
    Term out = left;
    out.c += right.c;
    return out;
  }
  const auto is_square = [](const Term& term) { return term.is(Form::distance2) || term.is(Form::square); };
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    if (one.is(Form::number) && is_square(other)) return {.form = Form::shifted, .c = other.c, .a = one.c};
  }
  const Term a = as_kernel(left), b = as_kernel(right);
  if (a.is(Form::unknown) || b.is(Form::unknown)) return {};
  Term out = kernel_term(a.text + " + " + b.text);
  out.is_sum = true;
  out.is_atom = false;
  out.nonnegative = a.nonnegative || b.nonnegative;
  return out;
}

// One is a multiple of x, the other of y.
bool are_points(const Term& left, const Term& right) {
  return (left.is(Form::x) && right.is(Form::y)) || (left.is(Form::y) && right.is(Form::x));
}

Term difference_of(const Term& left, const Term& right) {
  if (are_points(left, right)) {
    if (left.c != right.c) return {};
    return {.form = Form::difference, .c = left.is(Form::x) ? left.c : -left.c};
  }
  return sum_of(left, scaled(right, -1));
}

Term product_of(const Term& left, const Term& right) {
  if (left.is(Form::number)) return right.is(Form::number) ? number_term(left.c * right.c) : scaled(right, left.c);
  if (right.is(Form::number)) return scaled(left, right.c);
  if (are_points(left, right)) return {.form = Form::product, .c = left.c * right.c};
  if (left.is(Form::difference) && right.is(Form::difference)) return {.form = Form::square, .c = left.c * right.c};
  const Term a = as_kernel(left), b = as_kernel(right);
  if (a.is(Form::unknown) || b.is(Form::unknown)) return {};
  const auto factor = [](const Term& k) { return k.is_sum ? "(" + k.text + ")" : k.text; };
  Term out = kernel_term(factor(a) + "*" + factor(b));
  out.is_atom = false;
  out.nonnegative = a.nonnegative || b.nonnegative;
  return out;
}

// (a + c d^2)^-p, a and c > 0
Term rational(const Term& base, double p) {
  if (!(base.a > 0) || !(base.c > 0) || !(p > 0)) return {};
  const double ell = std::sqrt(base.a / (2 * p * base.c));
  if (!is_length(ell)) return {};
  return scaled(kernel_term("rq(ell=" + number(ell) + ", alpha=" + number(p) + ")"), std::pow(base.a, -p));
}

Term exp_of(const Term& term) {
  if (term.is(Form::number)) return number_term(std::exp(term.c));
  const auto with_scale = [](const char* name, double ell) {
    return !is_length(ell) ? Term{} : kernel_term(std::string(name) + "(ell=" + number(ell) + ")");
  };
  const auto is_square = term.is(Form::distance2) || term.is(Form::square) || term.is(Form::shifted);
  if (is_square && term.c < 0) return scaled(with_scale("rbf", std::sqrt(-0.5 / term.c)), std::exp(term.a));
  if (term.is(Form::distance) && term.c < 0) return with_scale("exponential", -1 / term.c);
  if ((term.is(Form::distance1) || term.is(Form::absolute)) && term.c < 0) return with_scale("laplace", -1 / term.c);
  if (term.is(Form::sine_square) && term.c < 0 && term.w != 0) {
    const double period = std::numbers::pi / std::abs(term.w), ell = std::sqrt(-2 / term.c);
    if (!is_length(period) || !is_length(ell)) return {};
    return kernel_term("periodic(period=" + number(period) + ", ell=" + number(ell) + ")");
  }
  Term k = as_kernel(term);
  if (k.is(Form::unknown)) return {};
  k.text = "exp(" + k.text + ")";
  k.is_sum = false;
  k.is_atom = true;
  return k;
}

Term power_of(const Term& base, const Term& exponent) {
  if (base.is(Form::number) && !exponent.is(Form::number)) {
    return base.c > 0 ? exp_of(scaled(exponent, std::log(base.c))) : Term{};
  }
  if (!exponent.is(Form::number)) return {};
  const double p = exponent.c;
  if (base.is(Form::number)) return number_term(std::pow(base.c, p));
  if (base.is(Form::shifted) && p < 0) return rational(base, -p);
  if (p == 2) {
    const double c = base.c * base.c;
    if (base.is(Form::difference) || base.is(Form::absolute)) return {.form = Form::square, .c = c};
    if (base.is(Form::distance)) return {.form = Form::distance2, .c = c};
    if (base.is(Form::sine)) return {.form = Form::sine_square, .w = base.w};
  }
  constexpr double kMostPower = 20;
  Term k = as_kernel(base);
  if (k.is(Form::unknown) || p != std::floor(p) || p < 1 || p > kMostPower) return {};
  if (p == 1) return k;
  k.text = (k.is_atom ? k.text : "(" + k.text + ")") + "^" + number(p);
  k.is_sum = k.is_atom = false;
  return k;
}

Term reduced(OpCode code, const Term& term) {
  const double size = std::abs(term.c);
  switch (code) {
    case OpCode::norm: return term.is(Form::difference) ? Term{.form = Form::distance, .c = size} : Term{};
    case OpCode::norm1: return term.is(Form::difference) ? Term{.form = Form::distance1, .c = size} : Term{};
    case OpCode::sum:
      if (term.is(Form::product)) return {.form = Form::inner, .c = term.c};
      if (term.is(Form::square)) return {.form = Form::distance2, .c = term.c};
      if (term.is(Form::absolute)) return {.form = Form::distance1, .c = term.c};
      return {};
    default: return {};
  }
}

Term dot_of(const Term& left, const Term& right) {
  if (are_points(left, right)) return {.form = Form::inner, .c = left.c * right.c};
  if (left.is(Form::difference) && right.is(Form::difference)) return {.form = Form::distance2, .c = left.c * right.c};
  return {};
}

Term unary(OpCode code, const Term& term) {
  switch (code) {
    case OpCode::negate: return scaled(term, -1);
    case OpCode::exp: return exp_of(term);
    case OpCode::abs:
      if (term.is(Form::number)) return number_term(std::abs(term.c));
      return term.is(Form::difference) ? Term{.form = Form::absolute, .c = std::abs(term.c)} : Term{};
    case OpCode::sqrt: return term.is(Form::number) ? number_term(std::sqrt(term.c)) : Term{};
    case OpCode::sin:
      if (term.is(Form::difference) || term.is(Form::absolute)) return {.form = Form::sine, .w = term.c};
      return {};
    default: return reduced(code, term);
  }
}

Term binary(OpCode code, const Term& left, const Term& right) {
  switch (code) {
    case OpCode::add: return sum_of(left, right);
    case OpCode::subtract: return difference_of(left, right);
    case OpCode::multiply: return product_of(left, right);
    case OpCode::divide:
      if (left.is(Form::number) && right.is(Form::shifted)) return scaled(rational(right, 1), left.c);
      return right.is(Form::number) && right.c != 0 ? product_of(left, number_term(1 / right.c)) : Term{};
    case OpCode::power: return power_of(left, right);
    case OpCode::minimum: {
      if (!are_points(left, right) || left.c != 1 || right.c != 1) return {};
      Term out = kernel_term("min()");
      out.nonnegative = true;
      return out;
    }
    case OpCode::dot: return dot_of(left, right);
    default: return {};
  }
}

Term leaf(const Op& op) {
  switch (op.code) {
    case OpCode::number: return number_term(op.value);
    case OpCode::pi: return number_term(std::numbers::pi);
    case OpCode::e: return number_term(std::numbers::e);
    case OpCode::x: return {.form = Form::x};
    case OpCode::y: return {.form = Form::y};
    default: return {};
  }
}

bool is_leaf(OpCode code) { return code <= OpCode::y_component; }
bool takes_two(OpCode code) { return (code >= OpCode::add && code <= OpCode::maximum) || code == OpCode::dot; }

}  // namespace

std::optional<CatalogMatch> derive(const Formula& formula) {
  std::vector<Term> stack;
  for (const Op& op : checking::ops_of(formula)) {
    if (is_leaf(op.code)) {
      stack.push_back(leaf(op));
    } else if (takes_two(op.code)) {
      const Term right = std::move(stack.back());
      stack.pop_back();
      stack.back() = binary(op.code, stack.back(), right);
    } else {
      stack.back() = unary(op.code, stack.back());
    }
    const Term& top = stack.back();
    if (top.is(Form::unknown) || !std::isfinite(top.c) || !std::isfinite(top.a)) return std::nullopt;
  }
  const Term k = as_kernel(stack.back());
  if (k.is(Form::unknown)) return std::nullopt;
  return CatalogMatch{k.text, k.nonnegative ? Inputs::nonnegative : Inputs::reals};
}

}  // namespace mercer
