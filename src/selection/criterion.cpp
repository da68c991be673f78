#include "selection/criterion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "mercer/metrics.hpp"
#include "selection/cluster_criteria.hpp"

namespace mercer::detail {

namespace {

std::vector<Index> truth_of(const Training& training, const Fold& fold) {
  std::vector<Index> out;
  for (const Index i : fold) out.push_back(training.labels.of[at(i)]);
  return out;
}

Vector weights_in(const Training& training, const Fold& fold) {
  Vector out;
  for (const Index i : training.weights.empty() ? Fold{} : fold) out.push_back(training.weights[at(i)]);
  return out;
}

template <double (*metric)(ClassNumbers, ClassNumbers, VectorView)>
double of_classes(const HeldOut& held, const Training& training, const Fold& fold) {
  return metric(truth_of(training, fold), held.classes, weights_in(training, fold));
}

double of_f1(const HeldOut& held, const Training& training, const Fold& fold) {
  return f1(truth_of(training, fold), held.classes, static_cast<Index>(training.labels.classes.size()),
            weights_in(training, fold));
}

double of_auc(const HeldOut& held, const Training& training, const Fold& fold) {
  return auc(truth_of(training, fold), held.ranking(), weights_in(training, fold));
}

template <double (*metric)(ClassNumbers, MatrixView, VectorView)>
double of_probabilities(const HeldOut& held, const Training& training, const Fold& fold) {
  if (held.probabilities.rows() == 0) {
    fail(ErrorKind::usage,
         "tune: the metric needs probabilities, and the machine gives none; ask for them (of svc and nusvc: "
         "probability), or take another metric");
  }
  return metric(truth_of(training, fold), held.probabilities, weights_in(training, fold));
}

// The mean over the targets.
template <double (*metric)(VectorView, VectorView, VectorView)>
double of_values(const HeldOut& held, const Training& training, const Fold& fold) {
  const Vector weights = weights_in(training, fold);
  double sum = 0;
  for (Index target = 0; target < training.y.cols(); ++target) {
    Vector truth, predicted;
    for (std::size_t r = 0; r < fold.size(); ++r) {
      truth.push_back(training.y(fold[r], target));
      predicted.push_back(held.values(static_cast<Index>(r), target));
    }
    sum += metric(truth, predicted, weights);
  }
  return sum / static_cast<double>(training.y.cols());
}

// The weighted mean over the points of a fold.
template <class Of>
double mean_over(const Training& training, const Fold& fold, Of of) {
  const Vector weights = weights_in(training, fold);
  double sum = 0, total = 0;
  for (std::size_t r = 0; r < fold.size(); ++r) {
    const double w = weights.empty() ? 1 : weights[r];
    if (w == 0) continue;
    sum += w * of(r);
    total += w;
  }
  return sum / total;
}

double of_log_density(const HeldOut& held, const Training& training, const Fold& fold) {
  return mean_over(training, fold, [&](std::size_t r) { return std::log(held.values(static_cast<Index>(r), 0)); });
}

// The mean over points and targets of log N(y; mean, variance).
double of_gaussian_density(const HeldOut& held, const Training& training, const Fold& fold) {
  if (held.variances.rows() == 0) {
    fail(ErrorKind::usage,
         "tune: log_density needs a machine that knows how sure it is, and this one does not; take gp or rvm, or "
         "another "
         "metric");
  }
  return mean_over(training, fold, [&](std::size_t r) {
    const auto i = static_cast<Index>(r);
    double sum = 0;
    for (Index t = 0; t < held.values.cols(); ++t) {
      const double error = training.y(fold[r], t) - held.values(i, t), variance = held.variances(i, t);
      sum -= 0.5 * (error * error / variance + std::log(2 * std::numbers::pi * variance));
    }
    return sum / static_cast<double>(held.values.cols());
  });
}

// A figure that the machine reports of its own fit.
constexpr char kBic[] = "bic", kAic[] = "aic", kLogLikelihood[] = "log_likelihood";
template <const char* name>
double of_figure(const WholeFit& fit) {
  const std::optional<double> found = fit.model.report().figure(name);
  if (!found) fail(ErrorKind::usage, "tune: {} reports no {}; take another metric", fit.machine.name, name);
  return *found;
}

// The first of a task is its usual one.
const std::vector<Criterion>& all() {
  static const std::vector<Criterion> list = {
      {"accuracy", true, Task::classification, of_classes<accuracy>},
      {"balanced_accuracy", true, Task::classification, of_classes<balanced_accuracy>},
      {"f1", true, Task::classification, of_f1},
      {"auc", true, Task::classification, of_auc},
      {"log_loss", false, Task::classification, of_probabilities<log_loss>},
      {"brier", false, Task::classification, of_probabilities<brier>},
      {"rmse", false, Task::regression, of_values<rmse>},
      {"mae", false, Task::regression, of_values<mae>},
      {"r2", true, Task::regression, of_values<r2>},
      {"log_density", true, Task::regression, of_gaussian_density, true},
      {"log_density", true, Task::density, of_log_density},
      {"silhouette", true, Task::clustering, nullptr, false, silhouette_of},
      {"gap", true, Task::clustering, nullptr, false, gap_of},
      {"stability", true, Task::clustering, nullptr, false, stability_of},
      {"bic", false, Task::mixture, nullptr, false, of_figure<kBic>},
      {"aic", false, Task::mixture, nullptr, false, of_figure<kAic>},
      {"log_likelihood", true, Task::mixture, nullptr, false, of_figure<kLogLikelihood>},
  };
  return list;
}

}  // namespace

std::vector<const Criterion*> criteria(Task task) {
  std::vector<const Criterion*> out;
  for (const Criterion& one : all()) {
    if (one.task == task) out.push_back(&one);
  }
  return out;
}

const Criterion& criterion(const std::string& name, const std::string& machine, Task task) {
  std::vector<std::string> known;
  for (const Criterion* const one : criteria(task)) {
    if (name.empty() || one->name == name) return *one;
    known.push_back(one->name);
  }
  if (known.empty()) {
    fail(ErrorKind::usage, "tune: {} has no truth to compare with, so its options cannot be chosen by scores", machine);
  }
  fail(ErrorKind::usage, "tune: {} is no metric of {}{}; there are {}", quoted(name), machine,
       did_you_mean(name, known), fmt::join(known, ", "));
}

}  // namespace mercer::detail
