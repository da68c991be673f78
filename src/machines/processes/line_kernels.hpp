// Which kernel a process along one column has, of those with a state space.
#pragma once

#include "mercer/machines.hpp"
#include "state_space/line.hpp"

namespace mercer::detail {

// matern, rougher and smoother, and with a cycle where the targets show one: the evidence of some of the points
// decides.
Choosing kernels_along_lines(const state_space::AlongLines& lines, const Training& training);

}  // namespace mercer::detail
