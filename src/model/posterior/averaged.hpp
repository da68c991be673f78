// Probabilities of classes averaged over a normal latent function.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

double normal_below(double z);  // Phi(z), with all its digits where it is small

// The mean of 1 / (1 + exp(-f)) and of Phi(f) over f ~ N(mean, variance).
double average_logistic(double mean, double variance);  // error below 1e-12 for all means and variances
double average_probit(double mean, double variance);

// The mean of softmax(f) over f ~ N(mean, covariance), covariance C x C row by row. Two classes are one logistic;
// for more, points of a fixed lattice are turned into normal ones. The error is about 1e-4 for few classes, at worst
// some 5e-3 for ten and more where the covariance is large.
class SoftmaxAverage {
 public:
  explicit SoftmaxAverage(Index classes);
  void operator()(const double* mean, const double* covariance, double* out) const;

 private:
  Index classes_;
  Matrix normal_;  // points x (classes - 1)
};

}  // namespace mercer::detail
