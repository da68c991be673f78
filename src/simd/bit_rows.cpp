#include "simd/bit_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/bit_rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/profile-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

using DB = hn::ScalableTag<std::uint8_t>;
using VB = hn::Vec<DB>;

constexpr int kRows = HWY_MAX_BYTES >= 64 ? 8 : 4;  // of a block: all its sums are in registers
constexpr Size kMostInByte = 255;
constexpr Size kSymbolsInByte = kMostInByte / 4;

// What two symbols add to the sum.
struct Table {
  explicit Table(FloatProfile::Kind kind) {
    for (unsigned a = 0; a < 16; ++a) {
      for (unsigned b = 0; b < 16; ++b) {
        of[16 * a + b] =
            static_cast<std::uint8_t>(std::popcount(kind == FloatProfile::Kind::exponential ? a ^ b : a & b));
      }
    }
  }
  HWY_ALIGN std::uint8_t of[256];
};

// Add(): sums of symbols [begin, end) for a block of rows and a panel, to `sums`, or where these are wide added to
// them.
#if HWY_TARGET == HWY_SCALAR

template <class Sum>
void Add(const Table& table, const std::uint8_t* const* x, const std::uint8_t* panel, Size begin, Size end, Sum* sums) {
  for (Size r = 0; r < kRows; ++r) {
    for (Size j = 0; j < kBitPanel; ++j) {
      unsigned sum = 0;
      for (Size k = begin; k < end; ++k) sum += table.of[x[r][k] + panel[k * kBitPanel + j]];
      Sum& to = sums[r * kBitPanel + j];
      to = static_cast<Sum>(sizeof(Sum) == 1 ? sum : to + sum);
    }
  }
}

// scale exp(-factor s) for s from 0 to 255.
template <class DT>
class Powers {
 public:
  Powers(double factor, double scale) : factor_(factor), scale_(scale) {}
  template <class VI>
  HWY_INLINE hn::Vec<DT> operator()(VI sums) const {
    const double value = scale_ * std::exp(-factor_ * static_cast<double>(hn::GetLane(sums)));
    return hn::Set(DT(), static_cast<hn::TFromD<DT>>(value));
  }

 private:
  double factor_, scale_;
};

#else

constexpr int kVectors = 3;

template <class Sum>
HWY_INLINE void Add(const Table& table, const std::uint8_t* const* x, const std::uint8_t* panel, Size begin, Size end,
                    Sum* sums) {
  const Size lanes = hn::Lanes(DB());
  for (Size column = 0; column < kBitPanel; column += kVectors * lanes) {
    VB block[kRows][kVectors];
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) block[r][c] = hn::Zero(DB());
    }
    for (Size k = begin; k < end; ++k) {
      const std::uint8_t* const y = panel + k * kBitPanel + column;
      VB symbols[kVectors];
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) symbols[c] = hn::LoadU(DB(), y + static_cast<Size>(c) * lanes);
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        const VB adds = hn::LoadDup128(DB(), table.of + x[r][k]);
        HWY_UNROLL(8)
        for (int c = 0; c < kVectors; ++c) {
          block[r][c] = hn::Add(block[r][c], hn::TableLookupBytes(adds, symbols[c]));
        }
      }
    }
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) {
        Sum* const to = sums + static_cast<Size>(r) * kBitPanel + column + static_cast<Size>(c) * lanes;
        if constexpr (sizeof(Sum) == 1) {
          hn::StoreU(block[r][c], DB(), to);
        } else {
          const hn::Repartition<std::uint16_t, DB> wide;
          const hn::Half<DB> half;
          const auto low = hn::PromoteTo(wide, hn::LowerHalf(half, block[r][c]));
          const auto high = hn::PromoteTo(wide, hn::UpperHalf(half, block[r][c]));
          hn::StoreU(hn::Add(low, hn::LoadU(wide, to)), wide, to);
          hn::StoreU(hn::Add(high, hn::LoadU(wide, to + lanes / 2)), wide, to + lanes / 2);
        }
      }
    }
  }
}

// scale exp(-factor s) for s from 0 to 255: s is taken apart into digits, each of which picks its part from a vector.
template <class DT>
class Powers {
 public:
  using T = hn::TFromD<DT>;
  static constexpr int kBits = static_cast<int>(std::bit_width(HWY_MAX_BYTES / sizeof(T))) - 1;
  static constexpr int kDigits = (8 + kBits - 1) / kBits;

  Powers(double factor, double scale) {
    for (int p = 0; p < kDigits; ++p) {
      for (int v = 0; v < 1 << kBits; ++v) {
        const double part = std::exp(-factor * static_cast<double>(v << (p * kBits)));
        of_[p][v] = static_cast<T>(p == 0 ? scale * part : part);
      }
    }
  }
  template <class VI>
  HWY_INLINE hn::Vec<DT> operator()(VI sums) const {
    const hn::RebindToSigned<DT> integers;
    const auto mask = hn::Set(integers, (1 << kBits) - 1);
    auto out = digit(0, hn::And(sums, mask));
    HWY_UNROLL(8)
    for (int p = 1; p < kDigits; ++p) {
      sums = hn::ShiftRight<kBits>(sums);
      out = hn::Mul(out, digit(p, hn::And(sums, mask)));
    }
    return out;
  }

 private:
  template <class VI>
  HWY_INLINE hn::Vec<DT> digit(int p, VI index) const {
    return hn::TableLookupLanes(hn::Load(DT(), of_[p]), hn::IndicesFromVec(DT(), index));
  }
  HWY_ALIGN T of_[kDigits][1 << kBits];
};

#endif

// From a sum to the kernel's value, in floats.
struct ShortExponential {
  Powers<DF> powers;
  template <class VI>
  HWY_INLINE VF operator()(VI sums) const {
    return powers(sums);
  }
};
template <class Value>
struct OfSum {
  Value value;
  template <class VI>
  HWY_INLINE VF operator()(VI sums) const {
    const VF zero = hn::Zero(DF());
    return value(hn::ConvertTo(DF(), sums), zero, zero);
  }
};
// body(first row, number of rows, panel, sums) for all blocks; the sums of row r start at r * 192.
template <class Sum, class Body>
HWY_INLINE void ForEachBlock(FloatProfile::Kind kind, const BitRows& x, const BitColumns& y, Size first, Size last,
                             const Body& body) {
  const Table table(kind);
  HWY_ALIGN Sum sums[kRows * kBitPanel];
  for (Size panel = first / 4; panel * 4 < last; ++panel) {
    for (Size r = 0; r < x.count; r += kRows) {
      const Size rows = HWY_MIN(x.count - r, static_cast<Size>(kRows));
      const std::uint8_t* points[kRows];
      for (Size a = 0; a < kRows; ++a) points[a] = x.points + (r + HWY_MIN(a, rows - 1)) * y.symbols;
      const std::uint8_t* const columns = y.panels + panel * kBitPanel * y.symbols;
      if constexpr (sizeof(Sum) == 1) {
        Add(table, points, columns, 0, y.symbols, sums);
      } else {
        std::memset(sums, 0, sizeof sums);
        for (Size k = 0; k < y.symbols; k += kSymbolsInByte) {
          Add(table, points, columns, k, HWY_MIN(y.symbols, k + kSymbolsInByte), sums);
        }
      }
      body(r, rows, panel, static_cast<const Sum*>(sums));
    }
  }
}

template <class Sum, class Value>
void RowsWith(const Value& value, FloatProfile::Kind kind, const BitRows& x, const BitColumns& y, Size first, Size last,
              float* const* out) {
  ForEachBlock<Sum>(kind, x, y, first, last, [&](Size r, Size rows, Size panel, const Sum* sums) HWY_ATTR {
    const hn::RebindToSigned<DF> integers;
    const hn::Rebind<Sum, DF> narrow;
    const Size column = panel * kBitPanel - first * kFloatPanel;
    const Size width = HWY_MIN(kBitPanel, (last - panel * 4) * kFloatPanel);
    for (Size a = 0; a < rows; ++a) {
      for (Size j = 0; j < width; j += hn::Lanes(DF())) {
        const auto sum = hn::PromoteTo(integers, hn::LoadU(narrow, sums + a * kBitPanel + j));
        hn::StoreU(value(sum), DF(), out[r + a] + column + j);
      }
    }
  });
}

// One value at a time: the processor loads faster than it picks from vectors of doubles.
template <class Sum>
void AddExactOf(FloatProfile::Kind kind, const double* values, const BitRows& x, const double* weights,
                const BitColumns& y, Size first, Size last, double* out) {
  ForEachBlock<Sum>(kind, x, y, first, last, [&](Size r, Size rows, Size panel, const Sum* sums) HWY_ATTR {
    double own[kRows] = {};
    for (Size a = 0; a < rows; ++a) own[a] = weights[r + a];
    double* const total = out + panel * kBitPanel - first * kFloatPanel;
    const Size width = HWY_MIN(kBitPanel, (last - panel * 4) * kFloatPanel);
    for (Size j = 0; j < width; ++j) {
      double sum = total[j];
      HWY_UNROLL(8)
      for (int a = 0; a < kRows; ++a) sum += own[a] * values[sums[static_cast<Size>(a) * kBitPanel + j]];
      total[j] = sum;
    }
  });
}

template <class Sum>
void ExactRowsOf(FloatProfile::Kind kind, const double* values, const BitRows& x, const BitColumns& y, Size first,
                 Size last, double* const* out) {
  ForEachBlock<Sum>(kind, x, y, first, last, [&](Size r, Size rows, Size panel, const Sum* sums) HWY_ATTR {
    const Size column = panel * kBitPanel - first * kFloatPanel;
    const Size width = HWY_MIN(kBitPanel, (last - panel * 4) * kFloatPanel);
    for (Size a = 0; a < rows; ++a) {
      for (Size j = 0; j < width; ++j) out[r + a][column + j] = values[sums[a * kBitPanel + j]];
    }
  });
}

void Rows(const FloatProfile& profile, const BitRows& x, const BitColumns& y, Size first, Size last,
          float* const* out) {
  const auto with = [&](const auto& value) {
    y.largest <= kMostInByte ? RowsWith<std::uint8_t>(value, profile.kind, x, y, first, last, out)
                             : RowsWith<std::uint16_t>(value, profile.kind, x, y, first, last, out);
  };
  switch (profile.kind) {
    case FloatProfile::Kind::exponential: {
      if (y.largest <= kMostInByte) {
        const ShortExponential value{{static_cast<double>(profile.factor), static_cast<double>(profile.scale)}};
        return RowsWith<std::uint8_t>(value, profile.kind, x, y, first, last, out);
      }
      FloatProfile of_distance = profile;
      of_distance.differences = true;
      return with(OfSum<Exponential>{{of_distance}});
    }
    case FloatProfile::Kind::linear: return with(OfSum<Linear>{{profile}});
    case FloatProfile::Kind::power: return with(OfSum<Power>{{profile}});
  }
}

void AddExact(FloatProfile::Kind kind, const double* values, const BitRows& x, const double* weights,
              const BitColumns& y, Size first, Size last, double* sums) {
  y.largest <= kMostInByte ? AddExactOf<std::uint8_t>(kind, values, x, weights, y, first, last, sums)
                           : AddExactOf<std::uint16_t>(kind, values, x, weights, y, first, last, sums);
}

void ExactRows(FloatProfile::Kind kind, const double* values, const BitRows& x, const BitColumns& y, Size first,
               Size last, double* const* out) {
  y.largest <= kMostInByte ? ExactRowsOf<std::uint8_t>(kind, values, x, y, first, last, out)
                           : ExactRowsOf<std::uint16_t>(kind, values, x, y, first, last, out);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Rows);
HWY_EXPORT(AddExact);
HWY_EXPORT(ExactRows);

void pack_bits(const float* panels, Size n, Size d, std::uint8_t* packed) {
  const Size symbols = bit_symbols(d);
  std::memset(packed, 0, padded_to(n, kBitPanel) * symbols);
  for (Size first = 0; first < n; first += kFloatPanel) {
    const float* const from = panels + first * d;
    std::uint8_t* const to = packed + first / kBitPanel * kBitPanel * symbols + first % kBitPanel;
    for (Size k = 0; k < d; ++k) {
      for (Size i = 0; i < kFloatPanel; ++i) {
        const int bit = from[k * kFloatPanel + i] != 0 ? 1 << (k % 4) : 0;
        to[k / 4 * kBitPanel + i] = static_cast<std::uint8_t>(to[k / 4 * kBitPanel + i] | bit);
      }
    }
  }
}

void copy_bit_point(const std::uint8_t* panels, Size from, Size symbols, std::uint8_t* row) {
  const std::uint8_t* const source = panels + from / kBitPanel * kBitPanel * symbols + from % kBitPanel;
  for (Size k = 0; k < symbols; ++k) row[k] = static_cast<std::uint8_t>(16 * source[k * kBitPanel]);
}

void bit_rows(const FloatProfile& profile, const BitRows& x, const BitColumns& y, Size first, Size last,
              float* const* out) {
  MERCER_DISPATCH(Rows)(profile, x, y, first, last, out);
}
void add_exact_bit_rows(FloatProfile::Kind kind, const double* values, const BitRows& x, const double* weights,
                        const BitColumns& y, Size first, Size last, double* sums) {
  MERCER_DISPATCH(AddExact)(kind, values, x, weights, y, first, last, sums);
}
void exact_bit_rows(FloatProfile::Kind kind, const double* values, const BitRows& x, const BitColumns& y, Size first,
                    Size last, double* const* out) {
  MERCER_DISPATCH(ExactRows)(kind, values, x, y, first, last, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
