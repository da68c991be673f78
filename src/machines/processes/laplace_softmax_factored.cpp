// Several classes where K = F F' and F has few columns. What all classes of a point have in common changes no
// probability, so that C - 1 contrasts of them are all there is to be found: with Q the orthonormal contrasts, and
// V_i = Q'W_i Q,
//     M = Q (V - V F A^-1 F'V) Q',   A = I + F'V F,   log |I + K W| = log |A|
// F stands for a block of it for each contrast, so that A has (C - 1) m rows for m columns of F.
#include <cmath>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/laplace.hpp"
#include "machines/risk/newton.hpp"
#include "model/posterior/softmax_factors.hpp"

namespace mercer::detail {

namespace {

// Helmert's: column j compares class j + 1 with the mean of those before it.
Matrix contrasts(Index classes) {
  Matrix out(classes, classes - 1);
  for (Index j = 0; j + 1 < classes; ++j) {
    const auto before = static_cast<double>(j + 1), length = std::sqrt(before * (before + 1));
    for (Index c = 0; c <= j; ++c) out(c, j) = 1 / length;
    out(j + 1, j) = -before / length;
  }
  return out;
}

class FactoredSoftmax final : public LaplaceSystem {
 public:
  FactoredSoftmax(Observations data, int threads)
      : LaplaceSystem(data, threads),
        likelihood_(softmax_system(std::move(data), threads)),
        contrasts_(contrasts(data_.outputs)) {}

  double log_likelihood(const Matrix& f) const override { return likelihood_->log_likelihood(f); }
  Matrix slope(const Matrix& f) const override { return likelihood_->slope(f); }
  Matrix curvature(const Matrix& f) const override { return likelihood_->curvature(f); }
  Matrix curve(const Matrix& curvature, const Matrix& v) const override { return likelihood_->curve(curvature, v); }
  bool by_factor() const override { return true; }
  Matrix product(MatrixView F, const Matrix& v) const override { return times(F, turned(F, v)); }

  bool factor(MatrixView F, const Matrix& f, const Monitor& monitor) override {
    const Index n = F.rows(), m = F.cols(), contrasts = contrasts_.cols();
    F_ = Matrix(F);
    p_ = curvature(f);
    made_ = false;
    curve_.assign(at(contrasts * contrasts), Vector(at(n)));
    for_rows(n, threads_, [&](Index i) {
      for (Index j = 0; j < contrasts; ++j) {
        for (Index k = 0; k <= j; ++k) V(j, k)[at(i)] = V(k, j)[at(i)] = contrasted(i, j, k);
      }
    });
    A_ = Matrix::uninitialized(contrasts * m, contrasts * m);
    Matrix scaled = Matrix::uninitialized(n, m);
    for (Index j = 0; j < contrasts; ++j) {
      for (Index k = 0; k <= j; ++k) {
        const MatrixRef block = A_.ref().block(part(j), part(k));
        if (j == k) {
          Vector root = V(j, k);
          for (double& v : root) v = std::sqrt(v);
          scale(root, F_, scaled);
          linalg::symmetric_left_product(scaled, 0, block, monitor);
        } else {
          scale(V(j, k), F_, scaled);
          linalg::multiply_left_transposed(1, F_, scaled, 0, block, monitor);
        }
      }
    }
    for (Index i = 0; i < A_.rows(); ++i) A_(i, i) += 1;
    if (linalg::cholesky(A_, monitor) != 0) return false;
    log_determinant_ = linalg::log_determinant(A_);
    return made_ = std::isfinite(log_determinant_);
  }
  const Matrix* factored() const override { return made_ ? &F_ : nullptr; }
  double log_determinant() const override { return log_determinant_; }

  Matrix apply(const Matrix& v) const override {
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

  // With S_i = Q F_i A^-1 F_i' Q' the covariance of the classes at point i given the data, s_ic is as for all of K. On
  // the way sum_j M_jj F = sum_jk V_jk F [A^-1]_kj over the contrasts.
  Matrix pull(const Monitor& monitor) override {
    const Index n = F_.rows(), m = F_.cols(), contrasts = contrasts_.cols();
    Matrix inverse = A_;
    linalg::inverse(inverse, monitor);
    sum_ = Matrix(n, m);
    Matrix of_pair = Matrix::uninitialized(m, m), image = Matrix::uninitialized(n, m);
    std::vector<Vector> covariance(at(contrasts * contrasts), Vector(at(n)));
    for (Index j = 0; j < contrasts; ++j) {
      for (Index k = 0; k <= j; ++k) {
        for (Index a = 0; a < m; ++a) {
          for (Index b = 0; b < m; ++b) {
            const auto entry = [&](Index row, Index col) { return row >= col ? inverse(row, col) : inverse(col, row); };
            of_pair(a, b) = entry(j * m + a, k * m + b) + (j == k ? 0 : entry(k * m + a, j * m + b));
          }
        }
        linalg::multiply(1, F_, of_pair, 0, image, monitor);
        for_rows(n, threads_, [&](Index i) {
          double sum = 0;
          const double v = V(j, k)[at(i)];
          for (Index a = 0; a < m; ++a) {
            sum += F_(i, a) * image(i, a);
            sum_(i, a) += v * image(i, a);
          }
          covariance[at(j * contrasts + k)][at(i)] = covariance[at(k * contrasts + j)][at(i)] = j == k ? sum : sum / 2;
        });
      }
    }
    Matrix s = Matrix::uninitialized(n, p_.cols());
    for (Index i = 0; i < n; ++i) {
      Matrix S(contrasts, contrasts);
      for (Index e = 0; e < contrasts * contrasts; ++e) S.data()[e] = covariance[at(e)][at(i)];
      pull_of_point(i, S, s.row(i));
    }
    return s;
  }

  MatrixRef block_sum(const Monitor&) override { return sum_; }

 private:
  Range part(Index j) const { return {j * F_.cols(), (j + 1) * F_.cols()}; }
  Vector& V(Index j, Index k) { return curve_[at(j * contrasts_.cols() + k)]; }
  const Vector& V(Index j, Index k) const { return curve_[at(j * contrasts_.cols() + k)]; }

  static Matrix turned(MatrixView a) {
    Matrix out = Matrix::uninitialized(a.cols(), a.rows());
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
    }
    return out;
  }
  static Matrix turned(MatrixView a, const Matrix& v) {  // a'v
    Matrix out(a.cols(), v.cols());
    linalg::multiply_left_transposed(1, a, v, 0, out);
    return out;
  }
  void scale(const Vector& by, const Matrix& from, Matrix& to) const {
    for_rows(from.rows(), threads_, [&](Index i) {
      for (Index a = 0; a < from.cols(); ++a) to(i, a) = by[at(i)] * from(i, a);
    });
  }

  // [Q'W_i Q]_jk as a covariance of two contrasts over the classes, so that nothing cancels.
  double contrasted(Index i, Index j, Index k) const {
    double mean_j = 0, mean_k = 0, sum = 0;
    for (Index c = 0; c < p_.cols(); ++c) {
      mean_j += p_(i, c) * contrasts_(c, j);
      mean_k += p_(i, c) * contrasts_(c, k);
    }
    for (Index c = 0; c < p_.cols(); ++c) sum += p_(i, c) * (contrasts_(c, j) - mean_j) * (contrasts_(c, k) - mean_k);
    return data_.weights[at(i)] * sum;
  }

  Matrix curved(const Matrix& v) const {  // V v
    Matrix out(v.rows(), v.cols());
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index j = 0; j < v.cols(); ++j) {
        for (Index k = 0; k < v.cols(); ++k) out(i, j) += V(j, k)[at(i)] * v(i, k);
      }
    }
    return out;
  }

  void pull_of_point(Index i, const Matrix& S, double* s) const {
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

  std::unique_ptr<LaplaceSystem> likelihood_;
  Matrix contrasts_;  // Q
  Matrix F_, p_;
  std::vector<Vector> curve_;  // V, for each pair of contrasts
  Matrix A_;                   // its Cholesky factor
  Matrix sum_;                 // sum_c M_cc F, after pull()
  double log_determinant_ = 0;
  bool made_ = false;
};

}  // namespace

std::unique_ptr<LaplaceSystem> factored_softmax_system(Observations data, int threads) {
  return std::make_unique<FactoredSoftmax>(std::move(data), threads);
}

}  // namespace mercer::detail
