// float_rows.hpp for points of whole numbers from 0 to 255: four columns are multiplied and added up by one
// instruction, exactly. Only on CPUs that have it (AVX-512 VNNI).
#pragma once

#include <cstdint>

#include "simd/float_rows.hpp"

namespace mercer::simd {

bool byte_rows_available();

// Columns come four at a time, so their number is rounded up; all sums stay within 31 bits up to this many columns.
constexpr Size kMostByteColumns = 8000;
inline Size byte_columns(Size d) { return padded_to(d, 4); }

// Packed points: panels of 48 (or groups of 8), four columns of a point side by side. The rows' points are stored less
// 128, since the instruction multiplies unsigned with signed bytes.
struct ByteColumns {
  const std::uint8_t* panels;
  const std::int32_t* norms;  // squared
  const std::int32_t* sums;   // of the columns
};
struct ByteRows {
  const std::int8_t* groups;
  const std::int32_t* norms;
  Size count;
};

// From the panels of pack_floats, whose numbers are whole and from 0 to 255; n is a multiple of 48.
void pack_bytes(const float* panels, Size n, Size d, std::uint8_t* packed, std::int32_t* norms, std::int32_t* sums);
void copy_byte_point(const std::uint8_t* panels, Size from, Size d, std::int8_t* groups, Size to);

void byte_rows(const FloatProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d,
               float* const* out);
void add_exact_byte_rows(const ExactProfile& profile, const ByteRows& x, const double* weights, const ByteColumns& y,
                         Size first, Size last, Size d, double* sums);

}  // namespace mercer::simd
