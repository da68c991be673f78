// mercer/machines/ridge_classifier.hpp: classes by kernel ridge regression on codes.
//
//     Model m = KernelRidgeClassifier{{.ridge = std::nullopt}}.fit(lazy(k, x), Labels::from(names));
#pragma once

#include "mercer/machines/ridge.hpp"

namespace mercer {

// Two classes, y_i = +-1: the sign of
//     f = argmin  sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2
// Several: an f for each, with y_i = 1 for points of the class and -1 for all others, and the class of the largest.
//
// Least squares is a poorer loss for classes than those of svc and logistic, and far cheaper: all outputs come from one
// system, so that what `ridge` has is there for classes too. That is the choice of the ridge by leave-one-out, all
// solvers, centres, and millions of points. Cost, options and report are those of KernelRidge; leave_one_out_rmse is
// that of the codes. f is no probability.
struct KernelRidgeClassifier {
  KernelRidge codes = {};

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

}  // namespace mercer
