// The whole of k-means in feature space: seeds, starts, Lloyd's iterations.
#pragma once

#include <cstdint>
#include <string_view>

#include "machines/clusters/lloyd.hpp"

namespace mercer::detail {

struct KMeans {
  std::string_view machine;  // for errors
  Index clusters = 8;
  Index starts = 10;
  Index max_iterations = 300;
  double tolerance = 0;
  std::uint64_t seed = 1;
};

// The best of the starts, numbered as renumber() does; not settled when it was told to stop, or came to the limit of
// iterations. Fewer clusters where there are fewer distinct points.
Partition k_means(const Gram& K, VectorView weights, const KMeans& options, const Execution& how);
// Of points that are given by their features; these become differences from their mean, which costs no digits.
Partition k_means_of_features(Matrix features, VectorView weights, const KMeans& options, const Execution& how);

}  // namespace mercer::detail
