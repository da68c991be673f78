// How inputs are scaled where nobody says it, and what is said of it.
#pragma once

#include "mercer/kernel.hpp"
#include "mercer/scaling.hpp"

namespace mercer::workflow {

// Columns of numbers that have names, as those of text files do, are standardised, unless eight or more hold whole
// numbers between the same bounds, as pixels do; other numbers come ready to use. Those of a table are taken together,
// whatever stands beside them. `beside_codes`: some columns stand for categories and gaps, as far apart as deviations.
Scaling::Kind usual_scaling(const Points& x, bool beside_codes = false);
// "inputs scaled to mean 0 and standard deviation 1", and how to avoid it where nobody asked for it.
std::string scaling_remark(Scaling::Kind kind, bool asked, const Points& x);

// Whether the kernel takes numbers of some column for labels (coregion), which stay as they are whatever the scaling;
// and the names of these columns.
bool takes_labels(const Kernel& k);
std::vector<std::string> label_columns(const Kernel& k, const Points& x);
// The scaling, made of x, with these columns left as they are.
Scaling leaving(const std::vector<std::string>& columns, const Points& x, Scaling scaling);

}  // namespace mercer::workflow
