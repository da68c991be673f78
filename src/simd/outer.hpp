// Products of small vectors added to square matrices: what a filter does at every step.
#pragma once

#include <cstddef>

namespace mercer::simd {

// out += a x x', n x n numbers by rows.
void add_square(double a, const double* x, std::size_t n, double* out);
// out += a (x y' + y x')
void add_both(double a, const double* x, const double* y, std::size_t n, double* out);

}  // namespace mercer::simd
