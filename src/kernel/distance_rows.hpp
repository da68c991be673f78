// Points as rows of numbers whose distances are all that a kernel knows of them.
#pragma once

#include <optional>

#include "mercer/kernel.hpp"

namespace mercer::detail {

// z(x) where k(x, y) is a function of |z(x) - z(y)| alone, as an rbf of scaled columns or of circles is; none for other
// kernels. The kernel is resolved.
std::optional<Points> distance_rows(const Kernel& k, const Points& x);

}  // namespace mercer::detail
