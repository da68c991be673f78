#include "machines/processes/regression/levels.hpp"

#include <algorithm>

#include "machines/processes/learn.hpp"

namespace mercer::detail {

std::vector<LevelPlan> level_plans(const GaussianProcess& config, Index n) {
  GaussianProcess all_pairs = config;
  all_pairs.inducing = 0;
  const bool inducing = config.inducing > 0;
  const Index most = inducing ? std::min(n, kAllPairs) : config.learn_on > 0 ? std::min(n, config.learn_on) : n;
  using Solver = GaussianProcess::Solver;
  const bool step_by_step = config.solver == Solver::iterative;
  constexpr Index kDense = 5000;  // so many have their evidence exactly for less
  std::vector<LevelPlan> out;
  if (!inducing || config.starts > 1) {
    for (const Index points : level_sizes(most, config.starts == 1 ? most : config.screen)) {
      if (step_by_step) all_pairs.solver = points < most && points <= kDense ? Solver::dense : Solver::iterative;
      // Few points have their exact evidence for less than that of neighbours.
      if (points < most && points <= config.screen) all_pairs.nearest = 0;
      out.push_back({points, all_pairs});
      all_pairs.nearest = config.nearest;
    }
  }
  // All points again, with the neighbours of what was found.
  if (config.nearest > 0 && out.size() > 1) out.push_back({out.back().points, config});
  if (!inducing) return out;
  constexpr Index kPart = 4;
  if (config.starts > 1 && n / kPart > 2 * std::max(kAllPairs, config.inducing)) out.push_back({n / kPart, config});
  out.push_back({n, config});
  if (config.inducing < n) out.push_back({n, config});
  return out;
}

}  // namespace mercer::detail
