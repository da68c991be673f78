// --scale: what inputs are brought to, and how that is said.
#pragma once

#include <string>

#include "mercer/scaling.hpp"

namespace mercer::cli {

// Where --scale is not given: columns of numbers that have names, as those of text files do, are standardised; numbers
// in other files come ready to use.
Scaling::Kind usual_scaling(const Points& x);
// "inputs scaled to mean 0 and standard deviation 1", and how to avoid it where nobody asked for it.
std::string scaling_remark(Scaling::Kind kind, bool asked);

}  // namespace mercer::cli
