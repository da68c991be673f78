// What nobody said and a fit needs, guessed: for a page that shows something at once.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// The same with a guess at each option that the fit could not do without and nobody gave, and a remark that says so.
Prepared guessed(Prepared data);

}  // namespace mercer::workflow
