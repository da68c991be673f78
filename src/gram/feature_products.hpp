// Products with K = F F' through few features of the points: K v = F (F'v), 4 n r flops for each column with r
// features, where the pairs of points would take n^2/2 values of the kernel.
#pragma once

#include <memory>

#include "mercer/evaluate.hpp"
#include "mercer/kernel.hpp"

namespace mercer::detail {

// F is kept where a quarter of the memory that is free holds it, and else made anew, a block of points at a time;
// linear() reads the points where they are, sparse rows as such. The same bits either way, and whatever the threads.
// Immutable: threads may share it.
class FeatureProducts {
 public:
  // None for a kernel without features or with more than one for four points (sparse rows and linear(): however many),
  // and where squares of features overflow: pairs say of which points.
  static std::unique_ptr<const FeatureProducts> of(const Kernel& k, const Points& x, const Execution& how);
  virtual ~FeatureProducts() = default;

  virtual void multiply(MatrixView v, MatrixRef out, const Execution& how) const = 0;  // out = K v
};

}  // namespace mercer::detail
