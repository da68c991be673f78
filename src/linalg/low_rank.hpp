// A symmetric matrix G G' of low rank, with shifts.
#pragma once

#include "linalg/shifted.hpp"

namespace mercer::linalg {

// A = G G' with r columns of G, in the eigenvectors of G'G = V D V', so that with P = G V
//     (A + s I)^-1 b = (b - P (D + s I)^-1 P'b) / s
// (Woodbury). 2 n r^2 + 9 r^3 flops to make, then 8 n r for each right side and shift. Shifts are above 0. Right sides
// of several shifts stand side by side, as many columns for each.
//
// Eigenvalues below rounding of the largest are not lost: the directions that they belong to, which is what inputs far
// from 0 leave of their spread, are looked at again without the large ones, as long as the least shift sees a
// difference.
class LowRank {
 public:
  LowRank(MatrixView g, double least_shift);

  Index rows() const { return p_.rows(); }
  Index rank() const { return p_.cols(); }

  Matrix solve(Matrix b, VectorView shifts) const;
  // The part of (A + s I)^-1 b that A sees: A times it is A times all of it. Far shorter where s is far below A, and
  // then with more digits of its own.
  Matrix seen_part(Matrix b, VectorView shifts) const;
  // Each row b becomes (A + s I)^-1/2 b.
  void solve_root(double shift, MatrixRef rows) const;
  double log_determinant(double shift) const;
  double condition(double shift) const;  // the largest eigenvalue over the smallest, for fewer columns than rows
  Matrix inverse_diagonals(VectorView shifts) const;  // one column for each shift
  void inverse_tile(double shift, Range i, Range j, double* out) const;

 private:
  Matrix projected(MatrixView v) const;                   // P'v
  Matrix take_out(MatrixRef b, VectorView shifts) const;  // b becomes s z with z = (A + s I)^-1 b; P'z

  Vector values_;  // D
  Matrix p_;
};

// What shifted_solves() gives, for A = G G'. Reports "solve" to the monitor.
ShiftedSolves low_rank_solves(MatrixView g, MatrixView b, VectorView shifts, const Monitor& monitor = {});

}  // namespace mercer::linalg
