// Centres of clusters, as places to put basis functions.
#pragma once

#include <cstdint>

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::detail {

struct Clusters {
  Matrix centres;
  double inertia = 0;  // sum_i w_i |x_i - nearest centre|^2
  Index iterations = 0;
};

// At most k centres, fewer when there are fewer distinct points, for sum_i w_i min_c |x_i - c|^2: seeded by k-means++
// (Arthur & Vassilvitskii 2007), improved by Lloyd's iterations until no point changes its centre.
Clusters k_means(MatrixView x, VectorView weights, Index k, Index max_iterations, std::uint64_t seed,
                 const Monitor& monitor);

}  // namespace mercer::detail
