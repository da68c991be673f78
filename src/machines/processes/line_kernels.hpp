// Which kernel a process along one column has, of those with a state space.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// matern, rougher and smoother, and with a cycle where the targets show one: the evidence of some of the points
// decides.
Choosing kernels_along_a_line(const Training& training);

}  // namespace mercer::detail
