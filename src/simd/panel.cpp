#include "simd/panel.hpp"

#include <algorithm>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/target.hpp"
#include "simd/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// Six rows of this many vectors fill the registers.
constexpr int kVectors = HWY_MAX_BYTES >= 64 ? 4 : 2;
constexpr Size kLanes = HWY_LANES(double);
constexpr Size kStrip = kVectors * kLanes;  // columns of a panel taken at a time
static_assert(kPanelColumns % kStrip == 0);

template <int kRows>
struct Block {
  V sum[kRows][kVectors];

  HWY_INLINE Block() {}  // an implicit one would be compiled without the instruction set
  HWY_INLINE void load(const double* HWY_RESTRICT c, Size step) {
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::LoadU(D(), c + r * step + v * kLanes);
    }
  }
  HWY_INLINE void store(double* HWY_RESTRICT c, Size step) const {
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], D(), c + r * step + v * kLanes);
    }
  }
  HWY_INLINE void add(const double* HWY_RESTRICT a, Size row_step, Size col_step, Size depth,
                      const double* HWY_RESTRICT x, Size x_step) {
    for (Size k = 0; k < depth; ++k, a += col_step, x += x_step) {
      V xk[kVectors];
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) xk[v] = hn::LoadU(D(), x + v * kLanes);
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        const V ark = hn::Set(D(), a[r * row_step]);
        HWY_UNROLL(4)
        for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(ark, xk[v], sum[r][v]);
      }
    }
  }
  HWY_INLINE void subtract(const double* HWY_RESTRICT a, Size row_step, Size depth, const double* x, Size x_step) {
    for (Size k = 0; k < depth; ++k, ++a, x += x_step) {
      V xk[kVectors];
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) xk[v] = hn::LoadU(D(), x + v * kLanes);
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        const V ark = hn::Set(D(), a[r * row_step]);
        HWY_UNROLL(4)
        for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::NegMulAdd(ark, xk[v], sum[r][v]);
      }
    }
  }
  // By the triangle of these rows themselves.
  HWY_INLINE void solve(const double* HWY_RESTRICT l, Size step) {
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (int k = 0; k < r; ++k) {
        const V lrk = hn::Set(D(), l[r * step + k]);
        HWY_UNROLL(4)
        for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::NegMulAdd(lrk, sum[k][v], sum[r][v]);
      }
      const V scale = hn::Set(D(), 1 / l[r * step + r]);
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Mul(sum[r][v], scale);
    }
  }
};

template <int kRows>
HWY_INLINE void AddRows(const double* a, Size row_step, Size col_step, Size depth, const double* x, double* c,
                        Size c_step) {
  for (Size first = 0; first < kPanelColumns; first += kStrip) {
    Block<kRows> block;
    block.load(c + first, c_step);
    if (first == 0 && c_step != kPanelColumns) {
      // A wide C is gone through from left to right, out of memory: its next 32 columns can be on their way.
      for (int r = 0; r < kRows; ++r) {
        for (Size k = 0; k < kPanelColumns; k += 8) hwy::Prefetch(c + r * c_step + kPanelColumns + k);
      }
    }
    block.add(a, row_step, col_step, depth, x + first, kPanelColumns);
    block.store(c + first, c_step);
  }
}

void AddProduct(const double* a, Size row_step, Size col_step, Size rows, Size depth, const double* x, double* c,
                Size c_step) {
  Size r = 0;
  for (; r + 6 <= rows; r += 6) AddRows<6>(a + r * row_step, row_step, col_step, depth, x, c + r * c_step, c_step);
  for (; r + 2 <= rows; r += 2) AddRows<2>(a + r * row_step, row_step, col_step, depth, x, c + r * c_step, c_step);
  if (r < rows) AddRows<1>(a + r * row_step, row_step, col_step, depth, x, c + r * c_step, c_step);
}

template <int kRows>
HWY_INLINE void SolveRows(const double* l, Size step, Size row, double* x) {
  const double* own = l + row * step;
  for (Size first = 0; first < kPanelColumns; first += kStrip) {
    Block<kRows> block;
    block.load(x + row * kPanelColumns + first, kPanelColumns);
    block.subtract(own, step, row, x + first, kPanelColumns);
    block.solve(own + row, step);
    block.store(x + row * kPanelColumns + first, kPanelColumns);
  }
}

void SolvePanel(const double* l, Size step, Size rows, double* x) {
  Size r = 0;
  for (; r + 6 <= rows; r += 6) SolveRows<6>(l, step, r, x);
  for (; r + 2 <= rows; r += 2) SolveRows<2>(l, step, r, x);
  if (r < rows) SolveRows<1>(l, step, r, x);
}

void RowsToPanel(const double* rows, Size step, Size count, Size length, double* panel) {
  if (count < kPanelColumns) std::fill_n(panel, length * kPanelColumns, 0.0);
  Size i = 0;
  for (; i + 8 <= count; i += 8) {
    Size k = 0;
    for (; k + 8 <= length; k += 8) Turn8(rows + i * step + k, step, panel + k * kPanelColumns + i, kPanelColumns);
    for (; k < length; ++k) {
      for (Size r = i; r < i + 8; ++r) panel[k * kPanelColumns + r] = rows[r * step + k];
    }
  }
  for (; i < count; ++i) {
    for (Size k = 0; k < length; ++k) panel[k * kPanelColumns + i] = rows[i * step + k];
  }
}

void PanelToRows(const double* panel, Size count, Size length, double* rows, Size step) {
  Size i = 0;
  for (; i + 8 <= count; i += 8) {
    Size k = 0;
    for (; k + 8 <= length; k += 8) Turn8(panel + k * kPanelColumns + i, kPanelColumns, rows + i * step + k, step);
    for (; k < length; ++k) {
      for (Size r = i; r < i + 8; ++r) rows[r * step + k] = panel[k * kPanelColumns + r];
    }
  }
  for (; i < count; ++i) {
    for (Size k = 0; k < length; ++k) rows[i * step + k] = panel[k * kPanelColumns + i];
  }
}

// Only the last 32 rows of the solution are needed to go on. They slide through a buffer that stays in the first-level
// cache, and move back to its beginning when it is full.
void BandedSquares(const double* groups, Size count, const double* b, double* squares) {
  constexpr int kRows = kBandRows;
  constexpr Size kLength = kPanelColumns + 10 * kRows;
  HWY_ALIGN double solved[kLength * kStrip];
  for (Size first = 0; first < kPanelColumns; first += kStrip) {
    std::fill_n(solved, kPanelColumns * kStrip, 0.0);
    double* window = solved;
    V total[kVectors];
    for (V& t : total) t = hn::Zero(D());
    const double* g = groups;
    for (Size i = 0; i < count; ++i, g += kBandGroup) {
      if (window == solved + (kLength - kPanelColumns) * kStrip) {
        std::copy_n(window, kPanelColumns * kStrip, solved);
        window = solved;
      }
      // L and b are read once each and are longer than the second-level cache.
      for (Size k = 0; k < kBandGroup; k += 8) hwy::Prefetch(g + 2 * kBandGroup + k);
      for (Size k = 0; k < kRows * kPanelColumns; k += 8) hwy::Prefetch(b + (i + 2) * kRows * kPanelColumns + k);
      Block<kRows> x;
      x.load(b + i * kRows * kPanelColumns + first, kPanelColumns);
      x.add(g, 1, kRows, kPanelColumns, window, kStrip);
      const double* inside = g + kRows * kPanelColumns;
      const double* reciprocal = inside + kRows * (kRows - 1) / 2;
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (int k = 0; k < r; ++k) {
          const V l = hn::Set(D(), inside[r * (r - 1) / 2 + k]);
          HWY_UNROLL(4)
          for (int v = 0; v < kVectors; ++v) x.sum[r][v] = hn::MulAdd(l, x.sum[k][v], x.sum[r][v]);
        }
        const V scale = hn::Set(D(), reciprocal[r]);
        HWY_UNROLL(4)
        for (int v = 0; v < kVectors; ++v) {
          x.sum[r][v] = hn::Mul(x.sum[r][v], scale);
          total[v] = hn::MulAdd(x.sum[r][v], x.sum[r][v], total[v]);
        }
      }
      x.store(window + kPanelColumns * kStrip, kStrip);
      window += kRows * kStrip;
    }
    for (int v = 0; v < kVectors; ++v) hn::StoreU(total[v], D(), squares + first + static_cast<Size>(v) * kLanes);
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(AddProduct);
HWY_EXPORT(BandedSquares);
HWY_EXPORT(SolvePanel);
HWY_EXPORT(RowsToPanel);
HWY_EXPORT(PanelToRows);

void add_product(const double* a, Size row_step, Size col_step, Size rows, Size depth, const double* x, double* c,
                 Size c_step) {
  MERCER_DISPATCH(AddProduct)(a, row_step, col_step, rows, depth, x, c, c_step);
}

void banded_squares(const double* groups, Size count, const double* b, double* squares) {
  MERCER_DISPATCH(BandedSquares)(groups, count, b, squares);
}

void solve_panel(const double* l, Size step, Size rows, double* x) { MERCER_DISPATCH(SolvePanel)(l, step, rows, x); }

void rows_to_panel(const double* rows, Size step, Size count, Size length, double* panel) {
  MERCER_DISPATCH(RowsToPanel)(rows, step, count, length, panel);
}

void panel_to_rows(const double* panel, Size count, Size length, double* rows, Size step) {
  MERCER_DISPATCH(PanelToRows)(panel, count, length, rows, step);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
