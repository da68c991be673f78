#include <algorithm>
#include <limits>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/match_runs.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/string_groups.hpp"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DU = hn::ScalableTag<std::uint32_t>;
using VU = hn::Vec<DU>;

// A match adds to the weight of the run what is left of the degree, and takes one from that; anything else begins anew.
void Runs(const std::uint32_t* x, const StringGroup& y, Size degree, double* sums) {
  constexpr int kVectors = 2;
  const Size lanes = hn::Lanes(DU());
  const Size heaviest = degree * (degree + 1) / 2;
  const Size stretch = std::max<Size>(1, std::numeric_limits<std::uint32_t>::max() / heaviest);  // sums fit
  const VU whole = hn::Set(DU(), static_cast<std::uint32_t>(degree)), one = hn::Set(DU(), 1);
  std::fill_n(sums, kGroup, 0.0);
  for (Size lane = 0; lane < y.strings; lane += kVectors * lanes) {
    VU left[kVectors] = {whole, whole}, weight[kVectors] = {hn::Zero(DU()), hn::Zero(DU())};
    for (Size first = 0; first < y.length; first += stretch) {
      VU total[kVectors] = {hn::Zero(DU()), hn::Zero(DU())};
      for (Size b = first; b < HWY_MIN(y.length, first + stretch); ++b) {
        const VU symbol = hn::Set(DU(), x[b]);
        HWY_UNROLL(2)
        for (int v = 0; v < kVectors; ++v) {
          const Size from = lane + static_cast<Size>(v) * lanes;
          const auto equal = hn::Eq(hn::LoadU(DU(), y.symbols + b * kGroup + from), symbol);
          weight[v] = hn::IfThenElseZero(equal, hn::Add(weight[v], left[v]));
          left[v] = hn::IfThenElse(equal, hn::Sub(hn::Max(left[v], one), one), whole);
          total[v] = hn::Add(total[v], weight[v]);
        }
      }
      for (int v = 0; v < kVectors; ++v) {
        alignas(64) std::uint32_t values[hn::MaxLanes(DU())];
        hn::Store(total[v], DU(), values);
        for (Size j = 0; j < lanes; ++j) sums[lane + static_cast<Size>(v) * lanes + j] += values[j];
      }
    }
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Runs);

void match_runs(const std::uint32_t* x, const StringGroup& y, Size degree, double* sums) {
  MERCER_DISPATCH(Runs)(x, y, degree, sums);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
