// The graph of nearest neighbours, by all pairs: exact, a tile of distances at a time.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/program_parts.hpp"
#include "mercer/nodes.hpp"

namespace mercer {

namespace {

constexpr Index kTileRows = 120, kTileColumns = 480;

struct Neighbour {
  double distance;  // squared
  Index point;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero of a default <=> for a pointer
  friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
};

// The k nearest so far, the farthest of them in front.
void offer(std::vector<Neighbour>& heap, std::size_t k, Neighbour one) {
  if (heap.size() < k) {
    heap.push_back(one);
    std::push_heap(heap.begin(), heap.end());
  } else if (one < heap.front()) {
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = one;
    std::push_heap(heap.begin(), heap.end());
  }
}

}  // namespace

Graph nearest_neighbours(const Points& x, const NeighbourOptions& options) {
  if (options.k < 1) fail(ErrorKind::usage, "nearest_neighbours: k is {}; it is at least 1", options.k);
  if (!(options.ell >= 0) || std::isinf(options.ell)) {
    fail(ErrorKind::usage, "nearest_neighbours: ell is {}; it is a number > 0, or 0 for weights of 1", options.ell);
  }
  const Index n = x.size();
  const auto k = at(std::min(options.k, n - 1));
  const auto edge = detail::squared_distance_edge("nearest_neighbours()");
  const detail::Sides sides = edge->prepare({x, x});
  std::vector<std::vector<Neighbour>> nearest(at(n));
  const int threads = thread_count(0);
  std::vector<detail::Scratch> scratch(at(threads));
  std::vector<Matrix> tiles(at(threads));
  parallel_for((n + kTileRows - 1) / kTileRows, threads, {}, "neighbours", [&](Index block, int thread) {
    Matrix& tile = tiles[at(thread)];
    if (tile.rows() == 0) tile = Matrix(kTileRows, kTileColumns);
    const Range i{block * kTileRows, std::min(n, (block + 1) * kTileRows)};
    for (Index first = 0; first < n; first += kTileColumns) {
      const Range j{first, std::min(n, first + kTileColumns)};
      const MatrixRef out(tile.data(), i.size(), j.size());
      edge->tile(*sides.x, *sides.y, i, j, out, scratch[at(thread)]);
      for (Index a = i.begin; a < i.end; ++a) {
        for (Index b = j.begin; b < j.end; ++b) {
          if (a != b) offer(nearest[at(a)], k, {out(a - i.begin, b - j.begin), b});
        }
      }
    }
  });

  GraphParts parts{.nodes = n};
  std::vector<std::pair<Index, Index>> seen;
  for (Index i = 0; i < n; ++i) {
    for (const Neighbour& near : nearest[at(i)]) seen.emplace_back(std::minmax(i, near.point));
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  const auto weight = [&](Index i, Index j) {
    if (options.ell == 0) return 1.0;
    for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)}) {
      for (const Neighbour& near : nearest[at(a)]) {
        if (near.point == b) return std::exp(-near.distance / (2 * options.ell * options.ell));
      }
    }
    return 1.0;
  };
  for (const auto& [i, j] : seen) parts.edges.push_back({i, j, weight(i, j)});
  return Graph(std::move(parts));
}

}  // namespace mercer
