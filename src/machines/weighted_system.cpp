#include "machines/weighted_system.hpp"

#include <cmath>

#include "base/at.hpp"
#include "machines/assemble.hpp"
#include "machines/training.hpp"

namespace mercer::detail {

WeightedSystem weighted_system(std::string_view machine, const Training& t, int matrices) {
  WeightedSystem s;
  s.points = weighted_points(t);
  const auto n = static_cast<Index>(s.points.size());
  require_matrices(machine, t, n, matrices);
  s.B = Matrix::uninitialized(n, n);
  s.target = Matrix::uninitialized(n, t.y.cols());
  assemble(t.K, s.points, s.B, t.how);
  for (Index i = 0; i < n; ++i) {
    const double w = t.weights.empty() ? 1 : t.weights[at(s.points[at(i)])];
    s.root.push_back(std::sqrt(w));
    s.weight += w;
    for (Index j = 0; j < t.y.cols(); ++j) s.target(i, j) = s.root.back() * t.y(s.points[at(i)], j);
  }
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
