// Inner products of many pairs: a packed matrix product.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_DOTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_DOTS_INL_H
#undef MERCER_SIMD_DOTS_INL_H
#else
#define MERCER_SIMD_DOTS_INL_H
#endif

#include <hwy/cache_control.h>

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

void Pack(const double* rows, Size stride, const double* shift, Size n, Size d, double* packed, double* squared_norms) {
  for (Size first = 0; first < n; first += kPanel, packed += kPanel * d) {
    const Size count = HWY_MIN(kPanel, n - first);
    double norms[kPanel] = {};
    for (Size k = 0; k < d; ++k) {
      double* to = packed + k * kPanel;
      for (Size i = 0; i < count; ++i) to[i] = rows[(first + i) * stride + k] - shift[k];
      for (Size i = count; i < kPanel; ++i) to[i] = 0;
      for (Size i = 0; i < kPanel; ++i) norms[i] += to[i] * to[i];
    }
    for (Size i = 0; i < count; ++i) squared_norms[first + i] = norms[i];
  }
}

// Products are summed over at most this many columns at a time, so that a panel of y stays in the
// first-level cache (27 KB) while the points of x pass by.
constexpr Size kDepth = 136;

// kRows points of x against kVectors vectors of points of y, all sums in registers. Both are panels:
// column k of the next kPanel points is at k * kPanel.
template <int kRows, int kVectors>
HWY_INLINE void Block(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, Size depth, bool add,
                      double* HWY_RESTRICT out, Size stride) {
  const Size lanes = hn::Lanes(D());
  V sums[kRows][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) sums[r][c] = Set(0.0);
  }
  for (Size k = 0; k < depth; ++k) {
    hwy::Prefetch(x + k * kPanel + 8);  // the 8 points that come next, except at the end of a panel
    V columns[kVectors];
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) columns[c] = hn::LoadU(D(), y + k * kPanel + static_cast<Size>(c) * lanes);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      const V xk = Set(x[k * kPanel + static_cast<Size>(r)]);
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) sums[r][c] = hn::MulAdd(xk, columns[c], sums[r][c]);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) {
      double* at = out + static_cast<Size>(r) * stride + static_cast<Size>(c) * lanes;
      hn::StoreU(add ? hn::Add(hn::LoadU(D(), at), sums[r][c]) : sums[r][c], D(), at);
    }
  }
}

// 8 points of x against a whole panel of y: one block where there are 32 registers of 8 numbers, else several.
HWY_INLINE void EightByPanel(const double* x, const double* y, Size depth, bool add, double* out, Size stride) {
  constexpr int kVectors = 3;
  constexpr int kRows = HWY_MAX_BYTES >= 64 ? 8 : 4;
  const Size width = kVectors * hn::Lanes(D());
  for (Size r = 0; r < 8; r += kRows) {
    for (Size c = 0; c < kPanel; c += width) {
      Block<kRows, kVectors>(x + r, y + c, depth, add, out + r * stride + c, stride);
    }
  }
}

void DotProducts(const double* x, Size i_begin, Size i_end, const double* y, Size j_begin, Size j_end, Size d,
                 double* out, Size stride) {
  alignas(64) double edge[8 * kPanel];
  const Size passes = HWY_MAX(Size{1}, (d + kDepth - 1) / kDepth);
  const Size even = (d + passes - 1) / passes;
  for (Size pass = 0; pass < passes; ++pass) {
    const Size k = pass * even;
    const Size depth = HWY_MIN(even, d - k);
    for (Size jp = j_begin / kPanel * kPanel; jp < j_end; jp += kPanel) {
      const double* columns = y + jp * d + k * kPanel;
      for (Size ip = i_begin / 8 * 8; ip < i_end; ip += 8) {
        const double* rows = x + ip / kPanel * kPanel * d + k * kPanel + ip % kPanel;
        const bool whole = ip >= i_begin && ip + 8 <= i_end && jp >= j_begin && jp + kPanel <= j_end;
        if (whole) {
          EightByPanel(rows, columns, depth, k > 0, out + (ip - i_begin) * stride + (jp - j_begin), stride);
          continue;
        }
        EightByPanel(rows, columns, depth, false, edge, kPanel);
        for (Size i = HWY_MAX(ip, i_begin); i < HWY_MIN(ip + 8, i_end); ++i) {
          for (Size j = HWY_MAX(jp, j_begin); j < HWY_MIN(jp + kPanel, j_end); ++j) {
            double& sum = out[(i - i_begin) * stride + (j - j_begin)];
            sum = (k > 0 ? sum : 0.0) + edge[(i - ip) * kPanel + (j - jp)];
          }
        }
      }
    }
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
