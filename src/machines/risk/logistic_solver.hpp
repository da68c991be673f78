// Newton's method for kernel logistic regression, of two classes and of several.
#pragma once

#include "machines/risk/newton.hpp"
#include "machines/risk/softmax.hpp"
#include "mercer/machines/logistic.hpp"

namespace mercer::detail {

struct LogisticSolution {
  Matrix alpha;  // points x outputs
  Vector bias;
};

// K: as held() gives it. Fills in the report. When the monitor cancels, returns the solution as far as it has got.
// `room`: bytes to use.
LogisticSolution solve_logistic(const KernelLogistic& config, const Gram& K, const SoftmaxLoss& loss, double room,
                                const Monitor& monitor, Report& report);

}  // namespace mercer::detail
