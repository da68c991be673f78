// Choosing relevance vectors: SparseBayes in turn with what it holds fixed, the noise of a regression or the curvature
// of a likelihood of classes.
#pragma once

#include <string>

#include "machines/sparse_bayes/rvm_basis.hpp"
#include "mercer/prior.hpp"

namespace mercer::detail {

struct RvmLimits {
  double tolerance = 1e-4;
  Index max_iterations = 10000;
};

struct RvmSolution {
  std::vector<Index> columns;  // of the basis, that are in the model
  Vector mean, alpha;          // of their weights: mean, and prior precision
  Matrix covariance;
  double noise = 0;
  bool noise_at_least = false;  // as small as it is let
  Index barred = 0;             // columns whose statistics are lost in rounding errors
  double log_evidence = 0;
  Index iterations = 0;
  bool converged = false;
  std::string stopped;
  // Additions, log evidence and columns, and the noise of a regression, each time that it has settled.
  std::vector<Vector> course;
};

// When the monitor cancels, the solution is what has been found. The noise must not be fixed at 0.
RvmSolution solve_rvm(const RvmBasis& basis, const Vector& y, const Vector& weights, const Learnable& noise,
                      const RvmLimits& limits, const Monitor& monitor);

// positive[i]: whether a point is of the class that f > 0 stands for.
RvmSolution solve_rvc(const RvmBasis& basis, const std::vector<bool>& positive, const Vector& weights,
                      const RvmLimits& limits, const Monitor& monitor);

}  // namespace mercer::detail
