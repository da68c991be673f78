// float_rows.hpp for points whose columns are 0 or 1. Four columns are a symbol; what two symbols add to the squared
// distance (or the inner product) of two points stands in a table of 16 x 16, and one instruction looks it up for a
// whole vector of points. Sums are exact, and for few columns the exponential of a sum is a product of table entries
// too: a kernel value costs a small part of what it does in floats.
#pragma once

#include <cstdint>

#include "simd/float_rows.hpp"

namespace mercer::simd {

// Points that are columns come in panels of so many: symbol k of point i is at
// (i / 192) * 192 * symbols + k * 192 + i % 192. Points that are rows have their symbols, times 16, side by side.
constexpr Size kBitPanel = 4 * kFloatPanel;
constexpr Size kMostBitColumns = 60'000;  // sums stay within 16 bits
inline Size bit_symbols(Size d) { return (d + 3) / 4; }

struct BitColumns {
  const std::uint8_t* panels;
  Size symbols;
  Size largest;  // no squared distance or inner product of two points exceeds it
};
struct BitRows {
  const std::uint8_t* points;
  Size count;
};

// From the panels of pack_floats, whose numbers are 0 or 1; n is a multiple of 48, places from n up to the next
// multiple of 192 are zeros.
void pack_bits(const float* panels, Size n, Size d, std::uint8_t* packed);
// Point `from` of panels as a row.
void copy_bit_point(const std::uint8_t* panels, Size from, Size symbols, std::uint8_t* row);

// As float_rows; panels are counted as there, by 48, and `first` is a multiple of 4.
void bit_rows(const FloatProfile& profile, const BitRows& x, const BitColumns& y, Size first, Size last,
              float* const* out);
// As add_exact_rows: values[s] is the kernel's value where the squared distance (exponential) or the inner product (the
// other kinds) is s, for s from 0 to `largest`.
void add_exact_bit_rows(FloatProfile::Kind kind, const double* values, const BitRows& x, const double* weights,
                        const BitColumns& y, Size first, Size last, double* sums);
// bit_rows in double precision.
void exact_bit_rows(FloatProfile::Kind kind, const double* values, const BitRows& x, const BitColumns& y, Size first,
                    Size last, double* const* out);

}  // namespace mercer::simd
