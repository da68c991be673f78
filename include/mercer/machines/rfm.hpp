// mercer/machines/rfm.hpp: kernel ridge regression that learns how much each column matters.
//
//     Model m = RecursiveFeatureMachine{}.fit(lazy(exponential(2), x), y);
//     m.expansion().parts().kernel->str();          // exponential(ell=[1.31, 240, 2.02]): the second hardly matters
#pragma once

#include "mercer/machines/ridge_classifier.hpp"

namespace mercer {

// The recursive feature machine of Radhakrishnan, Beaglehole, Pandit & Belkin (Science 2024) with a length for each
// column. A round fits ridge regression and takes of its f the mean square of each derivative at the training points,
//     g_c = mean_i sum_t (df_t / dx_c (x_i))^2
// The next one's lengths are ell_c = s / sqrt(g_c), no longer than kLongest times the least in deviations of the
// columns: f that does not change along a column makes that column count less. s is chosen by leave-one-out of the
// round's own fit, in steps of 2, beginning where the mean squared distance of the points is what it was.
//
// Leave-one-out does not see that the lengths have seen the target. So `rounds` that are not given are those with the
// smallest error of points held out in 5 folds, whose lengths are learnt without them: none, if nothing helps, which is
// ridge regression with the kernel as it was given.
//
// For rbf, exponential and laplace with one ell that is not fixed, or one for each column; others, and numbers alone,
// have no lengths to learn and are fitted as they are. Lengths are learnt from 1,000 points, evenly taken in the
// order of their contents where there are more. Deterministic. Cost: some 100 fits of a path of ridges to at most that
// many points, and one to all. Report: rounds, relevance (a table: of each column ell, g and its share of sum_c g_c
// var_c), and that of ridge.
struct RecursiveFeatureMachine {
  static constexpr Index kMostRounds = 3;

  std::optional<double> ridge = {};  // > 0; none: chosen by leave-one-out, in each round
  std::optional<Index> rounds = {};  // none: chosen, up to kMostRounds

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// Classes by the same on codes (KernelRidgeClassifier): one kernel for all of them.
struct RecursiveFeatureClassifier {
  RecursiveFeatureMachine codes = {};

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

}  // namespace mercer
