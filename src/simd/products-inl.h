// A tile times a vector from both sides, read once.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_PRODUCTS_INL_H
#undef MERCER_SIMD_PRODUCTS_INL_H
#else
#define MERCER_SIMD_PRODUCTS_INL_H
#endif

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// kRows rows at a time: v and `back` are read once for all of them.
template <int kRows, bool kBack>
HWY_INLINE void ProductsOfRows(const double* HWY_RESTRICT tile, Size stride, Size cols, const double* HWY_RESTRICT v,
                               double* HWY_RESTRICT out, const double* HWY_RESTRICT w, double* HWY_RESTRICT back) {
  V sums[kRows], weights[kRows];
  for (int r = 0; r < kRows; ++r) {
    sums[r] = Set(0.0);
    weights[r] = Set(kBack ? w[r] : 0.0);
  }
  ForEachVector(cols, [&](Size j, auto access) MERCER_INLINE_LAMBDA {
    const V vj = access.load(v + j);
    V column = kBack ? access.load(back + j) : Set(0.0);
    HWY_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      const V k = access.load(tile + static_cast<Size>(r) * stride + j);
      sums[r] = hn::MulAdd(k, vj, sums[r]);
      if (kBack) column = hn::MulAdd(k, weights[r], column);
    }
    if (kBack) access.store(column, back + j);
  });
  for (int r = 0; r < kRows; ++r) out[r] += Total(sums[r]);
}

template <bool kBack>
HWY_INLINE void ProductsOf(const double* tile, Size stride, Size rows, Size cols, const double* v, double* out,
                           const double* w, double* back) {
  Size i = 0;
  for (; i + 4 <= rows; i += 4)
    ProductsOfRows<4, kBack>(tile + i * stride, stride, cols, v, out + i, kBack ? w + i : w, back);
  for (; i < rows; ++i) ProductsOfRows<1, kBack>(tile + i * stride, stride, cols, v, out + i, kBack ? w + i : w, back);
}

void TileProducts(const double* tile, Size stride, Size rows, Size cols, const double* v, double* out, const double* w,
                  double* back) {
  if (back != nullptr) return ProductsOf<true>(tile, stride, rows, cols, v, out, w, back);
  ProductsOf<false>(tile, stride, rows, cols, v, out, w, back);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
