// Rows to columns, by blocks.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_TURN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_TURN_INL_H
#undef MERCER_SIMD_TURN_INL_H
#else
#define MERCER_SIMD_TURN_INL_H
#endif

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

#if HWY_MAX_BYTES == 32
// A 4 x 4 block, turned over.
HWY_INLINE void Turn4(const double* from, Size from_stride, double* to, Size to_stride) {
  V rows[4];
  for (Size i = 0; i < 4; ++i) rows[i] = hn::LoadU(D(), from + i * from_stride);
  // Two rows woven: columns 0 and 2 of them, then 1 and 3.
  const V even01 = hn::InterleaveLower(D(), rows[0], rows[1]), odd01 = hn::InterleaveUpper(D(), rows[0], rows[1]);
  const V even23 = hn::InterleaveLower(D(), rows[2], rows[3]), odd23 = hn::InterleaveUpper(D(), rows[2], rows[3]);
  hn::StoreU(hn::ConcatLowerLower(D(), even23, even01), D(), to);
  hn::StoreU(hn::ConcatLowerLower(D(), odd23, odd01), D(), to + to_stride);
  hn::StoreU(hn::ConcatUpperUpper(D(), even23, even01), D(), to + 2 * to_stride);
  hn::StoreU(hn::ConcatUpperUpper(D(), odd23, odd01), D(), to + 3 * to_stride);
}
#endif

// An 8 x 8 block, turned over: to(k, i) = from(i, k).
HWY_INLINE void Turn8(const double* from, Size from_stride, double* to, Size to_stride) {
#if HWY_MAX_BYTES == 64
  V pairs[8], fours[8];
  // Two rows woven: lanes (k, k+1) of row pairs, for even and odd columns.
  for (int i = 0; i < 8; i += 2) {
    const V a = hn::LoadU(D(), from + static_cast<Size>(i) * from_stride);
    const V b = hn::LoadU(D(), from + static_cast<Size>(i + 1) * from_stride);
    pairs[i] = hn::InterleaveLower(D(), a, b);
    pairs[i + 1] = hn::InterleaveUpper(D(), a, b);
  }
  // Four rows: columns 0, 4 then 2, 6 of the even ones, 1, 5 then 3, 7 of the odd ones.
  for (int half = 0; half < 8; half += 4) {
    for (int odd = 0; odd < 2; ++odd) {
      const V top = pairs[half + odd], bottom = pairs[half + 2 + odd];
      fours[half + odd] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(bottom), top);
      fours[half + 2 + odd] = hn::OddEvenBlocks(bottom, hn::SwapAdjacentBlocks(top));
    }
  }
  for (int k = 0; k < 4; ++k) {
    double* at = to + static_cast<Size>(k) * to_stride;
    hn::StoreU(hn::ConcatLowerLower(D(), fours[4 + k], fours[k]), D(), at);
    hn::StoreU(hn::ConcatUpperUpper(D(), fours[4 + k], fours[k]), D(), at + 4 * to_stride);
  }
#elif HWY_MAX_BYTES == 32
  for (Size i = 0; i < 8; i += 4) {
    for (Size k = 0; k < 8; k += 4) Turn4(from + i * from_stride + k, from_stride, to + k * to_stride + i, to_stride);
  }
#else
  for (Size i = 0; i < 8; ++i) {
    for (Size k = 0; k < 8; ++k) to[k * to_stride + i] = from[i * from_stride + k];
  }
#endif
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
