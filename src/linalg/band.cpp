#include "linalg/band.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "simd/panel.hpp"

namespace mercer::linalg {

namespace {

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

// Q = H_1 H_2 ... I is put together from the right, so that H_k meets only rows and columns from its own on. Three
// steps go together as one H = I - V S V': each pass over Q then does three times as much.
constexpr Index kTogether = 3;
constexpr Index kPanels = 4;  // of Q that make a piece of work and share each tile of V

class Basis {
 public:
  Basis(Index n, int threads)
      : n_(n), threads_(threads), v_(n, kTogether * w), turned_(n, kTogether * w), panel_(n, w) {
    for (Index j = 0; j < n; j += w) {
      panels_.emplace_back(n, w);
      for (Index i = j; i < std::min(n, j + w); ++i) panels_.back()(i, i - j) = 1;
    }
  }

  // Q = H Q, H the reflections of these steps, which `a` holds.
  void reflect(MatrixView a, const Matrix& triangles, Range steps) {
    below_ = (steps.begin + 1) * w;
    m_ = n_ - below_;
    k_ = steps.size() * w;
    collect(a);
    join(triangles);
    apply();
  }

  std::vector<Matrix> take() { return std::move(panels_); }

 private:
  // V, and V' in tiles of 96 columns.
  void collect(MatrixView a) {
    parallel_for((m_ + kTile - 1) / kTile, threads_, {}, "reduce", [&](Index piece, int) {
      const Index from = piece * kTile, to = std::min(m_, from + kTile);
      for (Index i = from; i < to; ++i) {
        const double* row = a.row(below_ + i) + below_ - w;
        for (Index j = 0; j < k_; ++j) {
          // Above the V of a later step stands what is not V.
          v_(i, j) = i < j / w * w ? 0 : row[j];
          turned_.data()[from * k_ + j * (to - from) + i - from] = v_(i, j);
        }
      }
    });
  }

  // -S. That of two reflections, one after the other, is [S1, -S1 V1'V2 S2; 0, S2].
  void join(const Matrix& triangles) {
    minus_s_ = Matrix(k_, k_);
    for (Index j = 0; j < k_; j += w) {
      const double* s = triangles.row(below_ - w + j);
      for (Index i = 0; i < w; ++i) {
        for (Index l = 0; l < w; ++l) minus_s_(j + i, j + l) = -s[i * w + l];
      }
      if (j == 0) continue;
      for (Index i = 0; i < m_; ++i) std::copy_n(v_.row(i) + j, w, panel_.row(i));
      Matrix inner(j, w), scaled(j, w), corner(j, w);
      add_transposed_product(v_.view().block({0, m_}, {0, j}), panel_.data(), inner.data());
      add_product(inner, s, scaled.data());
      add_product(minus_s_.view().block({0, j}, {0, j}), scaled.data(), corner.data());
      for (Index i = 0; i < j; ++i) {
        for (Index l = 0; l < w; ++l) minus_s_(i, j + l) = -corner(i, l);
      }
    }
  }

  // Q -= V S V' Q
  void apply() {
    const Index first = below_ / w, last = static_cast<Index>(panels_.size());
    parallel_for((last - first + kPanels - 1) / kPanels, threads_, {}, "reduce", [&](Index piece, int) {
      const Index begin = first + piece * kPanels, count = std::min(kPanels, last - begin);
      Matrix inner(count * k_, w), scaled(count * k_, w);
      for (Index i = 0; i < m_; i += kTile) {
        const MatrixView tile{turned_.data() + i * k_, k_, std::min(kTile, m_ - i)};
        for (Index q = 0; q < count; ++q) add_product(tile, panels_[at(begin + q)].row(below_ + i), inner.row(q * k_));
      }
      for (Index q = 0; q < count; ++q) add_product(minus_s_, inner.row(q * k_), scaled.row(q * k_));
      for (Index i = 0; i < m_; i += kTile) {
        const MatrixView tile = v_.view().block({i, std::min(m_, i + kTile)}, {0, k_});
        for (Index q = 0; q < count; ++q) add_product(tile, scaled.row(q * k_), panels_[at(begin + q)].row(below_ + i));
      }
    });
  }

  Index n_;
  int threads_;
  std::vector<Matrix> panels_;           // Q
  Index below_ = 0, m_ = 0, k_ = 0;      // of H: its first row, and the size of V
  Matrix v_, turned_, minus_s_, panel_;  // panel: work space of join
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
  Basis basis(n, threads);
  for (Index end = steps; end > 0;) {
    const Index begin = (end - 1) / kTogether * kTogether;
    monitor.report({"reduce", (1 + left(end)) / 2});
    basis.reflect(a, reduction.triangles(), {begin, end});
    end = begin;
  }
  return {reduction.take_band(), basis.take()};
}

}  // namespace mercer::linalg
