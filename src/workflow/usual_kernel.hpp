// The kernel of a fit: the one given, or the one that is taken where none is.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// With numbers in the place of `auto`, read off x. `is_cooked`: a recipe made x of a raw table. Remarks say what was
// decided. `path` is for messages.
Kernel kernel_for(const KernelChoice& choice, const Machine& machine, const std::optional<Model>& start,
                  const Points& x, bool is_cooked, const std::string& path, std::vector<std::string>& remarks);

}  // namespace mercer::workflow
