// Inner products of single columns of row-major matrices.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::linalg {

inline double column_product(MatrixView a, MatrixView b, Index column) {
  double out = 0;
  for (Index i = 0; i < a.rows(); ++i) out += a(i, column) * b(i, column);
  return out;
}

inline double column_square(MatrixView m, Index column) { return column_product(m, m, column); }

}  // namespace mercer::linalg
