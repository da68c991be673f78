// Points whose features are numbers in a row each: K = F F', never formed.
#pragma once

#include <memory>

#include "mercer/gram.hpp"

namespace mercer::detail {

// A product K V costs 4 n r columns(V) flops, r the number of features.
Gram gram_of_features(std::shared_ptr<const Matrix> features);

}  // namespace mercer::detail
