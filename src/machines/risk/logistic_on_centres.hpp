// Logistic regression by functions of few centres, f = w'phi (mercer/centres.hpp).
#pragma once

#include "machines/risk/logistic_solver.hpp"
#include "mercer/machines/logistic.hpp"

namespace mercer::detail {

// With training.centres. Weights w of features, and biases: Newton's method in these. `loss` is of training.labels.
Expansion logistic_on_centres(const KernelLogistic& config, const Training& training, const SoftmaxLoss& loss,
                              Report& report);
Needs logistic_needs_on_centres(const Extent& extent);

}  // namespace mercer::detail
