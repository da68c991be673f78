#include "centres/sketch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer::centres {

namespace {

// Groups, in multiples of the columns, and how many of them a row is added to: with one, two rows that matter may meet
// where nothing else tells them apart.
constexpr Index kSketchRows = 2;
constexpr std::size_t kGroups = 2;
constexpr Index kColumns = 64;  // for a thread: so many of all groups find room in a cache

// A well-mixed number of a number (splitmix64; Steele, Lea & Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// A group that a row is added to, and how often.
struct Group {
  Index row = 0;
  double factor = 0;
};
std::array<Group, kGroups> groups_of(Index i, Index rows, double weight) {
  std::array<Group, kGroups> out;
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::uint64_t drawn = mixed(kGroups * static_cast<std::uint64_t>(i) + g);
    const double sign = (drawn >> 63U) != 0 ? -1 : 1;
    out[g] = {static_cast<Index>(drawn % static_cast<std::uint64_t>(rows)),
              sign * std::sqrt(weight / static_cast<double>(kGroups))};
  }
  return out;
}

}  // namespace

Sketch::Sketch(Index rows, Index columns)
    : numbers_(std::min(kSketchRows * columns, std::max(columns, rows)), columns), ones_(at(numbers_.rows())) {}

void Sketch::add(Range some, MatrixView A, const std::function<double(Index row)>& weight, int threads) {
  std::vector<std::array<Group, kGroups>> groups;
  groups.reserve(at(some.size()));
  for (Index i = some.begin; i < some.end; ++i) {
    groups.push_back(groups_of(i, numbers_.rows(), weight(i)));
    for (const Group& group : groups.back()) ones_[at(group.row)] += group.factor;
  }
  const Tiling columns(A.cols(), kColumns);
  parallel_for(columns.count(), thread_count(threads), {}, "pass", [&](Index c, int) {
    const Range j = columns.block(c);
    for (Index i = 0; i < A.rows(); ++i) {
      for (const Group& group : groups[at(i)]) {
        if (group.factor == 0) continue;
        simd::add_scaled(group.factor, A.row(i) + j.begin, at(j.size()), numbers_.row(group.row) + j.begin);
      }
    }
  });
}

}  // namespace mercer::centres
