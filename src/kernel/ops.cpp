#include <algorithm>

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

class Log1p final : public Op {
 public:
  Log1p(Slot in, Coefficient factor) : Op({in}), factor_(std::move(factor)) {}
  void forward(std::size_t n, const double* const* in, double* out, double* const*) const override {
    simd::log1p_scaled(factor_.value, in[0], n, out);
  }
  void backward(std::size_t n, const double* const* in, const double*, double* const*, const double* w,
                double* const* adjoints, double* parameters) const override {
    add_slopes(factor_, simd::log1p_scaled_backward(factor_.value, in[0], w, n, adjoints[0]), parameters);
  }

 private:
  Coefficient factor_;
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

}  // namespace

std::unique_ptr<const Op> square_root_op(Slot in) { return std::make_unique<SquareRoot>(in); }
std::unique_ptr<const Op> sum_op(std::vector<Value> terms) { return std::make_unique<Sum>(std::move(terms)); }
std::unique_ptr<const Op> polynomial_op(Slot in, std::vector<Coefficient> coefficients) {
  return std::make_unique<PolynomialOp>(in, std::move(coefficients));
}
std::unique_ptr<const Op> power_op(Slot in, Coefficient shift, int degree) {
  return std::make_unique<Power>(in, std::move(shift), degree);
}
std::unique_ptr<const Op> log1p_op(Slot in, Coefficient factor) {
  return std::make_unique<Log1p>(in, std::move(factor));
}
std::unique_ptr<const Op> arccos_op(int order, Slot r2, Slot norm_x, Slot norm_y) {
  return std::make_unique<ArcCos>(order, r2, norm_x, norm_y);
}
std::unique_ptr<const Op> ntk_op(int depth, Slot r2) { return std::make_unique<Ntk>(depth, r2); }

}  // namespace mercer::detail
