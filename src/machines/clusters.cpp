#include "machines/clusters.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"

namespace mercer::detail {

namespace {

double squared_distance(const double* a, const double* b, Index d) {
  double total = 0;
  for (Index k = 0; k < d; ++k) total += (a[k] - b[k]) * (a[k] - b[k]);
  return total;
}

// A point drawn with a chance proportional to its mass, or -1 when nothing has any.
Index draw(const Vector& mass, Random& random) {
  double total = 0;
  for (const double m : mass) total += m;
  if (!(total > 0)) return -1;
  double left = random.uniform() * total;
  Index last = -1;
  for (Index i = 0; i < static_cast<Index>(mass.size()); ++i) {
    if (mass[at(i)] <= 0) continue;
    last = i;
    left -= mass[at(i)];
    if (left <= 0) break;
  }
  return last;
}

std::vector<Index> seed_centres(MatrixView x, VectorView weights, Index k, Random& random, const Monitor& monitor) {
  Vector mass(weights.begin(), weights.end());
  Vector nearest(at(x.rows()), std::numeric_limits<double>::infinity());
  std::vector<Index> chosen;
  while (static_cast<Index>(chosen.size()) < k) {
    const Index next = draw(mass, random);
    if (next < 0) break;  // every point is a centre, or on one
    chosen.push_back(next);
    for (Index i = 0; i < x.rows(); ++i) {
      nearest[at(i)] = std::min(nearest[at(i)], squared_distance(x.row(i), x.row(next), x.cols()));
      mass[at(i)] = weights[at(i)] * nearest[at(i)];
    }
    monitor.report({"centres", 0.5 * static_cast<double>(chosen.size()) / static_cast<double>(k)});
  }
  return chosen;
}

}  // namespace

Clusters k_means(MatrixView x, VectorView weights, Index k, Index max_iterations, std::uint64_t seed,
                 const Monitor& monitor) {
  Random random(seed);
  const std::vector<Index> chosen = seed_centres(x, weights, k, random, monitor);
  const auto count = static_cast<Index>(chosen.size());
  Clusters out{Matrix(count, x.cols()), 0, 0};
  for (Index c = 0; c < count; ++c) std::copy_n(x.row(chosen[at(c)]), x.cols(), out.centres.row(c));
  std::vector<Index> home(at(x.rows()), -1);
  while (true) {
    bool moved = false;
    out.inertia = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      if (weights[at(i)] == 0) continue;
      Index best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (Index c = 0; c < count; ++c) {
        const double distance = squared_distance(x.row(i), out.centres.row(c), x.cols());
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      moved = moved || home[at(i)] != best;
      home[at(i)] = best;
      out.inertia += weights[at(i)] * least;
    }
    if (!moved || out.iterations == max_iterations) return out;
    ++out.iterations;
    monitor.report({"centres", 0.5 + 0.5 * static_cast<double>(out.iterations) / static_cast<double>(max_iterations)});
    Matrix sums(count, x.cols());
    Vector mass(at(count));
    for (Index i = 0; i < x.rows(); ++i) {
      if (weights[at(i)] == 0) continue;
      mass[at(home[at(i)])] += weights[at(i)];
      for (Index j = 0; j < x.cols(); ++j) sums(home[at(i)], j) += weights[at(i)] * x(i, j);
    }
    for (Index c = 0; c < count; ++c) {
      if (mass[at(c)] == 0) continue;  // a centre that lost its points stays where it is
      for (Index j = 0; j < x.cols(); ++j) out.centres(c, j) = sums(c, j) / mass[at(c)];
    }
  }
}

}  // namespace mercer::detail
