#include "simd/byte_rows.hpp"

#include <cstring>
#include <vector>

// The plainest target of each architecture stands in for all without the instructions; it is never asked.
#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/byte_rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/profile-inl.h"
#include "simd/target.hpp"

// Highway's own target with this instruction does not name it to the compiler, so it is added to the one below; to
// clang++ a lambda has it only when it says so itself.
#undef MERCER_LAMBDA
#if HWY_TARGET == HWY_AVX3
#define MERCER_LAMBDA __attribute__((target(HWY_TARGET_STR ",avx512vnni")))
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
#define MERCER_LAMBDA HWY_ATTR
HWY_BEFORE_NAMESPACE();
#endif
namespace mercer::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2

using DI = hn::ScalableTag<std::int32_t>;
using VI = hn::Vec<DI>;

constexpr int kVectors = 3;

#if HWY_TARGET == HWY_AVX3

bool Available() { return __builtin_cpu_supports("avx512vnni") != 0; }

constexpr int kRows = 8;  // of a block: all its sums are in registers

// Four columns of a row as the instruction takes them.
struct Four {
  std::int32_t bytes;
  explicit Four(const std::uint8_t* x) { std::memcpy(&bytes, x, 4); }
};

// Sums of products for a block of rows and the 48 points of `width` places from y on; fours[i] are those of column
// places[i].
HWY_INLINE void Products(const Four* fours, const std::vector<std::uint32_t>& places, const std::int8_t* y,
                         std::int32_t* products) {
  __m512i sums[kRows][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) sums[r][c] = _mm512_setzero_si512();
  }
  for (const std::uint32_t place : places) {
    __m512i columns[kVectors];
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) columns[c] = _mm512_loadu_si512(y + place * kFloatPanel + 64 * c);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      const __m512i x = _mm512_set1_epi32(fours[r].bytes);
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) sums[r][c] = _mm512_dpbusd_epi32(sums[r][c], x, columns[c]);
    }
    fours += kRows;
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c)
      _mm512_storeu_si512(products + r * static_cast<int>(kFloatPanel) + 16 * c, sums[r][c]);
  }
}

#else

bool Available() { return true; }

constexpr int kRows = 4;

// Multiplied as pairs of 16 bits, which cannot overflow: columns 0 and 2, and columns 1 and 3. (Bytes are multiplied by
// one instruction too, but their sums do not fit 16 bits; taking rows apart into half bytes costs more than this.)
struct Four {
  std::int32_t even, odd;
  explicit Four(const std::uint8_t* x) : even(x[0] | x[2] << 16), odd(x[1] | x[3] << 16) {}
};

HWY_INLINE void Products(const Four* all, const std::vector<std::uint32_t>& places, const std::int8_t* y,
                         std::int32_t* products) {
  constexpr int kWidth = 8 * kVectors;
  for (int part = 0; part < static_cast<int>(kFloatPanel); part += kWidth) {
    __m256i sums[kRows][kVectors];
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) sums[r][c] = _mm256_setzero_si256();
    }
    const Four* fours = all;
    for (const std::uint32_t place : places) {
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) {
        const auto* const from = y + place * kFloatPanel + 4 * part + 32 * c;
        const __m256i columns = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        const __m256i even = _mm256_srai_epi16(_mm256_slli_epi16(columns, 8), 8);
        const __m256i odd = _mm256_srai_epi16(columns, 8);
        HWY_UNROLL(8)
        for (int r = 0; r < kRows; ++r) {
          const __m256i a = _mm256_madd_epi16(_mm256_set1_epi32(fours[r].even), even);
          const __m256i b = _mm256_madd_epi16(_mm256_set1_epi32(fours[r].odd), odd);
          sums[r][c] = _mm256_add_epi32(sums[r][c], _mm256_add_epi32(a, b));
        }
      }
      fours += kRows;
    }
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) {
        auto* const to = products + r * static_cast<int>(kFloatPanel) + part + 8 * c;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums[r][c]);
      }
    }
  }
}

#endif

// A block of rows without the columns, four at a time, in which all of them are 0.
struct Block {
  std::vector<Four> fours;
  std::vector<std::uint32_t> places;

  void set(const ByteRows& x, Size first, Size rows, Size d4) {
    fours.clear();
    places.clear();
    const std::uint8_t* from[kRows];
    for (Size r = 0; r < kRows; ++r) from[r] = x.points + (first + HWY_MIN(r, rows - 1)) * d4;
    for (Size k = 0; k < d4; k += 4) {
      std::uint32_t any = 0;
      for (Size r = 0; r < kRows; ++r) {
        std::uint32_t bytes;
        std::memcpy(&bytes, from[r] + k, 4);
        any |= bytes;
      }
      if (any == 0) continue;
      places.push_back(static_cast<std::uint32_t>(k));
      for (Size r = 0; r < kRows; ++r) fours.emplace_back(from[r] + k);
    }
  }
};

// body(first row, rows, panel, products) for all blocks; the products of row r start at r * 48, and lack 128 times the
// row's sum since columns are stored less 128.
template <class Body>
HWY_INLINE void ForEachBlock(const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d4,
                             const Body& body) {
  HWY_ALIGN std::int32_t products[kRows * kFloatPanel];
  Block block;
  for (Size r = 0; r < x.count; r += kRows) {
    const Size rows = HWY_MIN(x.count - r, static_cast<Size>(kRows));
    block.set(x, r, rows, d4);
    for (Size panel = first; panel < last; ++panel) {
      Products(block.fours.data(), block.places, y.panels + panel * kFloatPanel * d4, products);
      body(r, rows, panel, static_cast<const std::int32_t*>(products));
    }
  }
}

// From x.y, |x|^2 and |y|^2 in whole numbers to the kernel's value.
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

template <class Finish>
void RowsOfBytes(const Finish& finish, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d4,
                 float* const* out) {
  ForEachBlock(x, y, first, last, d4, [&](Size r, Size rows, Size panel, const std::int32_t* products) MERCER_LAMBDA {
    const Size column = (panel - first) * kFloatPanel;
    for (Size a = 0; a < rows; ++a) {
      const VI missing = hn::Set(DI(), 128 * x.sums[r + a]), x2 = hn::Set(DI(), x.norms[r + a]);
      for (Size j = 0; j < kFloatPanel; j += hn::Lanes(DI())) {
        const VI dot = hn::Add(missing, hn::Load(DI(), products + a * kFloatPanel + j));
        const VI y2 = hn::LoadU(DI(), y.norms + panel * kFloatPanel + j);
        hn::StoreU(finish(dot, x2, y2), DF(), out[r + a] + column + j);
      }
    }
  });
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

// body(row, column, values) for all values in double precision, a vector of columns at a time.
template <class Body>
HWY_INLINE void ForEachExact(const ExactProfile& profile, const ByteRows& x, const ByteColumns& y, Size first,
                             Size last, Size d, const Body& body) {
  ForEachBlock(x, y, first, last, byte_columns(d),
               [&](Size r, Size rows, Size panel, const std::int32_t* products) MERCER_LAMBDA {
                 const hn::Rebind<std::int32_t, D> integers;
                 const Size column = (panel - first) * kFloatPanel;
                 for (Size j = 0; j < kFloatPanel; j += hn::Lanes(D())) {
                   const V y2 = hn::PromoteTo(D(), hn::LoadU(integers, y.norms + panel * kFloatPanel + j));
                   for (Size a = 0; a < rows; ++a) {
                     const auto missing = hn::Set(integers, 128 * x.sums[r + a]);
                     const auto dot = hn::Add(missing, hn::Load(integers, products + a * kFloatPanel + j));
                     const V x2 = Set(static_cast<double>(x.norms[r + a]));
                     body(r + a, column + j, ExactValue(profile, hn::PromoteTo(D(), dot), x2, y2));
                   }
                 }
               });
}

void AddExact(const ExactProfile& profile, const ByteRows& x, const double* weights, const ByteColumns& y, Size first,
              Size last, Size d, double* sums) {
  ForEachExact(profile, x, y, first, last, d, [&](Size row, Size column, V value) MERCER_LAMBDA {
    hn::StoreU(hn::MulAdd(Set(weights[row]), value, hn::LoadU(D(), sums + column)), D(), sums + column);
  });
}

void ExactRows(const ExactProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d,
               double* const* out) {
  ForEachExact(profile, x, y, first, last, d,
               [&](Size row, Size column, V value) MERCER_LAMBDA { hn::StoreU(value, D(), out[row] + column); });
}

#else

bool Available() { return false; }
void Rows(const FloatProfile&, const ByteRows&, const ByteColumns&, Size, Size, Size, float* const*) {}
void AddExact(const ExactProfile&, const ByteRows&, const double*, const ByteColumns&, Size, Size, Size, double*) {}
void ExactRows(const ExactProfile&, const ByteRows&, const ByteColumns&, Size, Size, Size, double* const*) {}

#endif

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Available);
HWY_EXPORT(Rows);
HWY_EXPORT(AddExact);
HWY_EXPORT(ExactRows);

bool byte_rows_available() { return MERCER_DISPATCH(Available)(); }

void pack_bytes(const float* panels, Size n, Size d, std::int8_t* packed, std::int32_t* norms, std::int32_t* sums) {
  const Size d4 = byte_columns(d);
  for (Size first = 0; first < n; first += kFloatPanel) {
    const float* from = panels + first * d;
    std::int8_t* to = packed + first * d4;
    std::memset(to, kByteOfZero, kFloatPanel * d4);
    for (Size i = 0; i < kFloatPanel; ++i) norms[first + i] = sums[first + i] = 0;
    for (Size k = 0; k < d; ++k) {
      for (Size i = 0; i < kFloatPanel; ++i) {
        // NOLINTNEXTLINE(bugprone-incorrect-roundings): not negative, and lround is a call
        const auto value = static_cast<std::int32_t>(from[k * kFloatPanel + i] + 0.5F);
        to[(k / 4 * kFloatPanel + i) * 4 + k % 4] = static_cast<std::int8_t>(value + kByteOfZero);
        norms[first + i] += value * value;
        sums[first + i] += value;
      }
    }
  }
}

void copy_byte_point(const std::int8_t* panels, Size from, Size d, std::uint8_t* row) {
  const Size d4 = byte_columns(d);
  const std::int8_t* source = panels + from / kFloatPanel * kFloatPanel * d4 + from % kFloatPanel * 4;
  for (Size k = 0; k < d4; ++k) {
    row[k] = static_cast<std::uint8_t>(source[k / 4 * 4 * kFloatPanel + k % 4] - kByteOfZero);
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
void exact_byte_rows(const ExactProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last,
                     Size d, double* const* out) {
  MERCER_DISPATCH(ExactRows)(profile, x, y, first, last, d, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
