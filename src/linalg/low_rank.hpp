// A symmetric matrix G G' of low rank, many shifts.
#pragma once

#include "linalg/shifted.hpp"

namespace mercer::linalg {

// What shifted_solves() gives, for A = G G' with r columns of G, by Woodbury's formula in the eigenvectors of G'G:
//     (G G' + s I)^-1 b = (b - P (D + s I)^-1 P'b) / s,    P = G V,  G'G = V D V'
// and one step of refinement. 2 n r^2 + 9 r^3 flops, and 10 n r for each shift and column of b. Shifts are above 0. G
// is used up. Reports "solve" to the monitor.
ShiftedSolves low_rank_solves(Matrix g, MatrixView b, VectorView shifts, const Monitor& monitor = {});

}  // namespace mercer::linalg
