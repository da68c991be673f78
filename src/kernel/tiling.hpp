// Cutting [0, n) into blocks, and the pairs of blocks that make up a matrix.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer {

class Tiling {
 public:
  struct Pair {
    Range i, j;
  };

  Tiling(Index size, Index tile) : size_(size), tile_(std::max<Index>(1, tile)) {}
  Index count() const { return (size_ + tile_ - 1) / tile_; }
  Range block(Index b) const { return {b * tile_, std::min(size_, (b + 1) * tile_)}; }

  // Pairs with j <= i, enough for a symmetric matrix; neighbours follow each other in squares, so that their
  // points are still in cache. Tiles on the diagonal are cut in three both ways: of those, too, six of nine are enough.
  std::vector<Pair> lower_triangle() const {
    constexpr Index square = 4;
    std::vector<Pair> pairs;
    for (Index a0 = 0; a0 < count(); a0 += square) {
      for (Index b0 = 0; b0 <= a0; b0 += square) {
        for (Index a = a0; a < std::min(count(), a0 + square); ++a) {
          for (Index b = b0; b < std::min(a + 1, b0 + square); ++b) {
            if (a != b) {
              pairs.push_back({block(a), block(b)});
            } else {
              add_diagonal(block(a), pairs);
            }
          }
        }
      }
    }
    return pairs;
  }

 private:
  void add_diagonal(Range whole, std::vector<Pair>& pairs) const {
    const Tiling parts(whole.size(), (tile_ + 2) / 3);
    const auto part = [&](Index p) {
      return Range{whole.begin + parts.block(p).begin, whole.begin + parts.block(p).end};
    };
    for (Index a = 0; a < parts.count(); ++a) {
      for (Index b = 0; b <= a; ++b) pairs.push_back({part(a), part(b)});
    }
  }

  Index size_, tile_;
};

inline std::vector<Tiling::Pair> all_pairs(const Tiling& rows, const Tiling& columns) {
  std::vector<Tiling::Pair> pairs;
  for (Index a = 0; a < rows.count(); ++a) {
    for (Index b = 0; b < columns.count(); ++b) pairs.push_back({rows.block(a), columns.block(b)});
  }
  return pairs;
}

}  // namespace mercer
