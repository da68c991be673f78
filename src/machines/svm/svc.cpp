// Svc and NuSvc: what each point may cost.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "machines/svm/classify.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

Vector factors_of(const ClassWeights& wanted, const Labels& labels, const Vector& weights) {
  if (wanted.balanced && !wanted.by_name.empty()) {
    fail(ErrorKind::usage, "svc: class_weight is balanced or a list of classes, not both");
  }
  const std::size_t k = labels.classes.size();
  Vector factors(k, 1.0);
  for (const auto& [name, weight] : wanted.by_name) {
    const auto found = std::find(labels.classes.begin(), labels.classes.end(), name);
    if (found == labels.classes.end()) {
      fail(ErrorKind::usage, "svc: class_weight names {}, which is no class{}", quoted(name),
           did_you_mean(name, labels.classes));
    }
    if (!(weight > 0) || std::isinf(weight)) {
      fail(ErrorKind::usage, "svc: the class weight of {} is {}; give a finite number above 0", quoted(name), weight);
    }
    factors[static_cast<std::size_t>(found - labels.classes.begin())] = weight;
  }
  if (wanted.balanced) {
    Vector total(k);
    for (std::size_t i = 0; i < weights.size(); ++i) total[at(labels.of[i])] += weights[i];
    const double all = std::accumulate(total.begin(), total.end(), 0.0);
    const auto present = static_cast<double>(std::count_if(total.begin(), total.end(), [](double t) { return t > 0; }));
    for (std::size_t c = 0; c < k; ++c) factors[c] = total[c] > 0 ? all / (present * total[c]) : 1;
  }
  return factors;
}

}  // namespace

namespace detail {

Classifier classifier_of(const Svc& svc, const Training& training) {
  if (!(svc.C > 0)) fail(ErrorKind::usage, "svc: C is {}; give a number above 0, or inf for a hard margin", svc.C);
  const Threads threads = check_training("svc", Task::classification, training);
  Vector cost = weights_of(training);
  const Vector factors = factors_of(svc.class_weight, training.labels, cost);
  const bool hard = std::isinf(svc.C);
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (cost[i] > 0) cost[i] = hard ? 1 : svc.C * cost[i] * factors[at(training.labels.of[i])];
  }
  return {.machine = "svc",
          .cost = std::move(cost),
          .bias = svc.bias,
          .hard = hard,
          .over_m = svc.C_over_m,
          .multi_class = svc.multi_class,
          .probability = svc.probability,
          .limits = {svc.tolerance, svc.max_iterations, svc.max_seconds}};
}

Classifier classifier_of(const NuSvc& nusvc, const Training& training) {
  if (!(nusvc.nu > 0 && nusvc.nu <= 1)) {
    fail(ErrorKind::usage, "nusvc: nu is {}; give a number above 0, at most 1", nusvc.nu);
  }
  const Threads threads = check_training("nusvc", Task::classification, training);
  return {.machine = "nusvc",
          .cost = weights_of(training),
          .nu = nusvc.nu,
          .multi_class = nusvc.multi_class,
          .probability = nusvc.probability,
          .limits = {nusvc.tolerance, nusvc.max_iterations, nusvc.max_seconds}};
}

}  // namespace detail

Model Svc::fit(const Training& training) const {
  return detail::fit_classes(detail::classifier_of(*this, training), training);
}

Model NuSvc::fit(const Training& training) const {
  return detail::fit_classes(detail::classifier_of(*this, training), training);
}

}  // namespace mercer
