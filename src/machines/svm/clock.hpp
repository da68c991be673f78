// The time limit of a whole fit, and the share of it that each of its problems may take.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

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

}  // namespace mercer::detail
