// Points of the data that stand for all of them.
#pragma once

#include <string_view>

#include "mercer/centres.hpp"

namespace mercer::detail {

// What they leave of a process, in nats of its evidence for each point, above which more would help.
constexpr double kMuchLostOfAPoint = 0.02;

// Drawn by what they leave of K (mercer/centres.hpp) for one kernel after the other: the same ones whatever the order
// of the rows.
class InducingPoints {
 public:
  // At most as many as there are rows.
  InducingPoints(const Points& x, Index count, std::uint64_t seed);
  Points drawn_for(const Kernel& k, const Execution& how) const;

 private:
  Points ordered_;  // by content
  CentreWishes wishes_;
};

// UsageError where there is no kernel, or fewer points than are asked for.
void require_inducing_points(std::string_view machine, Index count, Index points, bool kernel);

}  // namespace mercer::detail
