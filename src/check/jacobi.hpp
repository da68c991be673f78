// Eigenvalues of matrices of a few rows. LAPACK wakes a team of threads even for these, which on a busy machine costs
// a thousand times the work itself; and Jacobi's rotations give the same digits everywhere.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::checking {

struct SmallestPair {
  double value = 0;
  Vector vector;  // of length 1
};
// Of a symmetric matrix that is not empty.
SmallestPair smallest_eigenpair(Matrix a);

}  // namespace mercer::checking
