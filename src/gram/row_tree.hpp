// A k-d tree: who is nearest among rows of few numbers, without looking at all of them.
//
// Built in n log n; a search visits the leaves that the nearest so far do not rule out, which in few columns are few.
// Of equals the row of the smaller number is nearer, as with all pairs (gram/nearest.hpp). Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "gram/nearest.hpp"
#include "mercer/matrix.hpp"

namespace mercer::detail {

class RowTree {
 public:
  explicit RowTree(MatrixView rows);

  Index size() const { return static_cast<Index>(numbers_.size()); }
  // Rows one after the other that lie near each other: searches in this order find the tree in cache.
  const std::vector<std::int32_t>& order() const { return numbers_; }
  // Offers rows of a number below `before` until the nearest of them are found, by their squared distances from q.
  void search(const double* q, Index before, Nearest& nearest) const;

 private:
  struct Node {
    std::int32_t begin, end;
    std::int32_t least;      // the smallest number of a row in it
    std::int32_t right = 0;  // the left child is the next node; 0: a leaf
    std::int32_t column = 0;
    double below = 0, above = 0;  // in that column: the largest of the left child, the smallest of the right one
  };
  struct Search;

  std::int32_t build(MatrixView rows, std::int32_t begin, std::int32_t end);
  void visit(std::int32_t at, double gap, Search& search) const;

  Index columns_;
  std::vector<std::int32_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<double> values_;  // of the rows, in the order of numbers_
  Vector low_, high_;           // of each column
};

}  // namespace mercer::detail
