// Points whose features are numbers in a row each: K = F F', never formed.
#pragma once

#include "mercer/gram.hpp"

namespace mercer::detail {

// A product K V costs 4 n r columns(V) flops, r the number of features.
Gram gram_of_features(Matrix features);

}  // namespace mercer::detail
