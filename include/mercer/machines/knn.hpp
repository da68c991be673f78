// mercer/machines/knn.hpp: the nearest neighbours in feature space.
//
//     d(x, x_i)^2 = k(x,x) + k(x_i,x_i) - 2 k(x, x_i)
//
// A new point gets what its nearest training points have: for classes the share of each class among them, which are its
// probabilities, and the class of the largest share; of classes with equal shares the one that comes nearest, then the
// first. For numbers, their mean. By distance, a neighbour counts 1/d; where some are at distance 0, these alone count.
//
// A point of weight w is w neighbours, so that weights are multiplicities; the last of them may count for a part.
// Points that are equally far (to 1e-12 of d^2) and of which only some can be among the nearest share the places that
// are left: who comes first in the data decides nothing.
//
// For kernels that fall with the distance of x and y, such as rbf, the neighbours are those of `linear()`, whatever ell
// is. Any kernel on any data will do, and a matrix of numbers: rows k(x, X) of new points are then enough, and with
// by_distance k(x, x) as one more column. All pairs are looked at (mercer/distances.hpp): n d flops a new point.
//
// Model: the training points are the centres of an expansion that nobody evaluates; the coefficients are w_i at the
// class of x_i, or w_i times its targets and w_i last. The report has, with `loo`, leave_one_out_error (the share of
// points that the others put into another class) or leave_one_out_rmse; the others are those at other
// inputs.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

struct KernelKnn {
  Index neighbours = 5;      // >= 1, and no more than the weights add up to
  bool by_distance = false;  // a neighbour counts 1/d instead of 1
  bool loo = false;          // report the error of points left out: the distances of all pairs

  // Of classes where the training has labels, else of numbers.
  Model fit(const Training& training) const;
};

}  // namespace mercer
