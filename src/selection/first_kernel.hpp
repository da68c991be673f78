// The kernel that a machine has where none is given.
#pragma once

#include <optional>
#include <string>

#include "mercer/machines.hpp"
#include "state_space/state_space.hpp"

namespace mercer::detail {

// More points than a machine that learns its kernel by the evidence goes through in seconds, pair by pair. Along one
// column the kernel is then one that has a state space, where nothing is given up.
constexpr Index kManyPoints = 2500;
bool is_long_line(const Points& x);
constexpr const char* kLineKernel = "matern(nu=1.5, ell=auto)";

// `k`: the kernel of a fit that has one already, such as one that tells series apart.
std::string first_kernel(const Machine& machine, const Points& x, const std::optional<Kernel>& k = std::nullopt);
// A kernel of one column, of each of the series that are told apart.
std::string along(const state_space::AlongLines& lines, const std::string& k);

}  // namespace mercer::detail
