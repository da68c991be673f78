// K of inputs far from 0, for whoever takes the mean of the features out of it.
#pragma once

#include "mercer/gram.hpp"
#include "mercer/scaling.hpp"

namespace mercer::detail {

// At a distance of 1e6 an entry of linear() is 1e12 with an error of 1e-4, and what remains of it beside the mean is of
// the size of 1. Of the inputs less their mean it has all digits.
struct AboutMean {
  Gram K;         // differs from the one given by f(x) + f(y)
  Scaling moved;  // by what its inputs are; Kind::none: K is the one given
};

// Whether the inputs are dense numbers, far from 0 by the measure of their spread, and the kernel differs by f(x) +
// f(y) about their mean. Points of weight 0 do not count.
bool is_far_from_origin(const Gram& K, VectorView weights = {});

// Moved where is_far_from_origin().
AboutMean about_mean(const Gram& K, VectorView weights = {}, const Execution& how = {});

}  // namespace mercer::detail
