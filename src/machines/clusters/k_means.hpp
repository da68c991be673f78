// The whole of k-means in feature space: seeds, starts, Lloyd's iterations.
#pragma once

#include <cstdint>
#include <string_view>

#include "machines/clusters/lloyd.hpp"
#include "mercer/plan.hpp"

namespace mercer::detail {

struct KMeans {
  std::string_view machine;  // for errors
  Index clusters = 8;
  Index starts = 10;
  Index max_iterations = 300;
  double tolerance = 0;
  std::uint64_t seed = 1;
};

Needs needs_of(const KMeans& options, const Extent& extent);
// K of up to 5,000 points, computed once; of more as it is. Where the cut is depends on their number alone.
Gram in_memory(const Gram& K, const Execution& how);

struct Divided {
  Partition partition;  // the best of the starts, numbered as renumber() does
  double total = 0;     // the sum of squares around the mean of all points
  Gram K;               // with which it was found
  // Of points that are given by their features: their mean, and how they differ from it.
  Vector mean = {};
  std::shared_ptr<const Matrix> centred = {};
};

// Fewer clusters where there are fewer distinct points.
Divided divide(const Gram& K, VectorView weights, const KMeans& options, const Execution& how);
// Of points that are given by their features; K is that of the differences from their mean, which cost no digits.
// `content`: what the points are.
Divided divide_features(Matrix features, VectorView weights, const std::optional<Points>& content,
                        const KMeans& options, const Execution& how);

}  // namespace mercer::detail
