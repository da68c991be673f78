#include "gram/nearest.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

void Nearest::offer(Near one) {
  if (full()) {
    if (!(one < heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.back() = one;
  } else {
    heap_.push_back(one);
  }
  std::push_heap(heap_.begin(), heap_.end());
}

std::span<const Near> Nearest::sorted() {
  std::sort_heap(heap_.begin(), heap_.end());
  return heap_;
}

namespace {

// `before` is the number of points of y that a row may have for neighbours, `passed` one that it may not.
template <class Before, class Passed>
void search_tiles(const Bound& distances, Index count, const Execution& how, Before before, Passed passed,
                  const std::function<void(Index, std::span<const Near>)>& found) {
  const Stage stage("rows");
  const Tiling rows(distances.rows(), how.tile), columns(distances.cols(), how.tile);
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  parallel_for(rows.count(), threads, how.monitor, "neighbours", [&](Index t, int thread) {
    const Range i = rows.block(t);
    std::vector<Nearest> nearest(at(i.size()), Nearest(count));
    std::vector<std::uint32_t> below(at(how.tile)), all(at(how.tile));
    std::iota(all.begin(), all.end(), 0U);
    Index last = 0;
    for (Index a = i.begin; a < i.end; ++a) last = std::max(last, before(a));
    for (Index c = 0; c < columns.count() && columns.block(c).begin < last; ++c) {
      const Range j = columns.block(c);
      const double* tile = distances.tile(i, j, scratch[at(thread)]);
      for (Index a = 0; a < i.size(); ++a) {
        Nearest& mine = nearest[at(a)];
        const double* row = tile + a * j.size();
        const std::uint32_t* some = mine.full() ? below.data() : all.data();
        const std::size_t few =
            mine.full() ? simd::find_below(mine.limit(), row, at(j.size()), below.data()) : at(j.size());
        for (std::size_t b = 0; b < few; ++b) {
          const Index which = j.begin + some[b];
          if (which < before(i.begin + a) && which != passed(i.begin + a)) mine.offer({row[some[b]], which});
        }
      }
    }
    for (Index a = 0; a < i.size(); ++a) found(i.begin + a, nearest[at(a)].sorted());
  });
}

}  // namespace

void for_each_nearest(const Bound& distances, Index count, bool without_itself, const Execution& how,
                      const std::function<void(Index, std::span<const Near>)>& found) {
  const Index all = distances.cols();
  search_tiles(
      distances, count, how, [all](Index) { return all; },
      [without_itself](Index i) { return without_itself ? i : Index{-1}; }, found);
}

void for_each_nearest(const Bound& distances, Index count, std::span<const Index> before, const Execution& how,
                      const std::function<void(Index, std::span<const Near>)>& found) {
  search_tiles(
      distances, count, how, [before](Index i) { return before[at(i)]; }, [](Index) { return Index{-1}; }, found);
}

}  // namespace mercer::detail
