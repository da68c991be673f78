#include "linalg/cholesky.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/crew.hpp"

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpocon_(const char* uplo, const int* n, const double* a, const int* lda, const double* norm, double* reciprocal,
             double* work, int* iwork, int* info);
}

namespace mercer::linalg {

namespace {

int as_int(Index value) { return static_cast<int>(value); }
double cube(Index n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }
double square(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

// Columns factored at a time: enough for matrix products to run at full speed, few enough to be interrupted between.
// Of small matrices the products are small anyway, and the triangles on the diagonal, which are slower, count for more.
Index block_of(Index n) { return n < 3000 ? 128 : 512; }

}  // namespace

// Left-looking: a block of columns is brought up to date by one matrix product with all columns before it, so that
// every entry is written once per block and not once per step. Row-major lower is LAPACK's upper.
Index cholesky(MatrixRef a, const Monitor& monitor) {
  const Index n = a.rows();
  const Crew crew(cube(n) / 3);
  const int stride = as_int(a.stride());
  const Index block = block_of(n);
  for (Index first = 0; first < n; first += block) {
    const Index width = std::min(block, n - first), last = first + width;
    const int w = as_int(width);
    double* corner = a.row(first) + first;
    if (first > 0) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as_int(n - first), w, as_int(first), -1, a.row(first),
                  stride, a.row(first), stride, 1, corner, stride);
    }
    int info = 0;
    dpotrf_("U", &w, corner, &stride, &info);
    if (info != 0) return first + info;
    if (last < n) {
      cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, as_int(n - last), w, 1, corner,
                  stride, a.row(last) + first, stride);
    }
    const double done = static_cast<double>(last) / static_cast<double>(n);
    monitor.report({"solve", done * done * (3 - 2 * done)});
  }
  return 0;
}

namespace {

void solve_triangle(CBLAS_TRANSPOSE transpose, MatrixView l, MatrixRef b) {
  if (b.empty()) return;
  const int n = as_int(l.rows());
  const Crew crew(square(l.rows()) * static_cast<double>(b.cols()));
  if (b.cols() == 1) {
    cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, n, l.data(), as_int(l.stride()), b.data(),
                as_int(b.stride()));
  } else {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, n, as_int(b.cols()), 1, l.data(),
                as_int(l.stride()), b.data(), as_int(b.stride()));
  }
}

}  // namespace

void solve_lower(MatrixView l, MatrixRef b) { solve_triangle(CblasNoTrans, l, b); }

void solve_lower_transposed(MatrixView l, MatrixRef b) { solve_triangle(CblasTrans, l, b); }

void solve_lower_rows(MatrixView l, MatrixRef b) {
  if (b.empty()) return;
  if (b.rows() == 1) return solve_lower(l, MatrixRef(b.data(), b.cols(), 1));
  const Crew crew(square(l.rows()) * static_cast<double>(b.rows()));
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, as_int(b.rows()), as_int(b.cols()), 1,
              l.data(), as_int(l.stride()), b.data(), as_int(b.stride()));
}

void cholesky_solve(MatrixView l, MatrixRef b) {
  solve_lower(l, b);
  solve_lower_transposed(l, b);
}

Vector inverse_diagonal(MatrixRef l) {
  const int n = as_int(l.rows()), stride = as_int(l.stride());
  Vector out(at(l.rows()));
  if (n == 0) return out;
  const Crew crew(cube(l.rows()) / 3);
  int info = 0;
  dtrtri_("U", "N", &n, l.data(), &stride, &info);
  for (Index i = 0; i < l.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) out[at(j)] += l(i, j) * l(i, j);
  }
  return out;
}

void inverse(MatrixRef l) {
  const int n = as_int(l.rows()), stride = as_int(l.stride());
  const Crew crew(2 * cube(l.rows()) / 3);
  int info = 0;
  if (n > 0) dpotri_("U", &n, l.data(), &stride, &info);
}

double log_determinant(MatrixView l) {
  double sum = 0;
  for (Index i = 0; i < l.rows(); ++i) sum += std::log(l(i, i));
  return 2 * sum;
}

double condition(MatrixView l, double norm) {
  const int n = as_int(l.rows()), stride = as_int(l.stride());
  if (n == 0) return 1;
  const Crew crew(10 * square(l.rows()));
  std::vector<double> work(3 * at(l.rows()));
  std::vector<int> integers(at(l.rows()));
  double reciprocal = 0;
  int info = 0;
  dpocon_("U", &n, l.data(), &stride, &norm, &reciprocal, work.data(), integers.data(), &info);
  return 1 / reciprocal;
}

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
