// When a fit ends: at its tolerance, or before it.
#pragma once

#include <string_view>

#include "machines/svm/dual.hpp"
#include "machines/svm/tasks.hpp"

namespace mercer::detail {

struct Limits {
  double tolerance = 1e-3;
  Index max_iterations = 0;  // of each problem; 0: none
  double max_seconds = 0;    // of the whole fit
};

// Throws UsageError for limits that make no sense.
void check_limits(std::string_view machine, const Limits& limits);

// What is left of them for the next problem.
inline DualOptions options_of(const Limits& limits, const Clock& clock) {
  return {.tolerance = limits.tolerance, .max_steps = limits.max_iterations, .max_seconds = clock.left()};
}

}  // namespace mercer::detail
