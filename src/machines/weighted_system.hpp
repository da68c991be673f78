// Least squares with weights as one symmetric system.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// B z = W^1/2 y with B = W^1/2 K W^1/2 (+ ridge I) on the points of positive weight, and alpha = W^1/2 z. Small weights
// do not spoil the condition of B as they would that of K + ridge W^-1.
struct WeightedSystem {
  std::vector<Index> points;
  Vector root;        // W^1/2
  Matrix B;           // both triangles; empty where G stands for it
  Matrix G;           // B = G G'
  Matrix target;      // W^1/2 y
  double trace = 0;   // of B
  double weight = 0;  // sum of W
  bool by_factor() const { return G.rows() > 0; }
  Matrix alpha(const Matrix& z, Index size) const;  // of all `size` points, 0 for those of weight 0
};

// With G, where K has a factor of few columns for its points, whose squares are finite.
std::optional<WeightedSystem> factored_system(const Training& training);
// With B. `machine` needs so many n x n matrices at once, B among them: UsageError when there is no memory for them.
WeightedSystem weighted_system(std::string_view machine, const Training& training, int matrices);

}  // namespace mercer::detail
