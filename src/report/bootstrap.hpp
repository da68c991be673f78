// How far a figure could be off, had other points been drawn: percentile intervals of resampled points.
#pragma once

#include <functional>
#include <span>

#include "mercer/evaluate.hpp"

namespace mercer::report {

struct Interval {
  double low = 0, high = 0;
};

// 95 % intervals of what `statistics` says when point i was drawn count[i] times, of as many draws as there are points,
// within each stratum (`strata` names that of each point; empty: one for all). Deterministic, whatever the threads.
// Efron & Tibshirani (1993), 13.3. resamples x (n + cost of the statistics).
using Counts = std::span<const Index>;
std::vector<Interval> bootstrap(Index n, std::span<const Index> strata, const std::function<Vector(Counts)>& statistics,
                                const Execution& how = {}, Index resamples = 1000, std::uint64_t seed = 1);

}  // namespace mercer::report
