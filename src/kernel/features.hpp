// The features of kernels that are inner products of few: K(X, X) = F F'.
#pragma once

#include <optional>

#include "mercer/kernel.hpp"

namespace mercer::detail {

// One row per point, for sums, products, powers and multiples of linear(), const, poly and random_features on all
// columns or some; none for other kernels, and where there would be more than `most` columns. Products count every pair
// of features, the ones that are equal too.
std::optional<Matrix> features(const Kernel& k, const Points& x, Index most);
// How many columns that would be; 0 for other kernels, and where there are too many to count.
Index feature_count(const Kernel& k, const Points& x);

}  // namespace mercer::detail
