// Several problems of one fit: side by side, under one clock and one monitor.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

#include "mercer/evaluate.hpp"
#include "model/training.hpp"

namespace mercer::detail {

// The time limit of a whole fit.
class Clock {
 public:
  explicit Clock(double max_seconds) : limit_(max_seconds) {}
  double left() const { return std::max(0.0, limit_ - watch_.seconds()); }

 private:
  Stopwatch watch_;
  double limit_;
};

// Runs body(i, how) for each i. With at least as many tasks as threads, each task has one thread and the largest are
// begun first; otherwise one task after the other has all threads. The monitor a task gets reports the progress of
// all, and once cancelled stays so: later tasks end as soon as they report.
// Returns false if it was cancelled.
bool run_tasks(std::span<const double> size, const Execution& how, std::string_view stage,
               const std::function<void(Index i, const Execution& how)>& body);

}  // namespace mercer::detail
