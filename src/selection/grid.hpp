// The candidates of a search.
#pragma once

#include "mercer/tune.hpp"

namespace mercer::detail {

// All combinations of the axes, or random draws from them. `kernel` is what the parameters belong to, if there is one.
// Throws UsageError for a name that is neither an option nor a parameter.
std::vector<Candidate> candidates(const Tuning& tuning, const Machine& machine, const std::optional<Kernel>& kernel);

}  // namespace mercer::detail
