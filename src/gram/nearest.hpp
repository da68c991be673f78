// Who is nearest, a tile of pairs at a time.
#pragma once

#include <functional>
#include <span>

#include "kernel/bound.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

// A point of y: what a program of distances says of the pair, and where the point stands. Nearest first, of equals the
// one that comes first.
struct Near {
  double far;
  Index which;
  friend bool operator<(const Near& a, const Near& b) { return a.far != b.far ? a.far < b.far : a.which < b.which; }
};

// The nearest so far, no more than `count`.
class Nearest {
 public:
  explicit Nearest(Index count) : count_(static_cast<std::size_t>(count)) {}
  bool full() const { return heap_.size() == count_; }
  double limit() const { return heap_.front().far; }  // when full: what is not below it need not be offered
  void offer(Near one);                               // in the order of the points
  std::span<const Near> sorted();
  void clear() { heap_.clear(); }

 private:
  std::size_t count_;
  std::vector<Near> heap_;
};

// Calls found(i, nearest) for each row, from several threads: the `count` nearest points of y, in order, or as many as
// there are. `distances` is a program of distances; `without_itself`: x and y are one, and a point is not its own
// neighbour.
void for_each_nearest(const Bound& distances, Index count, bool without_itself, const Execution& how,
                      const std::function<void(Index i, std::span<const Near> nearest)>& found);
// The same of row i among the first before[i] points of y.
void for_each_nearest(const Bound& distances, Index count, std::span<const Index> before, const Execution& how,
                      const std::function<void(Index i, std::span<const Near> nearest)>& found);

}  // namespace mercer::detail
