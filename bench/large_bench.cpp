// Many points and few centres: bench/large.py runs the rest by the command.
#include <algorithm>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "bench.hpp"
#include "centres/pass.hpp"
#include "kernel/bound.hpp"
#include "kernel/tiling.hpp"
#include "mercer/kernels.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

// K'(K u) beside the bare pair loop: all values of K, of the same pieces dealt to threads in the same way, in the tiles
// of the engine, but used for nothing.
Json pass_case(const Words& words) {
  const Index n = std::stol(words.at(0)), m = std::stol(words.at(1)), d = std::stol(words.at(2));
  const Kernel k = rbf(4);
  const Points x = rows(random_matrix(n, d)), z = x.slice({0, m});
  const Matrix u = random_matrix(m, 1);
  const auto pieces = centres::pieces_of(x);
  const centres::Pass pass(k, z, pieces);
  const auto visit = [&] {
    const int threads = thread_count(0);
    std::vector<detail::Scratch> scratch(at(threads));
    const Tiling columns(m, Execution{}.tile);
    parallel_for(pieces->count(), threads, {}, "pairs", [&](Index piece, int thread) {
      const detail::Bound bound(k, pieces->read(piece), z);
      const Tiling rows(bound.rows(), Execution{}.tile);
      for (Index i = 0; i < rows.count(); ++i) {
        for (Index j = 0; j < columns.count(); ++j) bound.tile(rows.block(i), columns.block(j), scratch[at(thread)]);
      }
    });
  };
  const double before = peak_megabytes();
  pass.back(u, centres::Between{}, {});
  const double megabytes = peak_megabytes() - before;
  Pair time;
  for (int round = 0; round < 9; ++round) {
    time.ours = std::min(time.ours, cpu_seconds([&] { pass.back(u, centres::Between{}, {}); }));
    time.peer = std::min(time.peer, cpu_seconds(visit));
  }
  return {{"ours", time.ours}, {"peer", time.peer}, {"megabytes", megabytes}};
}

}  // namespace

Bench large_bench() {
  return {"large",
          "many points and few centres",
          {{"pass", "N M D", "K'(K u) of N points and M centres, beside the bare pair loop", pass_case}}};
}

}  // namespace mercer::bench
