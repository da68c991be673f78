// A large matrix, cut into tiles, and the tasks that work on them.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/task_graph.hpp"
#include "mercer/matrix.hpp"

namespace mercer::linalg {

// What becomes of a tile is a chain of tasks, each of which waits for the one before: products with other tiles, then
// something with the triangle on the diagonal. Tiles are large enough for products to run at full speed, and products
// are cut where they would keep a thread, and all who wait for it, for long. Sizes decide where the cuts are, never the
// number of threads: so that number does not show in what is computed.
class Tiles {
 public:
  static constexpr Index kNone = TaskGraph::kNone;

  explicit Tiles(MatrixRef a) : a_(a), size_(size_for(a.rows())), last_(at(count() * count()), kNone) {}

  Index count() const { return (a_.rows() + size_ - 1) / size_; }
  Range range(Index i) const { return {i * size_, std::min(a_.rows(), (i + 1) * size_)}; }
  Range range(Range tiles) const { return {tiles.begin * size_, std::min(a_.rows(), tiles.end * size_)}; }
  MatrixRef operator()(Index i, Index j) const { return a_.block(range(i), range(j)); }
  MatrixRef operator()(Range i, Index j) const { return a_.block(range(i), range(j)); }
  MatrixRef operator()(Index i, Range j) const { return a_.block(range(i), range(j)); }

  // The last task so far of a tile.
  Index last(Index i, Index j) const { return last_[at(i * count() + j)]; }
  // One more, which also waits for the others.
  void then(Index i, Index j, std::vector<Index> others, std::function<void()> work) {
    others.push_back(last(i, j));
    last_[at(i * count() + j)] = graph_.add(std::move(work), others);
  }
  // body(some) for parts of a range of tiles whose products are to be added up.
  void then_for_parts(Index i, Index j, const std::vector<Index>& others, Range all,
                      const std::function<void(Range)>& body) {
    for (Index first = all.begin; first < all.end; first += kDepth / size_) {
      const Range some{first, std::min(all.end, first + kDepth / size_)};
      then(i, j, others, [body, some] { body(some); });
    }
  }

  void run(const Monitor& monitor) { graph_.run(thread_count(0), monitor, "solve"); }

 private:
  static constexpr Index kDepth = 2048;  // rows or columns of one product

  // The triangles on the diagonal are slower than products and others wait for them, so small matrices have small ones.
  static Index size_for(Index n) { return n < 2400 ? 192 : n < 6000 ? 384 : 512; }

  MatrixRef a_;
  Index size_;
  std::vector<Index> last_;
  TaskGraph graph_;
};

}  // namespace mercer::linalg
