// Data sets one after the other.
#pragma once

#include <vector>

#include "mercer/dataset.hpp"

namespace mercer {

// Their points and targets, all of one kind; sparse rows become as wide as the widest.
Dataset joined(std::vector<Dataset> parts);

}  // namespace mercer
