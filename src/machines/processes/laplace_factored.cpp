#include "machines/processes/laplace_factored.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/risk/newton.hpp"
#include "model/posterior/softmax_factors.hpp"

namespace mercer::detail {

namespace {

// Rows of F at a time, where something is made of them that need not be there for all.
constexpr Index kBlock = 4096;

Matrix turned(MatrixView a) {
  Matrix out = Matrix::uninitialized(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

Matrix turned(MatrixView a, const Matrix& v) {  // a'v
  Matrix out(a.cols(), v.cols());
  linalg::multiply_left_transposed(1, a, v, 0, out);
  return out;
}

void for_blocks(Index n, const std::function<void(Range rows)>& body) {
  for (Index first = 0; first < n; first += kBlock) body({first, std::min(n, first + kBlock)});
}

}  // namespace

FactoredSystem::FactoredSystem(Observations data, int threads)
    : LaplaceSystem(data, threads),
      likelihood_(laplace_system(std::move(data), threads)),
      contrasts_(data_.likelihood.coupled() ? class_contrasts(data_.outputs) : Matrix(1, 1, 1.0)) {}

Matrix FactoredSystem::product(MatrixView F, const Matrix& v) const { return times(F, turned(F, v)); }

bool FactoredSystem::factor(MatrixView F, const Matrix& f, const Monitor& monitor) {
  const Index n = F.rows(), m = F.cols(), contrasts = contrasts_.cols();
  if (F_.rows() == n && F_.cols() == m) {
    std::copy_n(F.data(), n * m, F_.data());
  } else {
    F_ = Matrix(F);
  }
  p_ = curvature(f);
  made_ = false;
  curve_.assign(at(contrasts * contrasts), Vector(at(n)));
  total_.assign(at(n), 0.0);
  for_rows(n, threads_, [&](Index i) {
    for (Index j = 0; j < contrasts; ++j) {
      for (Index k = 0; k <= j; ++k) V(j, k)[at(i)] = V(k, j)[at(i)] = contrasted(i, j, k);
      total_[at(i)] += V(j, j)[at(i)];
    }
  });
  skew_.clear();
  for (Index i = 0; i < n && !data_.likelihood.coupled(); ++i) {
    skew_.push_back(data_.likelihood->terms(data_.y[at(i)], f(i, 0)).skew);
  }
  lost_ = 0;
  for (std::size_t i = 0; i < lacking_.size(); ++i) lost_ += lacking_[i] * total_[i];
  A_ = Matrix(contrasts * m, contrasts * m);
  Matrix room = Matrix::uninitialized(std::min(n, kBlock), m);
  for_blocks(n, [&](Range rows) {
    const MatrixView some = F_.view().block(rows, {0, m});
    const MatrixRef scaled = room.ref().block({0, rows.size()}, {0, m});
    for (Index j = 0; j < contrasts; ++j) {
      for (Index k = 0; k <= j; ++k) {
        const MatrixRef block = A_.ref().block(part(j), part(k));
        for_rows(rows.size(), threads_, [&](Index i) {
          const double v = V(j, k)[at(rows.begin + i)], by = j == k ? std::sqrt(v) : v;
          for (Index a = 0; a < m; ++a) scaled(i, a) = by * some(i, a);
        });
        if (j == k) {
          linalg::symmetric_left_product(scaled, 1, block, monitor);
        } else {
          linalg::multiply_left_transposed(1, some, scaled, 1, block, monitor);
        }
      }
    }
  });
  for (Index i = 0; i < A_.rows(); ++i) A_(i, i) += 1;
  if (linalg::cholesky(A_, monitor) != 0) return false;
  log_determinant_ = linalg::log_determinant(A_);
  return made_ = std::isfinite(log_determinant_ + lost_);
}

Matrix FactoredSystem::apply(const Matrix& v) const {
  const Index m = F_.cols(), contrasts = contrasts_.cols();
  Matrix out = curved(times(v, contrasts_));
  const Matrix features = turned(F_, out);
  Matrix stacked = Matrix::uninitialized(contrasts * m, 1), solved = Matrix::uninitialized(m, contrasts);
  for (Index j = 0; j < contrasts; ++j) {
    for (Index a = 0; a < m; ++a) stacked(j * m + a, 0) = features(a, j);
  }
  linalg::cholesky_solve(A_, stacked);
  for (Index j = 0; j < contrasts; ++j) {
    for (Index a = 0; a < m; ++a) solved(a, j) = stacked(j * m + a, 0);
  }
  const Matrix away = curved(times(F_, solved));
  for (Index i = 0; i < out.rows() * out.cols(); ++i) out.data()[i] -= away.data()[i];
  return times(out, turned(contrasts_));
}

// With S_i = Q (F_i A^-1 F_i' + r_i) Q' the covariance of the classes at point i given the data, s_ic is as for all of
// K. On the way sum_j M_jj F = sum_jk V_jk F [A^-1]_kj over the contrasts.
Matrix FactoredSystem::pull(const Monitor& monitor) {
  const Index n = F_.rows(), m = F_.cols(), contrasts = contrasts_.cols();
  Matrix inverse = A_;
  linalg::inverse(inverse, monitor);
  const auto entry = [&](Index row, Index col) { return row >= col ? inverse(row, col) : inverse(col, row); };
  if (sum_.rows() != n || sum_.cols() != m) sum_ = Matrix::uninitialized(n, m);
  std::fill_n(sum_.data(), n * m, 0.0);
  Matrix of_pair = Matrix::uninitialized(m, m), room = Matrix::uninitialized(std::min(n, kBlock), m);
  std::vector<Vector> covariance(at(contrasts * contrasts), Vector(at(n)));
  for (Index j = 0; j < contrasts; ++j) {
    for (Index k = 0; k <= j; ++k) {
      for (Index a = 0; a < m; ++a) {
        for (Index b = 0; b < m; ++b) {
          of_pair(a, b) = entry(j * m + a, k * m + b) + (j == k ? 0 : entry(k * m + a, j * m + b));
        }
      }
      Vector &own = covariance[at(j * contrasts + k)], &other = covariance[at(k * contrasts + j)];
      for_blocks(n, [&](Range rows) {
        const MatrixRef image = room.ref().block({0, rows.size()}, {0, m});
        linalg::multiply(1, F_.view().block(rows, {0, m}), of_pair, 0, image, monitor);
        for_rows(rows.size(), threads_, [&](Index i) {
          const Index row = rows.begin + i;
          const double v = V(j, k)[at(row)], sum = dot(F_.row(row), image.row(i), m);
          double* const to = sum_.row(row);
          for (Index a = 0; a < m; ++a) to[a] += v * image(i, a);
          own[at(row)] = other[at(row)] = j == k ? sum : sum / 2;
        });
      });
    }
  }
  Matrix s = Matrix::uninitialized(n, data_.outputs);
  for (Index i = 0; i < n; ++i) {
    Matrix S(contrasts, contrasts);
    for (Index e = 0; e < contrasts * contrasts; ++e) S.data()[e] = covariance[at(e)][at(i)];
    if (!lacking_.empty()) {
      for (Index j = 0; j < contrasts; ++j) S(j, j) += lacking_[at(i)];
      for (Index a = 0; a < m; ++a) sum_(i, a) -= total_[at(i)] * F_(i, a);
    }
    if (data_.likelihood.coupled()) {
      pull_of_point(i, S, s.row(i));
    } else {
      s(i, 0) = -0.5 * skew_[at(i)] * total_[at(i)] * S(0, 0);
    }
  }
  return s;
}

// [Q'W_i Q]_jk as a covariance of two contrasts over the classes, so that nothing cancels.
double FactoredSystem::contrasted(Index i, Index j, Index k) const {
  if (!data_.likelihood.coupled()) return p_(i, 0);
  double mean_j = 0, mean_k = 0, sum = 0;
  for (Index c = 0; c < p_.cols(); ++c) {
    mean_j += p_(i, c) * contrasts_(c, j);
    mean_k += p_(i, c) * contrasts_(c, k);
  }
  for (Index c = 0; c < p_.cols(); ++c) sum += p_(i, c) * (contrasts_(c, j) - mean_j) * (contrasts_(c, k) - mean_k);
  return data_.weights[at(i)] * sum;
}

Matrix FactoredSystem::curved(const Matrix& v) const {  // V v
  Matrix out(v.rows(), v.cols());
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index j = 0; j < v.cols(); ++j) {
      for (Index k = 0; k < v.cols(); ++k) out(i, j) += V(j, k)[at(i)] * v(i, k);
    }
  }
  return out;
}

void FactoredSystem::pull_of_point(Index i, const Matrix& S, double* s) const {
  const Index classes = p_.cols(), contrasts = contrasts_.cols();
  const double* const p = p_.row(i);
  const double w = data_.weights[at(i)];
  Vector mean(at(contrasts));  // Q'p
  for (Index c = 0; c < classes; ++c) {
    for (Index j = 0; j < contrasts; ++j) mean[at(j)] += p[c] * contrasts_(c, j);
  }
  double total = 0;
  for (Index c = 0; c < classes; ++c) {
    double own = 0, with_all = 0;
    for (Index j = 0; j < contrasts; ++j) {
      for (Index k = 0; k < contrasts; ++k) {
        own += contrasts_(c, j) * S(j, k) * contrasts_(c, k);
        with_all += contrasts_(c, j) * S(j, k) * mean[at(k)];
      }
    }
    s[c] = w * p[c] * (own - 2 * with_all);
    total += s[c];
  }
  for (Index c = 0; c < classes; ++c) s[c] = -0.5 * (s[c] - p[c] * total);
}

}  // namespace mercer::detail
