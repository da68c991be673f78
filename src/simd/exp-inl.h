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
// (scripts/exp_coefficients.py makes the numbers). In doubles it is within 1.1 units in the last place. Below 2^-1022 the result is 0, beyond the largest double infinity;
// NaN stays.
HWY_INLINE V Exp(V x) {
  const double lowest = -708.3964185322641, highest = 709.782712893384;
#if HWY_TARGET <= HWY_AVX3
  x = hn::Min(Set(highest + 1), hn::Max(Set(-1000.0), x));  // keeps infinities out of r; a NaN passes in this order
#endif
  // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits.
  const V magic = Set(6755399441055744.0);
  const V shifted = hn::MulAdd(x, Set(1.4426950408889634), magic);
  const V n = hn::Sub(shifted, magic);
  // log 2 in two parts, the first short enough for n times it to be exact.
  V r = hn::NegMulAdd(n, Set(0.6931471804855391), x);
  r = hn::NegMulAdd(n, Set(7.440617110012397e-11), r);
  const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
  const V q01 = hn::MulAdd(Set(0.16666666666666669), r, Set(0.5000000000000001));
  const V q23 = hn::MulAdd(Set(0.008333333333330062), r, Set(0.04166666666662413));
  const V q45 = hn::MulAdd(Set(0.00019841269863053618), r, Set(0.0013888888917213717));
  const V q67 = hn::MulAdd(Set(2.7557268459997064e-06), r, Set(2.4801521295954376e-05));
  const V q89 = hn::MulAdd(Set(2.510038549551032e-08), r, Set(2.7620088445409746e-07));
  const V low = hn::MulAdd(q23, r2, q01);
  const V high = hn::MulAdd(hn::MulAdd(q89, r2, q67), r2, q45);
  const V q = hn::MulAdd(high, r4, low);
  const V power = hn::Add(hn::MulAdd(q, r2, r), Set(1.0));
#if HWY_TARGET <= HWY_AVX3
  (void)lowest;
  return V{_mm512_scalef_pd(power.raw, n.raw)};  // one instruction that is right at both ends
#else
  const hn::RebindToSigned<D> integers;
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(integers, shifted));
  const V value = hn::BitCast(D(), hn::Add(hn::BitCast(integers, power), exponent));
  // Beyond both ends what was computed means nothing.
  const V finite = hn::IfThenElse(hn::Gt(x, Set(highest)), Set(std::numeric_limits<double>::infinity()), value);
  return hn::IfThenElse(hn::Lt(x, Set(lowest)), Set(0.0), finite);
#endif
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
