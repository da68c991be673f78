// Global alignment of pairs of series (Cuturi 2007, 2011): the sum, over all ways to align x_1..x_T with y_1..y_U, of
// the products of a local kernel along the way,
//     M(i, j) = k(i, j) (M(i-1, j) + M(i, j-1) + M(i-1, j-1)),  M(0, 0) = 1,  k = w / (2 - w),
//     w = exp(-|x_i - y_j|^2 / (2 sigma^2)), with a band times the triangle max(0, 1 - |i - j| / band).
// Sums of T^2 terms grow as 5.8^T and shrink as fast as one likes, so every M is kept as m 2^e, m from 1 to 2: nothing
// over- or underflows and no logarithm is taken on the way. One x against a panel of series, side by side in lanes.
#pragma once

#include "simd/log_of_zero.hpp"
#include "simd/loops.hpp"

namespace mercer::simd {

constexpr Size kAlignmentPanel = 16;

struct AlignmentPanel {
  const double* data;  // number k of row t of series l is at 16 (t d + k) + l; behind their ends series hold any number
  const Size* lengths;  // of the 16 series, from 1
  Size longest;
};
struct AlignmentKernel {
  double sigma;
  Size band;  // 0: none
};
// Buffer of log_alignments.
inline Size alignment_scratch(Size longest, bool slopes) { return kAlignmentPanel * (longest + 1) * (slopes ? 3 : 2); }

// logs[l] = log M(T, U_l), kLogOfZero where the ends are outside the band, and, unless `slopes` is null, slopes[l] = d
// logs[l] / d sigma. `x` is length x d.
void log_alignments(const AlignmentKernel& kernel, const double* x, Size length, const AlignmentPanel& panel, Size d,
                    double* scratch, double* logs, double* slopes);

}  // namespace mercer::simd
