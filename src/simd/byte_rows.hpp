// float_rows.hpp for points of whole numbers from 0 to 255: four columns (AVX2: two) are multiplied and added up by one
// instruction, exactly, and columns that are 0 in all rows of a block are left out. Only on CPUs that have AVX-512 VNNI
// or AVX2.
#pragma once

#include <cstdint>

#include "simd/float_rows.hpp"

namespace mercer::simd {

bool byte_rows_available();

// Columns come four at a time, so their number is rounded up; all sums stay within 31 bits up to this many columns.
constexpr Size kMostByteColumns = 8000;
inline Size byte_columns(Size d) { return padded_to(d, 4); }

// Points that are columns come in panels of 48, four columns of a point side by side, and are stored less 128, since
// the instruction multiplies unsigned with signed bytes. Points that are rows have their byte_columns(d) columns side
// by side.
constexpr std::int8_t kByteOfZero = -128;
struct ByteColumns {
  const std::int8_t* panels;
  const std::int32_t* norms;  // squared
};
struct ByteRows {
  const std::uint8_t* points;
  const std::int32_t* norms;
  const std::int32_t* sums;  // of the columns
  Size count;
};

// From the panels of pack_floats, whose numbers are rounded to whole ones from 0 to 255; n is a multiple of 48.
void pack_bytes(const float* panels, Size n, Size d, std::int8_t* packed, std::int32_t* norms, std::int32_t* sums);
void copy_byte_point(const std::int8_t* panels, Size from, Size d, std::uint8_t* row);

void byte_rows(const FloatProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last, Size d,
               float* const* out);
void add_exact_byte_rows(const ExactProfile& profile, const ByteRows& x, const double* weights, const ByteColumns& y,
                         Size first, Size last, Size d, double* sums);
// byte_rows in double precision.
void exact_byte_rows(const ExactProfile& profile, const ByteRows& x, const ByteColumns& y, Size first, Size last,
                     Size d, double* const* out);

}  // namespace mercer::simd
