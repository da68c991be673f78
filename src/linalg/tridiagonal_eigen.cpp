#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "linalg/blas.hpp"
#include "linalg/cut.hpp"
#include "linalg/tridiagonal.hpp"
#include "simd/loops.hpp"

namespace mercer::linalg {

namespace {

using blas::Deflation;
using blas::Op;

constexpr Index kLeaf = 32;         // rows of a block that is not torn any further
constexpr Index kSideBySide = 384;  // blocks up to here are put together side by side, larger ones one after the other

// The eigenvectors of a block from those of its halves: the eigenvalues are the roots of the secular equation, the
// vectors follow from the distances of its poles to each root. They stand in the rows of the vectors first, a number
// for each pole.
class Merge {
 public:
  Merge(VectorRef values, MatrixRef vectors, Index cut, double beside, std::span<int> sorted, const Monitor& monitor)
      : values_(values),
        vectors_(vectors),
        cut_(cut),
        sorted_(sorted),
        monitor_(monitor),
        equation_(blas::laed2(values, vectors, cut, beside, sorted)) {}

  bool run() {
    if (equation_.kept == 0) {
      std::iota(sorted_.begin(), sorted_.end(), 1);
      return true;
    }
    if (!find_roots()) return false;
    if (equation_.kept > 2) correct_z();
    multiply();
    blas::lamrg(values_, equation_.kept, sorted_);
    return true;
  }

 private:
  template <class Body>
  void for_strips(Index most, double begin, double end, const Body& body) {
    const Cut cut(equation_.kept, 16, most);
    parallel_for(cut.count(), thread_count(0), part_of(monitor_, "eigen", begin, end), "eigen",
                 [&](Index i, int) { body(cut[i]); });
  }

  bool find_roots() {
    std::atomic<bool> found = true;
    for_strips(64, 0, 0.3, [&](Range roots) {
      for (Index j = roots.begin; j < roots.end; ++j) {
        if (!blas::laed4(equation_, j, vectors_.row(j), values_[at(j)])) found = false;
      }
    });
    return found;
  }

  // The z of which the roots found are exactly those: with it the vectors are orthogonal to all digits.
  void correct_z() {
    const Vector& poles = equation_.poles;
    Vector z(at(equation_.kept));
    for_strips(256, 0.3, 0.4, [&](Range some) {
      for (Index i = some.begin; i < some.end; ++i) z[at(i)] = vectors_(i, i);
      for (Index j = 0; j < equation_.kept; ++j) {
        const double* const distances = vectors_.row(j);
        for (Index i = some.begin; i < std::min(j, some.end); ++i) {
          z[at(i)] *= distances[i] / (poles[at(i)] - poles[at(j)]);
        }
        for (Index i = std::max(j + 1, some.begin); i < some.end; ++i) {
          z[at(i)] *= distances[i] / (poles[at(i)] - poles[at(j)]);
        }
      }
      for (Index i = some.begin; i < some.end; ++i) z[at(i)] = std::copysign(std::sqrt(-z[at(i)]), equation_.z[at(i)]);
    });
    std::copy(z.begin(), z.end(), equation_.z.begin());
  }

  // The numbers of vector j in terms of the parts, in their order.
  void coefficients(Index j, double* out) const {
    const Index k = equation_.kept;
    const double* const distances = vectors_.row(j);
    Vector own(at(k));
    for (Index i = 0; i < k; ++i) own[at(i)] = k > 2 ? equation_.z[at(i)] / distances[i] : distances[i];
    const double length = k > 2 ? std::sqrt(simd::dot(own.data(), own.data(), at(k))) : 1;
    for (Index i = 0; i < k; ++i) out[i] = own[at(equation_.order[at(i)] - 1)] / length;
  }

  void multiply() {
    const Index k = equation_.kept, rest = vectors_.rows() - cut_;
    const Index above = equation_.by[0] + equation_.by[1], below = equation_.by[1] + equation_.by[2];
    const MatrixView upper{equation_.parts.data(), above, cut_};
    const MatrixView lower{equation_.parts.data() + above * cut_, below, rest};
    for_strips(128, 0.4, 1, [&](Range rows) {
      Matrix c = Matrix::uninitialized(rows.size(), k);
      for (Index j = rows.begin; j < rows.end; ++j) coefficients(j, c.row(j - rows.begin));
      const Range all{0, rows.size()};
      product(c.view().block(all, {0, above}), upper, vectors_.block(rows, {0, cut_}));
      product(c.view().block(all, {equation_.by[0], k}), lower, vectors_.block(rows, {cut_, vectors_.rows()}));
    });
  }

  static void product(MatrixView a, MatrixView b, MatrixRef out) {
    if (b.rows() > 0) return blas::gemm(Op::plain, Op::plain, 1, a, b, 0, out);
    for (Index i = 0; i < out.rows(); ++i) std::fill_n(out.row(i), out.cols(), 0.0);
  }

  VectorRef values_;
  MatrixRef vectors_;
  Index cut_;
  std::span<int> sorted_;
  const Monitor& monitor_;
  Deflation equation_;
};

class Division {
 public:
  Division(VectorRef values, VectorRef beside, MatrixRef vectors, const Monitor& monitor)
      : values_(values), beside_(beside), vectors_(vectors), monitor_(monitor), sorted_(values.size()) {
    ends_ = {0, vectors.rows()};
    for (Index longest = vectors.rows(); longest > kLeaf; longest = (longest + 1) / 2) halve();
  }

  bool run() {
    for (Index i = 0; i < vectors_.rows(); ++i) std::fill_n(vectors_.row(i), vectors_.cols(), 0.0);
    tear();
    bool found = solve_leaves();
    for (; found && ends_.size() > 2; found = put_together()) {
    }
    if (found) sort();
    return found;
  }

 private:
  Index blocks() const { return static_cast<Index>(ends_.size()) - 1; }
  Range block(Index i) const { return {ends_[at(i)], ends_[at(i) + 1]}; }

  void halve() {
    std::vector<Index> finer;
    for (Index i = 0; i < blocks(); ++i) {
      finer.push_back(block(i).begin);
      finer.push_back(block(i).begin + block(i).size() / 2);
    }
    finer.push_back(ends_.back());
    ends_ = std::move(finer);
  }

  // T = blocks + sum of |e| (+-1, 1)(+-1, 1)' where they meet.
  void tear() {
    for (Index i = 1; i < blocks(); ++i) {
      const std::size_t first = at(block(i).begin);
      const double e = std::abs(beside_[first - 1]);
      values_[first - 1] -= e;
      values_[first] -= e;
    }
  }

  MatrixRef square(Range which) const { return vectors_.block(which, which); }

  bool solve_leaves() {
    std::atomic<bool> found = true;
    parallel_for(blocks(), thread_count(0), part_of(monitor_, "eigen", 0, share(blocks())), "eigen", [&](Index i, int) {
      const Range rows = block(i);
      const auto begin = at(rows.begin), count = at(rows.size());
      if (!blas::steqr(values_.subspan(begin, count), beside_.subspan(begin, count), square(rows))) found = false;
      std::iota(sorted_.begin() + rows.begin, sorted_.begin() + rows.end, 1);
    });
    return found;
  }

  // Of the work, when so many blocks are left: each step costs four times the one before.
  static double share(Index left) { return 1 / (static_cast<double>(left) * static_cast<double>(left)); }

  // Blocks 2 i and 2 i + 1 become one.
  bool put_together() {
    const Index pairs = blocks() / 2;
    std::atomic<bool> found = true;
    const auto merge = [&](Index i, const Monitor& monitor) {
      const Range rows{block(2 * i).begin, block(2 * i + 1).end};
      const Index cut = block(2 * i).size();
      const auto begin = at(rows.begin), count = at(rows.size());
      Merge both(values_.subspan(begin, count), square(rows), cut, beside_[begin + at(cut) - 1],
                 std::span(sorted_).subspan(begin, count), monitor);
      if (!both.run()) found = false;
    };
    const double from = share(blocks()), to = share(pairs);
    if (block(0).size() * 2 <= kSideBySide) {
      parallel_for(pairs, thread_count(0), part_of(monitor_, "eigen", from, to), "eigen",
                   [&](Index i, int) { merge(i, {}); });
    } else {
      const double each = (to - from) / static_cast<double>(pairs);
      for (Index i = 0; i < pairs; ++i) {
        const double begin = from + each * static_cast<double>(i);
        merge(i, part_of(monitor_, "eigen", begin, begin + each));
      }
    }
    std::vector<Index> fewer;
    for (std::size_t i = 0; i < ends_.size(); i += 2) fewer.push_back(ends_[i]);
    ends_ = std::move(fewer);
    return found;
  }

  // Rows and values in the order of the values, moved along the cycles of the permutation.
  void sort() {
    const Index n = vectors_.rows();
    // Roots that agree but for rounding may have come out the wrong way round.
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [&](int a, int b) { return values_[at(a) - 1] < values_[at(b) - 1]; });
    Vector row(at(n));
    std::vector<bool> placed(at(n));
    for (Index start = 0; start < n; ++start) {
      if (placed[at(start)]) continue;
      std::copy_n(vectors_.row(start), n, row.data());
      const double value = values_[at(start)];
      Index to = start;
      for (Index from = sorted_[at(to)] - 1; from != start; to = from, from = sorted_[at(to)] - 1) {
        std::copy_n(vectors_.row(from), n, vectors_.row(to));
        values_[at(to)] = values_[at(from)];
        placed[at(to)] = true;
      }
      std::copy_n(row.data(), n, vectors_.row(to));
      values_[at(to)] = value;
      placed[at(to)] = true;
    }
  }

  VectorRef values_, beside_;
  MatrixRef vectors_;
  const Monitor& monitor_;
  std::vector<int> sorted_;  // the order of each block by value, from 1
  std::vector<Index> ends_;  // of the blocks, and before them 0
};

}  // namespace

bool tridiagonal_eigen(VectorRef diagonal, VectorRef beside, MatrixRef vectors, const Monitor& monitor) {
  double largest = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    largest = std::max(largest, std::abs(diagonal[i]));
    if (i + 1 < diagonal.size()) largest = std::max(largest, std::abs(beside[i]));
  }
  // What is small is told from what is not by numbers near 1; a power of 2 changes no digit.
  const double scale = largest == 0 ? 1 : std::exp2(-std::ilogb(largest));
  for (double& d : diagonal) d *= scale;
  for (double& e : beside) e *= scale;
  const bool found = Division(diagonal, beside, vectors, monitor).run();
  for (double& d : diagonal) d /= scale;
  return found;
}

}  // namespace mercer::linalg
