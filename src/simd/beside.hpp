// Small symmetric systems, eight side by side: each step of Cholesky's method is one vector operation for as many of
// them as a vector has lanes. m^3/6 multiplications each, at nearly the speed of large matrices.
#pragma once

#include "simd/loops.hpp"

namespace mercer::simd {

constexpr Size kBeside = 8;

// Entry (i, j), j <= i, of system s is at a[kBeside * (i (i + 1)/2 + j) + s]; entry (i, c) of its vectors, of which
// there are `count`, at v[kBeside * (i count + c) + s].
inline Size triangle_beside(Size order) { return kBeside * (order * (order + 1) / 2); }

// Systems of order m + 1: the first m rows become those of L, with the inverse of its diagonal in the diagonal's place;
// the last row becomes that of L, too, but its last entry what is left of it: the variance of the last variable given
// the others. A pivot that is not positive makes that of its system NaN.
void factor_beside(Size m, double* a);
// Rows 0 to m - 1 of the vectors become L^-1 v, and row m what is left of it: v_m - l_m'L^-1 v.
void solve_beside(Size m, const double* a, Size count, double* v);
// Rows 0 to m - 1 of the vectors become L^-T v.
void solve_back_beside(Size m, const double* a, Size count, double* v);

}  // namespace mercer::simd
