// From the tile in cache to the matrix in memory.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_STORE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_STORE_INL_H
#undef MERCER_SIMD_STORE_INL_H
#else
#define MERCER_SIMD_STORE_INL_H
#endif

#include <hwy/cache_control.h>

#include "simd/lanes-inl.h"
#include "simd/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// A Gram matrix is written once and is larger than any cache: streaming stores skip reading the lines
// that are about to be overwritten. They need aligned addresses, so a row starts and ends with plain ones.
HWY_INLINE void StoreRow(const double* from, Size n, double* to) {
  const Size lanes = hn::Lanes(D());
  const Size bytes = lanes * sizeof(double);
  Size j = 0;
  while (j < n && reinterpret_cast<std::uintptr_t>(to + j) % bytes != 0) {
    to[j] = from[j];
    ++j;
  }
  for (; j + lanes <= n; j += lanes) hn::Stream(hn::LoadU(D(), from + j), D(), to + j);
  for (; j < n; ++j) to[j] = from[j];
}

void StoreRows(const double* tile, Size rows, Size cols, Size from, double* out, Size to) {
  for (Size i = 0; i < rows; ++i) StoreRow(tile + i * from, cols, out + i * to);
  hwy::FlushStream();
}

// Columns are gathered into rows by strips that fit the first-level cache.
void StoreTransposed(const double* tile, Size rows, Size cols, Size from, double* out, Size to) {
  constexpr Size kWidth = 8, kRows = 240, kLine = kRows + 8;
  alignas(64) double strip[kWidth * kLine];
  for (Size first = 0; first < rows; first += kRows) {
    const Size count = HWY_MIN(kRows, rows - first);
    for (Size j = 0; j < cols; j += kWidth) {
      const double* corner = tile + first * from + j;
      const Size width = HWY_MIN(kWidth, cols - j);
      Size i = 0;
      if (width == kWidth) {
        for (; i + 8 <= count; i += 8) Turn8(corner + i * from, from, strip + i, kLine);
      }
      for (; i < count; ++i) {
        for (Size k = 0; k < width; ++k) strip[k * kLine + i] = corner[i * from + k];
      }
      for (Size k = 0; k < width; ++k) StoreRow(strip + k * kLine, count, out + (j + k) * to + first);
    }
  }
  hwy::FlushStream();
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
