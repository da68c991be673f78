// Products and triangular solves with panels: matrices of 32 columns stored by rows, so narrow that a general matrix
// product would spend its time copying the other operand.
#pragma once

#include <cstddef>

namespace mercer::simd {

using Size = std::size_t;

constexpr Size kPanelColumns = 32;

// C += A X with 32 columns, X a panel. A may be read by rows or by columns: A(r, k) = a[r * row_step + k * col_step].
// Rows of C start c_step apart.
void add_product(const double* a, Size row_step, Size col_step, Size rows, Size depth, const double* x, double* c,
                 Size c_step = kPanelColumns);

// X becomes L^-1 X for a panel X of `rows` rows and a lower triangular L whose rows start `step` apart. Each column's
// bits depend on that column alone.
void solve_panel(const double* l, Size step, Size rows, double* x);

// The panel whose column i is row i of `count` <= 32 rows of `length` numbers that start `step` apart; other columns
// are 0. And back: those rows from the columns of the panel.
void rows_to_panel(const double* rows, Size step, Size count, Size length, double* panel);
void panel_to_rows(const double* panel, Size count, Size length, double* rows, Size step);

// A lower triangular L of bandwidth 32 is kept in groups of 6 rows. For rows i to i + 5: the entries of columns i - 32
// to i - 1, column by column; those left of the diagonal within the group, row by row; then one over each diagonal
// entry. All but these reciprocals with their sign changed.
constexpr Size kBandRows = 6;
constexpr Size kBandGroup = kBandRows * kPanelColumns + kBandRows * (kBandRows - 1) / 2 + kBandRows;

// squares[c] = |L^-1 b_c|^2 for the columns b_c of a panel of groups * 6 rows.
void banded_squares(const double* groups, Size count, const double* b, double* squares);

}  // namespace mercer::simd
