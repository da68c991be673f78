// The matrix (W^-1 + K)^-1 of softmax, where W couples the classes of each point and K is the same for all classes.
//
// W = D - D R (R'DR)^-1 R'D with D_c = d_i p_ic diagonal and R the identity stacked once per class, so that
//     (W^-1 + K)^-1 = E - E R G^-1 R'E,   E_c = (D_c^-1 + K)^-1 = D_c^1/2 (I + D_c^1/2 K D_c^1/2)^-1 D_c^1/2,   G =
//     sum_c E_c
// (Rasmussen & Williams 2006, section 3.5). No inverse of K or of W is taken: either may be singular.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer::detail {

struct SoftmaxFactors {
  Matrix root;                  // of D: points x classes
  std::vector<Matrix> inverse;  // of I + D_c^1/2 K D_c^1/2, both triangles
  Matrix sum;                   // G, lower triangle
  Matrix coupling;              // the Cholesky factor of G, zeros above it
  double log_determinant = 0;   // of I + K W

  // n^3 flops for each class and n^3/3; memory is used again when the sizes are as before. False when K is too large
  // for the factors to exist in floating point; a diagonal that is larger by the share `jitter` may help.
  bool make(MatrixView K, Matrix root, int threads, const Monitor& monitor, double jitter = 0);

  // E_c of each row of v (points along the rows), in place.
  void apply_to_rows(Index c, MatrixRef v, Matrix& spare) const;
  // (W^-1 + K)^-1 v for v of points x classes.
  Matrix apply(const Matrix& v) const;
};

// Work on an n x n matrix for each class: side by side where the matrices are small, else one after the other, each on
// all cores. The monitor handed on is for work within a class.
void for_classes(Index n, Index classes, int threads, const Monitor& monitor, std::string_view stage,
                 const std::function<void(Index c, const Monitor& within)>& body);

// body(i) for each row of a matrix, some rows side by side with others.
void for_rows(Index n, int threads, const std::function<void(Index i)>& body);

// Orthonormal columns that add up to 0 (Helmert's): column j compares class j + 1 with the mean of those before it.
Matrix class_contrasts(Index classes);

// The upper triangle from the lower one.
void fill_upper(MatrixRef a);

}  // namespace mercer::detail
