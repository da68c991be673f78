// mercer/machines/rrm.hpp: regularised risk minimisation with a loss of one's choice.
//
//     Model median = RegularisedRisk{.loss = Loss::quantile, .tau = 0.5}.fit(lazy(k, x), y);
//     Model m = RegularisedRisk{.loss = Loss::squared_hinge, .ridge = 0.1}.fit({.K = lazy(k, x), .labels = labels});
#pragma once

#include <span>
#include <string_view>

#include "mercer/machines.hpp"

namespace mercer {

// l(y, f) of a target y and a value f; r = y - f, and for classes y = +-1.
enum class Loss {
  squared,        // r^2
  huber,          // r^2 where |r| <= delta, else 2 delta |r| - delta^2: twice Huber's own, as squared is r^2, not r^2/2
  quantile,       // tau r where r >= 0, else (tau - 1) r
  epsilon,        // max(0, |r| - epsilon)
  hinge,          // max(0, 1 - y f)
  squared_hinge,  // max(0, 1 - y f)^2
  logistic,       // log(1 + exp(-y f))
};
std::string_view name_of(Loss loss);
std::span<const std::string_view> loss_names();  // in the order of the enumeration
bool is_for_classes(Loss loss);                  // takes labels and not numbers

// minimise over f in the RKHS  sum_i w_i l(y_i, f(x_i)) + ridge |f|^2
//
// By the representer theorem f = sum_i alpha_i k(x_i, .), with -2 ridge alpha_i / w_i in the subdifferential of l at
// f(x_i). There is no bias: add a constant to the kernel, `1 + k`, to have a penalised one. With `offset` f = b + g,
// where b is the median of the targets (of the quantile loss their quantile tau; it is not fitted), and |g|^2 has the
// price: so the answer moves with the targets, and a high price leaves b.
//     squared   is `ridge` of the same ridge
//     logistic  is `logistic` without bias and lambda = 2 ridge
//     hinge     is `svc` without bias and C = 1 / (2 ridge);   epsilon  is `svr` without bias and that C
// Several targets are fitted one by one; of several classes each is fitted against the rest, and the largest f wins.
// The logistic loss gives probabilities.
//
// One solver for all: Newton's method in the RKHS, each step a Cholesky factor over the points where l is curved.
// Losses with kinks are smoothed by an augmented Lagrangian, whose multipliers -2 ridge alpha / w become exact as it
// goes on (Rockafellar 1976; Li, Sun & Toh 2018). n^3/3 a step at most, for kinked losses much less; 2 n^2 doubles when
// K is lazy. It ends when the duality gap, which bounds how far the objective is from its minimum, is below `tolerance`
// times the objective:
//     dual  -sum_i w_i l*(y_i, -2 ridge alpha_i / w_i) - ridge alpha' K alpha,   l*(y, s) = sup_f s f - l(y, f)
//
// Report: objective_primal, objective_dual, duality_gap, support_points; of several outputs their sums, and a table
// "outputs".
struct RegularisedRisk {
  Loss loss = Loss::squared;
  double ridge = 1e-3;
  double delta = 1;      // of huber, > 0
  double tau = 0.5;      // of quantile, in (0, 1)
  double epsilon = 0.1;  // of epsilon, >= 0
  bool offset = false;   // of numbers
  double tolerance = 1e-6;
  Index max_iterations = 1000;  // Newton steps for each output

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

}  // namespace mercer
