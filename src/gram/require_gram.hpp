// What a matrix of numbers must be to be taken for a Gram matrix.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

// Throws ShapeError unless square, DataError unless finite and symmetric: K(i, j) and K(j, i) may differ by `tolerance`
// times the largest number. Errors name the pair.
void require_gram(MatrixView k, double tolerance);

}  // namespace mercer::detail
