// What several likelihoods share.
#pragma once

#include "mercer/likelihood.hpp"

namespace mercer::detail {

double normal_below(double z);  // Phi(z), with all its digits where it is small

}  // namespace mercer::detail
