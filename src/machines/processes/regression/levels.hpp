// The levels of learning: from few points to as many as are learnt from.
#pragma once

#include <vector>

#include "mercer/machines/gp.hpp"

namespace mercer::detail {

// With inducing points, starts are compared and followed on all pairs of so many points.
constexpr Index kAllPairs = 1600;

// So many points, and how their evidence is computed.
struct LevelPlan {
  Index points;
  GaussianProcess config;
};
// With inducing points: all pairs of some points, then these for a part of the points and for all, chosen again for
// what was learnt.
std::vector<LevelPlan> level_plans(const GaussianProcess& config, Index n);

}  // namespace mercer::detail
