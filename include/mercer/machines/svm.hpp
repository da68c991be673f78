// mercer/machines/svm.hpp: support vector machines, solved exactly.
//
//     Model m = Svc{.C = 10}.fit(lazy(rbf(0.5), x), Labels::from(names));
//     Model m = Svr{.C = 10, .epsilon = 0.1}.fit(lazy(k, x), y);
//
// f is in the RKHS of the kernel and b is a number; w_i are the weights of the points (Training::weights, 1 unless
// given; a point of weight 0 takes no part, a point of weight 2 counts as two). The fit ends when the largest violation
// of the KKT conditions, measured in double precision, is below `tolerance`; otherwise report().converged is false and
// report().stopped says why. Results do not depend on the number of threads, nor (to the tolerance) on the order of the
// points.
//
// Figures of the report: objective_primal and objective_dual of the problem as written below (LIBSVM's "obj" is
// -objective_dual), duality_gap their difference, gap the KKT violation, support_vectors, free and bounded ones,
// kernel_rows_computed and kernel_rows_reused, rho = -b. With several problems (pairs of classes, targets) the
// objectives and counts are sums, gap is the largest, and a table (`pairs`, `classes` or `targets`) has a row for each
// output.
//
// Every machine can start from a model of the same machine, points and classes (Training::start): to follow a path of
// options, or to resume a fit that met a limit or was interrupted.
#pragma once

#include <limits>
#include <map>
#include <string>

#include "mercer/machines.hpp"

namespace mercer {

// What stops a fit before its tolerance is met.
inline constexpr double kNoTimeLimit = std::numeric_limits<double>::infinity();

enum class MultiClass {
  one_vs_one,   // k(k-1)/2 problems, each on two classes; they vote
  one_vs_rest,  // k problems, each on all points; the largest f wins
};

// Factors of C by class. Empty: all 1. balanced: W / (k W_c), with W_c the weight of class c and W that of all k.
struct ClassWeights {
  bool balanced = false;
  std::map<std::string, double> by_name = {};  // classes that are not named have weight 1
};

// minimise  1/2 |f|^2 + sum_i C_i max(0, 1 - y_i (f(x_i) + b)),   C_i = C w_i (weight of the class of i), y_i = +-1
//
// C = inf is the hard margin: minimise 1/2 |f|^2 subject to y_i (f(x_i) + b) >= 1. DataError if no f separates the
// classes (by a margin of at least 1e-5 of the largest |phi(x)|).
struct Svc {
  double C = 1;
  bool C_over_m = false;  // C_i = C w_i ... / m, with m the weight of all points of a problem (of a pair of classes)
  ClassWeights class_weight = {};
  MultiClass multi_class = MultiClass::one_vs_one;
  bool probability = false;  // sigmoids of f, fitted to scores of points held out in 5 folds
  bool bias = true;          // false: b = 0
  double tolerance = 1e-3;
  Index max_iterations = 0;  // pair updates of each problem; 0: only the limit that ends a hopeless one
  double max_seconds = kNoTimeLimit;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

// minimise  1/2 |f|^2 - nu W r + sum_i w_i max(0, r - y_i (f(x_i) + b)),   W = sum_i w_i
//
// At most a fraction nu of the points lies inside the margin r, and at least a fraction nu are support vectors. The
// model is (f + b) / r, so that its margin is 1; the objectives are divided by r^2 and `margin` is r. DataError where
// nu is infeasible: above 2 min(W+, W-) / W, or so small that the sides overlap by more of the points, and r = 0.
struct NuSvc {
  double nu = 0.5;  // in (0, 2 min(W+, W-) / W]
  MultiClass multi_class = MultiClass::one_vs_one;
  bool probability = false;
  double tolerance = 1e-3;
  Index max_iterations = 0;
  double max_seconds = kNoTimeLimit;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

// minimise  1/2 |f|^2 + sum_i C_i max(0, |y_i - f(x_i) - b| - epsilon),   C_i = C w_i
struct Svr {
  double C = 1;
  double epsilon = 0.1;
  bool C_over_m = false;
  bool scale_target = false;  // solve for (y - mean) / standard deviation of each target, and scale f back: C, epsilon,
                              // the tolerance and the gap are then free of the units of y
  bool bias = true;
  double tolerance = 1e-3;
  Index max_iterations = 0;
  double max_seconds = kNoTimeLimit;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// minimise over f, b and epsilon  1/2 |f|^2 + sum_i C_i (nu epsilon + max(0, |y_i - f(x_i) - b| - epsilon)),  C_i = C
// w_i
//
// At most a fraction nu of the points lies outside the tube; its half-width is the figure `epsilon`.
struct NuSvr {
  double C = 1;
  double nu = 0.5;  // in (0, 1]
  bool scale_target = false;
  double tolerance = 1e-3;
  Index max_iterations = 0;
  double max_seconds = kNoTimeLimit;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// minimise  1/2 |f|^2 - nu W rho + sum_i w_i max(0, rho - f(x_i)),   W = sum_i w_i
//
// At most a fraction nu of the points has f < rho; the model is f - rho. The alphas add to nu W. Where the points
// surround the origin of the features f is 0, nothing is novel, and a note says so.
struct OneClass {
  double nu = 0.5;  // in (0, 1]
  double tolerance = 1e-3;
  Index max_iterations = 0;
  double max_seconds = kNoTimeLimit;

  Model fit(const Training& training) const;
  Model fit(const Gram& K) const { return fit(Training{.K = K}); }
};

}  // namespace mercer
