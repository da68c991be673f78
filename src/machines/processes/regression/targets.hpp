// What the targets of a regression tell, before anything is fitted.
#pragma once

#include <vector>

#include "mercer/machines/gp.hpp"

namespace mercer::detail {

// The mean over the targets of their variance, or of their square where the mean function is zero.
double spread_of(const Matrix& y, Trend mean);
// The targets that the mean function alone does not explain: only these tell of length scales, noise and signal.
std::vector<Index> telling_targets(const Matrix& y, Trend mean);
Matrix columns_of(const Matrix& m, const std::vector<Index>& which);

}  // namespace mercer::detail
