// Each point once.
#pragma once

#include "mercer/points.hpp"

namespace mercer {

// Real inputs without those that are equal to an earlier one, to the last bit: what is read off them does not depend on
// how often a point is there, so that a weight of 2 means the point twice. At least two remain where there were two.
Points distinct(const Points& x);

}  // namespace mercer
