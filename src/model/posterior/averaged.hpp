// Probabilities of classes averaged over a normal latent function.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

// The mean of softmax(f) over f ~ N(mean, covariance), covariance C x C row by row. Two classes are one logistic;
// for more, points of a fixed lattice are turned into normal ones. The error is about 1e-4 for few classes, at worst
// some 5e-3 for ten and more where the covariance is large.
class SoftmaxAverage {
 public:
  explicit SoftmaxAverage(Index classes);
  void operator()(const double* mean, const double* covariance, double* out) const;

 private:
  Index classes_;
  Matrix normal_;  // classes - 1 numbers of each point, point beside point
};

}  // namespace mercer::detail
