// Where k-means begins: k-means++ in feature space.
#pragma once

#include <optional>
#include <vector>

#include "base/random.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// Points and their weights as k-means sees them. Nothing here depends on where points stand in the file: they are taken
// in the order of their distance from the mean, which twins share, and of equal distances (data may be symmetric) by
// what they are, where `content` tells.
struct WeightedPoints {
  WeightedPoints(Gram K, VectorView weights, const std::optional<Points>& content, const Execution& how);

  Gram K;
  VectorView weights;
  Vector diagonal;
  Vector from_mean;  // |phi_i - mean|^2
  std::vector<Index> order;
  double total = 0;  // sum_i w_i |phi_i - mean|^2
};

// A point drawn with a chance proportional to its mass, or -1 when nothing has any.
Index draw(VectorView mass, const std::vector<Index>& order, Random& random);

struct Seeds {
  Index count = 0;             // fewer than asked for where there are fewer distinct points
  std::vector<Index> nearest;  // of each point, which seed
};

// Seeds are drawn with chances w_i |phi_i - nearest seed|^2 (Arthur & Vassilvitskii 2007), each the best of 2 + log k
// draws. Costs k (2 + log k) rows of K.
Seeds draw_seeds(const WeightedPoints& points, Index clusters, Random& random, const Execution& how);

}  // namespace mercer::detail
