#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/matern_table.hpp"
#include "kernel/program_parts.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

void add_slopes(const Coefficient& coefficient, double weight, double* parameters) {
  for (const Coefficient::Slope& slope : coefficient.slopes) parameters[slope.param] += slope.value * weight;
}

class SquareRoot final : public Op {
 public:
  explicit SquareRoot(Slot in) : Op({in}) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::square_root(in[0], n, out);
  }
  void backward(std::size_t n, const double* const*, const double* out, double* const*, const double* w,
                double* const* adjoints, double*) const override {
    if (adjoints[0] != nullptr) simd::square_root_backward(out, w, n, adjoints[0]);
  }
};

std::vector<Slot> slots_of(const std::vector<Value>& terms) {
  std::vector<Slot> slots;
  for (const Value& term : terms) {
    slots.insert(slots.end(), term.factors.begin(), term.factors.end());
    for (const Value::Exponent& exponent : term.exponents) slots.push_back(exponent.slot);
  }
  return slots;
}

class Sum final : public Op {
 public:
  explicit Sum(std::vector<Value> terms) : Op(slots_of(terms)), terms_(std::move(terms)) {
    for (const Value& term : terms_) {
      double scale = 1;
      for (const ParamRef& p : term.scales) scale *= p.value;
      scales_.push_back(scale);
      Vector coefficients;
      for (const Value::Exponent& exponent : term.exponents) coefficients.push_back(exponent.coefficient.value);
      coefficients_.push_back(std::move(coefficients));
    }
  }

  std::size_t tapes() const override { return terms_.size(); }
  const std::vector<Value>* terms() const override { return &terms_; }

  void forward(std::size_t n, const double* const* in, double* out, double* const* tape) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      simd::monomial(monomial(t, in), t > 0, n, out, tape == nullptr ? nullptr : tape[t]);
      in += inputs_of(t);
    }
  }

  void backward(std::size_t n, const double* const* in, const double*, double* const* tape, const double* w,
                double* const* adjoints, double* parameters) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const Value& term = terms_[t];
      Vector sums(term.exponents.size());
      const double total = simd::monomial_backward(monomial(t, in), tape[t], w, n, adjoints,
                                                   adjoints + term.factors.size(), sums.data());
      for (std::size_t s = 0; s < term.scales.size(); ++s) {
        double others = 1;
        for (std::size_t o = 0; o < term.scales.size(); ++o) {
          if (o != s) others *= term.scales[o].value;
        }
        parameters[term.scales[s].at] += others * total;
      }
      for (std::size_t e = 0; e < sums.size(); ++e) add_slopes(term.exponents[e].coefficient, sums[e], parameters);
      in += inputs_of(t);
      adjoints += inputs_of(t);
    }
  }

 private:
  std::size_t inputs_of(std::size_t t) const { return terms_[t].factors.size() + terms_[t].exponents.size(); }
  simd::Monomial monomial(std::size_t t, const double* const* in) const {
    const std::size_t factors = terms_[t].factors.size();
    return {scales_[t], factors, in, coefficients_[t].size(), in + factors, coefficients_[t].data()};
  }

  std::vector<Value> terms_;
  Vector scales_;
  std::vector<Vector> coefficients_;
};

class PolynomialOp final : public Op {
 public:
  PolynomialOp(Slot in, std::vector<Coefficient> coefficients) : Op({in}), coefficients_(std::move(coefficients)) {
    for (const Coefficient& c : coefficients_) values_.push_back(c.value);
  }
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::polynomial(values_.data(), values_.size() - 1, in[0], n, out);
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double* parameters) const override {
    Vector sums(values_.size());
    simd::polynomial_backward(values_.data(), values_.size() - 1, in[0], w, n, adjoints[0], sums.data());
    for (std::size_t k = 0; k < sums.size(); ++k) add_slopes(coefficients_[k], sums[k], parameters);
  }

 private:
  std::vector<Coefficient> coefficients_;
  Vector values_;
};

class Power final : public Op {
 public:
  Power(Slot in, Coefficient shift, int degree)
      : Op({in}), shift_(std::move(shift)), degree_(static_cast<std::size_t>(degree)) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::power(shift_.value, degree_, in[0], n, out);
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double* parameters) const override {
    add_slopes(shift_, simd::power_backward(shift_.value, degree_, in[0], w, n, adjoints[0]), parameters);
  }

 private:
  Coefficient shift_;
  std::size_t degree_;
};

class FeatureDistance final : public Op {
 public:
  FeatureDistance(Slot k, Slot halves) : Op({k, halves}) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::max(0.0, -2 * (in[0][i] + in[1][i]));
  }
  void backward(std::size_t n, const double* const*, const double* out, double* const*, const double* w,
                double* const* adjoints, double*) const override {
    for (double* const adjoint : {adjoints[0], adjoints[1]}) {
      for (std::size_t i = 0; adjoint != nullptr && i < n; ++i) adjoint[i] -= out[i] > 0 ? 2 * w[i] : 0;
    }
  }
};

// The derivatives are those of -2 exp(...).
class FallFromTwo final : public Op {
 public:
  explicit FallFromTwo(std::vector<Value::Exponent> exponents)
      : Op(slots_of({{.exponents = exponents}})), exponents_(std::move(exponents)) {
    for (const Value::Exponent& exponent : exponents_) coefficients_.push_back(exponent.coefficient.value);
  }
  std::size_t tapes() const override { return 1; }
  void forward(std::size_t n, const double* const* in, double* out, double* const* tape) const override {
    simd::fill(0, n, out);
    for (std::size_t t = 0; t < coefficients_.size(); ++t) simd::add_scaled(coefficients_[t], in[t], n, out);
    simd::fall(2, 1, n, out);
    for (std::size_t i = 0; tape != nullptr && i < n; ++i) tape[0][i] = 1 - 0.5 * out[i];
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const* tape, const double* w,
                double* const* adjoints, double* parameters) const override {
    Vector sums(coefficients_.size());
    const simd::Monomial term{-2, 0, nullptr, coefficients_.size(), in, coefficients_.data()};
    simd::monomial_backward(term, tape[0], w, n, nullptr, adjoints, sums.data());
    for (std::size_t e = 0; e < sums.size(); ++e) add_slopes(exponents_[e].coefficient, sums[e], parameters);
  }

 private:
  std::vector<Value::Exponent> exponents_;
  Vector coefficients_;
};

// s = factor * in, and a polynomial of it
class ScaledPolynomial final : public Op {
 public:
  ScaledPolynomial(Slot in, Coefficient factor, Vector a) : Op({in}), factor_(std::move(factor)), a_(std::move(a)) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::scaled_polynomial(a_.data(), a_.size() - 1, factor_.value, in[0], n, out);
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double* parameters) const override {
    add_slopes(factor_,
               simd::scaled_polynomial_backward(a_.data(), a_.size() - 1, factor_.value, in[0], w, n, adjoints[0]),
               parameters);
  }

 private:
  Coefficient factor_;
  Vector a_;
};

// log(1 + b in), b = inverse_ell^2 / (2 alpha). Where b in is too large for a double, or b itself, log b + log in.
class RqLogarithm final : public Op {
 public:
  RqLogarithm(Slot in, Coefficient inverse_ell, ParamRef alpha)
      : Op({in}),
        inverse_ell_(std::move(inverse_ell)),
        alpha_(alpha),
        b_(inverse_ell_.value / alpha.value * inverse_ell_.value / 2),
        log_b_(2 * std::log(inverse_ell_.value) - std::log(2 * alpha.value)) {}

  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    if (b_ < kLargeFactor) {
      simd::log1p_scaled(b_, in[0], n, out);
      if (simd::all_finite(out, n)) return;
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (is_large(in[0][j])) out[j] = logarithm(in[0][j]);
    }
  }

  // d out/dlog(b) = b in / (1 + b in)
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double* parameters) const override {
    double total = 0;
    if (b_ < kLargeFactor) {
      total = simd::log1p_scaled_backward(b_, in[0], w, n, adjoints[0]);
    } else {
      for (std::size_t j = 0; j < n; ++j) {
        if (in[0][j] == 0) continue;
        const double share = 1 / (1 + std::exp(-log_b_ - std::log(in[0][j])));
        total += w[j] * share;
        if (adjoints[0] != nullptr) adjoints[0][j] += w[j] * share / in[0][j];
      }
    }
    add_slopes(inverse_ell_, 2 * total / inverse_ell_.value, parameters);
    parameters[alpha_.at] -= total / alpha_.value;
  }

 private:
  static constexpr double kLargeFactor = 1e200, kLarge = 1e300;
  bool is_large(double in) const { return !(b_ < kLargeFactor) || in * b_ > kLarge; }
  double logarithm(double in) const {
    if (in == 0) return 0;
    // How far it is cannot be told any more, and a small alpha would ask.
    if (std::isinf(in)) return alpha_.value > 2 ? in : std::numeric_limits<double>::quiet_NaN();
    const double log_product = std::log(in) + log_b_;
    return log_product > 40 ? log_product : std::log1p(std::exp(log_product));
  }

  Coefficient inverse_ell_;
  ParamRef alpha_;
  double b_, log_b_;
};

class Matern final : public Op {
 public:
  Matern(Slot in, Coefficient factor, double nu) : Op({in}), factor_(std::move(factor)), table_(MaternTable::of(nu)) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    for (std::size_t j = 0; j < n; ++j) out[j] = table_->value(factor_.value * in[0][j]);
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double* parameters) const override {
    double total = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (w[j] == 0) continue;
      const double slope = w[j] * table_->slope(factor_.value * in[0][j]);
      total += slope * in[0][j];
      if (adjoints[0] != nullptr) adjoints[0][j] += slope * factor_.value;
    }
    add_slopes(factor_, total, parameters);
  }

 private:
  Coefficient factor_;
  std::shared_ptr<const MaternTable> table_;
};

// The zero vector has no angle. Order 0 is E[2 step(w.x) step(w.y)] over normal w; with step(0) = 1/2
// every pair with a zero vector has the value 1/2, and the sum over pairs stays a square.
class ArcCos final : public Op {
 public:
  ArcCos(int order, Slot r2, Slot norm_x, Slot norm_y) : Op({r2, norm_x, norm_y}), order_(order) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::arccos(order_, in[0], n, out);
    if (order_ != 0) return;
    for (std::size_t j = 0; j < n; ++j) {
      if (in[1][j] == 0 || in[2][j] == 0) out[j] = 0.5;
    }
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double*) const override {
    if (adjoints[0] == nullptr) return;
    Vector weights(w, w + n);
    for (std::size_t j = 0; j < n; ++j) {
      if (in[1][j] == 0 || in[2][j] == 0) weights[j] = 0;
    }
    simd::arccos_backward(order_, in[0], weights.data(), n, adjoints[0]);
  }

 private:
  int order_;
};

class Ntk final : public Op {
 public:
  Ntk(int depth, Slot r2) : Op({r2}), depth_(depth) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::ntk(depth_, in[0], n, out);
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double*) const override {
    if (adjoints[0] != nullptr) simd::ntk_backward(depth_, in[0], w, n, adjoints[0]);
  }

 private:
  int depth_;
};

class Tanimoto final : public Op {
 public:
  Tanimoto(Slot dot, Slot x2, Slot y2) : Op({dot, x2, y2}) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    for (std::size_t i = 0; i < n; ++i) {
      const double rest = in[1][i] + in[2][i] - in[0][i];  // at least half of the sum: x.y is no more than that
      out[i] = rest > 0 ? in[0][i] / rest : 0;
    }
  }
  void backward(std::size_t n, const double* const* in, const double* out, double* const*, const double* w,
                double* const* adjoints, double*) const override {
    for (std::size_t i = 0; i < n; ++i) {
      const double rest = in[1][i] + in[2][i] - in[0][i];
      if (!(rest > 0)) continue;
      const double slope = w[i] / rest;
      if (adjoints[0] != nullptr) adjoints[0][i] += slope * (1 + out[i]);
      if (adjoints[1] != nullptr) adjoints[1][i] -= slope * out[i];
      if (adjoints[2] != nullptr) adjoints[2][i] -= slope * out[i];
    }
  }
};

}  // namespace

std::unique_ptr<Op> square_root_op(Slot in) { return std::make_unique<SquareRoot>(in); }
std::unique_ptr<Op> sum_op(std::vector<Value> terms) { return std::make_unique<Sum>(std::move(terms)); }
std::unique_ptr<Op> feature_distance_op(Slot k, Slot halves) { return std::make_unique<FeatureDistance>(k, halves); }
std::unique_ptr<Op> fall_op(std::vector<Value::Exponent> exponents) {
  return std::make_unique<FallFromTwo>(std::move(exponents));
}
std::unique_ptr<Op> polynomial_op(Slot in, std::vector<Coefficient> coefficients) {
  return std::make_unique<PolynomialOp>(in, std::move(coefficients));
}
std::unique_ptr<Op> power_op(Slot in, Coefficient shift, int degree) {
  return std::make_unique<Power>(in, std::move(shift), degree);
}
std::unique_ptr<Op> scaled_polynomial_op(Slot in, Coefficient factor, Vector a) {
  return std::make_unique<ScaledPolynomial>(in, std::move(factor), std::move(a));
}
std::unique_ptr<Op> rq_logarithm_op(Slot in, Coefficient inverse_ell, ParamRef alpha) {
  return std::make_unique<RqLogarithm>(in, std::move(inverse_ell), alpha);
}
std::unique_ptr<Op> matern_op(Slot in, Coefficient factor, double nu) {
  return std::make_unique<Matern>(in, std::move(factor), nu);
}
std::unique_ptr<Op> arccos_op(int order, Slot r2, Slot norm_x, Slot norm_y) {
  return std::make_unique<ArcCos>(order, r2, norm_x, norm_y);
}
std::unique_ptr<Op> ntk_op(int depth, Slot r2) { return std::make_unique<Ntk>(depth, r2); }

std::unique_ptr<Op> tanimoto_op(Slot dot, Slot x2, Slot y2) { return std::make_unique<Tanimoto>(dot, x2, y2); }

}  // namespace mercer::detail
