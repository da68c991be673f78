// Which columns the numbers of a Scaling belong to.
#pragma once

#include <string>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

// The names of the real columns in the order of Scaling::shift; "" of those that have none.
std::vector<std::string> scaled_columns(const Points& x);

}  // namespace mercer
