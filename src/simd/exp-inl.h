// exp of doubles, the one transcendental function that Gram matrices spend their time in.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_EXP_INL_H
#undef MERCER_SIMD_EXP_INL_H
#else
#define MERCER_SIMD_EXP_INL_H
#endif

#include <limits>

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// e^x = 2^n e^r, n the integer nearest to x / log 2, |r| <= log(2)/2, e^r = 1 + r + r^2 q(r). q is of degree 9 and
// equals (e^r - 1 - r)/r^2 at the Chebyshev points: with exact arithmetic the result is within 1.6e-17 of e^r, relative
// (scripts/exp_coefficients.py makes the numbers). In doubles it is within 1.1 units in the last place. Below 2^-1022
// the result is 0, beyond the largest double infinity; NaN stays.
//
// Several vectors go through side by side: each constant is loaded once for all of them, which with 16 registers is
// most of what there is to load (AVX2: 0.75 ns a value of rbf for three, 0.82 for two, 0.86 for one).
template <int kCount>
HWY_INLINE void Exp(V (&x)[kCount]) {
  const double lowest = -708.3964185322641, highest = 709.782712893384;
  const auto each = [](auto step) MERCER_INLINE_LAMBDA {
    HWY_UNROLL(4)
    for (int u = 0; u < kCount; ++u) step(u);
  };
  V shifted[kCount], n[kCount], r[kCount], r2[kCount], sum[kCount], pair[kCount];
#if HWY_TARGET <= HWY_AVX3
  (void)lowest;
  // Keeps infinities out of r; a NaN passes in this order.
  each([&](int u) MERCER_INLINE_LAMBDA { x[u] = hn::Min(Set(highest + 1), hn::Max(Set(-1000.0), x[u])); });
#else
  // Whether some |x| is beyond 708, read off the bits, which rise with |x| and are beyond all numbers for NaN.
  const hn::RebindToSigned<D> integers;
  auto far = hn::Zero(integers);
  each([&](int u) MERCER_INLINE_LAMBDA {
    const auto size = hn::AndNot(hn::SignBit(integers), hn::BitCast(integers, x[u]));
    far = hn::Or(far, hn::VecFromMask(integers, hn::Gt(size, hn::BitCast(integers, Set(708.0)))));
  });
  const bool usual = hn::AllTrue(integers, hn::Eq(far, hn::Zero(integers)));
#endif
  // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits.
  const V magic = Set(6755399441055744.0);
  each([&](int u) MERCER_INLINE_LAMBDA { shifted[u] = hn::MulAdd(x[u], Set(1.4426950408889634), magic); });
  each([&](int u) MERCER_INLINE_LAMBDA { n[u] = hn::Sub(shifted[u], magic); });
  // log 2 in two parts, the first short enough for n times it to be exact.
  each([&](int u) MERCER_INLINE_LAMBDA { r[u] = hn::NegMulAdd(n[u], Set(0.6931471804855391), x[u]); });
  each([&](int u) MERCER_INLINE_LAMBDA { r[u] = hn::NegMulAdd(n[u], Set(7.440617110012397e-11), r[u]); });
  each([&](int u) MERCER_INLINE_LAMBDA { r2[u] = hn::Mul(r[u], r[u]); });
  each([&](int u) MERCER_INLINE_LAMBDA {
    sum[u] = hn::MulAdd(Set(2.510038549551032e-08), r[u], Set(2.7620088445409746e-07));
  });
  const auto two_more = [&](double odd, double even) MERCER_INLINE_LAMBDA {
    each([&](int u) MERCER_INLINE_LAMBDA { pair[u] = hn::MulAdd(Set(odd), r[u], Set(even)); });
    each([&](int u) MERCER_INLINE_LAMBDA { sum[u] = hn::MulAdd(sum[u], r2[u], pair[u]); });
  };
  two_more(2.7557268459997064e-06, 2.4801521295954376e-05);
  two_more(0.00019841269863053618, 0.0013888888917213717);
  two_more(0.008333333333330062, 0.04166666666662413);
  two_more(0.16666666666666669, 0.5000000000000001);
  each([&](int u) MERCER_INLINE_LAMBDA { sum[u] = hn::Add(hn::MulAdd(sum[u], r2[u], r[u]), Set(1.0)); });
#if HWY_TARGET <= HWY_AVX3
  each([&](int u) MERCER_INLINE_LAMBDA {
    x[u] = V{_mm512_scalef_pd(sum[u].raw, n[u].raw)};  // one instruction that is right at both ends
  });
#else
  each([&](int u) MERCER_INLINE_LAMBDA {
    const auto exponent = hn::ShiftLeft<52>(hn::BitCast(integers, shifted[u]));
    sum[u] = hn::BitCast(D(), hn::Add(hn::BitCast(integers, sum[u]), exponent));
  });
  if (HWY_UNLIKELY(!usual)) {
    // Beyond both ends what was computed means nothing.
    each([&](int u) MERCER_INLINE_LAMBDA {
      const V infinity = Set(std::numeric_limits<double>::infinity());
      const V finite = hn::IfThenElse(hn::Gt(x[u], Set(highest)), infinity, sum[u]);
      sum[u] = hn::IfThenZeroElse(hn::Lt(x[u], Set(lowest)), finite);
    });
  }
  each([&](int u) MERCER_INLINE_LAMBDA { x[u] = sum[u]; });
#endif
}

HWY_INLINE V Exp(V x) {
  V one[1] = {x};
  Exp(one);
  return one[0];
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
