#include "machines/svm/room.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "machines/svm/interior_point.hpp"

namespace mercer::detail {

namespace {

// Beyond so many points an interior-point method takes longer than steps do.
constexpr Index kLargestInside = 8192;

}  // namespace

Index largest_set_for(std::size_t memory) {
  return std::clamp(static_cast<Index>(std::sqrt(static_cast<double>(memory) / (4 * sizeof(float)))), Index{64},
                    kLargestSet);
}

std::size_t room_for_tiles(Index variables, Index largest_set) {
  const auto room = [&](Index largest, std::size_t number) {
    const Index q = std::min(variables, largest);
    return at(q * (q + kTilePadding)) * number / sizeof(double) + 1;
  };
  return std::max(room(largest_set, sizeof(float)), room(kLargestExactSet, sizeof(double)));
}

bool may_go_inside(Index points, std::size_t memory) {
  return points <= kLargestInside && interior_point_bytes(points) <= 0.5 * static_cast<double>(memory);
}

Needs needs_of_duals(const Extent& extent, Index variables) {
  const std::size_t memory = RowStore::memory_for(extent);
  Needs out = RowStore::needs(extent, variables);
  const std::size_t tile = room_for_tiles(variables * extent.points, largest_set_for(memory));
  out.by_steps = true;
  out.beside.push_back({"matrices of working sets", static_cast<double>(tile * sizeof(double))});
  if (may_go_inside(extent.points, memory)) {
    out.solver += ", or an interior-point method";
    out.beside.push_back({"an interior-point method, should working sets crawl", interior_point_bytes(extent.points)});
  }
  return out;
}

}  // namespace mercer::detail
