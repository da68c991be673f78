// A pass that is made many times: k(x, Z) of all rows is kept where there is room, and computed anew where there is
// not. The same bits either way, and whatever the threads and the processes that share the rows.
#pragma once

#include <vector>

#include "centres/pass.hpp"

namespace mercer::centres {

class HeldPass {
 public:
  // `keep`: n m numbers find room. Rows that are elsewhere keep nothing. The pass must outlive it.
  HeldPass(const Pass& pass, bool keep, const Execution& how);

  Index rows() const { return pass_.rows(); }
  Index centres() const { return pass_.centres(); }

  Range pieces() const { return pass_.pieces(); }
  const Pass& pass() const { return pass_; }

  // Sums over the rows x.
  struct Sums {
    Matrix of_centres;  // k(Z, x) g(x)'
    Matrix of_one;      // g(x)', as of one more centre at which k is 1
  };
  // k(x, Z) u of all rows; sums of g; and both at once, f = k(x, Z) u becoming g. 2 n m flops for each column, or 4.
  Matrix values(MatrixView u, const Execution& how) const;
  Sums back(MatrixView g, const Execution& how) const;
  Sums through(MatrixView u, const Between& between, const Execution& how) const;
  // Rows of some pieces in their order, some at a time.
  void slabs(Range pieces, const std::function<void(Range rows, MatrixView K)>& use, const Execution& how) const;

 private:
  using Use = std::function<void(Index piece, Range rows, MatrixView K)>;
  bool holds(Range pieces) const { return pieces.begin >= held_.begin && pieces.end <= held_.end; }
  MatrixView kept(Range rows) const;
  void strips(Range pieces, const Use& use, const Execution& how) const;

  const Pass& pass_;
  Range held_;                                // the pieces that are kept: those of this process
  Index first_ = 0;                           // row of these
  Matrix kept_;                               // rows x centres
  std::vector<std::vector<Range>> of_piece_;  // the strips of each of them
};

}  // namespace mercer::centres
