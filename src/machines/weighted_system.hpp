// Least squares with weights as one symmetric system.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// B z = W^1/2 y with B = W^1/2 K W^1/2 (+ ridge I) on the points of positive weight, and alpha = W^1/2 z. Small weights
// do not spoil the condition of B as they would that of K + ridge W^-1.
struct WeightedSystem {
  std::vector<Index> points;
  Vector root;                                      // W^1/2
  Matrix B;                                         // both triangles
  Matrix target;                                    // W^1/2 y
  double trace = 0;                                 // of B
  double weight = 0;                                // sum of W
  Matrix alpha(const Matrix& z, Index size) const;  // of all `size` points, 0 for those of weight 0
};

WeightedSystem weighted_system(const Training& training);

}  // namespace mercer::detail
