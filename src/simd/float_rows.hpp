// Rows of kernel values in single precision: inner products of packed points, turned into kernel values while they are
// in registers. Support vector machines spend their time here.
#pragma once

#include <cstddef>

namespace mercer::simd {

using Size = std::size_t;

// Points packed by panels of 48: column k of point i is at (i / 48) * 48 * d + k * 48 + i % 48. Missing points of the
// last panel are zeros.
constexpr Size kFloatPanel = 48;
// Points whose rows are wanted, packed by groups of 8 in the same manner.
constexpr Size kFloatGroup = 8;
inline Size padded_to(Size n, Size unit) { return (n + unit - 1) / unit * unit; }

// Packs factor * (rows [0, n) less `shift`) by panels, and the squared norms of what is packed.
void pack_floats(const double* rows, Size stride, const double* shift, const double* factor, Size n, Size d,
                 float* packed, double* squared_norms);
// Point `from` of panels to place `to` of groups.
void copy_point(const float* panels, Size from, Size d, float* groups, Size to);

// What is made of x.y or |x-y|^2.
struct FloatProfile {
  enum class Kind { exponential, linear, power } kind;
  bool differences = false;  // |x-y|^2 by differences instead of norms and products: for few columns
  float factor = 1;          // exponential: exp(-factor |x-y|^2); linear, power: factor x.y
  float shift = 0;           // power: (factor x.y + shift)^degree
  int degree = 1;
  float scale = 1;           // of the result
  bool mostly_zero = false;  // the rows: columns that are 0 in a block of them are left out, up to kMostToSkip columns
};
constexpr Size kMostToSkip = 128;

// out[r][j] for rows r of `x` (groups) and points j of panels [first, last) of `y`, j counted from panel `first`.
// Whole panels are written: room for 48 numbers each.
void float_rows(const FloatProfile& profile, const float* x, const float* x_norms, Size rows, const float* y,
                const float* y_norms, Size first, Size last, Size d, float* const* out);

// Points whose columns are whole numbers have inner products that single precision finds exactly, `exact_columns` of
// them at a time: as long as sums stay below 2^24.
struct ExactProfile {
  FloatProfile::Kind kind;
  double factor = 1, shift = 0;  // as in FloatProfile
  int degree = 1;
  double scale = 1;
  Size exact_columns = 0;
};
// sums[j] += sum_r weights[r] K(x_r, y_j), points j counted from panel `first`; everything but the inner products of
// whole numbers in double precision. Whole panels are written.
void add_exact_rows(const ExactProfile& profile, const float* x, const double* x_norms, const double* weights,
                    Size rows, const float* y, const double* y_norms, Size first, Size last, Size d, double* sums);

// sums[o][j] += sum_r weights[o][r] rows[r][j] for j < n, in double precision; those of an output start a step apart.
void add_float_products(const float* const* rows, Size count, Size n, const double* weights, Size weights_step,
                        Size outputs, double* sums, Size sums_step);

// out += sum_r weights[r] rows[r]
void add_float_rows(const float* const* rows, const double* weights, Size count, Size n, double* out);

}  // namespace mercer::simd
