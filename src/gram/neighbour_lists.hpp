// The nearest points of each point, in the metric of a kernel: by a tree where the kernel is one of distances between
// few columns, else by all pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gram/row_tree.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

// Row i holds the numbers of the points nearest to point i, nearest first, of equals the smaller number.
class NeighbourLists {
 public:
  NeighbourLists() = default;
  NeighbourLists(Index rows, Index most);

  Index rows() const { return static_cast<Index>(counts_.size()); }
  Index most() const { return most_; }  // neighbours of a point
  std::span<const std::int32_t> of(Index i) const;
  void set(Index i, std::span<const Near> nearest);

 private:
  Index most_ = 0;
  std::vector<std::int32_t> counts_, which_;
};

// Who is nearest among points x. The kernel is resolved. Immutable and thread-safe.
class NeighbourSearch {
 public:
  NeighbourSearch(const Kernel& k, const Points& x);

  bool by_tree() const { return tree_ != nullptr; }
  // Of each point among those before it; of some of the points.
  NeighbourLists earlier(Index most, const Execution& how) const;
  NeighbourLists earlier(std::span<const Index> some, Index most, const Execution& how) const;
  // Of new points.
  NeighbourLists of(const Points& x, Index most, const Execution& how) const;

  // How far the metric of another kernel is from this one: 1 where they are multiples of each other, else how many
  // times one column has become longer beside another; where the points are no rows, how many times a parameter has
  // changed.
  double drift_to(const Kernel& k) const;

 private:
  Kernel kernel_;
  Points x_;
  std::optional<Points> rows_;  // whose distances order the neighbours
  std::shared_ptr<const RowTree> tree_;
  Vector scales_;  // of the columns of rows_, or parameters
};

}  // namespace mercer::detail
