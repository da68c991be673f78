// Points of one real column, where a kernel has a state space for them.
#pragma once

#include "mercer/points.hpp"
#include "state_space/state_space.hpp"

namespace mercer::state_space {

bool on_a_line(const Points& x);  // one column of numbers
Vector times_of(const Points& x);
std::vector<Index> in_order(VectorView times);  // equal ones in the order given

// None where there is none, or `n` points are too few for it to be less work than their pairs.
constexpr Index kPointsPerState = 20;
inline bool is_shorter(Index states, Index n) { return states > 0 && n > kPointsPerState * states; }
std::optional<StateSpace> shorter_way(const Kernel& k, const Points& x, Index n);
inline std::optional<StateSpace> shorter_way(const Kernel& k, const Points& x) { return shorter_way(k, x, x.size()); }

}  // namespace mercer::state_space
