// Whether a series repeats itself, and how often.
#pragma once

#include <optional>

#include "mercer/matrix.hpp"

namespace mercer::state_space {

// The length of the strongest cycle that stands out of what surrounds it in the periodogram; times in any order, at
// any distances. None where none does, or where there are fewer than three of it. Averages in up to 2^16 cells of equal
// length, so that its cost is n and not n^2; a cycle shorter than four of these is not seen.
std::optional<double> period_of(VectorView times, VectorView values);

}  // namespace mercer::state_space
