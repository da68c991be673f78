// Several kernels in one word: 'rbf(ell=1); rbf(ell=2)'.
#pragma once

#include <string>
#include <vector>

#include "mercer/kernel.hpp"

namespace mercer::cli {

std::vector<Kernel> parse_list(const std::string& text);  // of one at least; a semicolon in quotes is none

}  // namespace mercer::cli
