#include "machines/least_squares/ridge_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

void require_ridge(double ridge) {
  if (!(ridge > 0) || !std::isfinite(ridge)) {
    fail(ErrorKind::usage, "ridge: the ridge must be a finite number > 0, not {}; without one use ols", ridge);
  }
}

void require_usable(const KernelRidge& config) {
  if (config.tolerance && (!(*config.tolerance > 0) || !(*config.tolerance < 1))) {
    fail(ErrorKind::usage, "ridge: the tolerance is above 0 and below 1, not {}", *config.tolerance);
  }
  if (config.max_iterations < 1 || config.rank < 0) {
    fail(ErrorKind::usage, "ridge: at least one step, and a rank of 0 or more, not {} and {}", config.max_iterations,
         config.rank);
  }
  if (!config.ridge) return;
  require_ridge(*config.ridge);
  if (!config.path.empty()) {
    fail(ErrorKind::usage, "ridge: the path is what auto tries; leave it out, or the ridge of {}", *config.ridge);
  }
}

std::string_view solver_name(KernelRidge::Solver solver) {
  constexpr std::array<std::string_view, 5> kNames = {"auto", "cholesky", "pcg", "normal", "falkon"};
  return kNames.at(static_cast<std::size_t>(solver));
}

Vector path_of(const KernelRidge& config, double mean_diagonal) {
  if (!config.path.empty()) {
    for (const double ridge : config.path) require_ridge(ridge);
    Vector ridges = config.path;
    std::sort(ridges.begin(), ridges.end());
    return ridges;
  }
  if (config.path_size < 1 || !(config.path_from > 0) || !(config.path_to >= config.path_from) ||
      !std::isfinite(config.path_to)) {
    fail(ErrorKind::usage, "ridge: the path needs at least one value and 0 < from <= to, not {} from {} to {}",
         config.path_size, config.path_from, config.path_to);
  }
  if (!(mean_diagonal > 0)) fail(ErrorKind::numeric, "ridge: K is zero on its diagonal; no ridge can be chosen for it");
  Vector ridges;
  const double steps = static_cast<double>(std::max<Index>(1, config.path_size - 1));
  for (Index i = 0; i < config.path_size; ++i) {
    const double share = static_cast<double>(i) / steps;
    ridges.push_back(mean_diagonal * config.path_from * std::pow(config.path_to / config.path_from, share));
  }
  return ridges;
}

}  // namespace mercer::detail
