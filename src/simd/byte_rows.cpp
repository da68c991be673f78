#include "simd/byte_rows.hpp"

#include <cstring>

// The plainest target of each architecture stands in for all without the instruction; it is never asked.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/byte_rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/profile-inl.h"
#include "simd/target.hpp"

// Highway's own target with this instruction does not name it to the compiler, so it is added to the one below.
#if HWY_TARGET == HWY_AVX3
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
HWY_BEFORE_NAMESPACE();
#endif
namespace mercer::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3

bool Available() { return __builtin_cpu_supports("avx512vnni") != 0; }

using DI = hn::ScalableTag<std::int32_t>;
using VI = hn::Vec<DI>;

constexpr int kVectors = 3, kRows = 8;

// finish(x.y, |x|^2, |y|^2) in whole numbers for 8 points (less 128, which the sums of the columns make up for) and a
// panel; `rows` of the 8 are wanted.
template <class Finish>
HWY_INLINE void Block(const Finish& finish, const std::int8_t* x, const std::int32_t* x_norms, const ByteColumns& y,
                      Size panel, Size d4, Size rows, float* const* out, Size column) {
  __m512i dots[kRows][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) dots[r][c] = _mm512_setzero_si512();
  }
  const std::uint8_t* points = y.panels + panel * kFloatPanel * d4;
  for (Size k = 0; k < d4; k += 4) {
    __m512i columns[kVectors];
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) columns[c] = _mm512_loadu_si512(points + k * kFloatPanel + 64 * c);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      std::int32_t four;
      std::memcpy(&four, x + k * kFloatGroup + 4 * r, 4);
      const __m512i xk = _mm512_set1_epi32(four);
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) dots[r][c] = _mm512_dpbusd_epi32(dots[r][c], columns[c], xk);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    if (static_cast<Size>(r) >= rows) break;
    const VI x2 = hn::Set(DI(), x_norms[r]);
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) {
      const Size at = panel * kFloatPanel + 16 * static_cast<Size>(c);
      const VI dot = hn::Add(VI{dots[r][c]}, hn::ShiftLeft<7>(hn::LoadU(DI(), y.sums + at)));
      hn::StoreU(finish(dot, x2, hn::LoadU(DI(), y.norms + at)), DF(), out[r] + column + 16 * c);
    }
  }
}

struct OfDistance {
  Exponential value;
  HWY_INLINE VF operator()(VI dot, VI x2, VI y2) const {
    const VF zero = hn::Zero(DF());
    return value(hn::ConvertTo(DF(), hn::Sub(hn::Add(x2, y2), hn::Add(dot, dot))), zero, zero);
  }
};
template <class Value>
struct OfDot {
  Value value;
  HWY_INLINE VF operator()(VI dot, VI, VI) const {
    const VF zero = hn::Zero(DF());
    return value(hn::ConvertTo(DF(), dot), zero, zero);
  }
};
// The inner products themselves, in the place of floats.
struct Untouched {
  HWY_INLINE VF operator()(VI dot, VI, VI) const { return hn::BitCast(DF(), dot); }
};

// So many rows at a time that they stay in the second-level cache.
Size RowsTogether(Size d4) { return HWY_MAX(kFloatGroup, (Size{512} << 10) / d4 / kFloatGroup * kFloatGroup); }

template <class Finish>
void RowsOfBytes(const Finish& finish, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d4,
                 float* const* out) {
  for (Size from = 0; from < x.count; from += RowsTogether(d4)) {
    const Size to = HWY_MIN(x.count, from + RowsTogether(d4));
    for (Size panel = first; panel < last; ++panel) {
      for (Size r = from; r < to; r += kRows) {
        Block(finish, x.groups + r * d4, x.norms + r, y, panel, d4, to - r, out + r, (panel - first) * kFloatPanel);
      }
    }
  }
}

void Rows(const FloatProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d,
          float* const* out) {
  const Size d4 = byte_columns(d);
  switch (profile.kind) {
    case FloatProfile::Kind::exponential: {
      FloatProfile of_distance = profile;
      of_distance.differences = true;
      return RowsOfBytes(OfDistance{{of_distance}}, x, y, first, last, d4, out);
    }
    case FloatProfile::Kind::linear: return RowsOfBytes(OfDot<Linear>{{profile}}, x, y, first, last, d4, out);
    case FloatProfile::Kind::power: return RowsOfBytes(OfDot<Power>{{profile}}, x, y, first, last, d4, out);
  }
}

void AddExact(const ExactProfile& profile, const ByteRows& x, const double* weights, const ByteColumns& y, Size first,
              Size last, Size d, double* sums) {
  const Size d4 = byte_columns(d);
  const hn::Rebind<std::int32_t, D> integers;
  HWY_ALIGN float found[kRows * kFloatPanel];
  float* rows[kRows];
  for (Size r = 0; r < kRows; ++r) rows[r] = found + r * kFloatPanel;
  for (Size from = 0; from < x.count; from += RowsTogether(d4)) {
    const Size to = HWY_MIN(x.count, from + RowsTogether(d4));
    for (Size panel = first; panel < last; ++panel) {
      const Size at = panel * kFloatPanel;
      double* total = sums + (panel - first) * kFloatPanel;
      for (Size r = from; r < to; r += kRows) {
        Block(Untouched(), x.groups + r * d4, x.norms + r, y, panel, d4, to - r, rows, 0);
        for (Size j = 0; j < kFloatPanel; j += hn::Lanes(D())) {
          const V y2 = hn::PromoteTo(D(), hn::LoadU(integers, y.norms + at + j));
          V sum = hn::LoadU(D(), total + j);
          for (Size a = 0; a < HWY_MIN(to - r, static_cast<Size>(kRows)); ++a) {
            const V dot = hn::PromoteTo(D(), hn::BitCast(integers, hn::Load(hn::Rebind<float, D>(), rows[a] + j)));
            const V value = ExactValue(profile, dot, Set(static_cast<double>(x.norms[r + a])), y2);
            sum = hn::MulAdd(Set(weights[r + a]), value, sum);
          }
          hn::StoreU(sum, D(), total + j);
        }
      }
    }
  }
}

#else

bool Available() { return false; }
void Rows(const FloatProfile&, const ByteRows&, const ByteColumns&, Size, Size, Size, float* const*) {}
void AddExact(const ExactProfile&, const ByteRows&, const double*, const ByteColumns&, Size, Size, Size, double*) {}

#endif

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Available);
HWY_EXPORT(Rows);
HWY_EXPORT(AddExact);

bool byte_rows_available() { return MERCER_DISPATCH(Available)(); }

void pack_bytes(const float* panels, Size n, Size d, std::uint8_t* packed, std::int32_t* norms, std::int32_t* sums) {
  const Size d4 = byte_columns(d);
  for (Size first = 0; first < n; first += kFloatPanel) {
    const float* from = panels + first * d;
    std::uint8_t* to = packed + first * d4;
    std::memset(to, 0, kFloatPanel * d4);
    for (Size i = 0; i < kFloatPanel; ++i) norms[first + i] = sums[first + i] = 0;
    for (Size k = 0; k < d; ++k) {
      for (Size i = 0; i < kFloatPanel; ++i) {
        const auto value = static_cast<std::int32_t>(from[k * kFloatPanel + i]);
        to[(k / 4 * kFloatPanel + i) * 4 + k % 4] = static_cast<std::uint8_t>(value);
        norms[first + i] += value * value;
        sums[first + i] += value;
      }
    }
  }
}

void copy_byte_point(const std::uint8_t* panels, Size from, Size d, std::int8_t* groups, Size to) {
  const Size d4 = byte_columns(d);
  const std::uint8_t* source = panels + from / kFloatPanel * kFloatPanel * d4 + from % kFloatPanel * 4;
  std::int8_t* target = groups + to / kFloatGroup * kFloatGroup * d4 + to % kFloatGroup * 4;
  for (Size k = 0; k < d4; k += 4) {
    for (Size b = 0; b < 4; ++b) {
      target[k * kFloatGroup + b] = static_cast<std::int8_t>(static_cast<int>(source[k * kFloatPanel + b]) - 128);
    }
  }
}

void byte_rows(const FloatProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d,
               float* const* out) {
  MERCER_DISPATCH(Rows)(profile, x, y, first, last, d, out);
}
void add_exact_byte_rows(const ExactProfile& profile, const ByteRows& x, const double* weights, const ByteColumns& y,
                         Size first, Size last, Size d, double* sums) {
  MERCER_DISPATCH(AddExact)(profile, x, weights, y, first, last, d, sums);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
