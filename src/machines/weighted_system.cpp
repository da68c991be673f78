#include "machines/weighted_system.hpp"

#include <cmath>

#include "base/at.hpp"
#include "model/assemble.hpp"
#include "model/training.hpp"

namespace mercer::detail {

namespace {

// Up to n / kFew columns a factor is less work than the matrix.
constexpr Index kFew = 4;

// All but the matrix.
WeightedSystem right_side(const Training& t) {
  WeightedSystem s;
  s.points = weighted_points(t);
  const auto n = static_cast<Index>(s.points.size());
  s.target = Matrix::uninitialized(n, t.y.cols());
  for (Index i = 0; i < n; ++i) {
    const double w = t.weights.empty() ? 1 : t.weights[at(s.points[at(i)])];
    s.root.push_back(std::sqrt(w));
    s.weight += w;
    for (Index j = 0; j < t.y.cols(); ++j) s.target(i, j) = s.root.back() * t.y(s.points[at(i)], j);
  }
  return s;
}

}  // namespace

std::optional<WeightedSystem> factored_system(const Training& t) {
  WeightedSystem s = right_side(t);
  const std::optional<Matrix> factor = t.K.factor(static_cast<Index>(s.points.size()) / kFew);
  if (!factor) return std::nullopt;
  s.G = Matrix::uninitialized(s.target.rows(), factor->cols());
  for (Index i = 0; i < s.G.rows(); ++i) {
    const double* const row = factor->row(s.points[at(i)]);
    for (Index j = 0; j < s.G.cols(); ++j) {
      s.G(i, j) = s.root[at(i)] * row[j];
      s.trace += s.G(i, j) * s.G(i, j);
    }
  }
  return std::isfinite(s.trace) ? std::optional(std::move(s)) : std::nullopt;
}

WeightedSystem weighted_system(std::string_view machine, const Training& t, int matrices) {
  WeightedSystem s = right_side(t);
  const Index n = s.target.rows();
  require_matrices(machine, t, n, matrices);
  s.B = Matrix::uninitialized(n, n);
  assemble(t.K, s.points, s.B, t.how);
  if (!t.weights.empty()) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) s.B(i, j) *= s.root[at(i)] * s.root[at(j)];
    }
  }
  for (Index i = 0; i < n; ++i) s.trace += s.B(i, i);
  return s;
}

Matrix WeightedSystem::alpha(const Matrix& z, Index size) const {
  Matrix out(size, z.cols());
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.cols(); ++j) out(points[at(i)], j) = root[at(i)] * z(i, j);
  }
  return out;
}

}  // namespace mercer::detail
