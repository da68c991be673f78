#include "linalg/lapack.hpp"

#include <cblas.h>

#include <algorithm>

#include "base/fail.hpp"
#include "linalg/crew.hpp"

extern "C" void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
                        const int* lwork, int* info);
extern "C" void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
                        double* work, const int* lwork, int* iwork, const int* liwork, int* info);

namespace mercer::linalg {

namespace {

int as_int(Index value) { return static_cast<int>(value); }
double product(Index a, Index b, Index c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, Index k, double alpha, MatrixView a, MatrixView b, double beta,
          MatrixRef c) {
  if (c.empty()) return;
  if (k == 0) {  // BLAS wants strides of at least 1
    for (Index i = 0; i < c.rows(); ++i) {
      for (Index j = 0; j < c.cols(); ++j) c(i, j) = beta == 0 ? 0 : beta * c(i, j);
    }
    return;
  }
  const Crew crew(2 * product(c.rows(), c.cols(), k));
  cblas_dgemm(CblasRowMajor, ta, tb, as_int(c.rows()), as_int(c.cols()), as_int(k), alpha, a.data(), as_int(a.stride()),
              b.data(), as_int(b.stride()), beta, c.data(), as_int(c.stride()));
}

}  // namespace

void multiply_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c) {
  gemm(CblasNoTrans, CblasTrans, a.cols(), alpha, a, b, beta, c);
}

void multiply(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c) {
  gemm(CblasNoTrans, CblasNoTrans, a.cols(), alpha, a, b, beta, c);
}

void multiply_left_transposed(double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c) {
  gemm(CblasTrans, CblasNoTrans, a.rows(), alpha, a, b, beta, c);
}

void symmetric_product(MatrixView a, MatrixRef c) {
  const Crew crew(product(a.rows(), a.rows(), a.cols()));
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, as_int(a.rows()), as_int(a.cols()), 1.0, a.data(),
              as_int(a.stride()), 0.0, c.data(), as_int(c.stride()));
}

// Our rows are LAPACK's columns: A' = Q R, L = R'.
Matrix factor_of_product(Matrix a) {
  const int rows = as_int(a.cols()), cols = as_int(a.rows()), wanted = -1;
  const Index k = std::min(a.rows(), a.cols());
  Matrix out(a.rows(), k);
  if (k == 0) return out;
  Vector tau(static_cast<std::size_t>(k));
  int info = 0;
  double best = 0;
  dgeqrf_(&rows, &cols, a.data(), &rows, tau.data(), &best, &wanted, &info);
  Vector work(static_cast<std::size_t>(best));
  const int length = static_cast<int>(best);
  dgeqrf_(&rows, &cols, a.data(), &rows, tau.data(), work.data(), &length, &info);
  for (Index j = 0; j < k; ++j) {
    const double sign = a(j, j) < 0 ? -1 : 1;
    for (Index i = j; i < a.rows(); ++i) out(i, j) = sign * a(i, j);
  }
  return out;
}

namespace {

// dsyevd on a copy; the row-major lower triangle is LAPACK's upper one, and its eigenvectors, stored
// by columns, come out as our rows.
Eigen solve(MatrixView a, const char* job) {
  Eigen result{Vector(static_cast<std::size_t>(a.rows())), Matrix(a)};
  const int n = as_int(a.rows());
  if (n == 0) return result;
  const Crew crew(9 * product(n, n, n));
  int info = 0, integer_size = 0, query = -1;
  double size = 0;
  dsyevd_(job, "U", &n, result.vectors.data(), &n, result.values.data(), &size, &query, &integer_size, &query, &info);
  const int work_size = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> integers(static_cast<std::size_t>(integer_size));
  dsyevd_(job, "U", &n, result.vectors.data(), &n, result.values.data(), work.data(), &work_size, integers.data(),
          &integer_size, &info);
  if (info != 0) {
    fail(ErrorKind::numeric, "eigen: no convergence on a {0} x {0} matrix; check it for NaN and infinity", n);
  }
  return result;
}

}  // namespace

Vector eigenvalues(MatrixView a) { return solve(a, "N").values; }

Eigen eigen(MatrixView a) { return solve(a, "V"); }

}  // namespace mercer::linalg
