// A mixture of Gaussians as numbers: what the reading `mixture` keeps in Model::Parts::readout, and what machines that
// fit one improve. A row for each component c, with D coordinates of a point:
//
//     share pi_c | log normaliser -(D log 2 pi + log |S_c|)/2 | mean m_c (D) | P_c by rows (D x D), P_c' P_c = S_c^-1
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

inline Index gaussian_width(Index coordinates) { return 2 + coordinates + coordinates * coordinates; }

inline VectorView mean_in(MatrixView mixture, Index c, Index coordinates) {
  return {mixture.row(c) + 2, static_cast<std::size_t>(coordinates)};
}
inline MatrixView whitening_in(MatrixView mixture, Index c, Index coordinates) {
  return {mixture.row(c) + 2 + coordinates, coordinates, coordinates};
}

// log (pi_c N(z; m_c, S_c)) of each row z: one column per component. 2 n D^2 flops each.
Matrix log_joint(MatrixView mixture, MatrixView z);
// log sum_c exp of each row: of what log_joint gives, the logarithm of the density.
Vector log_sums(MatrixView logs);

}  // namespace mercer::detail
