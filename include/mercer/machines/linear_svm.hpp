// mercer/machines/linear_svm.hpp: support vector machines on features that are at hand, for many points.
//
//     Model m = LinearSvc{.C = 0.1}.fit(lazy(linear(), x), Labels::from(names));
//
// Where K = F F' with few columns, the rows of F are the features of the points: of linear() the inputs themselves,
// dense or sparse. A step in one dual variable then costs one row of F, whatever the number of points; for few columns
// this is far quicker than Svc and Svr, which solve the same problems with a bias that is free. Dual coordinate descent
// with shrinking (Hsieh et al. 2008; Ho & Lin 2012): a pass over n points costs their numbers that are not 0, and takes
// tens to hundreds of passes. Other kernels, and matrices of numbers, are factored first: n^2 r for a rank of r.
//
// The bias is s times a weight that is penalised as all others are, so it is b^2 / (2 s^2) that is added: a large s
// leaves it free. Several classes are one against the rest. w_i are the weights of the points.
//
// The fit ends when no step could gain: the largest violation of the optimality conditions, that of all outputs, is
// below `tolerance`. Figures of the report: objective_primal and objective_dual as written below, duality_gap their
// difference, gap the violation, support_vectors the points whose alpha is not 0, features the columns of F. With
// several outputs the objectives are sums. For linear() the model holds the weights of the columns and no points.
#pragma once

#include <cstdint>

#include "mercer/machines/svm.hpp"

namespace mercer {

enum class MarginLoss { linear, squared };

// minimise  1/2 |f|^2 + b^2 / (2 s^2) + sum_i C_i max(0, 1 - y_i (f(x_i) + b))^p,   C_i = C w_i (weight of the class)
//
// with p = 2 for the squared loss, else 1; y_i = +-1.
struct LinearSvc {
  double C = 1;
  MarginLoss loss = MarginLoss::squared;
  double bias_scale = 1;  // s; 0: b = 0
  ClassWeights class_weight = {};
  double tolerance = 1e-4;
  Index max_iterations = 10000;  // passes over the points
  std::uint64_t seed = 0;        // of the order of the steps, which the result does not depend on beyond the tolerance

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

// minimise  1/2 |f|^2 + b^2 / (2 s^2) + sum_i C_i max(0, |y_i - f(x_i) - b| - epsilon)^p,   C_i = C w_i
struct LinearSvr {
  double C = 1;
  double epsilon = 0;
  MarginLoss loss = MarginLoss::linear;
  double bias_scale = 1;
  double tolerance = 1e-4;
  Index max_iterations = 10000;
  std::uint64_t seed = 0;

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

}  // namespace mercer
