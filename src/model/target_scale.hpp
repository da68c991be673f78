// Where the targets lie and how far they spread: what a machine that is sensitive to their units divides them by.
#pragma once

#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

struct TargetScale {
  double mean = 0;
  double deviation = 1;  // 1 for a constant target
};

// Of each column of y. `weights` are multiplicities; empty: all 1.
std::vector<TargetScale> target_scales(const Matrix& y, VectorView weights);

}  // namespace mercer::detail
