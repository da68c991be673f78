#include "check/jacobi.hpp"

#include <cmath>

namespace mercer::checking {

// Cyclic Jacobi: Golub & Van Loan, Matrix Computations, 4th ed., section 8.5.
SmallestPair smallest_eigenpair(Matrix a) {
  const Index n = a.rows();
  Matrix v(n, n);  // row i belongs to a(i, i)
  for (Index i = 0; i < n; ++i) v(i, i) = 1;
  double total = 0;
  for (Index i = 0; i < n * n; ++i) total += a.data()[i] * a.data()[i];
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) off += a(i, j) * a(i, j);
    }
    if (off <= 1e-32 * total) break;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const double tau = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = std::copysign(1.0, tau) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (Index k = 0; k < n; ++k) {
          const double u = a(k, p), w = a(k, q);
          a(k, p) = c * u - s * w;
          a(k, q) = s * u + c * w;
        }
        double* rows[] = {a.row(p), a.row(q), v.row(p), v.row(q)};
        for (Index k = 0; k < n; ++k) {
          for (int side = 0; side < 4; side += 2) {
            const double u = rows[side][k], w = rows[side + 1][k];
            rows[side][k] = c * u - s * w;
            rows[side + 1][k] = s * u + c * w;
          }
        }
      }
    }
  }
  Index at = 0;
  for (Index i = 1; i < n; ++i) {
    if (a(i, i) < a(at, at)) at = i;
  }
  return {a(at, at), Vector(v.row(at), v.row(at) + n)};
}

}  // namespace mercer::checking
