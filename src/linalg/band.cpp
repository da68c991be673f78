#include "linalg/band.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/task_graph.hpp"
#include "linalg/blas.hpp"
#include "simd/panel.hpp"

namespace mercer::linalg {

namespace {

using blas::Op;

constexpr Index w = kBandwidth;
static_assert(w == static_cast<Index>(simd::kPanelColumns));

constexpr Index kTile = 96;             // rows and columns of a tile; so many rows of a panel fit the first-level cache
constexpr Index kTileStep = kTile + 8;  // an odd number of cache lines: the entries of a column spread over the cache
constexpr Index kStrip = 512;           // rows of a panel that are a piece of work

// C += A X
void add_product(MatrixView a, const double* x, double* c, Index c_step = w) {
  simd::add_product(a.data(), at(a.stride()), 1, at(a.rows()), at(a.cols()), x, c, at(c_step));
}

// C += A' X
void add_transposed_product(MatrixView a, const double* x, double* c) {
  simd::add_product(a.data(), 1, at(a.stride()), at(a.cols()), at(a.rows()), x, c);
}

MatrixView first_rows(const Matrix& m, Index count) { return m.view().block({0, count}, {0, m.cols()}); }

// Takes 32 columns of A at a time. An orthogonal H = I - V S V', S a triangle, makes zero what lies below the band in
// them, and what remains of A becomes
//     H' A H = A - V W' - W V',    W = Y - V (S' V' Y) / 2,  Y = A V S.
// The update waits until the next V is known, so that A comes from memory once for both: each tile is updated and
// then multiplied by the next V.
class Reduction {
 public:
  Reduction(Matrix& a, int threads)
      : a_(a),
        n_(a.rows()),
        threads_(threads),
        band_(n_, w + 1),
        triangles_(n_, w),
        v_(n_, w),
        product_(n_, w),
        y_(n_, w),
        left_(n_, 2 * w),
        right_(n_ + w, 2 * w) {}

  // Steps until what is left fits the band.
  Index steps() const { return n_ <= w + 1 ? 0 : (n_ - 2) / w; }

  // Leaves V, its ones and zeros written out, in A where it made zeros.
  void step(Index number) {
    const Index first = number * w, below = first + w;
    update_columns(first);
    copy_to_band({first, below}, below);
    eliminate(first);
    multiply(below);
    prepare_update(first);
  }

  void finish() {
    const Index first = steps() * w;
    for (Index j = first; j < n_; j += w) update_columns(j);
    copy_to_band({first, n_}, n_);
  }

  Matrix take_band() { return std::move(band_); }
  const Matrix& triangles() const { return triangles_; }

 private:
  void copy_to_band(Range columns, Index end) {
    for (Index j = columns.begin; j < columns.end; ++j) {
      for (Index i = j; i < end; ++i) band_(j, i - j) = a_(i, j);
    }
  }

  // 32 columns of A, from the diagonal down.
  void update_columns(Index first) {
    if (updated_from_ < 0) return;
    for (Index i = first; i < n_; i += kTile) {
      update({i, std::min(i + kTile, n_)}, {first, std::min(first + w, n_)});
    }
  }

  void update(Range rows, Range columns) {
    const MatrixView left = left_.view().block({rows.begin - updated_from_, rows.end - updated_from_}, {0, 2 * w});
    for (Index j = columns.begin; j < columns.end; j += w) {
      const double* right = right_.row(j - updated_from_);
      if (j + w <= n_) {
        add_product(left, right, a_.row(rows.begin) + j, n_);
        continue;
      }
      alignas(64) double part[kTile * w] = {};
      add_product(left, right, part);
      for (Index i = rows.begin; i < rows.end; ++i) {
        for (Index k = j; k < n_; ++k) a_(i, k) += part[(i - rows.begin) * w + k - j];
      }
    }
  }

  // V and S from the QR factors of what lies below the band; R is part of the band.
  void eliminate(Index first) {
    const Index below = first + w, m = n_ - below, height = std::max(m, w);
    Matrix columns(w, height), s(w, w);  // by columns; too few rows are filled up with 0, which reflections leave alone
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < w; ++j) columns(j, i) = a_(below + i, first + j);
    }
    blas::geqrt3(columns, s);
    for (Index j = 0; j < w; ++j) {
      for (Index i = 0; i <= j; ++i) triangles_(first + i, j) = s(j, i);
      for (Index i = 0; i <= std::min(j, m - 1); ++i) band_(first + j, w + i - j) = columns(j, i);
    }
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < w; ++j) v_(i, j) = i > j ? columns(j, i) : i == j ? 1 : 0;
      std::copy_n(v_.row(i), w, a_.row(below + i) + first);
    }
  }

  // product = A V on the rows and columns from `below` on, after the update that A still needs. Rows of tiles are dealt
  // out to a number of sums that depends only on n, and these are added in order.
  void multiply(Index below) {
    const Index m = n_ - below, strips = (m + kTile - 1) / kTile;
    const Index sums = std::max<Index>(1, m / kStrip);
    while (static_cast<Index>(sums_.size()) < sums) sums_.push_back(Matrix::uninitialized(m, w));
    parallel_for(sums, threads_, {}, "reduce", [&](Index g, int) {
      double* sum = sums_[at(g)].data();
      std::fill_n(sum, m * w, 0.0);
      AlignedArray tile(at(kTile * kTileStep));
      for (Index round = 0; round * sums < strips; ++round) {
        // There and back again: long rows and short ones are shared out evenly.
        const Index strip = round * sums + (round % 2 == 0 ? g : sums - 1 - g);
        if (strip < strips) multiply_strip(below, strip, tile.data(), sum);
      }
    });
    parallel_for((m + kStrip - 1) / kStrip, threads_, {}, "reduce", [&](Index piece, int) {
      const Index end = std::min(m, (piece + 1) * kStrip) * w;
      for (Index i = piece * kStrip * w; i < end; ++i) {
        double total = sums_[0].data()[i];
        for (Index g = 1; g < sums; ++g) total += sums_[at(g)].data()[i];
        product_.data()[i] = total;
      }
    });
  }

  // One row of tiles, left of the diagonal and on it. A tile stands for its mirror image too.
  void multiply_strip(Index below, Index strip, double* tile, double* sum) {
    const Range rows{below + strip * kTile, std::min(n_, below + strip * kTile + kTile)};
    alignas(64) double own[kTile * w] = {};
    for (Index j = below; j < rows.end; j += kTile) {
      const Range columns{j, std::min(rows.end, j + kTile)};
      if (updated_from_ >= 0) update(rows, columns);
      for (Index i = 0; i < rows.size(); ++i) {
        std::copy_n(a_.row(rows.begin + i) + j, columns.size(), tile + i * kTileStep);
      }
      const bool diagonal = columns.begin == rows.begin;
      for (Index i = 0; diagonal && i < rows.size(); ++i) {
        for (Index k = 0; k < i; ++k) tile[k * kTileStep + i] = tile[i * kTileStep + k];
      }
      const MatrixView block{tile, rows.size(), columns.size(), kTileStep};
      add_product(block, v_.row(j - below), own);
      if (!diagonal) add_transposed_product(block, v_.row(rows.begin - below), sum + (j - below) * w);
    }
    double* out = sum + (rows.begin - below) * w;
    for (Index i = 0; i < rows.size() * w; ++i) out[i] += own[i];
  }

  // W, and the update as one product: left = [V W], right = -[W V]' in panels.
  void prepare_update(Index first) {
    const Index m = n_ - first - w;
    const MatrixView s = triangles_.view().block({first, first + w}, {0, w}), v = first_rows(v_, m);
    std::fill_n(y_.data(), m * w, 0.0);
    add_product(first_rows(product_, m), s.data(), y_.data());
    Matrix inner(w, w), half(w, w);
    add_transposed_product(v, y_.data(), inner.data());
    add_transposed_product(s, inner.data(), half.data());
    for (Index i = 0; i < w * w; ++i) half.data()[i] *= -0.5;
    add_product(v, half.data(), y_.data());
    for (Index i = 0; i < m; ++i) {
      std::copy_n(v_.row(i), w, left_.row(i));
      std::copy_n(y_.row(i), w, left_.row(i) + w);
      double* column = right_.row(i / w * w) + i % w;
      for (Index k = 0; k < w; ++k) {
        column[k * w] = -y_(i, k);
        column[(w + k) * w] = -v_(i, k);
      }
    }
    updated_from_ = first + w;
  }

  Matrix& a_;
  Index n_;
  int threads_;
  Matrix band_;
  Matrix triangles_;          // the S of all steps, one below the other
  Matrix v_, product_, y_;    // of this step: V, A V, and Y, which becomes W
  Matrix left_, right_;       // the update that A still needs
  Index updated_from_ = -1;   // its first row; -1: none is needed
  std::vector<Matrix> sums_;  // work space of multiply
};

// Q = H_1 H_2 ... I is put together from the right, so that H_k meets only rows and columns from its own on. Six steps
// go together as one H = I - V S V', which is two large products. Columns do not meet: strips of them go their own way.
constexpr Index kTogether = 6;
constexpr Index kColumns = 256;  // of Q that make a strip
constexpr Index kRows = 512;     // of a strip that are multiplied at a time: their product stays in the cache

class Basis {
 public:
  // Of the reflections that `a` holds; what stands above the V of a step is overwritten.
  Basis(MatrixRef a, const Matrix& triangles, Index steps, int threads)
      : threads_(threads), n_(a.rows()), a_(a), q_(n_, n_) {
    for (Index i = 0; i < n_; ++i) q_(i, i) = 1;
    for (Index first = 0; first < steps; first += kTogether)
      blocks_.push_back({first, std::min(steps, first + kTogether)});
    minus_s_.resize(blocks_.size());
    parallel_for(static_cast<Index>(blocks_.size()), threads, {}, "reduce",
                 [&](Index b, int) { join(at(b), triangles); });
  }

  Matrix make(const Monitor& monitor) {
    TaskGraph graph;
    for (Index last = n_; last > 0; last -= std::min(last, kColumns)) {
      const Range strip{std::max<Index>(0, last - kColumns), last};
      Index before = TaskGraph::kNone;
      for (std::size_t b = blocks_.size(); b-- > 0;) {
        const Range columns{std::max(strip.begin, below(b)), strip.end};
        if (columns.begin >= columns.end) continue;
        before = graph.add([this, b, columns] { reflect(b, columns); }, {before});
      }
    }
    graph.run(threads_, monitor, "reduce");
    return std::move(q_);
  }

 private:
  Index below(std::size_t block) const { return (blocks_[block].begin + 1) * w; }
  MatrixRef v(std::size_t block) const {
    return a_.block({below(block), n_}, {blocks_[block].begin * w, blocks_[block].end * w});
  }

  // -S. That of two reflections, one after the other, is [S1, -S1 V1'V2 S2; 0, S2].
  void join(std::size_t block, const Matrix& triangles) {
    const MatrixRef V = v(block);
    const Index k = V.cols(), m = V.rows();
    Matrix& minus_s = minus_s_[block] = Matrix(k, k);
    for (Index j = 0; j < k; j += w) {
      // Above the V of a later step stands what is not V.
      for (Index i = 0; i < std::min(j, m); ++i) std::fill_n(V.row(i) + j, w, 0.0);
      const MatrixView s = triangles.view().block({below(block) - w + j, below(block) + j}, {0, w});
      for (Index i = 0; i < w; ++i) {
        for (Index l = 0; l < w; ++l) minus_s(j + i, j + l) = -s(i, l);
      }
      if (j == 0) continue;
      const Range before{0, j}, own{j, j + w}, rows{0, m};
      Matrix inner(j, w), scaled(j, w);
      blas::gemm(Op::transposed, Op::plain, 1, V.block(rows, before), V.block(rows, own), 0, inner);
      blas::gemm(Op::plain, Op::plain, 1, inner, s, 0, scaled);
      blas::gemm(Op::plain, Op::plain, -1, minus_s.view().block(before, before), scaled, 0,
                 minus_s.ref().block(before, own));
    }
  }

  // These columns of Q -= V S V' Q
  void reflect(std::size_t block, Range columns) {
    const MatrixView V = v(block);
    const MatrixRef Q = q_.ref().block({below(block), n_}, columns);
    const Range all{0, columns.size()};
    Matrix inner = Matrix::uninitialized(V.cols(), all.size()), scaled = Matrix::uninitialized(V.cols(), all.size());
    blas::gemm(Op::transposed, Op::plain, 1, V, Q, 0, inner);
    blas::gemm(Op::plain, Op::plain, 1, minus_s_[block], inner, 0, scaled);
    for (Index i = 0; i < V.rows(); i += kRows) {
      const Range rows{i, std::min(V.rows(), i + kRows)};
      blas::gemm(Op::plain, Op::plain, 1, V.block(rows, {0, V.cols()}), scaled, 1, Q.block(rows, all));
    }
  }

  int threads_;
  Index n_;
  MatrixRef a_;
  Matrix q_;
  std::vector<Range> blocks_;  // of steps that go together
  std::vector<Matrix> minus_s_;
};

}  // namespace

BandForm band_form(Matrix a, int threads, const Monitor& monitor) {
  const Index n = a.rows();
  Reduction reduction(a, threads);
  const Index steps = reduction.steps();
  const auto left = [&](Index step) {  // the share of n^3 that the steps from this one on take
    const double rest = 1 - static_cast<double>(step * w) / static_cast<double>(n);
    return rest * rest * rest;
  };
  for (Index step = 0; step < steps; ++step) {
    monitor.report({"reduce", (1 - left(step)) / 2});
    reduction.step(step);
  }
  reduction.finish();
  const Monitor second_half([&](const Progress& p) {
    monitor.report({"reduce", (1 + p.fraction) / 2});
    return true;
  });
  Matrix basis = Basis(a, reduction.triangles(), steps, threads).make(monitor.listening() ? second_half : Monitor());
  return {reduction.take_band(), std::move(basis)};
}

}  // namespace mercer::linalg
