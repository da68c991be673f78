// A symmetric matrix as a band matrix in another orthonormal basis.
#pragma once

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

constexpr Index kBandwidth = 32;

// A = Q T Q' with Q orthogonal and T(i, j) = 0 where |i - j| > 32. For solving with many T + s I a band is nearly as
// good as a diagonal, and it takes only matrix products, 8/3 n^3 flops, where eigenvectors take as many
// flops again and half of the first 4/3 n^3 in products with single vectors, which run at the speed of memory.
struct BandForm {
  Matrix band;                // n x 33: band(j, k) = T(j + k, j), 0 below the last row of T
  std::vector<Matrix> basis;  // Q, 32 columns at a time: n x 32 each, the last filled up with 0
};

// Reads the lower triangle of A, which is used up; n^2 doubles besides. Reports "reduce" to the monitor, so that it can
// be cancelled. The number of threads does not show in the result.
BandForm band_form(Matrix a, int threads, const Monitor& monitor = {});

}  // namespace mercer::linalg
