// The first columns of a Cholesky factor, with pivots drawn at random: F'F below B = S K S / unit and near it where few
// directions hold most of B.
//
// A pivot is drawn by what is left of the diagonal, so that clusters of points are found and single outliers do not
// take all pivots. Drawn in batches and thinned out so that the law of the pivots is that of drawing one at a time
// (Epperly, Tropp & Webber, arXiv:2410.03969). k^2 n flops, k rows of K, (k + a batch) n numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "solve/system.hpp"

namespace mercer::solve {

class PartialCholesky {
 public:
  // For at most `most` pivots. Reads the diagonal.
  PartialCholesky(const Equations& equations, Index most, std::uint64_t seed);

  // Until there are so many pivots, or nothing is left of B but rounding. Reports "precondition" to the monitor.
  void grow(Index rank, const Execution& how);
  // By these, of another B that is much the same: none is drawn. Those with nothing left are passed over.
  void grow_by(std::span<const Index> pivots, const Execution& how);

  Index size() const { return static_cast<Index>(left_.size()); }
  Index rank() const { return static_cast<Index>(pivots_.size()); }
  const std::vector<Index>& pivots() const { return pivots_; }  // of the equations, in the order they were taken
  MatrixView factor() const { return factor_.view().block({0, rank()}, {0, size()}); }  // F, a row for each pivot
  Matrix take() && { return std::move(factor_); }  // F above rows that were not written
  double trace() const { return trace_; }          // of B
  double rest() const;                             // of B - F'F

 private:
  std::vector<Index> draw(Index count);
  // Those of `drawn` that are kept, and the Cholesky factor of what is left of B among them.
  struct Kept {
    std::vector<Index> pivots;
    Matrix lower;
  };
  enum class Thinning { by_chance, none };
  Kept thin_out(const std::vector<Index>& drawn, Index most, Thinning thinning, const Execution& how);
  void append(const Kept& kept, const Execution& how);

  const Equations equations_;
  Random random_;
  Matrix factor_;
  std::vector<Index> pivots_ = {};
  Vector left_;  // the diagonal of B - F'F
  double trace_ = 0;
};

}  // namespace mercer::solve
