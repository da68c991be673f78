// Element-wise steps and their reverse.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_ELEMENTWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_ELEMENTWISE_INL_H
#undef MERCER_SIMD_ELEMENTWISE_INL_H
#else
#define MERCER_SIMD_ELEMENTWISE_INL_H
#endif

#include "simd/exp-inl.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

void Fill(double value, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR { access.store(Set(value), out + j); });
}

void AddScaled(double a, const double* x, Size n, double* out) {
  const V scale = Set(a);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    access.store(hn::MulAdd(scale, access.load(x + j), access.load(out + j)), out + j);
  });
}

double Sum(const double* a, Size n) {
  V total = Set(0.0);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR { total = hn::Add(total, access.load(a + j)); });
  return Total(total);
}

double Dot(const double* a, const double* b, Size n) {
  V total = Set(0.0);
  ForEachVector(
      n, [&](Size j, auto access) HWY_ATTR { total = hn::MulAdd(access.load(a + j), access.load(b + j), total); });
  return Total(total);
}

// 0 * a is 0 or, of what is not finite, NaN, which no sum loses. Four sums, so that none waits for the one before.
bool AllFinite(const double* a, Size n) {
  const Size lanes = hn::Lanes(D());
  const V zero = Set(0.0);
  V sums[4] = {zero, zero, zero, zero};
  Size j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    HWY_UNROLL(4)
    for (Size u = 0; u < 4; ++u) sums[u] = hn::MulAdd(zero, hn::LoadU(D(), a + j + u * lanes), sums[u]);
  }
  ForEachVector(n - j,
                [&](Size k, auto access) HWY_ATTR { sums[0] = hn::MulAdd(zero, access.load(a + j + k), sums[0]); });
  return Total(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))) == 0;
}

// The processor's square root of a vector takes longer than its exponentials. An estimate of 1/sqrt(a), brought to half
// of the digits, and one step of Heron's rule give the same root, or its neighbour: which one must not depend on the
// other lanes. What is far from 1 takes the plain one.
#if HWY_TARGET == HWY_AVX3
constexpr double kLeastRoot = 1e-300, kMostRoot = 1e300;
HWY_INLINE V InverseRoot(V a) {
  const V estimate{_mm512_rsqrt14_pd(a.raw)};
  const V half = hn::Mul(Set(0.5), hn::Mul(a, estimate));
  return hn::Mul(estimate, hn::NegMulAdd(half, estimate, Set(1.5)));
}
#elif HWY_TARGET == HWY_AVX2
// The estimate is that of floats, to 11 binary digits, and its correction of third order.
constexpr double kLeastRoot = 1e-36, kMostRoot = 1e36;
HWY_INLINE V InverseRoot(V a) {
  const hn::Rebind<float, D> floats;
  const V estimate = hn::PromoteTo(D(), hn::ApproximateReciprocalSqrt(hn::DemoteTo(floats, a)));
  const V error = hn::NegMulAdd(hn::Mul(a, estimate), estimate, Set(1.0));
  return hn::MulAdd(hn::Mul(estimate, error), hn::MulAdd(Set(0.375), error, Set(0.5)), estimate);
}
#endif

HWY_INLINE V Root(V a) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const auto usual = hn::And(hn::Gt(a, Set(kLeastRoot)), hn::Lt(a, Set(kMostRoot)));
  const V inverse = hn::IfThenElseZero(usual, InverseRoot(a));
  V root = hn::Mul(a, inverse);
  root = hn::MulAdd(hn::Mul(Set(0.5), inverse), hn::NegMulAdd(root, root, a), root);
  if (HWY_LIKELY(hn::AllTrue(D(), usual))) return root;
  return hn::IfThenElse(usual, root, hn::Sqrt(a));
#else
  return hn::Sqrt(a);
#endif
}

void SquareRoot(const double* a, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR { access.store(Root(access.load(a + j)), out + j); });
}

// The derivative at 0 is infinite; what multiplies it (a difference of equal points) is 0 there, so 0 is right.
void SquareRootBackward(const double* out, const double* w, Size n, double* wa) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V root = access.load(out + j);
    const V slope = hn::Div(Set(0.5), root);
    access.add(hn::IfThenElseZero(hn::Gt(root, Set(0.0)), hn::Mul(access.load(w + j), slope)), wa + j);
  });
}

// What a loop reads of a term, where no store to `out` can be thought to change it. kFactors and kExponents known at
// compile time unroll the common shapes; -1 reads them from the term.
template <int kFactors, int kExponents>
struct Shape {
  explicit HWY_INLINE Shape(const Monomial& term) : n_factors(kFactors), n_exponents(kExponents) {
    for (int f = 0; f < kFactors; ++f) factors[f] = term.factors[f];
    for (int t = 0; t < kExponents; ++t) {
      exponents[t] = term.exponents[t];
      coefficients[t] = term.coefficients[t];
    }
  }
  Size n_factors, n_exponents;
  const double* factors[kFactors + 1];
  const double* exponents[kExponents + 1];
  double coefficients[kExponents + 1];
};
template <>
struct Shape<-1, -1> {
  explicit HWY_INLINE Shape(const Monomial& term)
      : n_factors(term.n_factors),
        n_exponents(term.n_exponents),
        factors(term.factors),
        exponents(term.exponents),
        coefficients(term.coefficients) {}
  Size n_factors, n_exponents;
  const double* const* factors;
  const double* const* exponents;
  const double* coefficients;
};

constexpr int kTogether = HWY_MAX_BYTES >= 64 ? 2 : 3;  // exponentials: what measures best

template <int kFactors, int kExponents, bool kAccumulate>
HWY_INLINE void MonomialLoop(const Monomial& whole, Size n, double* HWY_RESTRICT out, double* HWY_RESTRICT tape) {
  const Shape<kFactors, kExponents> term(whole);
  const Size lanes = hn::Lanes(D());
  const V scale = Set(whole.scale);
  ForEachGroup<kTogether>(n, [=](Size first, auto access, auto count) MERCER_INLINE_LAMBDA {
    V power[count()];
    for (V& p : power) p = scale;  // not read, but no compiler sees that for every shape
    if (term.n_exponents > 0) {
      for (int u = 0; u < count(); ++u) {
        const Size j = first + static_cast<Size>(u) * lanes;
        power[u] = hn::Mul(Set(term.coefficients[0]), access.load(term.exponents[0] + j));
        for (Size t = 1; t < term.n_exponents; ++t) {
          power[u] = hn::MulAdd(Set(term.coefficients[t]), access.load(term.exponents[t] + j), power[u]);
        }
      }
      Exp(power);
    }
    for (int u = 0; u < count(); ++u) {
      const Size j = first + static_cast<Size>(u) * lanes;
      V value = scale;
      for (Size f = 0; f < term.n_factors; ++f) value = hn::Mul(value, access.load(term.factors[f] + j));
      if (term.n_exponents > 0) {
        if (tape != nullptr) access.store(power[u], tape + j);
        value = kAccumulate ? hn::MulAdd(value, power[u], access.load(out + j)) : hn::Mul(value, power[u]);
      } else if (kAccumulate) {
        value = hn::Add(value, access.load(out + j));
      }
      access.store(value, out + j);
    }
  });
}

template <int kFactors, int kExponents>
HWY_INLINE void MonomialOf(const Monomial& term, bool accumulate, Size n, double* out, double* tape) {
  return accumulate ? MonomialLoop<kFactors, kExponents, true>(term, n, out, tape)
                    : MonomialLoop<kFactors, kExponents, false>(term, n, out, tape);
}

void MonomialForward(const Monomial& term, bool accumulate, Size n, double* out, double* tape) {
  const Size shape = term.n_factors <= 2 && term.n_exponents <= 2 ? term.n_factors * 3 + term.n_exponents : 9;
  switch (shape) {
    case 0: return MonomialOf<0, 0>(term, accumulate, n, out, tape);
    case 1: return MonomialOf<0, 1>(term, accumulate, n, out, tape);
    case 2: return MonomialOf<0, 2>(term, accumulate, n, out, tape);
    case 3: return MonomialOf<1, 0>(term, accumulate, n, out, tape);
    case 4: return MonomialOf<1, 1>(term, accumulate, n, out, tape);
    case 5: return MonomialOf<1, 2>(term, accumulate, n, out, tape);
    case 6: return MonomialOf<2, 0>(term, accumulate, n, out, tape);
    case 7: return MonomialOf<2, 1>(term, accumulate, n, out, tape);
    case 8: return MonomialOf<2, 2>(term, accumulate, n, out, tape);
    default: return MonomialOf<-1, -1>(term, accumulate, n, out, tape);
  }
}

// One pass for a term of a common shape: the sum of w * term / scale, and those of the exponents.
template <int kFactors, int kExponents>
HWY_INLINE double MonomialBackwardLoop(const Monomial& whole, const double* HWY_RESTRICT tape,
                                       const double* HWY_RESTRICT w, Size n, double* const* factor_adjoints,
                                       double* const* exponent_adjoints, double* exponent_sums) {
  const Shape<kFactors, kExponents> term(whole);
  double* factor_to[kFactors + 1] = {};
  double* exponent_to[kExponents + 1] = {};
  V slopes[kExponents + 1], moments[kExponents + 1], total = Set(0.0);
  for (int f = 0; f < kFactors; ++f) factor_to[f] = factor_adjoints[f];
  for (int t = 0; t < kExponents; ++t) {
    exponent_to[t] = exponent_adjoints[t];
    slopes[t] = Set(term.coefficients[t] * whole.scale);
    moments[t] = Set(0.0);
  }
  const V scale = Set(whole.scale);
  ForEachVector(n, [&](Size j, auto access) MERCER_INLINE_LAMBDA {
    V weight = access.load(w + j);
    if (kExponents > 0) weight = hn::Mul(weight, access.load(tape + j));
    V value = weight;
    for (int f = 0; f < kFactors; ++f) value = hn::Mul(value, access.load(term.factors[f] + j));
    total = hn::Add(total, value);
    for (int f = 0; f < kFactors; ++f) {
      if (factor_to[f] == nullptr) continue;
      V others = hn::Mul(scale, weight);
      for (int g = 0; g < kFactors; ++g) {
        if (g != f) others = hn::Mul(others, access.load(term.factors[g] + j));
      }
      access.add(others, factor_to[f] + j);
    }
    for (int t = 0; t < kExponents; ++t) {
      moments[t] = hn::MulAdd(value, access.load(term.exponents[t] + j), moments[t]);
      if (exponent_to[t] != nullptr) access.add(hn::Mul(slopes[t], value), exponent_to[t] + j);
    }
  });
  for (int t = 0; t < kExponents; ++t) exponent_sums[t] = whole.scale * Total(moments[t]);
  return Total(total);
}

// A pass for each factor and exponent.
double AnyMonomialBackward(const Monomial& term, const double* tape, const double* w, Size n,
                           double* const* factor_adjoints, double* const* exponent_adjoints, double* exponent_sums) {
  const V scale = Set(term.scale);
  V total = Set(0.0);
  // Everything but the scale: w * prod(factors) * exp(...).
  const auto weighted = [&](Size j, auto access, Size without) HWY_ATTR {
    V value = access.load(w + j);
    if (term.n_exponents > 0) value = hn::Mul(value, access.load(tape + j));
    for (Size f = 0; f < term.n_factors; ++f) {
      if (f != without) value = hn::Mul(value, access.load(term.factors[f] + j));
    }
    return value;
  };
  const Size none = term.n_factors;
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR { total = hn::Add(total, weighted(j, access, none)); });
  for (Size f = 0; f < term.n_factors; ++f) {
    if (factor_adjoints[f] == nullptr) continue;
    ForEachVector(n, [&](Size j, auto access)
                         HWY_ATTR { access.add(hn::Mul(scale, weighted(j, access, f)), factor_adjoints[f] + j); });
  }
  for (Size t = 0; t < term.n_exponents; ++t) {
    V moment = Set(0.0);
    const V coefficient = Set(term.coefficients[t] * term.scale);
    double* adjoint = exponent_adjoints[t];
    ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
      const V value = weighted(j, access, none);
      moment = hn::MulAdd(value, access.load(term.exponents[t] + j), moment);
      if (adjoint != nullptr) access.add(hn::Mul(coefficient, value), adjoint + j);
    });
    exponent_sums[t] = term.scale * Total(moment);
  }
  return Total(total);
}

double MonomialBackward(const Monomial& term, const double* tape, const double* w, Size n,
                        double* const* factor_adjoints, double* const* exponent_adjoints, double* exponent_sums) {
  const auto by = [&](auto* loop) { return loop(term, tape, w, n, factor_adjoints, exponent_adjoints, exponent_sums); };
  const Size shape = term.n_factors <= 2 && term.n_exponents <= 2 ? term.n_factors * 3 + term.n_exponents : 9;
  switch (shape) {
    case 0: return by(MonomialBackwardLoop<0, 0>);
    case 1: return by(MonomialBackwardLoop<0, 1>);
    case 2: return by(MonomialBackwardLoop<0, 2>);
    case 3: return by(MonomialBackwardLoop<1, 0>);
    case 4: return by(MonomialBackwardLoop<1, 1>);
    case 5: return by(MonomialBackwardLoop<1, 2>);
    case 6: return by(MonomialBackwardLoop<2, 0>);
    case 7: return by(MonomialBackwardLoop<2, 1>);
    case 8: return by(MonomialBackwardLoop<2, 2>);
    default: return by(AnyMonomialBackward);
  }
}

void Polynomial(const double* c, Size degree, const double* a, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V x = access.load(a + j);
    V value = Set(c[degree]);
    for (Size k = degree; k-- > 0;) value = hn::MulAdd(value, x, Set(c[k]));
    access.store(value, out + j);
  });
}

void PolynomialBackward(const double* c, Size degree, const double* a, const double* w, Size n, double* wa,
                        double* sums) {
  if (wa != nullptr) {
    ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
      const V x = access.load(a + j);
      V slope = Set(0.0);
      for (Size k = degree; k >= 1; --k) slope = hn::MulAdd(slope, x, Set(static_cast<double>(k) * c[k]));
      access.add(hn::Mul(access.load(w + j), slope), wa + j);
    });
  }
  for (Size k = 0; k <= degree; ++k) {
    V total = Set(0.0);
    ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
      V value = access.load(w + j);
      for (Size p = 0; p < k; ++p) value = hn::Mul(value, access.load(a + j));
      total = hn::Add(total, value);
    });
    sums[k] += Total(total);
  }
}

HWY_INLINE V NearOrFar(V factor, V a) { return hn::Min(hn::Mul(factor, a), Set(kFar)); }

void ScaledPolynomial(const double* c, Size degree, double factor, const double* a, Size n, double* out) {
  const V scale = Set(factor);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V s = NearOrFar(scale, access.load(a + j));
    V value = Set(c[degree]);
    for (Size k = degree; k-- > 0;) value = hn::MulAdd(value, s, Set(c[k]));
    access.store(value, out + j);
  });
}

double ScaledPolynomialBackward(const double* c, Size degree, double factor, const double* a, const double* w, Size n,
                                double* wa) {
  const V scale = Set(factor);
  V total = Set(0.0);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V x = access.load(a + j), s = NearOrFar(scale, x);
    V slope = Set(0.0);
    for (Size k = degree; k >= 1; --k) slope = hn::MulAdd(slope, s, Set(static_cast<double>(k) * c[k]));
    const V value = hn::Mul(access.load(w + j), slope);
    total = hn::MulAdd(value, x, total);
    if (wa != nullptr) access.add(hn::Mul(value, scale), wa + j);
  });
  return Total(total);
}

HWY_INLINE V IntegerPower(V base, Size exponent) {
  V result = Set(1.0);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = hn::Mul(result, base);
    base = hn::Mul(base, base);
  }
  return result;
}

void Power(double c, Size degree, const double* a, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access)
                       HWY_ATTR { access.store(IntegerPower(hn::Add(access.load(a + j), Set(c)), degree), out + j); });
}

double PowerBackward(double c, Size degree, const double* a, const double* w, Size n, double* wa) {
  V total = Set(0.0);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V below = IntegerPower(hn::Add(access.load(a + j), Set(c)), degree - 1);
    const V value = hn::Mul(access.load(w + j), hn::Mul(Set(static_cast<double>(degree)), below));
    total = hn::Add(total, value);
    if (wa != nullptr) access.add(value, wa + j);
  });
  return Total(total);
}

void Log1pScaled(double b, const double* a, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access)
                       HWY_ATTR { access.store(hn::Log1p(D(), hn::Mul(Set(b), access.load(a + j))), out + j); });
}

void Fall(double scale, double rate, Size n, double* a) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V exponent = hn::Max(Set(-700.0), hn::Mul(Set(rate), access.load(a + j)));  // beyond, Highway's goes wrong
    access.store(hn::Mul(Set(-scale), hn::Expm1(D(), exponent)), a + j);
  });
}

// Few are expected: four vectors at a time are looked at, and searched only where they hold one.
Size FindBelow(double limit, const double* a, Size n, std::uint32_t* out) {
  const Size lanes = hn::Lanes(D());
  const V bar = Set(limit);
  Size found = 0, j = 0;
  const auto search = [&](Size end) {
    for (; j < end; ++j) {
      out[found] = static_cast<std::uint32_t>(j);
      found += a[j] < limit ? 1 : 0;
    }
  };
  while (j + 4 * lanes <= n) {
    const V first = hn::Min(hn::LoadU(D(), a + j), hn::LoadU(D(), a + j + lanes));
    const V second = hn::Min(hn::LoadU(D(), a + j + 2 * lanes), hn::LoadU(D(), a + j + 3 * lanes));
    if (HWY_LIKELY(hn::AllFalse(D(), hn::Lt(hn::Min(first, second), bar)))) {
      j += 4 * lanes;
    } else {
      search(j + 4 * lanes);
    }
  }
  search(n);
  return found;
}

double Log1pScaledBackward(double b, const double* a, const double* w, Size n, double* wa) {
  V total = Set(0.0);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V scaled = hn::Min(hn::Mul(Set(b), access.load(a + j)), Set(1e300));
    const V value = hn::Div(access.load(w + j), hn::Add(scaled, Set(1.0)));
    total = hn::MulAdd(value, scaled, total);
    if (wa != nullptr) access.add(hn::Mul(Set(b), value), wa + j);
  });
  return Total(total);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
