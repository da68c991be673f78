// From an inner product or a squared distance to a kernel's value, in single and in double precision.
// Included once per instruction set by float_rows.cpp and byte_rows.cpp.
#if defined(MERCER_SIMD_PROFILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_PROFILE_INL_H
#undef MERCER_SIMD_PROFILE_INL_H
#else
#define MERCER_SIMD_PROFILE_INL_H
#endif

#include "simd/exp-inl.h"
#include "simd/float_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

HWY_INLINE VF SetF(float value) { return hn::Set(DF(), value); }

// As the exp of doubles (exp-inl.h), with a fit of degree 4: within 1e-8 of e^r in exact arithmetic. Below e^-87 it is
// 0.
HWY_INLINE VF ExpF(VF x) {
  const VF lowest = SetF(-87.0F);
  const auto vanishes = hn::Lt(x, lowest);
  x = hn::Min(SetF(88.0F), hn::Max(lowest, x));
  const VF magic = SetF(12582912.0F);
  const VF shifted = hn::MulAdd(x, SetF(1.44269504F), magic);
  const VF n = hn::Sub(shifted, magic);
  VF r = hn::NegMulAdd(n, SetF(0.693359375F), x);
  r = hn::NegMulAdd(n, SetF(-2.12194440e-4F), r);
  const VF r2 = hn::Mul(r, r);
  const VF low = hn::MulAdd(SetF(0.16666576967247593F), r, SetF(0.5000000013470303F));
  const VF high = hn::MulAdd(hn::MulAdd(SetF(0.0013933652487807975F), r, SetF(0.008363181544674818F)), r,
                             SetF(0.04166646489535543F));
  const VF power = hn::Add(hn::MulAdd(hn::MulAdd(high, r2, low), r2, r), SetF(1.0F));
  const hn::RebindToSigned<DF> integers;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
  const VF value = hn::BitCast(DF(), hn::Add(hn::BitCast(integers, power), exponent));
  return hn::IfThenZeroElse(vanishes, value);
}

// The last step from x.y (or, by differences, |x-y|^2) to the kernel's value.
struct Exponential {
  FloatProfile profile;
  HWY_INLINE VF operator()(VF pair, VF x2, VF y2) const {
    const VF r2 = profile.differences ? pair : hn::Max(SetF(0.0F), hn::MulAdd(SetF(-2.0F), pair, hn::Add(x2, y2)));
    return hn::Mul(SetF(profile.scale), ExpF(hn::Mul(SetF(-profile.factor), r2)));
  }
};
struct Linear {
  FloatProfile profile;
  HWY_INLINE VF operator()(VF pair, VF, VF) const { return hn::Mul(SetF(profile.scale * profile.factor), pair); }
};
struct Power {
  FloatProfile profile;
  HWY_INLINE VF operator()(VF pair, VF, VF) const {
    const VF base = hn::MulAdd(SetF(profile.factor), pair, SetF(profile.shift));
    VF result = SetF(profile.scale), square = base;
    for (int left = profile.degree; left > 0; left /= 2, square = hn::Mul(square, square)) {
      if (left % 2 == 1) result = hn::Mul(result, square);
    }
    return result;
  }
};

HWY_INLINE V ExactValue(const ExactProfile& profile, V dot, V x2, V y2) {
  switch (profile.kind) {
    case FloatProfile::Kind::exponential: {
      const V r2 = hn::MulAdd(Set(-2.0), dot, hn::Add(x2, y2));
      return hn::Mul(Set(profile.scale), Exp(hn::Mul(Set(-profile.factor), r2)));
    }
    case FloatProfile::Kind::linear: return hn::Mul(Set(profile.scale * profile.factor), dot);
    case FloatProfile::Kind::power: break;
  }
  V result = Set(profile.scale), square = hn::MulAdd(Set(profile.factor), dot, Set(profile.shift));
  for (int left = profile.degree; left > 0; left /= 2, square = hn::Mul(square, square)) {
    if (left % 2 == 1) result = hn::Mul(result, square);
  }
  return result;
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
