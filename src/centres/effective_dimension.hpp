// How many directions of the features of centres matter at some points.
#pragma once

#include "mercer/centres.hpp"
#include "mercer/matrix.hpp"

namespace mercer::centres {

// d = tr A (A + s I)^-1 for A = V^1/2 Phi Phi' V^1/2, V the weights of the points (empty: all 1) and s the mean of
// their k(x, x): each direction counts by how much more of the points lies in it than a point has by itself.
struct EffectiveDimension {
  double value = 0;
  Index looked_at = 0;  // of the points: where there are more, a uniform sample that stands for all
};
// 2 m^2 flops for each point looked at, and m^3 / 3 + m^3 / 3; m^2 numbers and a sum of as many for each thread.
EffectiveDimension effective_dimension(const Centres& centres, const Points& x, VectorView weights,
                                       const Execution& how);
Index looked_at_for_dimension(Index centres, Index points);

// tr M (M + s I)^-1 from the Cholesky factor of M + s I, which becomes its inverse.
double dimension_from(MatrixRef factor, double shift);

}  // namespace mercer::centres
