// A kernel on all pairs of one set of points: compiled and prepared once, for its matrix and for the gradient of what
// is made of the matrix.
#pragma once

#include "kernel/bound.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

class AllPairs {
 public:
  AllPairs(const Kernel& resolved, const Points& x, Of of = Of::kernel)
      : kernel_(resolved), bound_(resolved, x, x, of) {}

  // K(X, X), or what else the program is of, symmetric to the last bit.
  void gram(MatrixRef out, const Execution& how) const;
  const Bound& bound() const { return bound_; }
  // sum_ij W_ij dK_ij / d(value) of every parameter, fixed ones included, for a W that need never exist.
  Vector gradient(const WeightTile& weights, const Execution& how) const;

 private:
  Kernel kernel_;
  Bound bound_;
};

// The sum of what was found for parts. NumericError naming the first parameter of k for which it is not finite.
Vector sum_of_gradients(const std::vector<Vector>& parts, const Kernel& k);

}  // namespace mercer::detail
