// Lloyd's iterations (lloyd.hpp) on points that are given by their features, so that the means are at hand: each point
// keeps a bound from above of its distance from its own mean, and one from below of that from each other. Means move,
// and the bounds with them; distances are computed, for all means at once, only where bounds leave it open which mean
// is nearest (after Elkan, ICML 2003). What is found is that of plain iterations: before a start is said to have
// settled, sums and distances of all points are computed anew.
#pragma once

#include "machines/clusters/lloyd.hpp"

namespace mercer::detail {

// What one start leads to, but for Partition::sums. `points.K` is F F'. When the monitor says stop, what there is.
// n (k + 1) numbers; 2 n r k flops for all distances.
Partition improve_on_features(const WeightedPoints& points, MatrixView F, std::vector<Index> start, Index clusters,
                              const Lloyd& how_far, const Execution& how);
// Partition::sums.
Matrix sums_on_features(const WeightedPoints& points, MatrixView F, const Partition& found, const Execution& how);

}  // namespace mercer::detail
