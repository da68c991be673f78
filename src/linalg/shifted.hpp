// One symmetric matrix, many shifts.
#pragma once

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::linalg {

// What (A + s I)^-1 is asked for at each shift s.
struct ShiftedSolves {
  std::vector<Matrix> z;     // one per shift: (A + s I)^-1 b
  Matrix inverse_diagonals;  // n x shifts: the diagonals of (A + s I)^-1
  Index indefinite = -1;     // the first shift at which A + s I is not positive definite in floating point; the rest is
                             // then empty
};

// All shifts share one reduction of A to a band, 8/3 n^3 flops; each adds 72 n^2. Reads the lower triangle of A,
// which is used up; n^2 doubles besides, and 36 n for each shift. Reports "reduce", then "path" to the monitor.
ShiftedSolves shifted_solves(Matrix a, MatrixView b, VectorView shifts, int threads, const Monitor& monitor = {});

}  // namespace mercer::linalg
