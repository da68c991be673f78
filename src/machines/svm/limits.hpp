// When a fit ends: at its tolerance, or before it.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include "machines/svm/dual.hpp"

namespace mercer::detail {

struct Limits {
  double tolerance = 1e-3;
  Index max_iterations = 0;                                  // of each problem; 0: none
  double max_seconds = 0;                                    // of the whole fit
  double seconds = std::numeric_limits<double>::infinity();  // that it was given beside that

  double least_seconds() const { return std::min(max_seconds, seconds); }
};

// Throws UsageError for limits that make no sense.
void check_limits(std::string_view machine, const Limits& limits);

// Of a problem that may take so many seconds.
DualOptions options_of(const Limits& limits, double seconds, RecordOfProblem* record);

}  // namespace mercer::detail
