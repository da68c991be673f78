#include "centres/sketch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "centres/held_pass.hpp"
#include "distributed/ranks.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer::centres {

namespace {

// Groups, in multiples of the columns, and how many of them a row is added to: with one, two rows that matter may meet
// where nothing else tells them apart.
constexpr Index kSketchRows = 2;
constexpr std::size_t kGroups = 2;
// Rows of a block, for each column: adding its sketch to that of others takes a tenth of the time of its kernel values.
constexpr Index kBlock = 64;
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

Index groups_for(Index rows, Index columns) { return std::min(kSketchRows * columns, std::max(columns, rows)); }

using WeightOf = std::function<double(Index row)>;

void add_rows(Range some, MatrixView A, const WeightOf& weight, int threads, MatrixRef numbers, VectorRef ones) {
  std::vector<std::array<Group, kGroups>> groups;
  groups.reserve(at(some.size()));
  for (Index i = some.begin; i < some.end; ++i) {
    groups.push_back(groups_of(i, numbers.rows(), weight(i)));
    for (const Group& group : groups.back()) ones[at(group.row)] += group.factor;
  }
  const Tiling columns(A.cols(), kColumns);
  parallel_for(columns.count(), thread_count(threads), {}, "pass", [&](Index c, int) {
    const Range j = columns.block(c);
    for (Index i = 0; i < A.rows(); ++i) {
      for (const Group& group : groups[at(i)]) {
        if (group.factor == 0) continue;
        simd::add_scaled(group.factor, A.row(i) + j.begin, at(j.size()), numbers.row(group.row) + j.begin);
      }
    }
  });
}

// Of so many rows that adding up what is made of them is little beside their kernel values.
Tiling blocks_of(Index rows, Index columns, Index pieces) {
  const Index rows_of_a_piece = std::max<Index>(1, rows / std::max<Index>(1, pieces)), wished = kBlock * columns;
  return {pieces, std::min(pieces, (wished + rows_of_a_piece - 1) / rows_of_a_piece)};
}

// Given how many rows there are in all, and the weight of each.
distributed::Shapes shapes_of_sketch(const Given& given, Index m, Index) {
  const Index groups = groups_for(static_cast<Index>(given.all[0](0, 0)), m);
  return {{groups, m}, {1, groups}};
}

void add_sketched(const Seen& seen, distributed::Part& sums) {
  const MatrixView weights = seen.given.rows[0];
  const auto weight = [&](Index i) { return weights.empty() ? 1 : weights(i - seen.rows.begin, 0); };
  add_rows(seen.rows, seen.K, weight, 1, sums[0], {sums[1].data(), at(sums[1].cols())});
}

}  // namespace

const Summand sketched{"sketch", kTall, shapes_of_sketch, add_sketched};

Sketch::Sketch(Index rows, Index columns) : numbers_(groups_for(rows, columns), columns), ones_(at(numbers_.rows())) {}

void Sketch::add(Range some, MatrixView A, const WeightOf& weight, int threads) {
  add_rows(some, A, weight, threads, numbers_, ones_);
}

Sketch sketch_of(const Slabs& all, VectorView weights, int threads) {
  const Tiling blocks = blocks_of(all.rows, all.columns, all.pieces);
  const Index groups = groups_for(all.rows, all.columns);
  const auto weight = [&](Index i) { return weights.empty() ? 1 : weights[at(i)]; };
  distributed::Part sum = distributed::sum(
      "sketch", blocks.count(), {{groups, all.columns}, {1, groups}},
      [&](Range mine, const std::function<void(distributed::Part)>& take) {
        for (Index b = mine.begin; b < mine.end; ++b) {
          Sketch block(all.rows, all.columns);
          all.slabs(blocks.block(b), [&](Range some, MatrixView A) { block.add(some, A, weight, threads); });
          distributed::Part part;
          part.push_back(std::move(block.numbers()));
          part.emplace_back(MatrixView(block.ones().data(), 1, groups));
          take(std::move(part));
        }
      });
  return {std::move(sum[0]), Vector(sum[1].data(), sum[1].data() + groups)};
}

Sketch sketch_of(const HeldPass& held, VectorView weights, const Execution& how) {
  const Pass& pass = held.pass();
  if (!pass.elsewhere()) {
    return sketch_of({.rows = pass.rows(),
                      .columns = pass.centres(),
                      .pieces = pass.pieces().size(),
                      .slabs = [&](Range pieces, const auto& use) { held.slabs(pieces, use, how); }},
                     weights, how.threads);
  }
  const Tiling tiling = blocks_of(pass.rows(), pass.centres(), pass.pieces().size());
  std::vector<Range> blocks;
  for (Index b = 0; b < tiling.count(); ++b) blocks.push_back(pass.rows_of(tiling.block(b)));
  const Matrix rows(1, 1, static_cast<double>(pass.rows()));
  const MatrixView column(weights.data(), static_cast<Index>(weights.size()), 1);
  distributed::Part sum = pass.sum_elsewhere(sketched, {{rows}, {column}}, blocks);
  return {std::move(sum[0]), Vector(sum[1].data(), sum[1].data() + sum[1].cols())};
}

}  // namespace mercer::centres
