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
template <int kRows, bool kBack, class T>
HWY_INLINE void ProductsOfRows(const T* HWY_RESTRICT tile, Size stride, Size cols, const double* HWY_RESTRICT v,
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

template <bool kBack, class T>
HWY_INLINE void ProductsOf(const T* tile, Size stride, Size rows, Size cols, const double* v, double* out,
                           const double* w, double* back) {
  Size i = 0;
  for (; i + 4 <= rows; i += 4)
    ProductsOfRows<4, kBack>(tile + i * stride, stride, cols, v, out + i, kBack ? w + i : w, back);
  for (; i < rows; ++i) ProductsOfRows<1, kBack>(tile + i * stride, stride, cols, v, out + i, kBack ? w + i : w, back);
}

// back += T' w alone, kRows rows at a time.
template <int kRows, class T>
HWY_INLINE void AddRows(const T* HWY_RESTRICT tile, Size stride, Size cols, const double* HWY_RESTRICT w,
                        double* HWY_RESTRICT back) {
  V weights[kRows];
  for (int r = 0; r < kRows; ++r) weights[r] = Set(w[r]);
  ForEachVector(cols, [&](Size j, auto access) MERCER_INLINE_LAMBDA {
    V column = access.load(back + j);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      column = hn::MulAdd(access.load(tile + static_cast<Size>(r) * stride + j), weights[r], column);
    }
    access.store(column, back + j);
  });
}

template <class T>
HWY_INLINE void ProductsOfTile(const T* tile, Size stride, Size rows, Size cols, const double* v, double* out,
                               const double* w, double* back) {
  if (out == nullptr) {
    Size i = 0;
    for (; i + 8 <= rows; i += 8) AddRows<8>(tile + i * stride, stride, cols, w + i, back);
    for (; i < rows; ++i) AddRows<1>(tile + i * stride, stride, cols, w + i, back);
    return;
  }
  if (back != nullptr) return ProductsOf<true>(tile, stride, rows, cols, v, out, w, back);
  ProductsOf<false>(tile, stride, rows, cols, v, out, w, back);
}

void TileProducts(const double* tile, Size stride, Size rows, Size cols, const double* v, double* out, const double* w,
                  double* back) {
  ProductsOfTile(tile, stride, rows, cols, v, out, w, back);
}

void FloatTileProducts(const float* tile, Size stride, Size rows, Size cols, const double* v, double* out,
                       const double* w, double* back) {
  ProductsOfTile(tile, stride, rows, cols, v, out, w, back);
}

void RoundToFloats(const double* a, Size n, float* out) {
  const Size lanes = hn::Lanes(D());
  Size j = 0;
  for (; j + lanes <= n; j += lanes) hn::StoreU(hn::DemoteTo(Narrow(), hn::LoadU(D(), a + j)), Narrow(), out + j);
  for (; j < n; ++j) out[j] = static_cast<float>(a[j]);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
