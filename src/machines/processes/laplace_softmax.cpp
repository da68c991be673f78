// Several classes: one latent function for each, all with the same K, coupled by W_i = w_i (diag p_i - p_i p_i').
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/parallel.hpp"
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

// Rows of all classes that are solved for at once.
constexpr Index kAtOnce = 256;

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
  // so that nothing is divided by a p that may vanish. The rows of X_c = E_c L^-T = D_c^1/2 (P_c D_c^1/2 L^-T) add up
  // to those of G L^-T = L: those of the likeliest class of each point need not be solved for. In the place of the P_c
  // come Helmert's contrasts of the X_c, one less.
  Matrix pull(const Monitor& monitor) override {
    const Index n = p_.rows(), classes = p_.cols(), strip = std::max<Index>(16, kAtOnce / (classes - 1));
    Matrix s = Matrix::uninitialized(n, classes);
    parallel_for((n + strip - 1) / strip, thread_count(threads_), monitor, "gradient", [&](Index piece, int) {
      pull_of_points({piece * strip, std::min(n, (piece + 1) * strip)}, s);
    });
    solved_ = true;
    monitor.report({"gradient", 1});
    return s;
  }

  // sum_c E_c - X_c X_c'. Of the orthonormal combinations of the X_c the first is L / C^1/2, whose product is G / C.
  MatrixRef block_sum(const Monitor& monitor) override {
    const Index n = p_.rows(), contrasts = p_.cols() - 1;
    const double share = 1 - 1 / static_cast<double>(contrasts + 1);
    Matrix& product = factors_.inverse[at(contrasts)];  // no longer needed
    for (Index k = 0; k < contrasts; ++k) {
      linalg::symmetric_product(factors_.inverse[at(k)], product, monitor);
      for_rows(n, threads_, [&](Index i) {
        const double *const away = product.row(i), kept = k == 0 ? share : 1;
        double* const sum = factors_.sum.row(i);
        for (Index j = 0; j <= i; ++j) sum[j] = kept * sum[j] - away[j];
      });
      monitor.report({"gradient", static_cast<double>(k + 1) / static_cast<double>(contrasts)});
    }
    return factors_.sum;
  }

 private:
  Index class_of(Index i) const { return static_cast<Index>(data_.y[at(i)]); }

  // Rows of P_c D_c^1/2 L^-T for all classes, and of L^-T, which begin at the first of these points.
  void pull_of_points(Range points, Matrix& s) {
    const Index n = p_.rows(), classes = p_.cols(), others = classes - 1;
    Matrix solved = Matrix::uninitialized(points.size() * others, n), likeliest = Matrix::uninitialized(1, n);
    Matrix lower(points.size(), n - points.begin);
    Index next = 0;
    for (Index i = points.begin; i < points.end; ++i) {
      for (Index c = 0; c < classes; ++c) {
        if (c == top(i)) continue;
        const double* const P = factors_.inverse[at(c)].row(i);
        double* const row = solved.row(next++);
        for (Index j = 0; j < n; ++j) row[j] = P[j] * factors_.root(j, c);
      }
      lower(i - points.begin, i - points.begin) = 1;
    }
    linalg::solve_lower_rows(factors_.coupling, solved);
    linalg::solve_lower_rows(factors_.coupling.view().block({points.begin, n}, {points.begin, n}), lower);
    std::vector<const double*> rows(at(classes));
    Vector kept(at(classes));  // 1 - [P_c]_ii
    next = 0;
    for (Index i = points.begin; i < points.end; ++i) {
      double* const last = likeliest.row(0);
      std::copy_n(factors_.coupling.row(i), n, last);
      for (Index c = 0; c < classes; ++c) {
        kept[at(c)] = 1 - factors_.inverse[at(c)](i, i);
        rows[at(c)] = c == top(i) ? last : solved.row(next++);
        if (c == top(i)) continue;
        for (Index j = 0; j < n; ++j) last[j] -= factors_.root(i, c) * rows[at(c)][j];
      }
      for (Index j = 0; j < n; ++j) last[j] /= factors_.root(i, top(i));
      pull_of_point(i, kept, rows, lower.row(i - points.begin), points.begin, s.row(i));
      contrast(i, rows);
    }
  }

  Index top(Index i) const { return std::max_element(p_.row(i), p_.row(i) + p_.cols()) - p_.row(i); }

  // `lower` is row i of L^-T from column `from` on; there is nothing before.
  void pull_of_point(Index i, const Vector& kept, const std::vector<const double*>& rows, const double* lower,
                     Index from, double* s) const {
    const Index n = p_.rows(), classes = p_.cols();
    const double* p = p_.row(i);
    Vector own(at(classes)), with_all(at(classes)), t(at(classes));  // t_c't_c, t_c' sum_d p_d^1/2 t_d
    Vector root(at(classes));
    for (Index c = 0; c < classes; ++c) root[at(c)] = std::sqrt(p[c]);
    for (Index k = 0; k < n; ++k) {
      const double unit = k < from ? 0 : lower[k - from];
      double all = 0;
      for (Index c = 0; c < classes; ++c) {
        t[at(c)] = factors_.root(i, c) * unit - rows[at(c)][k];
        all += root[at(c)] * t[at(c)];
      }
      for (Index c = 0; c < classes; ++c) {
        own[at(c)] += t[at(c)] * t[at(c)];
        with_all[at(c)] += t[at(c)] * all;
      }
    }
    double total = 0;
    for (Index c = 0; c < classes; ++c) {
      const double a = kept[at(c)] + own[at(c)], b = p[c] * kept[at(c)] + root[at(c)] * with_all[at(c)];
      s[c] = a - 2 * b;
      total += s[c];
    }
    for (Index c = 0; c < classes; ++c) s[c] = -0.5 * (s[c] - p[c] * total);
  }

  // Contrast k + 1 of row i is (X_0 + ... + X_k - (k + 1) X_k+1) / ((k + 1) (k + 2))^1/2.
  void contrast(Index i, const std::vector<const double*>& rows) {
    const Index n = p_.rows();
    for (Index k = 0; k + 1 < p_.cols(); ++k) {
      double* const z = factors_.inverse[at(k)].row(i);
      std::fill_n(z, n, 0.0);
      for (Index c = 0; c <= k + 1; ++c) {
        const double factor = factors_.root(i, c) * contrast_of(k, c);
        for (Index j = 0; j < n; ++j) z[j] += factor * rows[at(c)][j];
      }
    }
  }
  static double contrast_of(Index k, Index c) {
    const auto before = static_cast<double>(k + 1), length = std::sqrt(before * (before + 1));
    return c > k + 1 ? 0 : (c <= k ? 1 : -before) / length;
  }

  // E_c v_c = X_c L'v_c, X_c = L / C + sum_k q_kc Z_k; or, of a v of one column, for all classes.
  Matrix apply_E(const Matrix& v) const {
    const Index n = v.rows(), classes = p_.cols();
    Matrix turned = Matrix::uninitialized(n, v.cols()), image = turned, out = Matrix::uninitialized(n, classes);
    const auto of = [&](Index c) { return v.cols() == 1 ? 0 : c; };
    linalg::multiply_left_transposed(1, factors_.coupling, v, 0, turned);
    linalg::multiply(1 / static_cast<double>(classes), factors_.coupling, turned, 0, image);
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < classes; ++c) out(i, c) = image(i, of(c));
    }
    for (Index k = 0; k + 1 < classes; ++k) {
      linalg::multiply(1, factors_.inverse[at(k)], turned, 0, image);
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < classes; ++c) out(i, c) += contrast_of(k, c) * image(i, of(c));
      }
    }
    return out;
  }

  Matrix apply_solved(const Matrix& v) const {
    Matrix out = apply_E(v), total(v.rows(), 1);
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index c = 0; c < v.cols(); ++c) total(i, 0) += out(i, c);
    }
    linalg::cholesky_solve(factors_.coupling, total);
    const Matrix shared = apply_E(total);
    for (Index i = 0; i < v.rows() * v.cols(); ++i) out.data()[i] -= shared.data()[i];
    return out;
  }

  Matrix K_, p_;
  SoftmaxFactors factors_;
  bool made_ = false, solved_ = false;
};

}  // namespace

std::unique_ptr<LaplaceSystem> softmax_system(Observations data, int threads) {
  return std::make_unique<SoftmaxLaplace>(std::move(data), threads);
}

}  // namespace mercer::detail
