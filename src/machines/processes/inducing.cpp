#include "machines/processes/inducing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

// Phi'D^-1 Phi, and Phi'D^-1 [H y], of some rows.
struct Moments {
  Matrix second = {}, first = {};
};

void add_to(const Matrix& from, Matrix& to) {
  for (Index i = 0; i < from.rows() * from.cols(); ++i) to.data()[i] += from.data()[i];
}

void fill_above(Matrix& a) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
}

void scale_row(MatrixRef m, Index i, double factor) {
  for (Index j = 0; j < m.cols(); ++j) m(i, j) *= factor;
}

double squared(const double* row, Index count) { return dot(row, row, count); }

void add_to(const Vector& from, Vector& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

Matrix transposed(const Matrix& a) {
  Matrix out = Matrix::uninitialized(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

Matrix inverse_of(const Matrix& factor, const Monitor& monitor) {
  Matrix out = factor;
  linalg::inverse(out, monitor);
  fill_above(out);
  return out;
}

// d / dK(Z, Z); `middle` is Phi'diag(c) Phi of fitc, and empty for the bound, where it is -T/2 (B - I).
Matrix slope_by_centres(const Centres& z, const Reduced& A, const Matrix& inverse, const Matrix& middle,
                        const Vector& signal) {
  const Index m = z.size(), targets = A.w.cols();
  const auto count = static_cast<double>(targets);
  Matrix out = Matrix::uninitialized(m, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      const double one = i == j ? 1 : 0;
      double sum = count * (inverse(i, j) - one);
      for (Index t = 0; t < targets; ++t) sum += A.w(i, t) * A.w(j, t) / signal[at(t)];
      const double own = middle.rows() > 0 ? middle(i, j) : -0.5 * count * (A.precision(i, j) - one);
      out(i, j) = own - 0.5 * sum;
    }
  }
  linalg::solve_lower_transposed(z.root(), out);
  out = transposed(out);
  linalg::solve_lower_transposed(z.root(), out);
  return out;
}

// `solved` is B^-1 Phi'D^-1 [H y]; what it leaves of H and y are rows of their own, whose squares are added up.
void fit_trend(const Seen& seen, MatrixView solved, Reduced& out) {
  const ProcessData& data = seen.data;
  const Centres& z = seen.centres;
  const Execution& how = seen.how;
  const Index m = z.size(), n = data.y.rows(), functions = data.H.cols(), targets = data.y.cols();
  Matrix beta(solved);
  linalg::solve_lower_transposed(z.root(), beta);
  Matrix rest = seen.pass.values(beta, how);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < functions; ++j) rest(i, j) = data.H(i, j) - rest(i, j);
    for (Index t = 0; t < targets; ++t) rest(i, functions + t) = data.y(i, t) - rest(i, functions + t);
  }
  out.by_trend = Matrix(solved.block({0, m}, {0, functions}));
  out.w = Matrix(solved.block({0, m}, {functions, functions + targets}));
  out.alpha = Matrix(rest.view().block({0, n}, {functions, functions + targets}));
  out.b = Matrix(functions, targets);
  if (functions > 0) {
    out.trend = Matrix(functions, functions);
    linalg::multiply_left_transposed(1, out.by_trend, out.by_trend, 0, out.trend);
    linalg::multiply_left_transposed(1, out.by_trend, out.w, 0, out.b);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < functions; ++j) {
        const double own = rest(i, j) / out.own[at(i)];
        for (Index k = 0; k < functions; ++k) out.trend(j, k) += own * rest(i, k);
        for (Index t = 0; t < targets; ++t) out.b(j, t) += own * out.alpha(i, t);
      }
    }
    out.separable = linalg::cholesky(out.trend) == 0;
    if (!out.separable) return;
    linalg::cholesky_solve(out.trend, out.b);
    linalg::multiply(-1, out.by_trend, out.b, 1, out.w);
    linalg::multiply(-1, rest.view().block({0, n}, {0, functions}), out.b, 1, out.alpha);
  }
  out.quadratic.assign(at(targets), 0.0);
  for (Index t = 0; t < targets; ++t) {
    for (Index j = 0; j < m; ++j) out.quadratic[at(t)] += out.w(j, t) * out.w(j, t);
    for (Index i = 0; i < n; ++i) {
      const double residual = out.alpha(i, t);
      out.alpha(i, t) /= out.own[at(i)];
      out.quadratic[at(t)] += residual * out.alpha(i, t);
    }
  }
}

}  // namespace

// B and its factor in one pass over the rows, and the trend in another.
Reduced reduce(const Seen& seen, Vector shift, InducingBy by) {
  const ProcessData& data = seen.data;
  const Centres& z = seen.centres;
  const Execution& how = seen.how;
  const Index m = z.size(), functions = data.H.cols(), targets = data.y.cols(), columns = functions + targets;
  const bool fitc = by == InducingBy::fitc;
  Reduced out{.precision = Matrix(m, m), .own = std::move(shift), .missing = diagonal(z.kernel(), *data.x)};
  for (const double k : out.missing) out.trace += k;
  std::vector<Moments> parts(at(seen.pass.pieces().size()));
  Matrix first(m, columns);
  seen.pass.strips(
      seen.pass.pieces(), centres::kTall,
      [&](Index piece, Range rows, MatrixRef K) {
        Moments& part = parts[at(piece)];
        if (part.second.rows() == 0) part = {Matrix(m, m), Matrix(m, columns)};
        linalg::solve_lower_rows(z.root(), K);
        Matrix beside = Matrix::uninitialized(rows.size(), columns);
        for (Index i = 0; i < rows.size(); ++i) {
          const Index row = rows.begin + i;
          double& missing = out.missing[at(row)];
          missing = std::max(0.0, missing - squared(K.row(i), m));  // but for rounding
          if (fitc) out.own[at(row)] += missing;
          const double root = 1 / std::sqrt(out.own[at(row)]);
          scale_row(K, i, root);
          for (Index j = 0; j < functions; ++j) beside(i, j) = root * data.H(row, j);
          for (Index t = 0; t < targets; ++t) beside(i, functions + t) = root * data.y(row, t);
        }
        linalg::symmetric_left_product(K, 1, part.second);
        linalg::multiply_left_transposed(1, K, beside, 1, part.first);
      },
      [&](Index piece) {
        const Moments part = std::exchange(parts[at(piece)], Moments());
        add_to(part.second, out.precision);
        add_to(part.first, first);
      },
      how);
  for (Index j = 0; j < m; ++j) out.precision(j, j) += 1;
  fill_above(out.precision);
  out.factor = out.precision;
  if (linalg::cholesky(out.factor, how.monitor) != 0) {
    fail(ErrorKind::numeric,
         "gp: what the data tell of the inducing points is beyond double precision; more noise would help");
  }
  out.log_determinant = linalg::log_determinant(out.factor);
  for (std::size_t i = 0; i < out.own.size(); ++i) {
    out.log_determinant += std::log(out.own[i]);
    out.rest += out.missing[i];
    if (!fitc) out.lost += out.missing[i] / out.own[i];
  }
  linalg::cholesky_solve(out.factor, first);
  fit_trend(seen, first, out);
  return out;
}

Vector signals(const Reduced& A, const std::optional<double>& given, Index points) {
  Vector out;
  for (const double q : A.quadratic) {
    // A target without any spread has no scale; any positive number does.
    out.push_back(given.value_or(std::max(q / static_cast<double>(points), std::numeric_limits<double>::min())));
  }
  return out;
}

double log_evidence(const Reduced& A, const Vector& signal, Index points) {
  const auto n = static_cast<double>(points);
  double out = 0;
  for (std::size_t t = 0; t < signal.size(); ++t) {
    out -= 0.5 *
           (A.quadratic[t] / signal[t] + n * std::log(2 * std::numbers::pi * signal[t]) + A.log_determinant + A.lost);
  }
  return out;
}

// With T targets, G = 1/2 (sum_t alpha_t alpha_t' / s_t - T A^-1) = d / dA of the likelihood and c_i its derivative by
// the own variance k(x_i, x_i) - q_ii, -T / (2 D_i) of the bound and G_ii of fitc,
//     d / dK(X, Z) = 2 (G - diag c) Phi L^-1,    d / dK(Z, Z) = -L^-T Phi'(G - diag c) Phi L^-1,    d / dk(x_i, x_i) =
//     c_i,
// where A^-1 Phi = D^-1 Phi B^-1, Phi'A^-1 Phi = I - B^-1 and Phi'alpha = w.
void add_slopes(const Seen& seen, const Reduced& A, const Approach::At& where, InducingBy by, Approach::Value& out) {
  const ProcessData& data = seen.data;
  const Centres& z = seen.centres;
  const Execution& how = seen.how;
  const Index m = z.size(), n = data.y.rows(), targets = data.y.cols();
  const bool fitc = by == InducingBy::fitc, each = fitc || !data.known.empty();
  const auto count = static_cast<double>(targets);
  const Matrix inverse = inverse_of(A.factor, how.monitor);

  Matrix beta = A.w;  // L^-T w / s: the part of alpha alpha'
  linalg::solve_lower_transposed(z.root(), beta);
  for (Index j = 0; j < m; ++j) {
    for (Index t = 0; t < targets; ++t) beta(j, t) /= out.signal[at(t)];
  }
  // Phi in units of D^1/2 is multiplied by the transposes of these: (I - B^-1) L^-1, or -B^-1 L^-1 and L^-1.
  Matrix both = inverse, own;
  for (Index j = 0; j < m; ++j) {
    scale_row(both, j, -1);
    if (!fitc) both(j, j) += 1;
  }
  linalg::solve_lower_transposed(z.root(), both);
  if (fitc) {
    own = Matrix(m, m);
    for (Index j = 0; j < m; ++j) own(j, j) = 1;
    linalg::solve_lower_transposed(z.root(), own);
  }

  Vector by_variance(at(n)), by_shift(each ? at(n) : 0);  // c, and the derivatives by D
  Matrix middle = fitc ? Matrix(m, m) : Matrix();         // Phi'diag(c) Phi
  std::vector<Matrix> parts(at(seen.pass.pieces().size()));
  out.by_kernel = seen.pass.gradient(
      [&](Index piece, Range rows, MatrixRef K, MatrixRef W) {
        linalg::solve_lower_rows(z.root(), K);
        Matrix leverage;
        if (each) {
          leverage = Matrix(MatrixView(K));
          linalg::solve_lower_rows(A.factor, leverage);
        }
        for (Index i = 0; i < rows.size(); ++i) {
          const Index row = rows.begin + i;
          const double D = A.own[at(row)];
          double& c = by_variance[at(row)];
          c = -count / (2 * D);
          if (each) {
            double G = -count * (1 - squared(leverage.row(i), m) / D) / D;
            for (Index t = 0; t < targets; ++t) G += A.alpha(row, t) * A.alpha(row, t) / out.signal[at(t)];
            by_shift[at(row)] = 0.5 * G - (fitc ? 0 : c * A.missing[at(row)] / D);
            if (fitc) c = 0.5 * G;
          }
        }
        if (fitc) {
          Matrix weighted(MatrixView{K});
          for (Index i = 0; i < rows.size(); ++i) scale_row(weighted, i, -2 * by_variance[at(rows.begin + i)]);
          linalg::multiply_transposed(1, weighted, own, 0, W);
          Matrix& part = parts[at(piece)];
          if (part.rows() == 0) part = Matrix(m, m);
          linalg::multiply_left_transposed(-0.5, weighted, K, 1, part);
        }
        for (Index i = 0; i < rows.size(); ++i) scale_row(K, i, count / A.own[at(rows.begin + i)]);
        linalg::multiply_transposed(1, K, both, fitc ? 1 : 0, W);
        linalg::multiply_transposed(1, A.alpha.view().block(rows, {0, targets}), beta, 1, W);
      },
      [&](Index piece) {
        if (fitc) add_to(std::exchange(parts[at(piece)], Matrix()), middle);
      },
      how);
  add_to(seen.pass.diagonal_gradient(by_variance, how), out.by_kernel);
  add_to(gradient(z.kernel(), z.points(), slope_by_centres(z, A, inverse, middle, out.signal), how), out.by_kernel);

  for (Index i = 0; each && i < n; ++i) out.by_noise += by_shift[at(i)] * data.shape[at(i)];
  if (!each) {  // D = noise shape, so that of what is added up for each row only traces remain
    double trace = 0;
    for (Index j = 0; j < m; ++j) trace += inverse(j, j);
    out.by_noise = 0.5 * count * (A.lost - static_cast<double>(n - m) - trace) / where.noise;
    for (Index i = 0; i < n; ++i) {
      for (Index t = 0; t < targets; ++t) {
        out.by_noise += 0.5 * data.shape[at(i)] * A.alpha(i, t) * A.alpha(i, t) / out.signal[at(t)];
      }
    }
  }
  for (Index i = 0; !data.known.empty() && i < n; ++i) {
    out.by_signal -= by_shift[at(i)] * data.known[at(i)] / (*where.signal * *where.signal);
  }
  for (Index t = 0; t < targets; ++t) {
    const double s = out.signal[at(t)];
    out.by_signal += 0.5 * (A.quadratic[at(t)] / s - static_cast<double>(n)) / s;
  }
}

}  // namespace mercer::detail
