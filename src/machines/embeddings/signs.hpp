// The sign of a direction. Eigenvectors and singular vectors leave it open; here the data decide it, and neither
// rounding, nor the order of the points, nor the instruction set.
#pragma once

#include <functional>

#include "mercer/gram.hpp"

namespace mercer::detail {

// Which of two comes first, where both are equally far from 0.
using Before = std::function<bool(Index, Index)>;

// By what the points are. Of a matrix of numbers nothing is known but the order in which they were given.
Before by_what_they_are(const Gram& K);
Before by_what_they_are(const Points& x);

// 1 or -1. Times this, the value farthest from 0 is positive; of several that are equally far, to rounding, as those of
// symmetric points are, the first of them.
double sign_of(VectorView values, const Before& before);

}  // namespace mercer::detail
