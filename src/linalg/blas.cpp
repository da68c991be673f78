#include "linalg/blas.hpp"

#include <cblas.h>

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/at.hpp"
#include "linalg/blas_buffers.hpp"

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info);
void dlauum_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpocon_(const char* uplo, const int* n, const double* a, const int* lda, const double* norm, double* reciprocal,
             double* work, int* iwork, int* info);
void dpbtrf_(const char* uplo, const int* n, const int* kd, double* ab, const int* ldab, int* info);
void dpbtrs_(const char* uplo, const int* n, const int* kd, const int* nrhs, const double* ab, const int* ldab,
             double* b, const int* ldb, int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dgeqrt3_(const int* m, const int* n, double* a, const int* lda, double* t, const int* ldt, int* info);
void dlarfg_(const int* n, double* alpha, double* x, const int* step, double* tau);
void dsterf_(const int* n, double* d, double* e, int* info);
void dsteqr_(const char* compz, const int* n, double* d, double* e, double* z, const int* ldz, double* work, int* info);
void dlaed2_(int* k, const int* n, const int* n1, double* d, double* q, const int* ldq, int* indxq, double* rho,
             double* z, double* dlamda, double* w, double* q2, int* indx, int* indxc, int* indxp, int* coltyp,
             int* info);
void dlaed4_(const int* n, const int* i, const double* d, const double* z, double* delta, const double* rho,
             double* dlam, int* info);
void dlamrg_(const int* n1, const int* n2, const double* a, const int* step1, const int* step2, int* index);
void dlarft_(const char* direct, const char* storev, const int* n, const int* k, const double* v, const int* ldv,
             const double* tau, double* t, const int* ldt);
void dlarfb_(const char* side, const char* trans, const char* direct, const char* storev, const int* m, const int* n,
             const int* k, const double* v, const int* ldv, const double* t, const int* ldt, double* c, const int* ldc,
             double* work, const int* ldwork);
}

namespace mercer::linalg::blas {

namespace {

int as_int(Index value) { return static_cast<int>(value); }
int stride_of(MatrixView m) { return std::max(1, as_int(m.stride())); }  // BLAS wants at least 1
CBLAS_TRANSPOSE cblas(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

}  // namespace

void gemm(Op op_a, Op op_b, double alpha, MatrixView a, MatrixView b, double beta, MatrixRef c) {
  const Buffer buffer;
  const Index inner = op_a == Op::plain ? a.cols() : a.rows();
  cblas_dgemm(CblasRowMajor, cblas(op_a), cblas(op_b), as_int(c.rows()), as_int(c.cols()), as_int(inner), alpha,
              a.data(), stride_of(a), b.data(), stride_of(b), beta, c.data(), stride_of(c));
}

void syrk(Op op, double alpha, MatrixView a, double beta, MatrixRef c) {
  const Buffer buffer;
  const Index inner = op == Op::plain ? a.cols() : a.rows();
  cblas_dsyrk(CblasRowMajor, CblasLower, cblas(op), as_int(c.rows()), as_int(inner), alpha, a.data(), stride_of(a),
              beta, c.data(), stride_of(c));
}

void trsv(Op op, MatrixView l, MatrixRef b) {
  assert(b.cols() == 1);
  const Buffer buffer;
  cblas_dtrsv(CblasRowMajor, CblasLower, cblas(op), CblasNonUnit, as_int(l.rows()), l.data(), stride_of(l), b.data(),
              stride_of(b));
}

void trsm_left_transposed(MatrixView l, MatrixRef b) {
  const Buffer buffer;
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, as_int(b.rows()), as_int(b.cols()), 1,
              l.data(), stride_of(l), b.data(), stride_of(b));
}

void trmm_left_transposed(MatrixView l, MatrixRef b) {
  const Buffer buffer;
  cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, as_int(b.rows()), as_int(b.cols()), 1,
              l.data(), stride_of(l), b.data(), stride_of(b));
}

void trmm_right(double alpha, MatrixView l, MatrixRef b) {
  const Buffer buffer;
  cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, as_int(b.rows()), as_int(b.cols()),
              alpha, l.data(), stride_of(l), b.data(), stride_of(b));
}

// A row-major lower triangle is, to LAPACK, an upper one.

Index potrf(MatrixRef a) {
  const Buffer buffer;
  const int n = as_int(a.rows()), stride = stride_of(a);
  int info = 0;
  dpotrf_("U", &n, a.data(), &stride, &info);
  return info;
}

void trtri(MatrixRef l) {
  const Buffer buffer;
  const int n = as_int(l.rows()), stride = stride_of(l);
  int info = 0;
  dtrtri_("U", "N", &n, l.data(), &stride, &info);
}

void lauum(MatrixRef l) {
  const Buffer buffer;
  const int n = as_int(l.rows()), stride = stride_of(l);
  int info = 0;
  dlauum_("U", &n, l.data(), &stride, &info);
}

double pocon(MatrixView l, double norm) {
  const Buffer buffer;
  const int n = as_int(l.rows()), stride = stride_of(l);
  std::vector<double> work(3 * at(l.rows()));
  std::vector<int> integers(at(l.rows()));
  double reciprocal = 0;
  int info = 0;
  dpocon_("U", &n, l.data(), &stride, &norm, &reciprocal, work.data(), integers.data(), &info);
  return reciprocal;
}

Index pbtrf(MatrixRef band) {
  const Buffer buffer;
  const int n = as_int(band.rows()), width = as_int(band.cols()) - 1, stride = stride_of(band);
  int info = 0;
  dpbtrf_("L", &n, &width, band.data(), &stride, &info);
  return info;
}

void pbtrs(MatrixView band, MatrixRef rows) {
  if (rows.empty()) return;
  const Buffer buffer;
  const int n = as_int(band.rows()), width = as_int(band.cols()) - 1, stride = stride_of(band);
  const int count = as_int(rows.rows()), step = stride_of(rows);
  int info = 0;
  dpbtrs_("L", &n, &width, &count, band.data(), &stride, rows.data(), &step, &info);
}

void geqrf(MatrixRef columns) {
  const Buffer buffer;
  const int rows = as_int(columns.cols()), width = as_int(columns.rows()), stride = stride_of(columns), query = -1;
  std::vector<double> scales(at(std::min(columns.rows(), columns.cols())));
  int info = 0;
  double size = 0;
  dgeqrf_(&rows, &width, columns.data(), &stride, scales.data(), &size, &query, &info);
  const int work_size = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  dgeqrf_(&rows, &width, columns.data(), &stride, scales.data(), work.data(), &work_size, &info);
}

void geqrt3(MatrixRef columns, MatrixRef triangle) {
  const Buffer buffer;
  const int rows = as_int(columns.cols()), width = as_int(columns.rows());
  const int stride = stride_of(columns), step = stride_of(triangle);
  int info = 0;
  dgeqrt3_(&rows, &width, columns.data(), &stride, triangle.data(), &step, &info);
}

double larfg(VectorRef x) {
  const Buffer buffer;
  const int n = static_cast<int>(x.size()), step = 1;
  double scale = 0;
  dlarfg_(&n, x.data() + n - 1, x.data(), &step, &scale);
  return scale;
}

bool sterf(VectorRef diagonal, VectorRef beside) {
  const int n = static_cast<int>(diagonal.size());
  int info = 0;
  dsterf_(&n, diagonal.data(), beside.data(), &info);
  return info == 0;
}

bool steqr(VectorRef diagonal, VectorRef beside, MatrixRef vectors) {
  const Buffer buffer;
  const int n = static_cast<int>(diagonal.size()), stride = stride_of(vectors);
  std::vector<double> work(2 * diagonal.size());
  int info = 0;
  dsteqr_("I", &n, diagonal.data(), beside.data(), vectors.data(), &stride, work.data(), &info);
  return info == 0;
}

Deflation laed2(VectorRef values, MatrixRef vectors, Index cut, double rho, std::span<int> sorted) {
  const Buffer buffer;
  const int n = as_int(vectors.rows()), first = as_int(cut), stride = stride_of(vectors);
  Vector z(at(vectors.rows()));
  for (Index i = 0; i < vectors.rows(); ++i) z[at(i)] = vectors(i, i < cut ? cut - 1 : cut);
  Deflation out{.rho = rho,
                .poles = Vector(z.size()),
                .z = Vector(z.size()),
                .order = std::vector<int>(z.size()),
                .by = {},
                .parts = AlignedArray(z.size() * z.size())};
  // dlaed2 looks at the number behind its last index before it sees that it is at the end.
  std::vector<int> indx(z.size() + 1), indxp(z.size()), types(std::max<std::size_t>(4, z.size()));
  int kept = 0, info = 0;
  dlaed2_(&kept, &n, &first, values.data(), vectors.data(), &stride, sorted.data(), &out.rho, z.data(),
          out.poles.data(), out.z.data(), out.parts.data(), indx.data(), out.order.data(), indxp.data(), types.data(),
          &info);
  out.kept = kept;
  for (std::size_t t = 0; t < 3; ++t) out.by[t] = kept == 0 ? 0 : types[t];
  return out;
}

bool laed4(const Deflation& equation, Index which, double* distances, double& root) {
  const int n = as_int(equation.kept), i = as_int(which) + 1;
  int info = 0;
  dlaed4_(&n, &i, equation.poles.data(), equation.z.data(), distances, &equation.rho, &root, &info);
  return info == 0;
}

void lamrg(VectorView values, Index first, std::span<int> order) {
  const int n1 = as_int(first), n2 = static_cast<int>(values.size()) - n1, up = 1, down = -1;
  dlamrg_(&n1, &n2, values.data(), &up, &down, order.data());
}

Matrix larft(MatrixView a, VectorView scales, Range which) {
  const Buffer buffer;
  Matrix s(which.size(), which.size());
  const int length = as_int(which.end), count = as_int(which.size()), stride = stride_of(a);
  dlarft_("B", "C", &length, &count, a.row(which.begin + 1), &stride, scales.data() + which.begin, s.data(), &count);
  return s;
}

void larfb(MatrixView a, MatrixView s, Range which, MatrixRef rows) {
  const Buffer buffer;
  const int length = as_int(which.end), count = as_int(which.size()), stride = stride_of(a);
  const int vectors = as_int(rows.rows()), step = stride_of(rows);
  std::vector<double> work(at(rows.rows() * which.size()));
  dlarfb_("L", "N", "B", "C", &length, &vectors, &count, a.row(which.begin + 1), &stride, s.data(), &count, rows.data(),
          &step, work.data(), &vectors);
}

}  // namespace mercer::linalg::blas
