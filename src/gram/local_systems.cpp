#include "gram/local_systems.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPoints = 4096;  // in one program: preparing it costs little beside its blocks
constexpr Index kSize = LocalGroup::kSize;

Index batch_size(const NeighbourLists& lists) {
  return std::max<Index>(1, kPoints / ((lists.most() + 1) * kSize)) * kSize;
}

// The neighbours of some rows, and the points themselves where they stand among x.
struct Batch {
  Range rows;
  std::vector<Index> gathered;
  std::vector<Range> blocks;  // of `gathered`

  Batch(Range rows, const NeighbourLists& lists, const std::function<Index(Index)>& own) : rows(rows) {
    for (Index r = rows.begin; r < rows.end; ++r) {
      const auto begin = static_cast<Index>(gathered.size());
      for (const std::int32_t j : lists.of(r)) gathered.push_back(j);
      if (own) gathered.push_back(own(r));
      blocks.push_back({begin, static_cast<Index>(gathered.size())});
    }
  }
};

double& entry(double* a, Index i, Index j, Index s) { return a[kSize * (i * (i + 1) / 2 + j) + s]; }

// Rows and columns of variables that are not there.
void fill_missing(double* a, Index missing, Index order, Index s) {
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j <= std::min(i, missing - 1); ++j) entry(a, i, j, s) = i == j ? 1 : 0;
  }
}

struct Room {
  Scratch scratch, cross;
  std::vector<double> a;
};

template <class Work>
void for_each_batch(const NeighbourLists& lists, const std::function<Index(Index)>& own, const Execution& how,
                    Work work) {
  const int threads = thread_count(how.threads);
  std::vector<Room> rooms(at(threads));
  const Index size = batch_size(lists);
  parallel_for(local_batches(lists), threads, how.monitor, "neighbours", [&](Index b, int thread) {
    const Batch batch({b * size, std::min(lists.rows(), (b + 1) * size)}, lists, own);
    work(b, thread, batch, rooms[at(thread)]);
  });
}

// The groups of a batch one after the other; `fill(group, s, a)` writes the matrix of the s-th of them.
template <class Fill>
void for_each_group(Index batch_number, int thread, const Batch& batch, bool with_own, const Bound& bound, Room& room,
                    Fill fill, const LocalBody& body) {
  for (Index first = 0; first < batch.rows.size(); first += kSize) {
    LocalGroup group{.first = batch.rows.begin + first,
                     .count = std::min(kSize, batch.rows.size() - first),
                     .m = 0,
                     .a = nullptr,
                     .given = {},
                     .bound = bound,
                     .block = {},
                     .scratch = room.scratch};
    for (Index s = 0; s < group.count; ++s) {
      const Range block = batch.blocks[at(first + s)];
      const Index neighbours = block.size() - (with_own ? 1 : 0);
      group.block[at(s)] = block;
      group.given[at(s)] = {batch.gathered.data() + block.begin, at(neighbours)};
      group.m = std::max(group.m, neighbours);
    }
    room.a.resize(simd::triangle_beside(at(group.m + 1)));
    group.a = room.a.data();
    for (Index s = 0; s < kSize; ++s) {
      if (s >= group.count) {
        fill_missing(group.a, group.m + 1, group.m + 1, s);
        continue;
      }
      fill_missing(group.a, group.missing(s), group.m + 1, s);
      fill(group, first + s, s);
    }
    body(batch_number, thread, group);
  }
}

// Of the neighbours of the s-th, from their tile and k(x, x).
void fill_neighbours(const LocalGroup& group, Index s, const double* tile, Index stride, const double* diagonal,
                     VectorView shift) {
  const Index from = group.missing(s);
  const std::span<const Index> given = group.given[at(s)];
  for (Index i = 0; i < static_cast<Index>(given.size()); ++i) {
    for (Index j = 0; j < i; ++j) entry(group.a, from + i, from + j, s) = tile[i * stride + j];
    entry(group.a, from + i, from + i, s) = diagonal[i] + shift[at(given[at(i)])];
  }
}

}  // namespace

void LocalVectors::take(const LocalGroup& group, Index first, const Matrix& m) {
  for (Index s = 0; s < group.count; ++s) {
    Index i = group.missing(s);
    for (const Index j : group.given[at(s)]) {
      for (Index c = 0; c < m.cols(); ++c) (*this)(i, first + c, s) = m(j, c);
      ++i;
    }
  }
}

Index local_batches(const NeighbourLists& lists) {
  const Index size = batch_size(lists);
  return (lists.rows() + size - 1) / size;
}

void for_each_own(const Kernel& k, const Points& x, std::span<const Index> which, const NeighbourLists& lists,
                  VectorView shift, const Execution& how, const LocalBody& body) {
  const auto own = [which](Index r) { return which.empty() ? r : which[at(r)]; };
  for_each_batch(lists, own, how, [&](Index number, int thread, const Batch& batch, Room& room) {
    const Points points = x.select(batch.gathered);
    const Bound bound(k, points, points);
    Vector diagonal(batch.gathered.size());
    bound.diagonal({0, points.size()}, diagonal.data(), room.scratch);
    const auto fill = [&](const LocalGroup& group, Index, Index s) {
      const Range block = group.block[at(s)];
      const double* const tile = bound.tile(block, block, room.scratch);
      fill_neighbours(group, s, tile, block.size(), diagonal.data() + block.begin, shift);
      const Index from = group.missing(s), last = block.size() - 1;
      for (Index j = 0; j < last; ++j) entry(group.a, group.m, from + j, s) = tile[last * block.size() + j];
      entry(group.a, group.m, group.m, s) = diagonal[at(block.end - 1)] + shift[at(batch.gathered[at(block.end - 1)])];
    };
    for_each_group(number, thread, batch, true, bound, room, fill, body);
  });
}

void for_each_new(const Kernel& k, const Points& x, const Points& others, const NeighbourLists& lists, VectorView shift,
                  const Execution& how, const LocalBody& body) {
  for_each_batch(lists, {}, how, [&](Index number, int thread, const Batch& batch, Room& room) {
    const Points points = x.select(batch.gathered), asked = others.slice(batch.rows);
    const Bound bound(k, points, points), to_new(k, asked, points);
    Vector diagonal(batch.gathered.size()), self(at(asked.size()));
    bound.diagonal({0, points.size()}, diagonal.data(), room.scratch);
    to_new.diagonal({0, asked.size()}, self.data(), room.cross);
    const auto fill = [&](const LocalGroup& group, Index row, Index s) {
      const Range block = group.block[at(s)];
      fill_neighbours(group, s, bound.tile(block, block, room.scratch), block.size(), diagonal.data() + block.begin,
                      shift);
      const double* const tile = to_new.tile({row, row + 1}, block, room.cross);
      for (Index j = 0; j < block.size(); ++j) entry(group.a, group.m, group.missing(s) + j, s) = tile[j];
      entry(group.a, group.m, group.m, s) = self[at(row)];
    };
    for_each_group(number, thread, batch, false, bound, room, fill, body);
  });
}

}  // namespace mercer::detail
