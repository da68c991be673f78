// Clusters from eigenvectors, by turning these until each axis stands for a cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

// `vectors`: one row per point, one column per eigenvector, as many as clusters. Each point gets the axis along which
// it lies farthest, after a rotation
//  - that brings k points which a QR factorisation with pivoting finds farthest apart nearest to the axes (Damle,
//  Minden
//    & Ying 2019): no random numbers, n k^2
std::vector<Index> clusters_by_pivots(MatrixView vectors);
//  - that, with the indicators it leads to, is nearest to them, found by turns (Yu & Shi 2003): the best of some
//  starts,
//    each at a point drawn by its weight, the points being taken in the order given
std::vector<Index> clusters_by_indicators(MatrixView vectors, VectorView weights, const std::vector<Index>& order,
                                          std::uint64_t seed);

}  // namespace mercer::detail
