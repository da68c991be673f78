// What a Gaussian process regression of so many points takes, and what a plain one gives up to end in time.
#pragma once

#include "mercer/machines.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer::detail {

Needs needs_of(const GaussianProcess& config, const Extent& extent);

// All that a plain fit gives up for time, in this order: nothing up to 2,500 points; then learning from all of them;
// and, where their matrix finds no room or takes too long to be factored once, the matrix, for neighbours where the
// inputs are few columns, else for inducing points. A kernel whose learning is
// cheap, or that has nothing to be learnt, is fitted as it is asked for.
std::optional<Shortcut> shortcut(const Settings& given, const Extent& extent, const Wishes& wishes);

}  // namespace mercer::detail
