// Numbers of pairs of points: inner products, distances and products over columns, by panels.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_PAIRS_INL_H
#undef MERCER_SIMD_PAIRS_INL_H
#else
#define MERCER_SIMD_PAIRS_INL_H
#endif

#include <hwy/cache_control.h>

#include "simd/lanes-inl.h"
#include "simd/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

void Pack(const double* rows, Size stride, const double* shift, Size n, Size d, double* packed, double* squared_norms) {
  for (Size first = 0; first < n; first += kPanel, packed += kPanel * d) {
    const Size count = HWY_MIN(kPanel, n - first);
    const double* from = rows + first * stride;
    Size k = 0;
    if (count == kPanel) {
      for (; k + 8 <= d; k += 8) {
        for (Size i = 0; i < kPanel; i += 8) Turn8(from + i * stride + k, stride, packed + k * kPanel + i, kPanel);
      }
    }
    for (; k < d; ++k) {
      for (Size i = 0; i < kPanel; ++i) packed[k * kPanel + i] = i < count ? from[i * stride + k] : shift[k];
    }
    double norms[kPanel] = {};
    for (k = 0; k < d; ++k) {
      double* column = packed + k * kPanel;
      for (Size i = 0; i < kPanel; ++i) {
        column[i] -= shift[k];
        norms[i] += column[i] * column[i];
      }
    }
    for (Size i = 0; i < count; ++i) squared_norms[first + i] = norms[i];
  }
}

// What is done with a column of two points, and with the results of two sets of columns.
struct SumOver {
  static constexpr double start = 0;
  static HWY_INLINE V join(V a, V b) { return hn::Add(a, b); }
};
struct ProductOver {
  static constexpr double start = 1;
  static HWY_INLINE V join(V a, V b) { return hn::Mul(a, b); }
};
struct DotStep : SumOver {
  static HWY_INLINE V step(V a, V x, V y) { return hn::MulAdd(x, y, a); }
};
struct SquareStep : SumOver {
  static HWY_INLINE V step(V a, V x, V y) {
    const V difference = hn::Sub(x, y);
    return hn::MulAdd(difference, difference, a);
  }
};
struct AbsoluteStep : SumOver {
  static HWY_INLINE V step(V a, V x, V y) { return hn::Add(a, hn::Abs(hn::Sub(x, y))); }
};
struct MinStep : ProductOver {
  static HWY_INLINE V step(V a, V x, V y) { return hn::Mul(a, hn::Min(x, y)); }
};
struct MultilinearStep : ProductOver {
  static HWY_INLINE V step(V a, V x, V y) { return hn::Mul(a, hn::MulAdd(x, y, Set(1.0))); }
};

struct EqualStep : SumOver {
  static HWY_INLINE V step(V a, V x, V y) { return hn::Add(a, hn::IfThenElseZero(hn::Eq(x, y), Set(1.0))); }
};
struct Chi2Step : SumOver {
  static HWY_INLINE V step(V a, V x, V y) {
    const V difference = hn::Sub(x, y), sum = hn::Add(x, y);
    const V term = hn::Mul(difference, hn::Div(difference, sum));  // its size is that of x and y
    return hn::Add(a, hn::IfThenElseZero(hn::Gt(sum, hn::Zero(D())), term));
  }
};

// Columns are taken at most this many at a time, so that a panel of y stays in the first-level cache while the points
// of x pass by: 26 KB of it where 8 points of x are read once, 14 KB where several blocks read them again, as they must
// with 16 registers. (AVX2 at 784 columns: 54 GFLOP/s a core with 72, 45 with 136.)
constexpr Size kDepth = HWY_MAX_BYTES >= 64 ? 136 : 72;

// A stretch of the panel of y that comes next, to be fetched while this block computes.
struct Ahead {
  const char* from;
  Size step;  // bytes per column
};

// kRows points of x against kVectors vectors of points of y, all results in registers.
template <class Step, int kRows, int kVectors>
HWY_INLINE void Block(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, Size depth, bool join,
                      double* HWY_RESTRICT out, Size stride, const Ahead& ahead) {
  const Size lanes = hn::Lanes(D());
  V results[kRows][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) results[r][c] = Set(Step::start);
  }
  for (Size k = 0; k < depth; ++k) {
    hwy::Prefetch(x + k * kPanel + 8);  // the 8 points that come next, except at the end of a panel
    hwy::Prefetch(ahead.from + k * ahead.step);
    V columns[kVectors];
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) columns[c] = hn::LoadU(D(), y + k * kPanel + static_cast<Size>(c) * lanes);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      const V xk = Set(x[k * kPanel + static_cast<Size>(r)]);
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) results[r][c] = Step::step(results[r][c], xk, columns[c]);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) {
      double* at = out + static_cast<Size>(r) * stride + static_cast<Size>(c) * lanes;
      hn::StoreU(join ? Step::join(hn::LoadU(D(), at), results[r][c]) : results[r][c], D(), at);
    }
  }
}

// 8 points of x against a panel of y: one block where 32 registers hold 8 numbers each, several elsewhere.
template <class Step>
HWY_INLINE void EightByPanel(const double* x, const double* y, Size depth, bool join, double* out, Size stride,
                             const Ahead& ahead) {
  constexpr int kVectors = 3;
  constexpr int kRows = HWY_MAX_BYTES >= 64 ? 8 : 4;
  const Size width = kVectors * hn::Lanes(D());
  for (Size r = 0; r < 8; r += kRows) {
    for (Size c = 0; c < kPanel; c += width) {
      Block<Step, kRows, kVectors>(x + r, y + c, depth, join, out + r * stride + c, stride, ahead);
    }
  }
}

template <class Step>
HWY_INLINE void TileOf(const Packed& x, const Packed& y, Size d, double* out, Size stride) {
  if (x.begin >= x.end || y.begin >= y.end) return;
  alignas(64) double edge[8 * kPanel] = {};
  const Size passes = HWY_MAX(Size{1}, (d + kDepth - 1) / kDepth);
  const Size even = (d + passes - 1) / passes;
  const double* first = y.data + y.begin / kPanel * kPanel * d;
  const Size blocks = (x.end - x.begin / 8 * 8 + 7) / 8;
  for (Size pass = 0; pass < passes; ++pass) {
    const Size k = pass * even;
    const Size depth = HWY_MIN(even, d - k);
    for (Size jp = y.begin / kPanel * kPanel; jp < y.end; jp += kPanel) {
      const double* columns = y.data + jp * d + k * kPanel;
      const bool last_panel = jp + kPanel >= y.end, last_pass = pass + 1 == passes;
      const double* next = !last_panel ? columns + kPanel * d : !last_pass ? first + (k + depth) * kPanel : columns;
      Ahead ahead{reinterpret_cast<const char*>(next), kPanel * sizeof(double) / blocks};
      for (Size ip = x.begin / 8 * 8; ip < x.end; ip += 8) {
        const double* rows = x.data + ip / kPanel * kPanel * d + k * kPanel + ip % kPanel;
        ahead.from += ip > x.begin ? depth * ahead.step : 0;
        // At the rim of the tile the block reaches beyond it.
        const bool inside = ip >= x.begin && ip + 8 <= x.end && jp >= y.begin && jp + kPanel <= y.end;
        const Size i_first = HWY_MAX(ip, x.begin), i_last = HWY_MIN(ip + 8, x.end);
        const Size j_first = HWY_MAX(jp, y.begin), j_last = HWY_MIN(jp + kPanel, y.end);
        if (!inside && pass > 0) {
          for (Size i = i_first; i < i_last; ++i) {
            for (Size j = j_first; j < j_last; ++j) {
              edge[(i - ip) * kPanel + (j - jp)] = out[(i - x.begin) * stride + (j - y.begin)];
            }
          }
        }
        double* to = inside ? out + (ip - x.begin) * stride + (jp - y.begin) : edge;
        EightByPanel<Step>(rows, columns, depth, pass > 0, to, inside ? stride : kPanel, ahead);
        if (inside) continue;
        for (Size i = i_first; i < i_last; ++i) {
          for (Size j = j_first; j < j_last; ++j) {
            out[(i - x.begin) * stride + (j - y.begin)] = edge[(i - ip) * kPanel + (j - jp)];
          }
        }
      }
    }
  }
}

void PairTile(Pairing pairing, const Packed& x, const Packed& y, Size d, double* out, Size stride) {
  switch (pairing) {
    case Pairing::dot: return TileOf<DotStep>(x, y, d, out, stride);
    case Pairing::squared_distance: return TileOf<SquareStep>(x, y, d, out, stride);
    case Pairing::absolute_distance: return TileOf<AbsoluteStep>(x, y, d, out, stride);
    case Pairing::min_product: return TileOf<MinStep>(x, y, d, out, stride);
    case Pairing::multilinear_product: return TileOf<MultilinearStep>(x, y, d, out, stride);
    case Pairing::equal_columns: return TileOf<EqualStep>(x, y, d, out, stride);
    case Pairing::chi2_distance: return TileOf<Chi2Step>(x, y, d, out, stride);
  }
}

bool DistancesFromDots(double x2, const double* y2, double guard, Size n, const double* dots, double* out) {
  const V minus_two = Set(-2.0), zero = Set(0.0), bound = Set(guard);
  hn::Mask<D> lossy = hn::Lt(zero, zero);  // so far nowhere; asked once, at the end
  ForEachVector(n, [&](Size j, auto access) MERCER_INLINE_LAMBDA {
    const V norms = hn::Add(Set(x2), access.load(y2 + j));
    const V r2 = hn::MulAdd(minus_two, access.load(dots + j), norms);
    lossy = hn::Or(lossy, hn::Lt(access.keep(r2), access.keep(hn::Mul(bound, norms))));
    access.store(hn::Max(r2, zero), out + j);
  });
  return !hn::AllFalse(D(), lossy);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
