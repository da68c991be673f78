// The loss of logistic regression: minus the logarithm of the probability of each point's class.
#pragma once

#include <vector>

#include "centres/summand.hpp"
#include "mercer/matrix.hpp"

namespace mercer::detail {

// sum_i w_i log(1 + exp(-y_i f_i)) of two classes, with one output and y = 1 for class 1, else -1;
// sum_i w_i (log sum_c exp(f_ic) - f_i,class(i)) of several, with an output for each.
class SoftmaxLoss {
 public:
  SoftmaxLoss(Index classes, std::vector<Index> class_of, Vector weights);

  Index outputs() const { return outputs_; }
  const Vector& weights() const { return weights_; }
  double value(MatrixView f) const;
  Matrix descent(MatrixView f) const;  // -d value / d f

  // The second derivative: for each point a matrix over the outputs, w p (1 - p) or w (diag p - p p').
  class Curvature {
   public:
    Curvature(Matrix p, const Vector& weights);
    // Its mean eigenvalue at each point, the one that is 0 by nature (all outputs moving together) left out.
    const Vector& mean() const { return mean_; }
    Matrix diagonal() const;    // w p: without the term that couples the outputs
    Vector own(Index c) const;  // w p (1 - p) of one output
    // As what becomes of values of f, point by point; and in place, of all of them.
    centres::Between between() const;
    void apply(MatrixRef v) const { between().apply(v); }

   private:
    Matrix p_;
    Vector weights_, mean_;
  };
  Curvature curvature(MatrixView f) const { return {probabilities(f), weights_}; }

 private:
  Matrix probabilities(MatrixView f) const;  // of class 1, or of each class

  Index outputs_;
  std::vector<Index> class_of_;
  Vector weights_;
};

}  // namespace mercer::detail
