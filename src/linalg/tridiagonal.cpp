#include "linalg/tridiagonal.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "linalg/blas.hpp"
#include "linalg/cut.hpp"
#include "simd/loops.hpp"

namespace mercer::linalg {

namespace {

using blas::Op;

constexpr Index kPanel = 32;    // rows that are reduced before the rest of A is brought up to date
constexpr Index kStrip = 64;    // rows of A that a product with a vector takes at once
constexpr Index kChunk = 2048;  // and columns: what belongs to them stays in the first-level cache
constexpr Index kSums = 512;    // rows of A for each of the sums that a product is made of

// From the last row to the first. With V and W the reflectors of a panel and what they do, the rest of A becomes
//     A - V'W - W'V,    w = p - (p'v) tau v / 2,  p = tau A v
// and waits for that until the panel is done; A in p is A less what is still to come.
class Reduction {
 public:
  Reduction(Matrix a, const Monitor& monitor)
      : n_(a.rows()), tick_(monitor, "eigen"), w_(kPanel, n_), room_(std::max<Index>(1, n_ / kSums), n_) {
    out_.diagonal.resize(at(n_));
    out_.beside.resize(at(n_));
    out_.scales.resize(at(n_));
    out_.reflectors = std::move(a);
  }

  Tridiagonal run() && {
    for (Index end = n_; end > 0;) {
      const Index first = std::max<Index>(0, end - kPanel);
      for (Index i = end - 1; i >= first; --i) {
        tick_(done(i));
        update_row(i, first, end);
        out_.diagonal[at(i)] = a(i)[i];
        if (i > 0) reflect(i, first, end);
      }
      update_rest(first, end);
      end = first;
    }
    return std::move(out_);
  }

 private:
  double* a(Index i) { return out_.reflectors.row(i); }
  double* w(Index i, Index first) { return w_.row(i - first); }

  // The share of n^3 that the rows behind i took.
  double done(Index i) const {
    const double rest = static_cast<double>(i + 1) / static_cast<double>(n_);
    return 1 - rest * rest * rest;
  }

  void update_row(Index i, Index first, Index end) {
    for (Index k = i + 1; k < end; ++k) {
      const double v_i = a(k)[i], w_i = w(k, first)[i];
      simd::add_scaled(-v_i, w(k, first), at(i + 1), a(i));
      simd::add_scaled(-w_i, a(k), at(i + 1), a(i));
    }
  }

  // The reflection that leaves of row i what is beside the diagonal, and its w.
  void reflect(Index i, Index first, Index end) {
    double* const v = a(i);
    const double scale = blas::larfg({v, at(i)});
    out_.scales[at(i - 1)] = scale;
    out_.beside[at(i - 1)] = v[i - 1];
    v[i - 1] = 1;
    double* const p = w(i, first);
    multiply(i, v, p);
    for (Index k = i + 1; k < end; ++k) {
      const double by_w = simd::dot(w(k, first), v, at(i)), by_v = simd::dot(a(k), v, at(i));
      simd::add_scaled(-by_w, a(k), at(i), p);
      simd::add_scaled(-by_v, w(k, first), at(i), p);
    }
    for (Index j = 0; j < i; ++j) p[j] *= scale;
    simd::add_scaled(-0.5 * scale * simd::dot(p, v, at(i)), v, at(i), p);
  }

  // p = A v by the lower triangle of the first m rows. Strips of rows are dealt out to a number of sums that depends
  // only on m, and these are added in order.
  void multiply(Index m, const double* v, double* p) {
    const Index sums = std::max<Index>(1, m / kSums), strips = (m + kStrip - 1) / kStrip;
    const double flops = 2 * static_cast<double>(m) * static_cast<double>(m);
    parallel_for(sums, flops < kWorthSharing ? 1 : thread_count(0), {}, "eigen", [&](Index g, int) {
      double* const sum = room_.row(g);
      std::fill_n(sum, m, 0.0);
      for (Index round = 0; round * sums < strips; ++round) {
        // There and back again: long rows and short ones are shared out evenly.
        const Index strip = round * sums + (round % 2 == 0 ? g : sums - 1 - g);
        if (strip < strips) multiply_strip({strip * kStrip, std::min(m, (strip + 1) * kStrip)}, v, sum);
      }
    });
    std::copy_n(room_.row(0), m, p);
    for (Index g = 1; g < sums; ++g) simd::add_scaled(1, room_.row(g), at(m), p);
  }

  void multiply_strip(Range rows, const double* v, double* sum) {
    for (Index j = 0; j < rows.begin; j += kChunk) {
      const Index columns = std::min(kChunk, rows.begin - j);
      simd::tile_products(a(rows.begin) + j, at(n_), at(rows.size()), at(columns), v + j, sum + rows.begin,
                          v + rows.begin, sum + j);
    }
    for (Index i = rows.begin; i < rows.end; ++i) {
      const double* const row = a(i) + rows.begin;
      const Index before = i - rows.begin;
      sum[i] += simd::dot(row, v + rows.begin, at(before + 1));
      simd::add_scaled(v[i], row, at(before), sum + rows.begin);
    }
  }

  void update_rest(Index first, Index end) {
    if (first == 0) return;
    const Range panel{first, end}, all{0, end - first};
    const MatrixRef A = out_.reflectors;
    const Cut cut(first, 16, 256);
    const double flops = 4 * static_cast<double>(first) * static_cast<double>(first) * static_cast<double>(end - first);
    parallel_for(cut.count(), flops < kWorthSharing ? 1 : thread_count(0), {}, "eigen", [&](Index piece, int) {
      const Range rows = cut[cut.count() - 1 - piece], columns{0, rows.end};
      const MatrixRef some = A.block(rows, columns);
      blas::gemm(Op::transposed, Op::plain, -1, A.block(panel, rows), w_.view().block(all, columns), 1, some);
      blas::gemm(Op::transposed, Op::plain, -1, w_.view().block(all, rows), A.block(panel, columns), 1, some);
    });
  }

  Index n_;
  Ticker tick_;
  Tridiagonal out_;
  Matrix w_;     // of the panel
  Matrix room_;  // the sums of a product
};

}  // namespace

Tridiagonal tridiagonal_form(Matrix a, const Monitor& monitor) { return Reduction(std::move(a), monitor).run(); }

// Blocks of reflections in turn, some rows at a time.
void apply_basis(const Tridiagonal& form, MatrixRef rows, const Monitor& monitor) {
  constexpr Index together = 64;
  const Index count = form.reflectors.rows() - 1;
  std::vector<Range> blocks;
  for (Index i = 0; i < count; i += together) blocks.push_back({i, std::min(count, i + together)});
  std::vector<Matrix> joined(blocks.size());
  const int threads = thread_count(0);
  parallel_for(static_cast<Index>(blocks.size()), threads, {}, "eigen",
               [&](Index i, int) { joined[at(i)] = blas::larft(form.reflectors, form.scales, blocks[at(i)]); });
  // Few rows for all blocks at once would read every reflector for little work; all rows for one block after the other
  // would read the rows again for each. In between, a piece of work is short enough to be heard from.
  constexpr Index kBlocks = 16;
  const Cut cut(rows.rows(), 16, 256);
  const auto groups = static_cast<Index>((blocks.size() + kBlocks - 1) / kBlocks);
  for (Index g = 0; g < groups; ++g) {
    const auto share = [&](Index group) { return static_cast<double>(group) / static_cast<double>(groups); };
    parallel_for(cut.count(), threads, part_of(monitor, "eigen", share(g), share(g + 1)), "eigen", [&](Index i, int) {
      const MatrixRef some = rows.block(cut[i], {0, rows.cols()});
      const auto end = std::min(blocks.size(), at((g + 1) * kBlocks));
      for (std::size_t k = at(g * kBlocks); k < end; ++k) blas::larfb(form.reflectors, joined[k], blocks[k], some);
    });
  }
}

}  // namespace mercer::linalg
