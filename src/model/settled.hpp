// Answers that are the same whichever scores within a bound are the right ones.
#pragma once

#include <optional>

#include "mercer/model.hpp"

namespace mercer::detail {

// Reading::answers at these points, scaled already, from scores in single precision with a bound of their error; where
// that leaves an answer open (Reading::settled), from scores in double precision. So they are those of
// Model::targets_of(scores). Nothing where the reading, the kernel or the inputs know no such way.
std::optional<Matrix> settled_answers(const ModelParts& parts, const Points& x, const Execution& how);

}  // namespace mercer::detail
