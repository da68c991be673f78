#include "gram/distance_products.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "kernel/bound.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

Vector multiply_squared_distances(const Kernel& resolved, const Points& x, VectorView v, const Execution& how) {
  const Stage stage("rows");
  const Bound bound(resolved, x, x, Of::distance);
  const Tiling tiling(x.size(), how.tile);
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  Vector out(at(x.size()));
  parallel_for(tiling.count(), threads, how.monitor, "multiply", [&](Index t, int thread) {
    const Range i = tiling.block(t);
    Vector squared;
    for (Index c = 0; c < tiling.count(); ++c) {
      const Range j = tiling.block(c);
      const double* tile = bound.tile(i, j, scratch[at(thread)]);
      squared.assign(tile, tile + i.size() * j.size());
      bound.squared_distances_from(squared.data(), i.size() * j.size());
      simd::tile_products(squared.data(), at(j.size()), at(i.size()), at(j.size()), v.data() + j.begin,
                          out.data() + i.begin, nullptr, nullptr);
    }
  });
  return out;
}

}  // namespace mercer::detail
