// Svc and NuSvc: what each point may cost.
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/svm/class_weights.hpp"
#include "machines/svm/classify.hpp"
#include "model/training.hpp"

namespace mercer {

namespace detail {

Classifier classifier_of(const Svc& svc, const Training& training) {
  if (!(svc.C > 0)) fail(ErrorKind::usage, "svc: C is {}; give a number above 0, or inf for a hard margin", svc.C);
  const Threads threads = check_training("svc", Task::classification, training);
  Vector cost = weights_of(training);
  const Vector factors = class_factors("svc", svc.class_weight, training.labels, cost);
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
          .limits = {svc.tolerance, svc.max_iterations, svc.max_seconds, training.seconds}};
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
          .limits = {nusvc.tolerance, nusvc.max_iterations, nusvc.max_seconds, training.seconds}};
}

}  // namespace detail

Model Svc::fit(const Training& training) const {
  return detail::fit_classes(detail::classifier_of(*this, training), training);
}

Model NuSvc::fit(const Training& training) const {
  return detail::fit_classes(detail::classifier_of(*this, training), training);
}

}  // namespace mercer
