#include "solve/lanczos.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"

namespace mercer::solve {

namespace {

// e1'log(T) e1, of eigenvalues that are 1 at least but for rounding.
double rule(const linalg::Eigen& T) {
  double sum = 0;
  for (Index k = 0; k < T.vectors.rows(); ++k) {
    sum += T.vectors(k, 0) * T.vectors(k, 0) * std::log(std::max(1.0, T.values[at(k)]));
  }
  return sum;
}

}  // namespace

Interval log_between_rules(const Vector& lengths, const Vector& ratios) {
  const auto k = static_cast<Index>(lengths.size());
  if (k == 0) return {0, 0};  // M e = e
  Matrix T(k + 1, k + 1);
  for (Index j = 0; j < k; ++j) {
    T(j, j) = 1 / lengths[at(j)] + (j > 0 ? ratios[at(j - 1)] / lengths[at(j - 1)] : 0);
    const double beside = std::sqrt(std::max(0.0, ratios[at(j)])) / lengths[at(j)];
    T(j + 1, j) = T(j, j + 1) = beside;
  }
  const linalg::Eigen gauss = linalg::eigen(T.view().block({0, k}, {0, k}));
  const double above = rule(gauss);
  // The last diagonal entry for which 1 is an eigenvalue: 1 + t^2 e_k'(T - I)^-1 e_k.
  constexpr double kLeast = 1e-14;
  double solved = 0;
  for (Index i = 0; i < k; ++i) {
    const double last = gauss.vectors(i, k - 1);
    solved += last * last / std::max(kLeast, gauss.values[at(i)] - 1);
  }
  T(k, k) = 1 + T(k, k - 1) * T(k, k - 1) * solved;
  return {std::min(above, rule(linalg::eigen(T))), above};
}

}  // namespace mercer::solve
