#include "linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/cut.hpp"
#include "linalg/tiles.hpp"
#include "linalg/triangle.hpp"

namespace mercer::linalg {

namespace {

using blas::Op;

double cube(Index n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }
double square(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

struct PivotFailed {
  Index number;
};

}  // namespace

// Left-looking: a tile is brought up to date by products with all columns before it at once, so that it is written few
// times. The last of these columns comes by itself: everything up to it can be done ahead, while the triangle is
// factored that it waits for.
Index cholesky(MatrixRef a, const Monitor& monitor) {
  if (cube(a.rows()) / 3 < kWorthSharing) {
    const Index failed = factor_triangle(a);
    monitor.report({"solve", 1});
    return failed;
  }
  Tiles tiles(a);
  const Index n = tiles.count();
  const auto subtract = [&tiles](Index i, Index j, Range k) {
    if (i == j) {
      blas::syrk(Op::plain, -1, tiles(i, k), 1, tiles(i, i));
    } else {
      blas::gemm(Op::plain, Op::transposed, -1, tiles(i, k), tiles(j, k), 1, tiles(i, j));
    }
  };
  const auto finish = [&](Index i, Index j) {
    const Index triangle = i == j ? Tiles::kNone : tiles.last(j, j);
    const Index beside = j == 0 ? Tiles::kNone : tiles.last(i, j - 1);
    tiles.then(i, j, {triangle, beside}, [&tiles, subtract, i, j] {
      if (j > 0) subtract(i, j, {j - 1, j});
      if (i != j) return solve_triangle_rows(tiles(j, j), tiles(i, j));
      if (const Index failed = factor_triangle(tiles(j, j)); failed != 0) {
        throw PivotFailed{tiles.range(j).begin + failed};
      }
    });
  };
  // In the order of what matters most: what the next triangle waits for comes first.
  finish(0, 0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i) {
      finish(i, j);
      if (i == j + 1) finish(i, i);
    }
    for (Index i = j + 2; i < n; ++i) {
      tiles.then_for_parts(i, j + 2, {tiles.last(i, j), tiles.last(j + 2, j)}, {0, j + 1},
                           [subtract, i, j](Range k) { subtract(i, j + 2, k); });
    }
  }
  try {
    tiles.run(monitor);
  } catch (const PivotFailed& failed) {
    return failed.number;
  }
  return 0;
}

namespace {

// body(strip) for strips of [0, n), side by side.
template <class Body>
void for_strips(Index n, const Monitor& monitor, const Body& body) {
  const Cut cut(n, 32, 256);
  parallel_for(cut.count(), thread_count(0), monitor, "solve", [&](Index i, int) { body(cut[i]); });
}

bool worth_sharing(MatrixView l, Index columns) {
  return square(l.rows()) * static_cast<double>(columns) >= kWorthSharing;
}

}  // namespace

void solve_lower(MatrixView l, MatrixRef b) {
  if (b.empty()) return;
  if (b.cols() == 1) return blas::trsv(Op::plain, l, b);
  if (!worth_sharing(l, b.cols())) return solve_triangle(l, b);
  for_strips(b.cols(), {}, [&](Range columns) { solve_triangle(l, b.block({0, b.rows()}, columns)); });
}

void solve_lower_transposed(MatrixView l, MatrixRef b) {
  if (b.empty()) return;
  if (b.cols() == 1) return blas::trsv(Op::transposed, l, b);
  if (!worth_sharing(l, b.cols())) return blas::trsm_left_transposed(l, b);
  for_strips(b.cols(), {}, [&](Range columns) { blas::trsm_left_transposed(l, b.block({0, b.rows()}, columns)); });
}

void solve_lower_rows(MatrixView l, MatrixRef b, const Monitor& monitor) {
  if (b.empty()) return;
  if (b.rows() == 1) return solve_lower(l, MatrixRef(b.data(), b.cols(), 1));
  if (!worth_sharing(l, b.rows())) return solve_triangle_rows(l, b);
  for_strips(b.rows(), monitor, [&](Range rows) { solve_triangle_rows(l, b.block(rows, {0, b.cols()})); });
}

void cholesky_solve(MatrixView l, MatrixRef b) {
  solve_lower(l, b);
  solve_lower_transposed(l, b);
}

// L becomes L^-1 = X:  X(r, c) = -L(r, r)^-1 (L(r, c) X(c, c) + L(r, k) X(k, c)), k between c and r.
// A tile waits for the one above it, and for the one to its left, which is the last to need what stands there.
void invert_lower(MatrixRef l, const Monitor& monitor) {
  if (cube(l.rows()) / 3 < kWorthSharing) return blas::trtri(l);
  Tiles tiles(l);
  for (Index c = 0; c < tiles.count(); ++c) {
    const auto left = [&](Index r) { return c == 0 ? Tiles::kNone : tiles.last(r, c - 1); };
    tiles.then(c, c, {left(c)}, [&tiles, c] { blas::trtri(tiles(c, c)); });
    for (Index r = c + 1; r < tiles.count(); ++r) {
      const Index above = tiles.last(r - 1, c);
      tiles.then(r, c, {above, left(r)}, [&tiles, r, c] { blas::trmm_right(-1, tiles(c, c), tiles(r, c)); });
      tiles.then_for_parts(r, c, {}, {c + 1, r}, [&tiles, r, c](Range k) {
        blas::gemm(Op::plain, Op::plain, -1, tiles(r, k), tiles(k, c), 1, tiles(r, c));
      });
      tiles.then(r, c, {}, [&tiles, r, c] { solve_triangle(tiles(r, r), tiles(r, c)); });
    }
  }
  tiles.run(monitor);
}

namespace {

// L becomes the lower triangle of L' L:  (r, c) = L(r, r)' L(r, c) + L(k, r)' L(k, c), k below r.
// A tile is needed by those above it; that on the diagonal by all beside it.
void square_triangle(MatrixRef l, const Monitor& monitor) {
  if (cube(l.rows()) / 3 < kWorthSharing) return blas::lauum(l);
  Tiles tiles(l);
  const Index n = tiles.count();
  for (Index r = 0; r < n; ++r) {
    const Range below{r + 1, n};
    std::vector<Index> beside;
    for (Index c = 0; c < r; ++c) {
      tiles.then(r, c, {tiles.last(r - 1, c)},
                 [&tiles, r, c] { blas::trmm_left_transposed(tiles(r, r), tiles(r, c)); });
      tiles.then_for_parts(r, c, {}, below, [&tiles, r, c](Range k) {
        blas::gemm(Op::transposed, Op::plain, 1, tiles(k, r), tiles(k, c), 1, tiles(r, c));
      });
      beside.push_back(tiles.last(r, c));
    }
    tiles.then(r, r, beside, [&tiles, r] { blas::lauum(tiles(r, r)); });
    tiles.then_for_parts(r, r, {}, below,
                         [&tiles, r](Range k) { blas::syrk(Op::transposed, 1, tiles(k, r), 1, tiles(r, r)); });
  }
  tiles.run(monitor);
}

}  // namespace

Vector inverse_diagonal(MatrixRef l, const Monitor& monitor) {
  Vector out(at(l.rows()));
  invert_lower(l, monitor);
  for (Index i = 0; i < l.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) out[at(j)] += l(i, j) * l(i, j);
  }
  return out;
}

void inverse(MatrixRef l, const Monitor& monitor) {
  invert_lower(l, monitor);
  square_triangle(l, monitor);
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
