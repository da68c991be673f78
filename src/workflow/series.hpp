// A kernel along each of several series, which a column tells apart.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// k of the other inputs where column `series`, from 0, is equal, and 0 else; `x` are all inputs, as they were read.
// Usual: the kernel that the machine has along a line, or its own. Remarks say what is odd about the series.
Kernel kernel_of_series(const FitRequest& request, const Points& x, Index series, std::vector<std::string>& remarks);

}  // namespace mercer::workflow
