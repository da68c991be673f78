// Walking arrays in vectors: whole ones, then a masked tail whose missing lanes read as zero.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_LANES_INL_H
#undef MERCER_SIMD_LANES_INL_H
#else
#define MERCER_SIMD_LANES_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <type_traits>

#include "simd/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using Narrow = hn::Rebind<float, D>;  // as many floats

// For a lambda whose vectors must stay in registers: the compiler would make it a function when it is large.
#undef MERCER_INLINE_LAMBDA
#define MERCER_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_INLINE V Set(double value) { return hn::Set(D(), value); }

struct Whole {
  HWY_INLINE V load(const double* p) const { return hn::LoadU(D(), p); }
  HWY_INLINE V load(const float* p) const { return hn::PromoteTo(D(), hn::LoadU(Narrow(), p)); }
  HWY_INLINE void store(V v, double* p) const { hn::StoreU(v, D(), p); }
  HWY_INLINE void add(V v, double* p) const { hn::StoreU(hn::Add(v, hn::LoadU(D(), p)), D(), p); }
  HWY_INLINE V keep(V v) const { return v; }
};

struct Tail {
  hn::Mask<D> mask;
  hn::Mask<Narrow> narrow;
  HWY_INLINE V load(const double* p) const { return hn::MaskedLoad(mask, D(), p); }
  HWY_INLINE V load(const float* p) const { return hn::PromoteTo(D(), hn::MaskedLoad(narrow, Narrow(), p)); }
  HWY_INLINE void store(V v, double* p) const { hn::BlendedStore(v, mask, D(), p); }
  HWY_INLINE void add(V v, double* p) const { store(hn::Add(v, load(p)), p); }
  HWY_INLINE V keep(V v) const { return hn::IfThenElseZero(mask, v); }  // before a reduction
};

// body(position, access) for each vector of [0, n)
template <class Body>
HWY_INLINE void ForEachVector(Size n, Body body) {
  const Size lanes = hn::Lanes(D());
  Size j = 0;
  for (; j + lanes <= n; j += lanes) body(j, Whole{});
  if (j < n) body(j, Tail{hn::FirstN(D(), n - j), hn::FirstN(Narrow(), n - j)});
}

// body(position, access, count) for groups of kCount vectors of [0, n), then for single ones, masked: `count` is a
// constant.
template <int kCount, class Body>
HWY_INLINE void ForEachGroup(Size n, Body body) {
  const Size lanes = hn::Lanes(D());
  Size j = 0;
  for (; j + kCount * lanes <= n; j += kCount * lanes) body(j, Whole{}, std::integral_constant<int, kCount>());
  for (; j < n; j += lanes) {
    body(j, Tail{hn::FirstN(D(), n - j), hn::FirstN(Narrow(), n - j)}, std::integral_constant<int, 1>());
  }
}

HWY_INLINE double Total(V v) { return hn::GetLane(hn::SumOfLanes(D(), v)); }

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
