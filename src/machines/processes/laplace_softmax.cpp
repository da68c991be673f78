// Several classes: one latent function for each, all with the same K, coupled by W_i = w_i (diag p_i - p_i p_i').
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/progress.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/laplace.hpp"
#include "model/posterior/softmax_factors.hpp"

namespace mercer::detail {

namespace {

double log_sum_exp(const double* f, Index count) {
  const double top = *std::max_element(f, f + count);
  double sum = 0;
  for (Index c = 0; c < count; ++c) sum += std::exp(f[c] - top);
  return top + std::log(sum);
}

// The transpose in place, by blocks that stay in cache.
void turn(MatrixRef a) {
  constexpr Index block = 32;
  for (Index i0 = 0; i0 < a.rows(); i0 += block) {
    for (Index j0 = 0; j0 <= i0; j0 += block) {
      for (Index i = i0; i < std::min(a.rows(), i0 + block); ++i) {
        for (Index j = j0; j < std::min(i, j0 + block); ++j) std::swap(a(i, j), a(j, i));
      }
    }
  }
}

class SoftmaxLaplace final : public LaplaceSystem {
 public:
  using LaplaceSystem::LaplaceSystem;

  double log_likelihood(const Matrix& f) const override {
    double sum = 0;
    for (Index i = 0; i < f.rows(); ++i) {
      sum += data_.weights[at(i)] * (f(i, class_of(i)) - log_sum_exp(f.row(i), f.cols()));
    }
    return sum;
  }

  Matrix slope(const Matrix& f) const override {
    Matrix out = curvature(f);
    for (Index i = 0; i < f.rows(); ++i) {
      // 1 - p of a point far on its side would be all rounding.
      const Index own = class_of(i);
      double others = 0;
      for (Index c = 0; c < f.cols(); ++c) others += c == own ? 0 : out(i, c);
      for (Index c = 0; c < f.cols(); ++c) out(i, c) = data_.weights[at(i)] * (c == own ? others : -out(i, c));
    }
    return out;
  }

  Matrix curvature(const Matrix& f) const override {
    Matrix p = Matrix::uninitialized(f.rows(), f.cols());
    for (Index i = 0; i < f.rows(); ++i) {
      const double log_sum = log_sum_exp(f.row(i), f.cols());
      for (Index c = 0; c < f.cols(); ++c) p(i, c) = std::exp(f(i, c) - log_sum);
    }
    return p;
  }

  Matrix curve(const Matrix& p, const Matrix& v) const override {
    Matrix out = Matrix::uninitialized(v.rows(), v.cols());
    for (Index i = 0; i < v.rows(); ++i) {
      double mean = 0;
      for (Index c = 0; c < v.cols(); ++c) mean += p(i, c) * v(i, c);
      for (Index c = 0; c < v.cols(); ++c) out(i, c) = data_.weights[at(i)] * p(i, c) * (v(i, c) - mean);
    }
    return out;
  }

  bool factor(MatrixView K, const Matrix& f, const Monitor& monitor) override {
    p_ = curvature(f);
    Matrix root = p_;
    for (Index i = 0; i < root.rows(); ++i) {
      for (Index c = 0; c < root.cols(); ++c) root(i, c) = std::sqrt(data_.weights[at(i)] * p_(i, c));
    }
    solved_ = made_ = false;
    K_ = Matrix(K);
    return made_ = factors_.make(K_, std::move(root), threads_, monitor);
  }
  const Matrix* factored() const override { return made_ ? &K_ : nullptr; }

  double log_determinant() const override { return factors_.log_determinant; }

  Matrix apply(const Matrix& v) const override { return solved_ ? apply_solved(v) : factors_.apply(v); }

  // With S_i the covariance of the classes at point i given the data, s_ic = -1/2 tr(S_i dW_i/df_c) comes to
  //     -1/2 (a_c - 2 b_c - p_c sum_d (a_d - 2 b_d)),   a_c = w p_c S_cc,   b_c = w p_c (S p)_c
  // where, with P_c = (I + D_c^1/2 K D_c^1/2)^-1 and t_c = L^-1 D_c^1/2 (I - P_c) e_i,
  //     w p_c S_cd p_d = [c = d] p_c (1 - [P_c]_ii) + (p_c p_d)^1/2 t_c't_d
  // so that nothing is divided by a p that may vanish. P_c is replaced by P_c D_c^1/2 L^-T on the way.
  Matrix pull(const Monitor& monitor) override {
    const Index n = p_.rows(), classes = p_.cols();
    Matrix kept(n, classes);  // 1 - [P_c]_ii
    for_classes(n, classes, threads_, monitor, "gradient", [&](Index c, const Monitor& within) {
      Matrix& P = factors_.inverse[at(c)];
      for_rows(n, threads_, [&](Index i) {
        kept(i, c) = 1 - P(i, i);
        for (Index j = 0; j < n; ++j) P(i, j) *= factors_.root(j, c);
      });
      linalg::solve_lower_rows(factors_.coupling, P, within);
    });
    solved_ = true;
    if (spare_.rows() != n) spare_ = Matrix::uninitialized(n, n);
    for_rows(n, threads_, [&](Index i) { std::copy_n(factors_.coupling.row(i), i + 1, spare_.row(i)); });
    linalg::invert_lower(spare_, monitor);  // column i: L^-1 e_i
    for_rows(n, threads_, [&](Index i) { std::fill(spare_.row(i) + i + 1, spare_.row(i) + n, 0.0); });
    turn(spare_);  // row i
    Matrix s = Matrix::uninitialized(n, classes);
    for_rows(n, threads_, [&](Index i) { pull_of_point(i, kept.row(i), s.row(i)); });
    monitor.report({"gradient", 1});
    return s;
  }

  // sum_c E_c - X_c X_c', X_c = E_c L^-T = D_c^1/2 (P_c D_c^1/2 L^-T). These X_c add up to G L^-T = L: of an
  // orthonormal basis of their combinations, Z_0 = L / C^1/2 and Helmert's contrasts, the first product is G / C.
  MatrixRef block_sum(const Monitor& monitor) override {
    const Index n = p_.rows(), classes = p_.cols();
    if (product_.rows() != n) product_ = Matrix::uninitialized(n, n);
    const double share = 1 - 1 / static_cast<double>(classes);
    for_rows(n, threads_, [&](Index i) {
      for (Index j = 0; j <= i; ++j) factors_.sum(i, j) *= share;
    });
    for (Index c = 1; c < classes; ++c) {
      const auto before = static_cast<double>(c), length = std::sqrt(before * (before + 1));
      for_rows(n, threads_, [&](Index i) {  // (X_0 + ... + X_c-1 - c X_c) / (c (c + 1))^1/2
        double* const z = spare_.row(i);
        std::fill_n(z, n, 0.0);
        for (Index k = 0; k <= c; ++k) {
          const double* const x = factors_.inverse[at(k)].row(i);
          const double factor = factors_.root(i, k) * (k < c ? 1 : -before) / length;
          for (Index j = 0; j < n; ++j) z[j] += factor * x[j];
        }
      });
      linalg::symmetric_product(spare_, product_, monitor);
      for_rows(n, threads_, [&](Index i) {
        for (Index j = 0; j <= i; ++j) factors_.sum(i, j) -= product_(i, j);
      });
      monitor.report({"gradient", before / static_cast<double>(classes)});
    }
    return factors_.sum;
  }

 private:
  Index class_of(Index i) const { return static_cast<Index>(data_.y[at(i)]); }

  void pull_of_point(Index i, const double* kept, double* s) const {
    const Index n = p_.rows(), classes = p_.cols();
    const double* p = p_.row(i);
    Vector own(at(classes)), with_all(at(classes)), t(at(classes));  // t_c't_c, t_c' sum_d p_d^1/2 t_d
    for (Index k = 0; k < n; ++k) {
      double all = 0;
      for (Index c = 0; c < classes; ++c) {
        t[at(c)] = factors_.root(i, c) * spare_(i, k) - factors_.inverse[at(c)](i, k);
        all += std::sqrt(p[c]) * t[at(c)];
      }
      for (Index c = 0; c < classes; ++c) {
        own[at(c)] += t[at(c)] * t[at(c)];
        with_all[at(c)] += t[at(c)] * all;
      }
    }
    double total = 0;
    for (Index c = 0; c < classes; ++c) {
      const double a = kept[c] + own[at(c)], b = p[c] * kept[c] + std::sqrt(p[c]) * with_all[at(c)];
      s[c] = a - 2 * b;
      total += s[c];
    }
    for (Index c = 0; c < classes; ++c) s[c] = -0.5 * (s[c] - p[c] * total);
  }

  // E_c v = D_c^1/2 (P_c D_c^1/2 L^-T) L'v
  Matrix apply_E(Index c, const Matrix& v) const {
    const Index n = v.rows();
    Matrix turned(n, 1), out = Matrix::uninitialized(n, 1);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) turned(j, 0) += factors_.coupling(i, j) * v(i, 0);
    }
    linalg::multiply(1, factors_.inverse[at(c)], turned, 0, out);
    for (Index i = 0; i < n; ++i) out(i, 0) *= factors_.root(i, c);
    return out;
  }

  Matrix apply_solved(const Matrix& v) const {
    const Index n = v.rows(), classes = v.cols();
    Matrix out = Matrix::uninitialized(n, classes), total(n, 1), one = Matrix::uninitialized(n, 1);
    for (Index c = 0; c < classes; ++c) {
      for (Index i = 0; i < n; ++i) one(i, 0) = v(i, c);
      const Matrix e = apply_E(c, one);
      for (Index i = 0; i < n; ++i) total(i, 0) += out(i, c) = e(i, 0);
    }
    linalg::cholesky_solve(factors_.coupling, total);
    for (Index c = 0; c < classes; ++c) {
      const Matrix shared = apply_E(c, total);
      for (Index i = 0; i < n; ++i) out(i, c) -= shared(i, 0);
    }
    return out;
  }

  Matrix K_, p_;
  SoftmaxFactors factors_;
  Matrix spare_, product_;
  bool made_ = false, solved_ = false;
};

}  // namespace

std::unique_ptr<LaplaceSystem> softmax_system(Observations data, int threads) {
  return std::make_unique<SoftmaxLaplace>(std::move(data), threads);
}

}  // namespace mercer::detail
