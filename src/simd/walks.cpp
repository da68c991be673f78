#include "simd/walks.hpp"

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/walks.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/exp-inl.h"
#include "simd/lanes-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// With its derivative: two divisions a pair.
double GeometricSlope(double lambda, const Weighted& x, const Weighted& y, double* slope) {
  V total = hn::Zero(D()), rise = hn::Zero(D());
  for (Size i = 0; i < x.count; ++i) {
    const V t = Set(lambda * x.values[i]), a = Set(x.weights[i]), a_mu = Set(x.weights[i] * x.values[i]);
    ForEachVector(y.count, [&](Size j, auto access) HWY_ATTR {
      const V nu = access.load(y.values + j), b = access.load(y.weights + j);  // 0 beyond the end
      const V rest = hn::NegMulAdd(t, nu, Set(1.0)), term = hn::Div(b, rest);
      total = hn::MulAdd(a, term, total);
      rise = hn::MulAdd(hn::Mul(a_mu, nu), hn::Div(term, rest), rise);
    });
  }
  *slope = Total(rise);
  return Total(total);
}

// Four fractions are brought to one denominator: a division takes as long as a dozen products. All terms are positive
// and all denominators below 2, so that no digits are lost.
double GeometricSum(double lambda, const Weighted& x, const Weighted& y, double* slope) {
  if (slope != nullptr) return GeometricSlope(lambda, x, y, slope);
  V total = hn::Zero(D());
  for (Size i = 0; i < x.count; i += 4) {
    V a[4], t[4];
    for (Size k = 0; k < 4; ++k) {
      const bool there = i + k < x.count;
      a[k] = Set(there ? x.weights[i + k] : 0.0);
      t[k] = Set(there ? lambda * x.values[i + k] : 0.0);
    }
    ForEachVector(y.count, [&](Size j, auto access) HWY_ATTR {
      const V nu = access.load(y.values + j), one = Set(1.0);
      const V p = hn::NegMulAdd(t[0], nu, one), q = hn::NegMulAdd(t[1], nu, one);
      const V r = hn::NegMulAdd(t[2], nu, one), s = hn::NegMulAdd(t[3], nu, one);
      const V pq = hn::Mul(p, q), rs = hn::Mul(r, s);
      const V first = hn::MulAdd(a[0], q, hn::Mul(a[1], p)), second = hn::MulAdd(a[2], s, hn::Mul(a[3], r));
      const V above = hn::MulAdd(first, rs, hn::Mul(second, pq));
      total = hn::MulAdd(access.load(y.weights + j), hn::Div(above, hn::Mul(pq, rs)), total);
    });
  }
  return Total(total);
}

double ExponentialSum(double lambda, const Weighted& x, const Weighted& y, double* slope) {
  V total = hn::Zero(D()), rise = hn::Zero(D());
  for (Size i = 0; i < x.count; ++i) {
    const V t = Set(lambda * x.values[i]), a = Set(x.weights[i]), mu = Set(x.values[i]);
    ForEachVector(y.count, [&](Size j, auto access) HWY_ATTR {
      const V nu = access.load(y.values + j), b = access.load(y.weights + j);
      V power[1] = {hn::Mul(t, nu)};
      Exp(power);
      const V term = hn::Mul(hn::Mul(a, b), power[0]);
      total = hn::Add(total, term);
      if (slope != nullptr) rise = hn::MulAdd(hn::Mul(mu, nu), term, rise);
    });
  }
  if (slope != nullptr) *slope = Total(rise);
  return Total(total);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(GeometricSum);
HWY_EXPORT(ExponentialSum);

double geometric_sum(double lambda, const Weighted& x, const Weighted& y, double* slope) {
  return MERCER_DISPATCH(GeometricSum)(lambda, x, y, slope);
}

double exponential_sum(double lambda, const Weighted& x, const Weighted& y, double* slope) {
  return MERCER_DISPATCH(ExponentialSum)(lambda, x, y, slope);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
