#include "simd/alignments.hpp"

#include <algorithm>
#include <cmath>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/alignments.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/exp-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

constexpr int kVectors = HWY_TARGET == HWY_SCALAR ? 1 : 2;  // side by side, so that one's steps fill the other's waits
constexpr Size kLanes = HWY_LANES(double);
constexpr Size kGroup = kVectors * kLanes;
static_assert(kAlignmentPanel % kGroup == 0);

// An exponent so low that 2^e is nothing beside any product of local kernels.
constexpr double kNothing = -4e15, kAlmostNothing = -3e15;
// exp of minus this, along any series, is still far from kNothing, and nothing to a double.
constexpr double kFarthest = 1e9;

// m 2^e, m from 1 to 2, e a whole number.
struct Scaled {
  V m, e;

  HWY_INLINE Scaled() {}  // an implicit one would be compiled without the instruction set
  HWY_INLINE Scaled(V mantissa, V exponent) : m(mantissa), e(exponent) {}
};

// 2^n for whole n from -1022 to 0.
HWY_INLINE V PowerOfTwo(V n) {
  const hn::RebindToUnsigned<D> bits;
  // Beside 2^52 the whole number n + 1023 stands in the low bits.
  const V biased = hn::Add(n, Set(4503599627370496.0 + 1023.0));
  return hn::BitCast(D(), hn::ShiftLeft<52>(hn::BitCast(bits, biased)));
}

// p 2^e, p > 0 and normal, with m brought to [1, 2).
HWY_INLINE Scaled Normalised(V p, V e) {
  const hn::RebindToUnsigned<D> bits;
  const auto raw = hn::BitCast(bits, p);
  const auto exponent = hn::Or(hn::ShiftRight<52>(raw), hn::BitCast(bits, Set(4503599627370496.0)));
  const V shift = hn::Sub(hn::BitCast(D(), exponent), Set(4503599627370496.0 + 1023.0));
  const auto fraction = hn::And(raw, hn::Set(bits, (1ULL << 52) - 1));
  return {hn::BitCast(D(), hn::Or(fraction, hn::BitCast(bits, Set(1.0)))), hn::Add(e, shift)};
}

// w / (2 - w) with w = weight exp(-s); `rise` is 2 / (2 - w), minus its logarithmic slope in s.
struct Local {
  Scaled k;
  V rise;
};
HWY_INLINE Local LocalKernel(V s, double weight) {
  s = hn::Min(s, Set(kFarthest));
  const V n = hn::Round(hn::Mul(s, Set(-1.4426950408889634)));
  V r = hn::NegMulAdd(n, Set(0.6931471804855391), hn::Neg(s));
  r = hn::NegMulAdd(n, Set(7.440617110012397e-11), r);
  const V fraction = hn::Mul(Set(weight), Exp(r));
  const V w = hn::Mul(fraction, PowerOfTwo(hn::Max(n, Set(-1022.0))));
  const V rest = hn::Sub(Set(2.0), w);
  return {{hn::Div(fraction, rest), n}, hn::Div(Set(2.0), rest)};
}

template <bool kSlopes>
void AlignGroup(const AlignmentKernel& kernel, const double* x, Size length, const AlignmentPanel& panel, Size first,
                Size d, double* scratch, double* logs, double* slopes) {
  const Size longest = panel.longest;
  double* const ms = scratch;
  double* const es = ms + kAlignmentPanel * (longest + 1);
  double* const gs = es + kAlignmentPanel * (longest + 1);  // d log M / d sigma
  const auto at = [&](double* of, Size j, int v) { return of + j * kGroup + static_cast<Size>(v) * kLanes; };
  for (Size j = 0; j <= longest; ++j) {
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(Set(1.0), D(), at(ms, j, v));
      hn::StoreU(Set(j == 0 ? 0.0 : kNothing), D(), at(es, j, v));
      if (kSlopes) hn::StoreU(Set(0.0), D(), at(gs, j, v));
    }
  }
  const V scale = Set(std::min(0.5 / kernel.sigma / kernel.sigma, 1e300));  // finite, so that 0 stays 0
  for (Size i = 1; i <= length; ++i) {
    const double* const point = x + (i - 1) * d;
    Scaled corner[kVectors], left[kVectors];
    V corner_slope[kVectors], left_slope[kVectors];
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v) {
      corner[v] = {Set(1.0), Set(i == 1 ? 0.0 : kNothing)};
      left[v] = {Set(1.0), Set(kNothing)};
      corner_slope[v] = left_slope[v] = Set(0.0);
    }
    for (Size j = 1; j <= longest; ++j) {
      const Size apart = i > j ? i - j : j - i;
      const double weight =
          kernel.band == 0
              ? 1
              : (apart < kernel.band ? 1 - static_cast<double>(apart) / static_cast<double>(kernel.band) : 0);
      const double* const other = panel.data + (j - 1) * d * kAlignmentPanel + first;
      V s[kVectors];
      HWY_UNROLL(2)
      for (int v = 0; v < kVectors; ++v) s[v] = Set(0.0);
      for (Size k = 0; weight > 0 && k < d; ++k) {
        const V own = Set(point[k]);
        HWY_UNROLL(2)
        for (int v = 0; v < kVectors; ++v) {
          const V u = hn::Sub(own, hn::LoadU(D(), other + k * kAlignmentPanel + static_cast<Size>(v) * kLanes));
          s[v] = hn::MulAdd(u, u, s[v]);
        }
      }
      HWY_UNROLL(2)
      for (int v = 0; v < kVectors; ++v) {
        const Scaled above{hn::LoadU(D(), at(ms, j, v)), hn::LoadU(D(), at(es, j, v))};
        const V above_slope = kSlopes ? hn::LoadU(D(), at(gs, j, v)) : Set(0.0);
        Scaled cell{Set(1.0), Set(kNothing)};
        V slope = Set(0.0);
        if (weight > 0) {
          s[v] = hn::Mul(s[v], scale);
          const Local local = LocalKernel(s[v], weight);
          const V top = hn::Max(hn::Max(above.e, left[v].e), corner[v].e);
          const auto part = [&](const Scaled& of) MERCER_INLINE_LAMBDA {
            return hn::Mul(of.m, PowerOfTwo(hn::Max(hn::Sub(of.e, top), Set(-1022.0))));
          };
          const V a = part(above), b = part(left[v]), c = part(corner[v]);
          const V sum = hn::Add(hn::Add(a, b), c);  // above and left, in either order, are the same bits
          cell = Normalised(hn::Mul(sum, local.k.m), hn::Add(top, local.k.e));
          if (kSlopes) {
            const V before =
                hn::MulAdd(c, corner_slope[v], hn::Add(hn::Mul(a, above_slope), hn::Mul(b, left_slope[v])));
            // d log k / d sigma = 2 s rise / sigma
            const V own = hn::Mul(hn::Mul(hn::Min(s[v], Set(kFarthest)), local.rise), Set(2 / kernel.sigma));
            slope = hn::Add(own, hn::Div(before, sum));
          }
        }
        hn::StoreU(cell.m, D(), at(ms, j, v));
        hn::StoreU(cell.e, D(), at(es, j, v));
        if (kSlopes) hn::StoreU(slope, D(), at(gs, j, v));
        corner[v] = above;
        left[v] = cell;
        corner_slope[v] = above_slope;
        left_slope[v] = slope;
      }
    }
  }
  for (Size lane = 0; lane < kGroup; ++lane) {
    const Size end = panel.lengths[first + lane] * kGroup + lane;
    const bool nothing = es[end] < kAlmostNothing;
    logs[first + lane] = nothing ? kLogOfZero : std::log(ms[end]) + es[end] * 0.6931471805599453;
    if (kSlopes) slopes[first + lane] = nothing ? 0 : gs[end];
  }
}

void Align(const AlignmentKernel& kernel, const double* x, Size length, const AlignmentPanel& panel, Size d,
           double* scratch, double* logs, double* slopes) {
  for (Size first = 0; first < kAlignmentPanel; first += kGroup) {
    slopes == nullptr ? AlignGroup<false>(kernel, x, length, panel, first, d, scratch, logs, slopes)
                      : AlignGroup<true>(kernel, x, length, panel, first, d, scratch, logs, slopes);
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Align);

void log_alignments(const AlignmentKernel& kernel, const double* x, Size length, const AlignmentPanel& panel, Size d,
                    double* scratch, double* logs, double* slopes) {
  MERCER_DISPATCH(Align)(kernel, x, length, panel, d, scratch, logs, slopes);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
