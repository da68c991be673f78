#pragma once

#include <string>

#include "kernel/catalog.hpp"
#include "mercer/kernel.hpp"

namespace mercer::detail {

std::string print(const Node& node);
std::string print_param(const Param& p, const Arg& arg);  // 0.5, [1, 2], auto, fixed(2), 0.3 in [0.1, 1]
// For people: of numbers that were found, not given, four digits.
std::string print_short(const Kernel& k);

}  // namespace mercer::detail
