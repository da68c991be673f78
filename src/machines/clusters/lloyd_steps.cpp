#include "machines/clusters/lloyd_steps.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

void fill_empty(const WeightedPoints& points, Index clusters, std::vector<Index>& of, Vector& distances,
                const Execution& how) {
  const auto n = static_cast<Index>(of.size());
  Vector masses(at(clusters));
  for (Index i = 0; i < n; ++i) masses[at(of[at(i)])] += points.weights[at(i)];
  for (Index c = 0; c < clusters; ++c) {
    if (masses[at(c)] > 0) continue;
    Index farthest = -1;
    for (const Index i : points.order) {
      const double w = points.weights[at(i)];
      if (w == 0 || masses[at(of[at(i)])] == w) continue;
      const double nothing = kMoveSlack * std::abs(points.diagonal[at(i)]);
      if (distances[at(i)] > (farthest < 0 ? nothing : distances[at(farthest)])) farthest = i;
    }
    if (farthest < 0) return;  // all points are on their centres
    masses[at(of[at(farthest)])] -= points.weights[at(farthest)];
    masses[at(c)] = points.weights[at(farthest)];
    of[at(farthest)] = c;
    const Matrix row = points.K.rows(std::span(&farthest, 1), how);
    for (Index i = 0; i < n; ++i) {
      const double square = points.diagonal[at(i)] + points.diagonal[at(farthest)] - 2 * row(0, i);
      distances[at(i)] = std::min(distances[at(i)], square);
    }
  }
}

Rise::Rise(const WeightedPoints& points, const Lloyd& options) : machine_(options.machine) {
  for (std::size_t i = 0; i < points.diagonal.size(); ++i) scale_ += points.weights[i] * std::abs(points.diagonal[i]);
}

void Rise::require_none(double before, double after, std::size_t iteration) const {
  constexpr double kRise = 1e-9;
  if (after <= before + kRise * scale_) return;
  fail(ErrorKind::numeric,
       "{}: the sum of squares rises from {:.6g} to {:.6g} in iteration {}, which it cannot where K is that of a "
       "kernel; check the numbers it was given as",
       machine_, before, after, iteration);
}

}  // namespace mercer::detail
