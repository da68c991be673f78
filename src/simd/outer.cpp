#include "simd/outer.hpp"

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/outer.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/lanes-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// kRows rows at a time: x is read once for all of them.
template <int kRows>
HWY_INLINE void AddRowsOfSquare(double a, const double* HWY_RESTRICT x, Size first, Size n, double* HWY_RESTRICT out) {
  V factors[kRows];
  for (int r = 0; r < kRows; ++r) factors[r] = Set(a * x[first + static_cast<Size>(r)]);
  ForEachVector(n, [&](Size j, auto access) MERCER_INLINE_LAMBDA {
    const V xj = access.load(x + j);
    HWY_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      double* const to = out + (first + static_cast<Size>(r)) * n + j;
      access.store(hn::MulAdd(factors[r], xj, access.load(to)), to);
    }
  });
}

void AddSquare(double a, const double* x, Size n, double* out) {
  Size i = 0;
  for (; i + 4 <= n; i += 4) AddRowsOfSquare<4>(a, x, i, n, out);
  for (; i < n; ++i) AddRowsOfSquare<1>(a, x, i, n, out);
}

template <int kRows>
HWY_INLINE void AddRowsOfBoth(double a, const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, Size first, Size n,
                              double* HWY_RESTRICT out) {
  V by_y[kRows], by_x[kRows];
  for (int r = 0; r < kRows; ++r) {
    by_y[r] = Set(a * x[first + static_cast<Size>(r)]);
    by_x[r] = Set(a * y[first + static_cast<Size>(r)]);
  }
  ForEachVector(n, [&](Size j, auto access) MERCER_INLINE_LAMBDA {
    const V xj = access.load(x + j), yj = access.load(y + j);
    HWY_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      double* const to = out + (first + static_cast<Size>(r)) * n + j;
      access.store(hn::MulAdd(by_x[r], xj, hn::MulAdd(by_y[r], yj, access.load(to))), to);
    }
  });
}

void AddBoth(double a, const double* x, const double* y, Size n, double* out) {
  Size i = 0;
  for (; i + 4 <= n; i += 4) AddRowsOfBoth<4>(a, x, y, i, n, out);
  for (; i < n; ++i) AddRowsOfBoth<1>(a, x, y, i, n, out);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(AddSquare);
HWY_EXPORT(AddBoth);

void add_square(double a, const double* x, std::size_t n, double* out) { MERCER_DISPATCH(AddSquare)(a, x, n, out); }
void add_both(double a, const double* x, const double* y, std::size_t n, double* out) {
  MERCER_DISPATCH(AddBoth)(a, x, y, n, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
