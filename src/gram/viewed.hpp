// Numbers in memory as a Gram, taken as they are.
#pragma once

#include "mercer/gram.hpp"

namespace mercer::detail {

// K is symmetric, finite and outlives the Gram: nobody looks. precomputed() looks.
Gram viewed(MatrixView K);

}  // namespace mercer::detail
