// mercer/machines/rbf_network.hpp: ridge regression on the kernel's values at a few centres.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// f(x) = sum_c a_c k(c, x) + b,   (a, b) = argmin  sum_i w_i (y_i - f(x_i))^2 + ridge |a|^2
//
// with few centres c: of real vectors the centres of k-means clusters (k-means++ seeding, then Lloyd's iterations), of
// other inputs, or of a precomputed Gram, training points drawn without replacement. Named for rbf kernels; any kernel
// will do. n k^2 flops and n k doubles. The same seed gives the same network.
// Report: centres, rmse, and where there are clusters their inertia, sum_i w_i |x_i - c|^2.
struct RbfNetwork {
  Index centres = 100;         // as many as there are points, at most
  double ridge = 1e-6;         // > 0
  Index max_iterations = 100;  // of Lloyd
  std::uint64_t seed = 0;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

}  // namespace mercer
