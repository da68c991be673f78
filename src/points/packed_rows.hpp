// Rows of numbers as bytes, on their way from one process of a fit to the others (distributed/ranks.hpp).
#pragma once

#include <string>

#include "mercer/points.hpp"

namespace mercer {

std::string packed_rows(const Points& x);  // that are in memory
// With the storage of those that were packed, and the names of `like`.
Points unpacked_rows(const std::string& bytes, const Points& like);

}  // namespace mercer
