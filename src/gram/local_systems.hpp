// K + shift among the neighbours of a point and the point itself: many small matrices, eight at a time, with one
// program of the kernel for a few hundred of them.
#pragma once

#include <array>
#include <functional>

#include "gram/neighbour_lists.hpp"
#include "kernel/bound.hpp"
#include "simd/beside.hpp"

namespace mercer::detail {

// Eight points, or as many as are left. Their matrices are of order m + 1, neighbours first and the point itself last;
// one with fewer neighbours begins with variables that have variance 1 and nothing to do with others.
struct LocalGroup {
  static constexpr Index kSize = static_cast<Index>(simd::kBeside);

  Index first, count;                               // rows of the lists
  Index m;                                          // neighbours of the one that has most
  double* a;                                        // the matrices, as simd::factor_beside takes them
  std::array<std::span<const Index>, kSize> given;  // the neighbours of each
  // For the way back through the kernel: its program, and where neighbours and the point stand in it, of own points.
  const Bound& bound;
  std::array<Range, kSize> block;
  Scratch& scratch;

  double& last(Index j, Index s) const { return a[kSize * (m * (m + 1) / 2 + j) + s]; }  // row m of the matrix of s
  Index missing(Index s) const { return m - static_cast<Index>(given[static_cast<std::size_t>(s)].size()); }
};

// Vectors of the matrices of a group: number i of column c of each.
class LocalVectors {
 public:
  LocalVectors(const LocalGroup& group, Index columns)
      : columns_(columns), values_(static_cast<std::size_t>((group.m + 1) * columns * LocalGroup::kSize)) {}
  double& operator()(Index i, Index c, Index s) { return values_[place(i, c, s)]; }
  double operator()(Index i, Index c, Index s) const { return values_[place(i, c, s)]; }
  double* data() { return values_.data(); }
  // From column `first` on the columns of m, at the neighbours of each.
  void take(const LocalGroup& group, Index first, const Matrix& m);

 private:
  std::size_t place(Index i, Index c, Index s) const {
    return static_cast<std::size_t>((i * columns_ + c) * LocalGroup::kSize + s);
  }
  Index columns_;
  std::vector<double> values_;
};

// Called from several threads; what belongs to one batch comes one after the other, so that sums over batches do not
// depend on the threads.
using LocalBody = std::function<void(Index batch, int thread, const LocalGroup& group)>;

Index local_batches(const NeighbourLists& lists);
// Of points of x: row r of the lists is about the point which[r], or, where `which` is empty, about point r. `shift` is
// added to the diagonal, that of the point itself included. The kernel is resolved.
void for_each_own(const Kernel& k, const Points& x, std::span<const Index> which, const NeighbourLists& lists,
                  VectorView shift, const Execution& how, const LocalBody& body);
// Of other points: nothing is added to k(x, x) of these.
void for_each_new(const Kernel& k, const Points& x, const Points& others, const NeighbourLists& lists, VectorView shift,
                  const Execution& how, const LocalBody& body);

}  // namespace mercer::detail
