// A pass that is made many times: k(x, Z) of all rows is kept where there is room, and computed anew where there is
// not. The same bits either way, and whatever the threads.
#pragma once

#include <vector>

#include "centres/pass.hpp"

namespace mercer::centres {

class HeldPass {
 public:
  // `keep`: n m numbers find room. The pass must outlive it.
  HeldPass(const Pass& pass, bool keep, const Execution& how);

  Index rows() const { return pass_.rows(); }
  Index centres() const { return pass_.centres(); }

  // k(x, Z) u of all rows; sum over x of k(Z, x) g(x)'; and both at once, f = k(x, Z) u becoming g. 2 n m flops for
  // each column, or 4.
  Matrix values(MatrixView u, const Execution& how) const;
  Matrix back(MatrixView g, const Execution& how) const;
  Matrix through(MatrixView u, const Pass::Between& between, const Execution& how) const;
  // Rows in their order, some at a time.
  void slabs(const std::function<void(Range rows, MatrixView K)>& use, const Execution& how) const;

 private:
  using Use = std::function<void(Index piece, Range rows, MatrixView K)>;
  void strips(const Use& use, const Execution& how) const;
  Matrix summed(Index columns, const std::function<void(Range rows, MatrixView K, MatrixRef sum)>& add,
                const Execution& how) const;

  const Pass& pass_;
  Matrix kept_;                               // rows x centres; empty: not kept
  std::vector<std::vector<Range>> of_piece_;  // the strips of each piece
};

}  // namespace mercer::centres
