// Least squares with weights, as equations to be solved.
#pragma once

#include "mercer/machines.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

// W^1/2 K W^1/2 z (+ a shift) = W^1/2 y on the points of positive weight, and alpha = W^1/2 z. Small weights do not
// spoil the condition of this matrix as they would that of K + ridge W^-1.
struct LeastSquares {
  solve::Equations equations;  // without a shift
  Matrix target;               // W^1/2 y
  double weight = 0;           // sum of W

  Index size() const { return target.rows(); }
  solve::Equations with_ridge(double ridge) const;
  Matrix alpha(const Matrix& z) const;  // of all points, 0 for those of weight 0
};

LeastSquares least_squares(const Training& training);

// For solve::Wishes: so many n x n matrices at once must fit training.memory; UsageError in the name of the machine.
std::function<void(Index n)> require_room(std::string_view machine, const Training& training, int matrices);

}  // namespace mercer::detail
