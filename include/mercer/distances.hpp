// mercer/distances.hpp: distances in feature space, d(x, y) = |phi(x) - phi(y)|, and who is nearest by them.
//
//     Matrix D = distances(k, x);              // d^2 = k(x,x) + k(y,y) - 2 k(x,y), for any kernel on any data
//     Neighbours near = neighbours(k, test, x, 5);
//     near.which(0, 0)                         // the point of x that is nearest to the first of test
//
// A distance is never negative, 0 for equal points, and the same for (x, y) and (y, x) to the last bit. For inner
// products of features (linear, spectrum, wl, ...) it is |x - y|, for kernels that fall with a distance (rbf,
// exponential, laplace, rq, periodic, ...) it comes without cancellation, and so for sums, multiples and on() of these:
// d^2 has all digits but some. For other kernels d^2 has an absolute error of some 1e-16 (k(x,x) + k(y,y)), so that
// points closer than 1e-8 of their size in feature space cannot be told apart.
//
// Thread-safe; every result is the same whatever the number of threads.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram.hpp"

namespace mercer {

Matrix distances(const Kernel& k, const Points& x, const Execution& how = {});
Matrix distances(const Kernel& k, const Points& x, const Points& y, const Execution& how = {});
Matrix squared_distances(const Kernel& k, const Points& x, const Execution& how = {});
Matrix squared_distances(const Kernel& k, const Points& x, const Points& y, const Execution& how = {});
// From the matrix alone, with the error of other kernels above. Where the matrix is one of a kernel, by that kernel.
Matrix squared_distances(const Gram& K, const Execution& how = {});

// The nearest points of a set, for each point of another: the nearest first, of equals the one that comes first.
class Neighbours {
 public:
  Neighbours(std::vector<Index> which, Matrix distances) : which_(std::move(which)), distances_(std::move(distances)) {}

  Index rows() const { return distances_.rows(); }
  Index count() const { return distances_.cols(); }
  Index which(Index i, Index rank) const { return which_[static_cast<std::size_t>(i * count() + rank)]; }
  std::span<const Index> of(Index i) const { return {which_.data() + i * count(), static_cast<std::size_t>(count())}; }
  const std::vector<Index>& all() const { return which_; }  // row by row
  const Matrix& distances() const { return distances_; }    // d, not squared

 private:
  std::vector<Index> which_;
  Matrix distances_;
};

// `count` neighbours in y of each point of x. All pairs are looked at, a tile at a time: memory is that of the answer.
// UsageError unless 1 <= count <= y.size().
Neighbours neighbours(const Kernel& k, const Points& x, const Points& y, Index count, const Execution& how = {});
// Of each point of x among the others.
Neighbours neighbours(const Kernel& k, const Points& x, Index count, const Execution& how = {});

}  // namespace mercer
