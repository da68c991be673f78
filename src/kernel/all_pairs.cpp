#include "kernel/all_pairs.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

void AllPairs::gram(MatrixRef out, const Execution& how) const {
  const Stage stage("rows");
  const Tiling tiling(bound_.rows(), how.tile);
  const std::vector<Tiling::Pair> tiles = tiling.lower_triangle();
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  parallel_for(static_cast<Index>(tiles.size()), threads, how.monitor, "gram", [&](Index t, int thread) {
    const auto [i, j] = tiles[at(t)];
    Scratch& mine = scratch[at(thread)];
    const double* tile = bound_.tile(i, j, mine);
    const auto rows = at(i.size()), cols = at(j.size());
    if (i.begin != j.begin) {
      simd::store(tile, rows, cols, cols, &out(i.begin, j.begin), at(out.stride()));
      simd::store_transposed(tile, rows, cols, cols, &out(j.begin, i.begin), at(out.stride()));
      return;
    }
    // On the diagonal the lower half is mirrored, and k(x,x) is computed as such.
    mine.weights.resize(rows);
    Scratch other;
    bound_.diagonal(i, mine.weights.data(), other);
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < a; ++b)
        out(i.begin + a, j.begin + b) = out(j.begin + b, i.begin + a) = tile[a * j.size() + b];
      out(i.begin + a, j.begin + a) = mine.weights[at(a)];
    }
  });
}

Vector AllPairs::gradient(const WeightTile& weights, const Execution& how) const {
  const Stage stage("gradient");
  const Tiling tiling(bound_.rows(), how.tile);
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  // One partial sum per row of tiles, added up in order: the same bits for any number of threads.
  std::vector<Vector> parts(at(tiling.count()), Vector(at(bound_.parameters())));
  parallel_for(tiling.count(), threads, how.monitor, "gradient", [&](Index t, int thread) {
    const Index row = tiling.count() - 1 - t;  // longest rows first
    const Range i = tiling.block(row);
    Vector tile;
    for (Index c = 0; c <= row; ++c) {
      const Range j = tiling.block(c);
      tile.resize(at(i.size() * j.size()));
      weights(i, j, tile.data());
      bound_.pullback(i, j, tile.data(), parts[at(row)].data(), {}, scratch[at(thread)]);
    }
  });
  return sum_of_gradients(parts, kernel_);
}

Vector sum_of_gradients(const std::vector<Vector>& parts, const Kernel& k) {
  const Params params = k.params();
  Vector total(at(params.size()));
  for (const Vector& part : parts) {
    for (std::size_t p = 0; p < part.size(); ++p) total[p] += part[p];
  }
  for (Index p = 0; p < params.size(); ++p) {
    if (std::isfinite(total[at(p)])) continue;
    fail(ErrorKind::numeric, "the derivative in {} is {} at {}: too large for double precision; start elsewhere",
         params[p].path, total[at(p)], params[p].value);
  }
  return total;
}

}  // namespace mercer::detail
