#include "simd/count_lines.hpp"

#include <algorithm>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/count_lines.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DS = hn::ScalableTag<std::uint16_t>;
using VS = hn::Vec<DS>;
using DD = hn::ScalableTag<double>;
using VD = hn::Vec<DD>;

// As many lines at a time as 16 bits hold the sum of; such sums are added in doubles.
template <int kVectors>
HWY_INLINE void SumBlock(const std::uint16_t* factors, const std::uint8_t* const* lines, Size count, unsigned largest,
                         Size column, double* out) {
  const Size lanes = hn::Lanes(DS());
  const hn::Rebind<std::uint8_t, DS> bytes;
  Size p = 0;
  do {
    VS sums[kVectors];
    HWY_UNROLL(8)
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(DS());
    const Size first = p;
    for (unsigned room = 65535; p < count && factors[p] * largest <= room; ++p) {
      room -= factors[p] * largest;
      const VS factor = hn::Set(DS(), factors[p]);
      const std::uint8_t* const line = lines[p] + column;
      HWY_UNROLL(8)
      for (int v = 0; v < kVectors; ++v) {
        const VS counts = hn::PromoteTo(DS(), hn::LoadU(bytes, line + static_cast<Size>(v) * lanes));
        sums[v] = hn::Add(sums[v], hn::Mul(factor, counts));
      }
    }
    alignas(64) std::uint16_t total[kVectors * hn::MaxLanes(DS())];
    HWY_UNROLL(8)
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[v], DS(), total + static_cast<Size>(v) * lanes);
    for (Size j = 0; j < kVectors * lanes; j += hn::Lanes(DD())) {
      const hn::Rebind<std::int32_t, DD> words;
      const hn::Rebind<std::uint16_t, DD> shorts;
      const VD added = hn::PromoteTo(DD(), hn::PromoteTo(words, hn::LoadU(shorts, total + j)));
      double* const to = out + column + j;
      hn::StoreU(first == 0 ? added : hn::Add(added, hn::LoadU(DD(), to)), DD(), to);
    }
  } while (p < count);
}

void SumLines(const std::uint16_t* factors, const std::uint8_t* const* lines, Size count, unsigned largest, Size width,
              double* out) {
  constexpr int kMany = 8, kFew = 2;  // vectors: whose sums stay in registers, and that divide any width
  const Size lanes = hn::Lanes(DS());
  Size column = 0;
  for (; column + kMany * lanes <= width; column += kMany * lanes) {
    SumBlock<kMany>(factors, lines, count, largest, column, out);
  }
  for (; column < width; column += kFew * lanes) SumBlock<kFew>(factors, lines, count, largest, column, out);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(SumLines);

void sum_count_lines(const std::uint16_t* factors, const std::uint8_t* const* lines, Size count, unsigned largest,
                     Size width, double* out) {
  MERCER_DISPATCH(SumLines)(factors, lines, count, largest, width, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
