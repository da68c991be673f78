// A sparse symmetric matrix times a panel: sixteen vectors side by side, one row of sixteen numbers for each node, so
// that a neighbour is one or two cache lines wherever it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer::simd {

using Size = std::size_t;

constexpr Size kSparsePanel = 16;
// Columns are read so far ahead: the array needs as many more entries behind the last one, any that are rows.
constexpr Size kSparseAhead = 32;

// M = diag(diagonal) + beside * W, W by rows: row i has the entries begins[i] to ends[i] - 1. Without a diagonal M is
// beside * W alone, and products are added to what is there.
struct SparseRows {
  const std::ptrdiff_t *begins, *ends;
  const std::int32_t* columns;
  const double* weights;   // null: all are 1
  const double* diagonal;  // null: a part of M beside the diagonal
  double beside;
};

// y_i = factor (M x)_i - keep y_i (of a part without diagonal: y_i += factor (M x)_i) for the rows i in [begin, end),
// or, with a list, list[begin .. end). What is stored in single precision is still added up in double. A column's bits
// do not depend on the columns beside it.
void sparse_panel(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin, Size end,
                  const double* x, double* y);
void sparse_panel(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin, Size end,
                  const float* x, float* y);

// out_r += a x_i + b y_i, rows i = list[r], r in [begin, end); all rows where there is no list.
void add_panels(double a, const double* x, double b, const double* y, const std::int32_t* list, Size begin, Size end,
                double* out);
void add_panels(double a, const float* x, double b, const float* y, const std::int32_t* list, Size begin, Size end,
                double* out);

}  // namespace mercer::simd
