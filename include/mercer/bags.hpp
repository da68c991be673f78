// mercer/bags.hpp: points that are made of other points, or are distributions.
//
//     Points molecules = bags(rows(X), {0, 4, 9, 11});      // rows 1-4, 5-9 and 10-11 of X
#pragma once

#include "mercer/points.hpp"

namespace mercer {

// Bag i is the set of elements[offsets[i]] .. elements[offsets[i + 1]], points of any kind. The order in which elements
// are given does not matter. No bag is empty.
Points bags(const Points& elements, std::vector<Index> offsets);

// A mean and a covariance each: means n x d, covariances n d x d, one below the other. DataError where one is not
// positive semi-definite.
Points gaussians(MatrixView means, MatrixView covariances);

// Series i is steps[offsets[i]] .. steps[offsets[i + 1]], rows of numbers in their order. None is empty.
Points series(const Points& steps, std::vector<Index> offsets);

}  // namespace mercer
