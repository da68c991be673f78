// A symmetric matrix G G' of low rank, with shifts.
#pragma once

#include "linalg/shifted.hpp"

namespace mercer::linalg {

// A = G G' with r columns of G, in the eigenvectors of G'G = V D V', so that with P = G V
//     (A + s I)^-1 b = (b - P (D + s I)^-1 P'b) / s
// (Woodbury). 2 n r^2 + 9 r^3 flops to make, then 4 n r for each right side and shift. Shifts are above 0. Right sides
// of several shifts stand side by side, as many columns for each.
class LowRank {
 public:
  explicit LowRank(MatrixView g);

  Index rows() const { return p_.rows(); }
  Index rank() const { return p_.cols(); }

  Matrix solve(Matrix b, VectorView shifts) const;
  Matrix refined_solve(const Matrix& b, VectorView shifts) const;  // and one step of refinement
  // Each row b becomes (A + s I)^-1/2 b.
  void solve_root(double shift, MatrixRef rows) const;
  double log_determinant(double shift) const;
  double condition(double shift) const;  // the largest eigenvalue over the smallest, for fewer columns than rows
  Matrix inverse_diagonals(VectorView shifts) const;  // one column for each shift
  void inverse_tile(double shift, Range i, Range j, double* out) const;

 private:
  Matrix projected(MatrixView v) const;  // P'v

  Vector values_;  // D
  Matrix p_;
};

// What shifted_solves() gives, for A = G G'. Reports "solve" to the monitor.
ShiftedSolves low_rank_solves(MatrixView g, MatrixView b, VectorView shifts, const Monitor& monitor = {});

}  // namespace mercer::linalg
