// Equal points as one, for least squares.
#pragma once

#include "selection/equal_points.hpp"

namespace mercer::detail {

// Over points that are equal, with W = sum w_i and m = sum w_i y_i / W,
//     sum_i w_i (y_i - f)^2 = W (m - f)^2 + sum_i w_i (y_i - m)^2,
// so the fit to all points is that to the different ones, each with the weight W and the target m; and leaving one of
// those out leaves out all that are equal. Otherwise a point is predicted by a model that has seen its twin.
class EqualRows {
 public:
  explicit EqualRows(const Training& training);

  // The different points; the training set as it is where all are.
  const Training& together() const { return together_; }
  // sum_i w_i (y_i - m)^2 over all targets.
  double within() const { return within_; }
  const Counted& counted() const { return counted_; }

  // Of all points, from those of together(): each has its share by weight. (w_i (y_i - f(x_i)) / ridge makes the same f
  // where nothing is rounded; for a small ridge it is a difference of large numbers.)
  Matrix coefficients(Matrix alpha) const;
  // Of all points, y_i less its prediction, from m less its prediction. A point of no weight is left out with its
  // twins; where it has none, its row is 0.
  Matrix residuals(Matrix of_means) const;
  // Whether the point, or one that is equal to it, takes part in the fit.
  bool takes_part(Index i) const;

 private:
  const Training& all_;
  Training together_;
  std::vector<Index> place_;  // of each point in together(), -1 where it and its equals have no weight
  Counted counted_;
  double within_ = 0;
};

}  // namespace mercer::detail
