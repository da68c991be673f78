// One symmetric matrix, many shifts.
#pragma once

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

// What (A + s I)^-1 is asked for at each shift s.
struct ShiftedSolves {
  Vector eigenvalues;        // of A, increasing
  std::vector<Matrix> z;     // one per shift: (A + s I)^-1 b
  Matrix inverse_diagonals;  // n x shifts: the diagonals of (A + s I)^-1
};

// From one decomposition of the positive semi-definite A, of which the lower triangle is read. Eigenvalues that
// rounding has made negative count as 0.
ShiftedSolves shifted_solves(MatrixView a, MatrixView b, VectorView shifts, const Monitor& monitor = {});

}  // namespace mercer::linalg
