// What a model has to remember of the data it was fitted to.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// The model as it is to be saved. Densities, and their logarithms, are those of the inputs before scaling.
Model complete(const Prepared& data, Model model);
void complete(const Prepared& data, Tuned& tuned);

}  // namespace mercer::workflow
