#include "machines/svm/limits.hpp"

#include <cmath>

#include "base/fail.hpp"
#include "model/training.hpp"

namespace mercer::detail {

void check_limits(std::string_view machine, const Limits& limits) {
  if (!(limits.tolerance > 0) || std::isinf(limits.tolerance)) {
    fail(ErrorKind::usage, "{}: tolerance is {}; give a finite number above 0", machine, limits.tolerance);
  }
  if (limits.max_iterations < 0) {
    fail(ErrorKind::usage, "{}: max_iterations is {}; give a number above 0, or 0 for no limit", machine,
         limits.max_iterations);
  }
  if (!(limits.max_seconds > 0)) {
    fail(ErrorKind::usage, "{}: max_seconds is {}; give a number above 0, or inf for no limit", machine,
         limits.max_seconds);
  }
}

DualOptions options_of(const Limits& limits, double seconds, RecordOfProblem* record) {
  DualOptions out{.tolerance = limits.tolerance, .max_steps = limits.max_iterations, .max_seconds = seconds};
  if (limits.seconds <= limits.max_seconds) out.over = time_was_over(limits.seconds);
  out.record = record;
  return out;
}

}  // namespace mercer::detail
