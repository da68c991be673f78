// Large graphs: the sums 1' A^s 1 of a few hundred steps of Lanczos' method from the vector 1, in the place of all
// eigenvectors. The eigenvalues of its tridiagonal matrix, with the squares of the first components of its
// eigenvectors, are Gauss' quadrature of the measure that the spectrum is: m steps have 1' A^s 1 right for all
// s < 2 m (Golub & Meurant 2010), and what they miss of a function is at most twice what polynomials of that degree do.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "domains/graphs/walks.hpp"
#include "linalg/lapack.hpp"
#include "simd/loops.hpp"

namespace mercer {

// Relative to the value, which is at least half of the product of the numbers of nodes.
Index quadrature_points(const WalkSeries& series, double growth) {
  constexpr double kError = 1e-17;
  const double q = series.lambda * growth;
  if (q == 0) return 1;
  double degree = 0;
  if (series.kind == WalkKind::geometric) {
    // 1 / (1 - q x) on [-1, 1] is within r^degree / (q (1/q^2 - 1)) of a polynomial (Chebyshev).
    const double root = std::sqrt((1 - q) * (1 + q)), r = q / (1 + root);
    degree = std::log(kError * root * root / q) / std::log(r);
  } else {
    // exp(q x): the terms behind the degree of its Chebyshev series, 2 I_k(q) <= 2 (q/2)^k / k! exp(q^2 / (4 k + 4)).
    double log_term = 0;
    do {
      ++degree;
      log_term += std::log(q / 2 / degree);
    } while (degree < q || log_term + q * q / (4 * degree + 4) > std::log(kError / 8));
  }
  return static_cast<Index>(std::min(degree / 2 + 2, 1e9));
}

// (|A| x)_i / x_i of one positive x bounds the largest eigenvalue (Collatz, Wielandt); steps of the power method bring
// it down.
double walk_bound(const Graph& g) {
  constexpr int kSteps = 100;
  const auto n = at(g.nodes());
  Vector x(n, 1.0), next(n);
  double bound = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kSteps; ++step) {
    double most = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (Index e = g.offsets()[i]; e < g.offsets()[i + 1]; ++e) {
        sum += std::abs(g.weights()[at(e)]) * x[at(g.neighbours()[at(e)])];
      }
      next[i] = sum;
      most = std::max(most, sum / x[i]);
    }
    bound = std::min(bound, most);
    // |A| + bound I has the same eigenvectors and no eigenvalue below 0; 1e-9 keeps nodes above 0 that fade away.
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, next[i] += bound * x[i]);
    if (largest == 0) return 0;
    for (std::size_t i = 0; i < n; ++i) x[i] = std::max(next[i] / largest, 1e-9);
  }
  return bound * (1 + 1e-12);  // the ratios are rounded
}

WalkSpectrum walk_quadrature(const Graph& g, Index points) {
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  const auto n = at(g.nodes());
  const double bytes = sizeof(double) * static_cast<double>(points) * static_cast<double>(n);
  if (bytes > available_memory()) {
    fail(
        ErrorKind::numeric,
        "random_walk(): a graph of {} nodes needs {:.3g} GB for {} steps, more than is free; take a smaller lambda, or "
        "kind=steps, which needs none",
        n, bytes / 1e9, points);
  }
  Matrix basis(points, g.nodes());
  Vector alpha, beta, v(n);
  double scale = 0;
  std::fill_n(basis.row(0), n, 1 / std::sqrt(static_cast<double>(n)));
  for (Index m = 0; m < points; ++m) {
    const double* const last = basis.row(m);
    for (std::size_t i = 0; i < n; ++i) {
      v[i] = 0;
      for (Index e = g.offsets()[i]; e < g.offsets()[i + 1]; ++e) {
        v[i] += g.weights()[at(e)] * last[g.neighbours()[at(e)]];
      }
    }
    alpha.push_back(simd::dot(last, v.data(), n));
    scale = std::max(scale, std::sqrt(simd::dot(v.data(), v.data(), n)));
    for (int pass = 0; pass < 2; ++pass) {  // against all before: rounding alone would bring them back
      for (Index k = m; k >= 0; --k) {
        simd::add_scaled(-simd::dot(basis.row(k), v.data(), n), basis.row(k), n, v.data());
      }
    }
    const double length = std::sqrt(simd::dot(v.data(), v.data(), n));
    if (m + 1 == points || length <= static_cast<double>(n) * kRounding * scale) break;  // no more walks lead elsewhere
    beta.push_back(length);
    for (std::size_t i = 0; i < n; ++i) basis(m + 1, static_cast<Index>(i)) = v[i] / length;
  }
  const Index steps = std::ssize(alpha);
  Matrix T(steps, steps);
  for (Index m = 0; m < steps; ++m) {
    T(m, m) = alpha[at(m)];
    if (m + 1 < steps) T(m, m + 1) = T(m + 1, m) = beta[at(m)];
  }
  const linalg::Eigen eigen = linalg::eigen(T);
  WalkSpectrum out{eigen.values, {}};
  for (Index m = 0; m < steps; ++m) {
    out.weights.push_back(static_cast<double>(n) * eigen.vectors(m, 0) * eigen.vectors(m, 0));
  }
  return out;
}

}  // namespace mercer
