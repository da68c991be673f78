// Two samples as one set of points.
#pragma once

#include "mercer/points.hpp"
#include "mercer/scaling.hpp"

namespace mercer::detail {

// The points of a, then those of b, whose columns are put into the order of a's by their names; then scaled by what is
// found in all of them. DomainError where one has columns that the other lacks.
Points pooled(const Points& a, const Points& b, Scaling::Kind scale);

}  // namespace mercer::detail
