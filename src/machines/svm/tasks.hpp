// Several problems of one fit: side by side, under one clock and one monitor.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

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

// What each of several problems may take of the time that is left, when it is begun: by its size, so that none is left
// with nothing, and what one leaves over is for those after it. Thread-safe.
class Shares {
 public:
  // `side_by_side`: so many are worked on at a time.
  Shares(const Clock& clock, std::vector<double> size, int side_by_side);
  double seconds(Index problem);

 private:
  const Clock& clock_;
  std::vector<double> size_;
  double open_;  // the size of those that are not begun
  int side_by_side_;
  std::mutex mutex_;
};

// How many of so many tasks run_tasks works on at a time.
int side_by_side(std::size_t tasks, const Execution& how);

// Runs body(i, how) for each i. With at least as many tasks as threads, each task has one thread and the largest are
// begun first; otherwise one task after the other has all threads. The monitor a task gets reports the progress of
// all, and once cancelled stays so: later tasks end as soon as they report.
// Returns false if it was cancelled.
bool run_tasks(std::span<const double> size, const Execution& how, std::string_view stage,
               const std::function<void(Index i, const Execution& how)>& body);

}  // namespace mercer::detail
