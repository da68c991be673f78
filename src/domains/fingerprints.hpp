// A number for each point by which to find it again without keeping it.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

// Equal points have equal numbers, however they are stored; different ones hardly ever (base/fingerprint.hpp). Model
// files keep them: what makes them up stays as it is. docs/formats.md says it.
std::vector<std::int64_t> fingerprints(const Points& x);

}  // namespace mercer
