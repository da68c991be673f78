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

void for_each_nearest(const Bound& distances, Index count, bool without_itself, const Execution& how,
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
    for (Index c = 0; c < columns.count(); ++c) {
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
          if (!without_itself || which != i.begin + a) mine.offer({row[some[b]], which});
        }
      }
    }
    for (Index a = 0; a < i.size(); ++a) found(i.begin + a, nearest[at(a)].sorted());
  });
}

}  // namespace mercer::detail
