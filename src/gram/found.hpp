// What a solver has found, for the Gram that makes an expansion of it.
#pragma once

#include <algorithm>

#include "base/at.hpp"
#include "mercer/expansion.hpp"

namespace mercer::detail {

// One row of alpha per training point, 0 outside the support.
inline Matrix alpha_of_all(const Expansion::Parts& found) {
  Matrix out(found.training_size, found.alpha.cols());
  for (Index i = 0; i < found.alpha.rows(); ++i) {
    std::copy_n(found.alpha.row(i), out.cols(), out.row(found.support[at(i)]));
  }
  return out;
}

}  // namespace mercer::detail
