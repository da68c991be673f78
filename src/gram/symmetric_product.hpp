// out = K v for a symmetric K that is seen in tiles, those on and below the diagonal, each of them once.
//
// A tile K(I, J) below the diagonal serves twice, for out(I) and for out(J). Rows of tiles are dealt to a few lanes,
// each with its own sum, added up in order at the end: the result depends on the number of lanes, which is fixed, and
// not on the number of threads.
#pragma once

#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "mercer/evaluate.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

constexpr Index kLanes = 8;
// Bytes for the sums of the lanes; columns of v beyond them want another way.
constexpr Index kLaneBytes = Index{32} << 20;

// So many columns of v at once, at least one.
inline Index columns_at_once(Index n) {
  return std::max<Index>(1, kLaneBytes / (kLanes * std::max<Index>(1, n) * static_cast<Index>(sizeof(double))));
}
inline bool lanes_fit(Index n, Index columns) {
  return kLanes * n * columns * static_cast<Index>(sizeof(double)) <= kLaneBytes;
}

// A tile as a matrix product wants it.
inline MatrixView as_doubles(const double* tile, Range i, Range j, Vector&) { return {tile, i.size(), j.size()}; }
inline MatrixView as_doubles(const float* tile, Range i, Range j, Vector& room) {
  room.assign(tile, tile + i.size() * j.size());
  return {room.data(), i.size(), j.size()};
}

// tile_at(i, j, thread) gives the numbers of a tile, double or float, row by row; it is asked for all j from front to
// back for each i.
template <class TileAt>
void symmetric_product(const Tiling& tiling, MatrixView v, MatrixRef out, const Execution& how, const TileAt& tile_at) {
  const Index n = v.rows();
  const Range columns{0, v.cols()};
  std::vector<Matrix> sums(at(kLanes), Matrix(n, v.cols()));
  Vector only;  // a single column, side by side
  for (Index i = 0; v.cols() == 1 && i < n; ++i) only.push_back(v(i, 0));
  parallel_for(kLanes, thread_count(how.threads), how.monitor, "multiply", [&](Index lane, int thread) {
    MatrixRef sum = sums[at(lane)];
    Vector room;
    for (Index a = tiling.count() - 1 - lane; a >= 0; a -= kLanes) {
      const Range i = tiling.block(a);
      for (Index b = 0; b <= a; ++b) {
        const Range j = tiling.block(b);
        const auto* const tile = tile_at(i, j, thread);
        if (v.cols() == 1) {
          simd::tile_products(tile, at(j.size()), at(i.size()), at(j.size()), only.data() + j.begin, sum.row(i.begin),
                              only.data() + i.begin, a != b ? sum.row(j.begin) : nullptr);
          continue;
        }
        const MatrixView numbers = as_doubles(tile, i, j, room);
        linalg::multiply(1, numbers, v.block(j, columns), 1, sum.block(i, columns));
        if (a != b) linalg::multiply_left_transposed(1, numbers, v.block(i, columns), 1, sum.block(j, columns));
      }
    }
  });
  for (Index i = 0; i < n; ++i) {
    std::fill_n(out.row(i), v.cols(), 0.0);
    for (const Matrix& sum : sums) simd::add_scaled(1, sum.row(i), at(v.cols()), out.row(i));
  }
}

}  // namespace mercer::detail
