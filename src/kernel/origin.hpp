// What kernels notice of the place of the origin.
#pragma once

#include "mercer/kernel.hpp"

namespace mercer::detail {

enum class Origin {
  constant,
  unseen,  // k(x + t, y + t) = k(x, y): functions of x - y
  adds,    // they differ by f(x) + f(y), as linear() does: once the mean of the features is taken out it is unseen
  seen,
};

// Of real inputs. What is not known to be one of the others is `seen`.
Origin origin_of(const Kernel& k);

}  // namespace mercer::detail
