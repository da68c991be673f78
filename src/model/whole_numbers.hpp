// Expansions over inputs that are bytes or bits: as packed for support vector machines, with exact inner products.
#pragma once

#include <optional>

#include "mercer/evaluate.hpp"

namespace mercer::detail {

// multiply(k, x, centres, alpha): K(x, centres) alpha in double precision. Nothing where the kernel or the inputs are
// of another kind, or too few for packing to pay.
std::optional<Matrix> multiply_whole_numbers(const Kernel& k, const Points& x, const Points& centres, MatrixView alpha,
                                             const Execution& how);

}  // namespace mercer::detail
