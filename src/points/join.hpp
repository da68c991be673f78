// Points one after the other.
#pragma once

#include "mercer/points.hpp"

namespace mercer {

// The points of a, then those of b, copied. Both must be of one kind, with as many columns and, where both name them,
// the same names: DomainError otherwise. Storage that is the same stays so; real vectors stored differently become
// dense.
Points join(const Points& a, const Points& b);

}  // namespace mercer
