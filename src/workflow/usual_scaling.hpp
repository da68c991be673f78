// How inputs are scaled where nobody says it, and what is said of it.
#pragma once

#include "mercer/scaling.hpp"

namespace mercer::workflow {

// Columns of numbers that have names, as those of text files do, are standardised, unless eight or more hold whole
// numbers between the same bounds, as pixels do; other numbers come ready to use.
Scaling::Kind usual_scaling(const Points& x);
// "inputs scaled to mean 0 and standard deviation 1", and how to avoid it where nobody asked for it.
std::string scaling_remark(Scaling::Kind kind, bool asked, const Points& x);

}  // namespace mercer::workflow
