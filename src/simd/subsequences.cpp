#include <algorithm>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/subsequences.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/lanes-inl.h"
#include "simd/string_groups.hpp"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

constexpr int kVectors = 2;  // at a time: a step waits for the one before, and these do not wait for each other
HWY_INLINE Size Lane(int v) { return static_cast<Size>(v) * hn::Lanes(D()); }
HWY_INLINE Size Width() { return Lane(kVectors); }

// Which strings of the group have this symbol at b.
struct Match {
  const std::uint32_t* symbols;
  std::uint32_t symbol;
  HWY_INLINE hn::Mask<D> operator()(Size b, int v) const {
    const hn::RebindToUnsigned<D> wide;
    const hn::Rebind<std::uint32_t, D> narrow;
    const auto found = hn::LoadU(narrow, symbols + b * kGroup + Lane(v));
    return hn::RebindMask(D(), hn::Eq(hn::PromoteTo(wide, found), hn::Set(wide, symbol)));
  }
};

// S(a, b) from what ends at (a, b) and its three neighbours; the derivative has the same form with more that ends
// there.
struct Recurrence {
  explicit Recurrence(double d) : decay(Set(d)), squared(Set(d * d)), twice(Set(2 * d)) {}
  HWY_INLINE V operator()(V ends, V up, V left, V diagonal) const {
    return hn::MulAdd(decay, hn::Add(up, left), hn::NegMulAdd(squared, diagonal, ends));
  }
  HWY_INLINE V slope(V up, V left, V diagonal) const { return hn::NegMulAdd(twice, diagonal, hn::Add(up, left)); }
  V decay, squared, twice;
};

// One of the sums for all b, from 0, where it is 0; number b is at b * Width(). Slopes stand behind all values.
struct Row {
  double* values;
  Size slopes;  // so far behind
  HWY_INLINE V load(Size b, int v) const { return hn::LoadU(D(), values + b * Width() + Lane(v)); }
  HWY_INLINE V load_slope(Size b, int v) const { return hn::LoadU(D(), values + slopes + b * Width() + Lane(v)); }
  HWY_INLINE void store(V sum, Size b, int v) const { hn::StoreU(sum, D(), values + b * Width() + Lane(v)); }
  HWY_INLINE void store_slope(V sum, Size b, int v) const {
    hn::StoreU(sum, D(), values + slopes + b * Width() + Lane(v));
  }
};

struct Ends {
  V value, slope;
};

// `row` from that of the symbol of x before: ends(b, v) is what ends at symbol b of y.
template <bool kSlopes, class EndsAt>
HWY_INLINE void Advance(const Recurrence& rule, Size length, const Row& row, const EndsAt& ends_at) {
  V left[kVectors], diagonal[kVectors], left_slope[kVectors], diagonal_slope[kVectors];
  HWY_UNROLL(8)
  for (int v = 0; v < kVectors; ++v) left[v] = diagonal[v] = left_slope[v] = diagonal_slope[v] = Set(0.0);
  for (Size b = 0; b < length; ++b) {
    HWY_UNROLL(8)
    for (int v = 0; v < kVectors; ++v) {
      const Ends ends = ends_at(b, v);
      const V up = row.load(b + 1, v);
      if constexpr (kSlopes) {
        const V up_slope = row.load_slope(b + 1, v);
        const V more = hn::Add(ends.slope, rule.slope(up, left[v], diagonal[v]));
        left_slope[v] = rule(more, up_slope, left_slope[v], diagonal_slope[v]);
        diagonal_slope[v] = up_slope;
        row.store_slope(left_slope[v], b + 1, v);
      }
      left[v] = rule(ends.value, up, left[v], diagonal[v]);
      diagonal[v] = up;
      row.store(left[v], b + 1, v);
    }
  }
}

// The rows are S_1, ..., S_(longest-1), what ends at each symbol, and its sum over all.
template <bool kSlopes>
void SumsOf(const Subsequences& what, const std::uint32_t* x, Size n, const StringGroup& y, Size lane, double* work,
            double* sums, double* slopes) {
  const Size size = (y.length + 1) * Width(), rows = what.longest + 1;
  const auto row = [&](Size r) { return Row{work + r * size, rows * size}; };
  const Row counted = row(what.longest - 1), total = row(what.longest);
  std::fill_n(work, (kSlopes ? 2 : 1) * rows * size, 0.0);
  const Recurrence rule(what.decay), adding(1.0);

  for (Size a = 0; a < n; ++a) {
    const Match match{y.symbols + lane, x[a]};
    for (Size i = what.longest; i >= 1; --i) {
      const bool last = i == what.longest;
      const V weight = Set(what.weights[i - 1]), weight_slope = Set(kSlopes ? what.weight_slopes[i - 1] : 0);
      const Row before = row(i >= 2 ? i - 2 : 0);
      const auto ends_at = [&](Size b, int v) MERCER_INLINE_LAMBDA -> Ends {
        const auto equal = match(b, v);
        if (i == 1) return {hn::IfThenElseZero(equal, Set(1.0)), Set(0.0)};
        return {hn::IfThenElseZero(equal, before.load(b, v)),
                kSlopes ? hn::IfThenElseZero(equal, before.load_slope(b, v)) : Set(0.0)};
      };
      const auto count = [&](const Ends& ends, Size b, int v) MERCER_INLINE_LAMBDA {
        const V so_far = last ? Set(0.0) : counted.load(b + 1, v);
        counted.store(hn::MulAdd(weight, ends.value, so_far), b + 1, v);
        if constexpr (kSlopes) {
          const V slope = hn::MulAdd(weight_slope, ends.value, last ? Set(0.0) : counted.load_slope(b + 1, v));
          counted.store_slope(hn::MulAdd(weight, ends.slope, slope), b + 1, v);
        }
      };
      if (last) {
        for (Size b = 0; b < y.length; ++b) {
          HWY_UNROLL(8)
          for (int v = 0; v < kVectors; ++v) count(ends_at(b, v), b, v);
        }
      } else if (what.weights[i - 1] == 0) {
        Advance<kSlopes>(rule, y.length, row(i - 1), ends_at);
      } else {
        Advance<kSlopes>(rule, y.length, row(i - 1), [&](Size b, int v) MERCER_INLINE_LAMBDA {
          const Ends ends = ends_at(b, v);
          count(ends, b, v);
          return ends;
        });
      }
    }
    // No decay here, so the derivative of the rule itself is none.
    const auto counted_at = [&](const Row& of) {
      return [of](Size b, int v) MERCER_INLINE_LAMBDA -> Ends { return {of.load(b + 1, v), Set(0.0)}; };
    };
    Advance<false>(adding, y.length, total, counted_at(counted));
    if constexpr (kSlopes) {
      const Size behind = rows * size;
      Advance<false>(adding, y.length, {total.values + behind, 0}, counted_at({counted.values + behind, 0}));
    }
  }
  // Each at its own end: behind it nothing more is counted, but roundings are.
  for (Size j = 0; j < Width(); ++j) {
    const double* const end = total.values + y.lengths[lane + j] * Width() + j;
    sums[j] = end[0];
    if constexpr (kSlopes) slopes[j] = end[rows * size];
  }
}

void Sums(const Subsequences& what, const std::uint32_t* x, Size n, const StringGroup& y, double* work, double* sums,
          double* slopes) {
  for (Size lane = 0; lane < y.strings; lane += Width()) {
    slopes != nullptr ? SumsOf<true>(what, x, n, y, lane, work, sums + lane, slopes + lane)
                      : SumsOf<false>(what, x, n, y, lane, work, sums + lane, nullptr);
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Sums);

constexpr Size kLine = 64 / sizeof(double);

Size subsequence_work(const Subsequences& what, Size length, bool slopes) {
  return kLine + (slopes ? 2 : 1) * (what.longest + 1) * (length + 1) * kGroup;  // room for the widest vectors
}

void subsequence_sums(const Subsequences& what, const std::uint32_t* x, Size n, const StringGroup& y, double* work,
                      double* sums, double* slopes) {
  while (reinterpret_cast<std::uintptr_t>(work) % 64 != 0) ++work;
  MERCER_DISPATCH(Sums)(what, x, n, y, work, sums, slopes);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
