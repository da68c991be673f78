// How good the coefficients of a support vector classifier are, whoever found them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/at.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/model.hpp"

namespace mercer::peer {

// 1/2 b'Kb - sum |b| of each column of coefficients b, y_i alpha_i of every training point: what C-SVC
// minimises over the alphas. In double precision, from the coefficients alone.
inline Vector objectives(const Kernel& k, const Points& x, const Matrix& coefficients) {
  std::vector<Index> support;
  for (Index i = 0; i < coefficients.rows(); ++i) {
    const double* const row = coefficients.row(i);
    if (std::any_of(row, row + coefficients.cols(), [](double b) { return b != 0; })) support.push_back(i);
  }
  const auto m = static_cast<Index>(support.size());
  Matrix b(m, coefficients.cols());
  for (Index i = 0; i < m; ++i) std::copy_n(coefficients.row(support[at(i)]), b.cols(), b.row(i));
  const Points centres = x.select(support);
  const Matrix Kb = multiply(k, centres, centres, b);
  Vector out(at(b.cols()));
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < b.cols(); ++c) out[at(c)] += 0.5 * b(i, c) * Kb(i, c) - std::abs(b(i, c));
  }
  return out;
}

// The coefficients of a model of ours.
inline Matrix coefficients(const Model& m) {
  const Expansion::Parts& f = m.expansion().parts();
  Matrix out(f.training_size, f.alpha.cols());
  for (Index i = 0; i < f.alpha.rows(); ++i) std::copy_n(f.alpha.row(i), f.alpha.cols(), out.row(f.support[at(i)]));
  return out;
}

}  // namespace mercer::peer
