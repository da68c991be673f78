#include "machines/clusters/seeds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

constexpr double kEqual = 1e-9;

}  // namespace

WeightedPoints::WeightedPoints(Gram gram, VectorView w, const std::optional<Points>& content, const Execution& how)
    : K(std::move(gram)), weights(w), diagonal(K.diagonal()), order(diagonal.size()) {
  const double mass = std::accumulate(weights.begin(), weights.end(), 0.0);
  from_mean = K.multiply(weights, how);
  double mean_square = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) mean_square += weights[i] / mass * from_mean[i] / mass;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    from_mean[i] = diagonal[i] - 2 * from_mean[i] / mass + mean_square;
    total += weights[i] * from_mean[i];
  }
  std::iota(order.begin(), order.end(), Index{0});
  // What rounding makes of one distance is not to be told apart.
  const double unit = kEqual * *std::ranges::max_element(from_mean);
  std::vector<double> rank(from_mean);
  for (double& r : rank) r = unit > 0 ? std::round(r / unit) : 0;
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    if (rank[at(a)] != rank[at(b)] || !content) return rank[at(a)] < rank[at(b)];
    return content->rep().compare(a, b) < 0;
  });
}

Index draw(VectorView mass, const std::vector<Index>& order, Random& random) {
  double left = 0;
  for (const Index i : order) left += mass[at(i)];
  if (!(left > 0)) return -1;
  left *= random.uniform();
  Index last = -1;
  for (const Index i : order) {
    if (mass[at(i)] <= 0) continue;
    last = i;
    left -= mass[at(i)];
    if (left <= 0) break;
  }
  return last;
}

namespace {

// What rounding makes of the distance of a point from its twin is 0.
double squared_distance(double own, double other, double product) {
  constexpr double kRounding = 1e-13;
  const double square = own + other - 2 * product;
  return square > kRounding * (own + other) ? square : 0;
}

// Numbers of no kernel: a matrix of distances, most likely.
void require_distances(const WeightedPoints& points, const std::vector<Index>& drawn, const Matrix& rows) {
  constexpr double kRounding = 1e-6;
  for (Index t = 0; t < rows.rows(); ++t) {
    const double other = points.diagonal[at(drawn[at(t)])];
    for (Index i = 0; i < rows.cols(); ++i) {
      const double square = points.diagonal[at(i)] + other - 2 * rows(t, i);
      if (square >= -kRounding * (std::abs(rows(t, i)) + std::abs(other))) continue;
      fail(ErrorKind::data,
           "kmeans: k(x, x) + k(y, y) - 2 k(x, y), a squared distance, is {:.3g} for points {} and {}: K is the matrix "
           "of no "
           "kernel; distances become one by exp(-d^2), or a map by mds",
           square, std::min(i, drawn[at(t)]) + 1, std::max(i, drawn[at(t)]) + 1);
    }
  }
}

}  // namespace

Seeds draw_seeds(const WeightedPoints& points, Index clusters, Random& random, const Execution& how) {
  const std::size_t n = points.weights.size();
  const Index tries = 2 + static_cast<Index>(std::log(static_cast<double>(clusters)));
  Seeds out{.count = 0, .nearest = std::vector<Index>(n)};
  Vector nearest(n, std::numeric_limits<double>::infinity());
  Vector mass(points.weights.begin(), points.weights.end());
  while (out.count < clusters) {
    std::vector<Index> drawn;
    for (Index t = 0; t < (out.count == 0 ? 1 : tries); ++t) {
      const Index i = draw(mass, points.order, random);
      if (i < 0) return out;  // every point is a seed, or on one
      drawn.push_back(i);
    }
    const Matrix rows = points.K.rows(drawn, how);
    require_distances(points, drawn, rows);
    const auto distance = [&](Index t, std::size_t i) {
      return squared_distance(points.diagonal[i], points.diagonal[at(drawn[at(t)])], rows(t, static_cast<Index>(i)));
    };
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index t = 0; t < rows.rows(); ++t) {
      double sum = 0;
      for (const Index i : points.order) sum += points.weights[at(i)] * std::min(nearest[at(i)], distance(t, at(i)));
      if (sum < least) {
        least = sum;
        best = t;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double square = distance(best, i);
      if (square >= nearest[i]) continue;
      nearest[i] = square;
      out.nearest[i] = out.count;
      mass[i] = points.weights[i] * square;
    }
    ++out.count;
  }
  return out;
}

}  // namespace mercer::detail
