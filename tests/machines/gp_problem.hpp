// A small Gaussian process for the tests of what is done with one, and its posterior by the textbook.
#pragma once

#include "mercer/machines/gp.hpp"
#include "support.hpp"

namespace mercer::test {

inline std::size_t pos(Index i) { return static_cast<std::size_t>(i); }

inline Matrix basis(Trend trend, const Matrix& x) {
  Matrix out(x.rows(), trend == Trend::none ? 0 : trend == Trend::constant ? 1 : 1 + x.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = j == 0 ? 1 : x(i, j - 1);
  }
  return out;
}

struct Problem {
  Matrix x = random_matrix(24, 2, 1);
  Matrix y = random_matrix(24, 2, 2);
  Vector weights = random_vector(24, 3, 0.3, 3);
  Matrix fresh = random_matrix(7, 2, 4, -3, 3);
  Kernel k = parse("1.3*rbf(ell=0.7) + 0.5*matern(nu=2.5, ell=[2, 3])*rbf(ell=1.5) + 0.2*linear()");
  double noise = 0.04, signal = 1.7;
  Trend trend = Trend::none;

  GaussianProcess machine() const {
    return {.noise = Learnable::fixed_at(noise),
            .signal = Learnable::fixed_at(signal),
            .mean = trend,
            .objective = GaussianProcess::Objective::none};
  }
  Model fit() const { return machine().fit({.K = lazy(k, rows(x)), .y = y, .weights = weights}); }
};

constexpr Trend kTrends[] = {Trend::none, Trend::constant, Trend::linear};

// Universal kriging in its textbook form: with Q = [A H; H' 0] and q_x = [k_c(X, x); h(x)] for an addend k_c of the
// kernel and some of h, the posterior of what they stand for has mean q_x' Q^-1 [y; 0] and covariance
// k_c(x, x') - q_x' Q^-1 q_x', in units of the signal.
struct Kriging {
  Matrix mean, covariance;

  Kriging(const Problem& p, const std::optional<Kernel>& addend, bool with_trend) {
    const Matrix H = basis(p.trend, p.x), h = basis(p.trend, p.fresh), K = gram(p.k, rows(p.x));
    const Index n = p.x.rows(), m = p.fresh.rows(), all = n + H.cols();
    Matrix Q(all, all), q(all, m), padded(all, p.y.cols());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) Q(i, j) = K(i, j);
      Q(i, i) += p.noise / p.signal / p.weights[pos(i)];
      for (Index j = 0; j < H.cols(); ++j) Q(i, n + j) = Q(n + j, i) = H(i, j);
      for (Index t = 0; t < p.y.cols(); ++t) padded(i, t) = p.y(i, t);
    }
    if (addend) {
      const Matrix side = cross(*addend, rows(p.x), rows(p.fresh));
      for (Index i = 0; i < n; ++i) std::copy_n(side.row(i), m, q.row(i));
    }
    for (Index i = 0; i < m && with_trend; ++i) {
      for (Index j = 0; j < H.cols(); ++j) q(n + j, i) = h(i, j);
    }
    Matrix turned(m, all);
    for (Index i = 0; i < all; ++i) {
      for (Index j = 0; j < m; ++j) turned(j, i) = q(i, j);
    }
    mean = product(turned, naive_solve(Q, padded));
    covariance = addend ? gram(*addend, rows(p.fresh)) : Matrix(m, m);
    const Matrix known = product(turned, naive_solve(Q, q));
    for (Index i = 0; i < m * m; ++i) covariance.data()[i] = p.signal * (covariance.data()[i] - known.data()[i]);
  }
};

}  // namespace mercer::test
