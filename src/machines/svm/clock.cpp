#include "machines/svm/clock.hpp"

#include <cmath>
#include <numeric>

#include "base/at.hpp"

namespace mercer::detail {

Shares::Shares(const Clock& clock, std::vector<double> size, int side_by_side)
    : clock_(clock),
      size_(std::move(size)),
      open_(std::accumulate(size_.begin(), size_.end(), 0.0)),
      side_by_side_(side_by_side) {}

double Shares::seconds(Index problem) {
  const double left = clock_.left();
  const std::lock_guard lock(mutex_);
  const double own = size_[at(problem)], all = std::max(own, open_);
  open_ -= own;
  return all > own && std::isfinite(left) ? left * std::min(1.0, side_by_side_ * own / all) : left;
}

}  // namespace mercer::detail
