// Algebra on small matrices.
#pragma once

#include "base/parallel.hpp"

namespace mercer::detail {

// Runs `work` on matrices of m rows. Few rows are no work to wake other threads for, as BLAS would.
template <class Work>
void few_rows(Index m, Work work) {
  if (m > 256) return work();
  parallel_for(1, 1, {}, "", [&](Index, int) { work(); });
}

}  // namespace mercer::detail
