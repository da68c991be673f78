// S K S with S diagonal: what normalised cuts look at.
#pragma once

#include "mercer/gram.hpp"

namespace mercer::detail {

// The matrix s_i k_ij s_j, one s for each point; K is not copied.
Gram scaled(const Gram& K, Vector s);

}  // namespace mercer::detail
