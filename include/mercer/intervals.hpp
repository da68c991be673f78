// mercer/intervals.hpp: intervals in which new observations lie, and sets that hold new classes, as often as asked for,
// whatever their distribution.
//
//     Model m = KernelRidge{.ridge = 0.1}.fit(lazy(k, x), y);
//     const Intervals nine_in_ten(m, {.coverage = 0.9});
//     Band band = nine_in_ten(test, m.predict_targets(test));          // band.low(i, t) to band.high(i, t)
//     nine_in_ten.words();                                             // by what, of how many points, what is promised
//
// Two ways. Of machines whose f is linear in the targets, alpha = (K + N)^-1 (y - H b) (ridge; gp on all points),
// jackknife+ (Barber, Candes, Ramdas & Tibshirani 2021): with f_i fitted without training point i and
// r_i = y_i - f_i(x_i), of n of them
//     [ the floor((1-c)(n+1))-th smallest of f_i(x) - |r_i|,  the ceil(c (n+1))-th smallest of f_i(x) + |r_i| ]
// in closed form: with P the inverse of K + N, less the trend's part, r_i = alpha_i / P_ii and
//     f_i(x) = f(x) - (P k_x)_i r_i
// n^3 flops and two n x n matrices once, 2 n^2 flops a point. New points like the training points lie inside with a
// probability of at least 2c - 1 whatever the distribution, and of about c as a rule, if nothing but f was fitted to
// the training points. Each point is left out by itself, whoever equals it; a weight of ridge counts points, of which
// one is left out; those of gp divide noise, and each of its points is one.
//
// Of all other machines of numbers, the errors of points held out in folds, kept in the model (with_errors_held_out):
// f(x) -+ the ceil(c (n+1))-th smallest of |r_i|, for which there is no such promise. (CV+ has one, of 2c - 1 and less,
// and takes a model of every fold to predict with: files and predictions of five times the size.)
//
// An end is infinite where (1-c)(n+1) < 1: so few points do not tell.
//
// Of classifiers, sets of classes (ClassSets) from the same points held out. The error of a class is the probability of
// all classes together that are likelier, or, of a model without probabilities, how far its score is below the largest;
// 0 of the predicted class. A set holds the classes whose error is at most the ceil(c (n+1))-th smallest of what the
// true classes of points held out had: adaptive prediction sets (Romano, Sesia & Candes 2020) without their coin. So no
// set is empty, classes that are equally likely are in it or not together, and sets are of one class each where that
// one is right often enough. No promise, as above.
//
//     const ClassSets sets(svc_with_errors_held_out, 0.9);
//     sets(test)[0];                                               // {2, 1}: the predicted class first
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/machines.hpp"

namespace mercer {

namespace detail {
struct ClassAnswers;
}

struct IntervalOptions {
  double coverage = 0.9;  // above 0, below 1
  // Of processes: |r_i| in units of what the process says of its error, so that intervals are wide where it knows
  // little. The same promise.
  bool adaptive = false;
};

struct Band {
  Matrix low, high;  // one row per point, one column per target
};

// Thread-safe; copies share what is computed once.
class Intervals {
 public:
  // UsageError of a model that predicts no numbers, or holds neither what closed form takes nor errors held out.
  explicit Intervals(const Model& model, const IntervalOptions& options = {}, const Execution& how = {});

  // About `predictions`, which are the model's at x (Model::predict_targets).
  Band operator()(const Points& x, MatrixView predictions, const Execution& how = {}) const;
  // One line: by what, of how many points, what is promised and what is not.
  const std::string& words() const;
  // From errors held out alone: the same at every point, which need not be known.
  bool same_everywhere() const;

  // Whether this model needs nothing more: it leaves training points out in closed form, of which there are no more
  // than find room, or holds errors.
  static bool known(const Model& model);

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

// Thread-safe; copies share what is computed once.
class ClassSets {
 public:
  // UsageError of a model that predicts no classes, or holds no errors of points held out.
  explicit ClassSets(const Model& model, double coverage = 0.9);

  // Of each point the numbers of classes in Model::classes(): the predicted one, then others by their errors.
  std::vector<std::vector<Index>> operator()(const Points& x, const Execution& how = {}) const;
  std::vector<std::vector<Index>> operator()(const detail::ClassAnswers& answers) const;
  // One line: of how many points, and what is not promised.
  const std::string& words() const;

  static bool known(const Model& model);

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

// The model with the errors of its training points, each predicted by a fit to four of the five folds that it is not
// in, in the table `held_out` of its report. Equal points are in one fold. `training` is what it was fitted to.
Model with_errors_held_out(Model model, const Training& training);

}  // namespace mercer
