#include "model/posterior/softmax_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

// Points up to which a matrix is better left to one thread.
constexpr Index kSideBySide = 512;

void keep_room(Matrix& m, Index n) {
  if (m.rows() != n || m.cols() != n) m = Matrix::uninitialized(n, n);
}

void scale_columns(MatrixRef v, const Matrix& root, Index c) {
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index j = 0; j < v.cols(); ++j) v(i, j) *= root(j, c);
  }
}

}  // namespace

void for_classes(Index n, Index classes, int threads, const Monitor& monitor, std::string_view stage,
                 const std::function<void(Index c, const Monitor& within)>& body) {
  if (n <= kSideBySide) {
    parallel_for(classes, thread_count(threads), monitor, stage, [&](Index c, int) { body(c, {}); });
    return;
  }
  for (Index c = 0; c < classes; ++c) {
    body(c, monitor);
    monitor.report({stage, static_cast<double>(c + 1) / static_cast<double>(classes)});
  }
}

void for_rows(Index n, int threads, const std::function<void(Index i)>& body) {
  constexpr Index strip = 32;
  parallel_for((n + strip - 1) / strip, thread_count(threads), {}, "", [&](Index s, int) {
    for (Index i = s * strip; i < std::min(n, (s + 1) * strip); ++i) body(i);
  });
}

Matrix class_contrasts(Index classes) {
  Matrix out(classes, classes - 1);
  for (Index j = 0; j + 1 < classes; ++j) {
    const auto before = static_cast<double>(j + 1), length = std::sqrt(before * (before + 1));
    for (Index c = 0; c <= j; ++c) out(c, j) = 1 / length;
    out(j + 1, j) = -before / length;
  }
  return out;
}

void fill_upper(MatrixRef a) {
  constexpr Index block = 32;  // of both triangles stays in cache
  for (Index i0 = 0; i0 < a.rows(); i0 += block) {
    for (Index j0 = 0; j0 <= i0; j0 += block) {
      for (Index i = i0; i < std::min(a.rows(), i0 + block); ++i) {
        for (Index j = j0; j < std::min(i, j0 + block); ++j) a(j, i) = a(i, j);
      }
    }
  }
}

bool SoftmaxFactors::make(MatrixView K, Matrix root_of_d, int threads, const Monitor& monitor, double jitter) {
  root = std::move(root_of_d);
  const Index n = K.rows(), classes = root.cols();
  inverse.resize(at(classes));
  keep_room(sum, n);
  keep_room(coupling, n);
  Vector logs(at(classes));
  for_classes(n, classes, threads, monitor, "solve", [&](Index c, const Monitor& within) {
    Matrix& B = inverse[at(c)];
    keep_room(B, n);
    for_rows(n, threads, [&](Index i) {
      for (Index j = 0; j <= i; ++j) B(i, j) = root(i, c) * K(i, j) * root(j, c);
      B(i, i) = (B(i, i) + 1) * (1 + jitter);
    });
    if (linalg::cholesky(B, within) != 0) {
      logs[at(c)] = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    logs[at(c)] = linalg::log_determinant(B);
    linalg::inverse(B, within);
    fill_upper(B);
  });
  log_determinant = 0;
  for (const double value : logs) log_determinant += value;
  if (!std::isfinite(log_determinant)) return false;
  Vector weight(at(n));
  for_rows(n, threads, [&](Index i) {
    std::fill_n(sum.row(i), i + 1, 0.0);
    for (Index c = 0; c < classes; ++c) {
      const double own = root(i, c);
      const double* row = inverse[at(c)].row(i);
      for (Index j = 0; j <= i; ++j) sum(i, j) += own * row[j] * root(j, c);
      weight[at(i)] += own * own;
    }
    std::copy_n(sum.row(i), i + 1, coupling.row(i));
    coupling(i, i) *= 1 + jitter;
  });
  for (const double w : weight) log_determinant -= std::log(w);
  if (linalg::cholesky(coupling, monitor) != 0) return false;
  for_rows(n, threads, [&](Index i) { std::fill(coupling.row(i) + i + 1, coupling.row(i) + n, 0.0); });
  log_determinant += linalg::log_determinant(coupling);
  return true;
}

void SoftmaxFactors::apply_to_rows(Index c, MatrixRef v, Matrix& spare) const {
  if (spare.rows() != v.rows() || spare.cols() != v.cols()) spare = Matrix::uninitialized(v.rows(), v.cols());
  scale_columns(v, root, c);
  linalg::multiply(1, v, inverse[at(c)], 0, spare);
  for (Index i = 0; i < v.rows(); ++i) std::copy_n(spare.row(i), v.cols(), v.row(i));
  scale_columns(v, root, c);
}

Matrix SoftmaxFactors::apply(const Matrix& v) const {
  const Index n = v.rows(), classes = v.cols();
  Matrix by_class = Matrix::uninitialized(classes, n), total(n, 1), spare;
  for (Index c = 0; c < classes; ++c) {
    for (Index i = 0; i < n; ++i) by_class(c, i) = v(i, c);
    apply_to_rows(c, by_class.ref().block({c, c + 1}, {0, n}), spare);
    for (Index i = 0; i < n; ++i) total(i, 0) += by_class(c, i);
  }
  linalg::cholesky_solve(coupling, total);
  Matrix out = Matrix::uninitialized(n, classes), shared = Matrix::uninitialized(1, n);
  for (Index c = 0; c < classes; ++c) {
    std::copy_n(total.data(), n, shared.data());
    apply_to_rows(c, shared, spare);
    for (Index i = 0; i < n; ++i) out(i, c) = by_class(c, i) - shared(0, i);
  }
  return out;
}

}  // namespace mercer::detail
