// One pass over the data: k(x, Z) of all rows x, a strip of rows at a time, used while it is in cache and forgotten.
//
//     Pass pass(k, z, pieces_of(x));
//     pass.back(u, {.times = w}, how);        // sum over x of w k(Z, x) f(x)', f = k(x, Z) u
//
// Rows come in pieces, which may be parts of what is in memory or of files. A piece is gone through by one thread, and
// what pieces give is added in their order: no result depends on the number of threads, or on who computed which piece.
// Where several processes fit one model (distributed/ranks.hpp), back(), values() and sum() deal the pieces to them;
// where rows are elsewhere (points/elsewhere.hpp), these three are done there, while the others would bring the rows
// here. n m kernel values for a pass; memory of a strip and a sum for each thread.
#pragma once

#include <functional>
#include <memory>

#include "centres/summand.hpp"
#include "distributed/ranks.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::centres {

// The rows of a data set, in pieces that can be read again and again. Threads read different ones at once.
class Pieces {
 public:
  virtual ~Pieces() = default;
  virtual Index rows() const = 0;
  virtual Index count() const = 0;
  virtual Range range(Index piece) const = 0;  // the rows that it has
  virtual Points read(Index piece) const = 0;
  virtual const Points* elsewhere() const { return nullptr; }  // all rows, where they are on other computers
};

// Slices of points, which are in memory or read when they are wanted (points/streamed.hpp). How many rows a piece has
// depends on their number alone.
std::shared_ptr<const Pieces> pieces_of(const Points& x);
Index rows_of_a_piece(Index rows);

// Rows of a strip: as many as find room in the cache with their numbers k(x, Z), or, for work that grows with m^2 for
// each row, so many that this is matrix algebra.
inline constexpr Index kInCache = 0, kTall = 1024;

class Pass {
 public:
  Pass(Kernel resolved, Points centres, std::shared_ptr<const Pieces> pieces);

  Index rows() const { return pieces_->rows(); }
  Index centres() const { return centres_.size(); }
  Range pieces() const { return {0, pieces_->count()}; }
  Range rows_of(Range pieces) const;

  // sum over x of k(Z, x) g(x)': centres x columns of u.
  Matrix back(MatrixView u, const Between& between, const Execution& how) const;
  // k(x, Z) u of all rows.
  Matrix values(MatrixView u, const Execution& how) const;
  // The sum over pieces of what is added to matrices that begin at 0. Strips of a piece come in order, from one thread.
  distributed::Part sum(const Summand& summand, const Given& given, const Execution& how) const;
  // The same of blocks of several pieces, where rows are elsewhere.
  distributed::Part sum_elsewhere(const Summand& summand, const Given& given, const std::vector<Range>& blocks) const;
  // One part below the other, of a summand whose first matrix has a row for each.
  Matrix rows_elsewhere(const Summand& summand, const Given& given) const;
  bool elsewhere() const { return pieces_->elsewhere() != nullptr; }

  // For more than sums, of some pieces: calls `use` with the numbers of each strip as above. Then `done` is called for
  // each piece, in order, one at a time.
  using Use = std::function<void(Index piece, Range rows, MatrixRef K)>;
  void strips(Range pieces, Index height, const Use& use, const std::function<void(Index piece)>& done,
              const Execution& how) const;
  // Reverse mode: `weigh`, called as `use` is, fills W with dL/dk(x, Z) of the strip and may change K. Gives
  // dL/d(value) of every parameter of the kernel, fixed ones included.
  using Weigh = std::function<void(Index piece, Range rows, MatrixRef K, MatrixRef W)>;
  Vector gradient(const Weigh& weigh, const std::function<void(Index piece)>& done, const Execution& how) const;
  // The same for L = sum over x of w_x k(x, x).
  Vector diagonal_gradient(VectorView w, const Execution& how) const;
  // The strips of some pieces in the order of the rows, each computed by all threads and used by the caller's, which
  // may begin others: for sums that are too large to have one for each thread.
  void slabs(Range pieces, Index height, const std::function<void(Range rows, MatrixView K)>& use,
             const Execution& how) const;

 private:
  struct Strip;
  Errand errand(const Summand& summand, const Given& given) const;
  void visit(Range pieces, Index height, int threads, const std::function<void(const Strip&)>& use,
             const std::function<void(Index piece)>& done, const Execution& how) const;

  Kernel kernel_;
  Points centres_;
  std::shared_ptr<const Pieces> pieces_;
};

}  // namespace mercer::centres
