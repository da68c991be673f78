#include "linalg/lapack.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/cut.hpp"

namespace mercer::linalg {

namespace {

using blas::Op;

double product(Index a, Index b, Index c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// Of C = op(A) op(B): what makes these rows of C, or these columns.
MatrixView rows_for(Op op, MatrixView a, Range rows) {
  return op == Op::plain ? a.block(rows, {0, a.cols()}) : a.block({0, a.rows()}, rows);
}
MatrixView columns_for(Op op, MatrixView b, Range columns) {
  return op == Op::plain ? b.block({0, b.rows()}, columns) : b.block(columns, {0, b.cols()});
}

// A strip of C has all its rows or all its columns: each strip copies the whole of one factor into cache order, which
// costs 3 % for 384 rows and 6 % for 256.
void in_strips(Op op_a, Op op_b, double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c,
               const Monitor& monitor) {
  if (c.empty()) return;
  const Index inner = op_a == Op::plain ? a.cols() : a.rows();
  if (2 * product(c.rows(), c.cols(), inner) < kWorthSharing) return blas::gemm(op_a, op_b, alpha, a, b, beta, c);
  const bool by_rows = c.rows() >= 128 || c.rows() >= c.cols();
  const Cut cut = by_rows ? Cut(c.rows(), 16, 384) : Cut(c.cols(), 32, 512);
  parallel_for(cut.count(), thread_count(0), monitor, "multiply", [&](Index i, int) {
    const Range rows = by_rows ? cut[i] : Range{0, c.rows()}, columns = by_rows ? Range{0, c.cols()} : cut[i];
    blas::gemm(op_a, op_b, alpha, rows_for(op_a, a, rows), columns_for(op_b, b, columns), beta, c.block(rows, columns));
  });
}

}  // namespace

void multiply_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c, const Monitor& monitor) {
  in_strips(Op::plain, Op::transposed, alpha, a, b, beta, c, monitor);
}

void multiply(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c, const Monitor& monitor) {
  in_strips(Op::plain, Op::plain, alpha, a, b, beta, c, monitor);
}

void multiply_left_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c,
                              const Monitor& monitor) {
  in_strips(Op::transposed, Op::plain, alpha, a, b, beta, c, monitor);
}

void symmetric_product(MatrixView a, MatrixRef c, const Monitor& monitor) {
  if (c.empty()) return;
  const auto rows = [&](Range r) { return a.block(r, {0, a.cols()}); };
  if (product(a.rows(), a.rows(), a.cols()) < kWorthSharing) return blas::syrk(Op::plain, 1, a, 0, c);
  const Cut cut(a.rows(), 16, 384);
  // From the last, longest strip to the first, so that no long one is left to the end.
  parallel_for(cut.count(), thread_count(0), monitor, "multiply", [&](Index piece, int) {
    const Range r = cut[cut.count() - 1 - piece], left{0, r.begin};
    if (r.begin > 0) blas::gemm(Op::plain, Op::transposed, 1, rows(r), rows(left), 0, c.block(r, left));
    blas::syrk(Op::plain, 1, rows(r), 0, c.block(r, r));
  });
}

void symmetric_left_product(MatrixView a, double beta, MatrixRef c, const Monitor& monitor) {
  if (c.empty()) return;
  const auto columns = [&](Range r) { return a.block({0, a.rows()}, r); };
  if (product(a.cols(), a.cols(), a.rows()) < kWorthSharing) return blas::syrk(Op::transposed, 1, a, beta, c);
  const Cut cut(a.cols(), 16, 384);
  parallel_for(cut.count(), thread_count(0), monitor, "multiply", [&](Index piece, int) {
    const Range r = cut[cut.count() - 1 - piece], left{0, r.begin};
    if (r.begin > 0) blas::gemm(Op::transposed, Op::plain, 1, columns(r), columns(left), beta, c.block(r, left));
    blas::syrk(Op::transposed, 1, columns(r), beta, c.block(r, r));
  });
}

// Our rows are LAPACK's columns: A' = Q R, L = R'.
Matrix factor_of_product(Matrix a) {
  const Index k = std::min(a.rows(), a.cols());
  Matrix out(a.rows(), k);
  if (k == 0) return out;
  blas::geqrf(a);
  for (Index j = 0; j < k; ++j) {
    const double sign = a(j, j) < 0 ? -1 : 1;
    for (Index i = j; i < a.rows(); ++i) out(i, j) = sign * a(i, j);
  }
  return out;
}

}  // namespace mercer::linalg
