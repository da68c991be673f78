// Points that are the same.
#pragma once

#include <functional>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

// Of each of n things the first that is equal to it, by an order of them: below, above or equal to 0. n log n.
std::vector<Index> first_equal(Index n, const std::function<int(Index, Index)>& compare);
// Of each point the first of the same content, in any domain.
std::vector<Index> first_equal(const Points& x);

// Points without those that are equal to an earlier one: what is read off them does not depend on how often a point is
// there, so that a weight of 2 means the point twice. At least two remain where there were two.
Points distinct(const Points& x);

}  // namespace mercer
