#include "machines/least_squares/least_squares.hpp"

#include <cmath>

#include "base/at.hpp"
#include "model/training.hpp"

namespace mercer::detail {

LeastSquares least_squares(const Training& t) {
  const std::vector<Index> points = weighted_points(t);
  const auto n = static_cast<Index>(points.size());
  LeastSquares out{.equations = {.K = t.K}, .target = Matrix::uninitialized(n, t.y.cols())};
  for (Index i = 0; i < n; ++i) {
    const double w = t.weights.empty() ? 1 : t.weights[at(points[at(i)])], root = std::sqrt(w);
    if (!t.weights.empty()) out.equations.scale.push_back(root);
    out.weight += w;
    for (Index j = 0; j < t.y.cols(); ++j) out.target(i, j) = root * t.y(points[at(i)], j);
  }
  if (n < t.K.size()) out.equations.points = points;
  return out;
}

solve::Equations LeastSquares::with_ridge(double ridge) const {
  solve::Equations out = equations;
  out.shift = {ridge};
  return out;
}

Matrix LeastSquares::alpha(const Matrix& z) const {
  Matrix out(equations.K.size(), z.cols());
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.cols(); ++j) out(equations.point_of(i), j) = equations.scale_of(i) * z(i, j);
  }
  return out;
}

std::function<void(Index n)> require_room(std::string_view machine, const Training& training, int matrices) {
  return [machine, &training, matrices](Index n) { require_matrices(machine, training, n, matrices); };
}

}  // namespace mercer::detail
