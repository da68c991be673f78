// Which points are joined in a graph of nearest neighbours: the same rule for those of a fit and for new ones.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

// Up to this squared distance points are among the nearest of one: that of the `count`-th nearest of those at other
// places, or of the farthest where there are fewer. `squared`: from it to all of them.
double reach_of(VectorView squared, Index count);

// 1 where each of two is among the nearest of the other, 1/2 where one is, else 0. `reach` and `other`: theirs.
double joined(double squared, double reach, double other);

}  // namespace mercer::detail
