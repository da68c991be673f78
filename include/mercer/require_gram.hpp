// mercer/require_gram.hpp: what a matrix of numbers must be to be taken for a Gram matrix.
#pragma once

#include <memory>

#include "mercer/gram.hpp"

namespace mercer {

// Throws ShapeError unless square, DataError unless finite and symmetric: K(i, j) and K(j, i) may differ by `tolerance`
// times the largest number. Errors name the pair. Reads the matrix twice. For a GramSource over numbers of one's own;
// precomputed() asks for it.
void require_gram(MatrixView k, double tolerance = 1e-10);

// precomputed() without a copy: K stays where it is, and `owner` keeps it there for as long as the Gram is used.
Gram precomputed_in_place(MatrixView k, std::shared_ptr<const void> owner, double tolerance = 1e-10);

}  // namespace mercer
