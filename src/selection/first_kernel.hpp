// The kernel that a machine has where none is given.
#pragma once

#include <string>

#include "mercer/machines.hpp"

namespace mercer::detail {

// More points than a machine that learns its kernel by the evidence goes through in seconds, pair by pair. Along one
// column the kernel is then one that has a state space, where nothing is given up.
constexpr Index kManyPoints = 2500;
bool is_long_line(const Points& x);

std::string first_kernel(const Machine& machine, const Points& x);

}  // namespace mercer::detail
