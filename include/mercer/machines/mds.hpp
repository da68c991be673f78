// mercer/machines/mds.hpp: classical multidimensional scaling: a map from distances.
//
//     Model m = ClassicalMds{}.fit(precomputed(distances));     // a symmetric matrix with 0 on its diagonal
//     m.parts().fitted;                                         // one row of coordinates per point
//     m.targets_of(m.scores_from_rows(d));                      // new points, by their distances from the old ones
#pragma once

#include <cstdint>

#include "mercer/machines.hpp"

namespace mercer {

// Coordinates y in few dimensions whose inner products are nearest to those that belong to the distances d:
//     min_y  sum_ij (B_ij - <y_i, y_j>)^2,    B = -1/2 H D2 H,  D2 = (d_ij^2),  H = I - 11'/n  (weights: as in pca)
// from the eigenvectors of B. If K is a matrix of numbers, these are the distances; if it is that of a kernel, they are
// the distances between features, d^2 = k(x,x) + k(y,y) - 2 k(x,y), and the map is that of pca. New
// points are placed by their distances from the old ones, or by the kernel (Gower, Biometrika 55, 1968). Torgerson,
// Psychometrika 17 (1952).
//
// Distances that are no distances between points of a Euclidean space show in negative eigenvalues, which have no place
// in a map. Report: negative_eigenvalues, how many there are; negative_share, sum |lambda| over these as a share of
// that over all; smallest_eigenvalue (of more than 2,000 points only that); the table `components`; explained_share. A
// share, asked for or told, is one of sum |lambda| over all; for distances it takes all eigenvalues, so that of more
// than 2,000 points none is told unless it was asked for. The cost is that of pca; K need not be positive
// semi-definite.
//
// DataError for numbers that are no distances, saying which: not symmetric (precomputed() says it), a diagonal
// that is not 0, a number below 0. More components than there are positive eigenvalues are refused.
struct ClassicalMds {
  enum class Solver { automatic, dense, krylov };

  double components = 2;  // so many; below 1: as few as explain this share; inf: all of positive eigenvalues
  bool at_most = false;   // where there are not so many: all there are, instead of an error
  Solver solver = Solver::automatic;
  double tolerance = 1e-9;
  std::uint64_t seed = 1;

  Model fit(const Training& training) const;
  Model fit(const Gram& K) const;
};

}  // namespace mercer
