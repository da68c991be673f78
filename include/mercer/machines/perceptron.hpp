// mercer/machines/perceptron.hpp: the kernel perceptron, which learns from one point after the other.
//
//     Model m = KernelPerceptron{}.fit(lazy(k, x), Labels::from(names));         // one pass, as in the textbook
//     m = KernelPerceptron{}.partial_fit({.K = lazy(k, more), .labels = ..., .start = m});
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// f = 0; for each point x_i in the order of the data:
//     two classes, y_i = +-1     a mistake is y_i f(x_i) <= 0, and then  f += w_i y_i k(x_i, .)
//     several classes            a mistake is f_c(x_i) >= f_y(x_i) for some c other than the class y of x_i, and then
//                                f_y += w_i k(x_i, .),  f_c -= w_i k(x_i, .)  for the first c that scores most
// (Rosenblatt 1958; Aizerman, Braverman & Rozonoer 1964; the rule for several classes as in Crammer & Singer 2003.) The
// weight w_i of a point is the size of its step; points of weight 0 are passed over. f has no bias: add a constant to
// the kernel, `1 + k`, to have one. f(x) = 0 is a mistake of either class while learning; predicted is class -1, the
// first, there, as by every machine here, where some textbooks set sign(0) = +1.
//
// Costs one row of K for each mistake, and n numbers for each class; a lazy K is never formed. Rows asked for again in
// later passes are kept as far as Training::memory goes (a gigabyte unless given).
//
// Report: mistakes, mistakes_in_last_pass, passes, visits and support_points; for several passes a table "passes".
struct KernelPerceptron {
  Index epochs = 1;       // passes over the data at most; ends early after a pass without a mistake
  bool averaged = false;  // the mean of f over all visits of this fit (Freund & Schapire 1999) and not the last f
  // At most this many support points, 0: any number. One too many and the oldest is forgotten: its term is dropped
  // from f whole, without the shrinking by which the Forgetron (Dekel, Shalev-Shwartz & Singer 2008) has its bound. A
  // point is as old as its first mistake since it last was no support point.
  Index budget = 0;

  // With training.start, goes on from there as partial_fit does.
  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
  // Goes on from training.start, or from f = 0 without one. With a kernel, training.K is over new points, which join
  // the centres of the start (the older ones to a budget, in their order); without one it is over the same points as
  // before. UsageError when the kernel or the classes are not those of the start; a batch may lack some of the classes.
  Model partial_fit(const Training& training) const;
};

}  // namespace mercer
