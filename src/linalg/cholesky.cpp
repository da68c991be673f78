#include "linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/cut.hpp"

namespace mercer::linalg {

namespace {

using blas::Op;

double cube(Index n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }
double square(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

// Columns factored at a time: enough for matrix products to run at full speed, few enough to be interrupted between.
// The triangles on the diagonal are slower than products and leave other threads waiting, so small matrices have small
// ones.
Index block_of(Index n) { return n < 3000 ? 128 : 256; }

Cut strips_of(Index n) { return Cut(n, 32, 256); }

// body(strip) for strips of [begin, end), side by side.
template <class Body>
void for_strips(Range all, const Body& body) {
  const Cut cut = strips_of(all.size());
  parallel_for(cut.count(), thread_count(0), {}, "solve", [&](Index i, int) {
    body(Range{all.begin + cut[i].begin, all.begin + cut[i].end});
  });
}

}  // namespace

// Left-looking: a block of columns is brought up to date by one matrix product with all columns before it, so that
// every entry is written once per block and not once per step.
Index cholesky(MatrixRef a, const Monitor& monitor) {
  const Index n = a.rows();
  if (cube(n) / 3 < kWorthSharing) {
    const Index failed = blas::potrf(a);
    monitor.report({"solve", 1});
    return failed;
  }
  const Index block = block_of(n);
  for (Index first = 0; first < n; first += block) {
    const Index last = std::min(n, first + block);
    const Range columns{first, last}, before{0, first};
    const MatrixRef corner = a.block(columns, columns);
    if (first > 0) {
      for_strips({first, n}, [&](Range rows) {
        blas::gemm(Op::plain, Op::transposed, -1, a.block(rows, before), a.block(columns, before), 1,
                   a.block(rows, columns));
      });
    }
    if (const Index failed = blas::potrf(corner); failed != 0) return first + failed;
    for_strips({last, n}, [&](Range rows) { blas::trsm_right_transposed(corner, a.block(rows, columns)); });
    const double done = static_cast<double>(last) / static_cast<double>(n);
    monitor.report({"solve", done * done * (3 - 2 * done)});
  }
  return 0;
}

namespace {

void solve_triangle(Op op, MatrixView l, MatrixRef b) {
  if (b.empty()) return;
  if (b.cols() == 1) return blas::trsv(op, l, b);
  if (square(l.rows()) * static_cast<double>(b.cols()) < kWorthSharing) return blas::trsm_left(op, l, b);
  for_strips({0, b.cols()}, [&](Range columns) { blas::trsm_left(op, l, b.block({0, b.rows()}, columns)); });
}

}  // namespace

void solve_lower(MatrixView l, MatrixRef b) { solve_triangle(Op::plain, l, b); }

void solve_lower_transposed(MatrixView l, MatrixRef b) { solve_triangle(Op::transposed, l, b); }

void solve_lower_rows(MatrixView l, MatrixRef b) {
  if (b.empty()) return;
  if (b.rows() == 1) return solve_lower(l, MatrixRef(b.data(), b.cols(), 1));
  if (square(l.rows()) * static_cast<double>(b.rows()) < kWorthSharing) return blas::trsm_right_transposed(l, b);
  for_strips({0, b.rows()}, [&](Range rows) { blas::trsm_right_transposed(l, b.block(rows, {0, b.cols()})); });
}

void cholesky_solve(MatrixView l, MatrixRef b) {
  solve_lower(l, b);
  solve_lower_transposed(l, b);
}

namespace {

// L becomes L^-1 = X, a block of rows at a time: X[r, :] = -L[r, r]^-1 L[r, before] X[before, :].
void invert_triangle(MatrixRef l) {
  const Index n = l.rows();
  if (cube(n) / 3 < kWorthSharing) return blas::trtri(l);
  const Index block = block_of(n);
  Matrix panel = Matrix::uninitialized(block, n);  // L[r, before], which the strips overwrite
  for (Index first = 0; first < n; first += block) {
    const Range r{first, std::min(n, first + block)};
    const MatrixRef corner = l.block(r, r);
    for (Index i = 0; i < r.size(); ++i) std::copy_n(l.row(first + i), first, panel.row(i));
    for_strips({0, first}, [&](Range columns) {
      const MatrixRef out = l.block(r, columns);
      const Range below{columns.end, first};
      blas::trmm_right(-1, l.block(columns, columns), out);
      if (below.size() > 0) {
        blas::gemm(Op::plain, Op::plain, -1, panel.ref().block({0, r.size()}, below), l.block(below, columns), 1, out);
      }
      blas::trsm_left(Op::plain, corner, out);
    });
    blas::trtri(corner);
  }
}

// L becomes the lower triangle of L' L, a block of rows r at a time: those below are not changed yet.
void square_triangle(MatrixRef l) {
  const Index n = l.rows();
  if (cube(n) / 3 < kWorthSharing) return blas::lauum(l);
  const Index block = block_of(n);
  for (Index first = 0; first < n; first += block) {
    const Range r{first, std::min(n, first + block)}, below{r.end, n};
    const MatrixRef corner = l.block(r, r), under = l.block(below, r);
    const Matrix old(corner);
    const Cut cut = strips_of(first);
    parallel_for(cut.count() + 1, thread_count(0), {}, "solve", [&](Index piece, int) {
      if (piece == cut.count()) {
        blas::lauum(corner);
        if (below.size() > 0) blas::syrk(Op::transposed, under, 1, corner);
        return;
      }
      const MatrixRef out = l.block(r, cut[piece]);
      blas::trmm_left_transposed(old, out);
      if (below.size() > 0) blas::gemm(Op::transposed, Op::plain, 1, under, l.block(below, cut[piece]), 1, out);
    });
  }
}

}  // namespace

Vector inverse_diagonal(MatrixRef l) {
  Vector out(at(l.rows()));
  invert_triangle(l);
  for (Index i = 0; i < l.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) out[at(j)] += l(i, j) * l(i, j);
  }
  return out;
}

void inverse(MatrixRef l) {
  invert_triangle(l);
  square_triangle(l);
}

double log_determinant(MatrixView l) {
  double sum = 0;
  for (Index i = 0; i < l.rows(); ++i) sum += std::log(l(i, i));
  return 2 * sum;
}

double condition(MatrixView l, double norm) { return l.rows() == 0 ? 1 : 1 / blas::pocon(l, norm); }

double symmetric_norm(MatrixView a) {
  Vector sums(at(a.rows()));
  for (Index i = 0; i < a.rows(); ++i) {
    double own = std::abs(a(i, i));
    for (Index j = 0; j < i; ++j) {
      const double size = std::abs(a(i, j));
      own += size;
      sums[at(j)] += size;
    }
    sums[at(i)] += own;
  }
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

}  // namespace mercer::linalg
