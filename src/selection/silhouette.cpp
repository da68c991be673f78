// How well clusters are apart, from rows of K.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "mercer/metrics.hpp"
#include "selection/point_weights.hpp"

namespace mercer {

namespace {

constexpr Index kBlock = 64;  // rows of K at a time

// The clusters numbered from 0 without a gap, how much each weighs, and how many points there are with their twins.
struct Numbered {
  std::vector<Index> of;
  Vector sizes;
  double points = 0;
};

Numbered numbered(ClassNumbers clusters, const detail::PointWeights& weights) {
  std::map<Index, Index> number;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (weights[i] > 0) number.emplace(clusters[i], 0);
  }
  Index next = 0;
  for (auto& [name, n] : number) n = next++;
  Numbered out{{}, Vector(number.size())};
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    out.of.push_back(weights[i] > 0 ? number[clusters[i]] : 0);
    out.sizes[at(out.of.back())] += weights[i];
    out.points += weights[i] > 0 ? std::max(1.0, weights[i]) : 0;
  }
  return out;
}

// A sample in the order of the points: each is taken with the chance that so many are still wanted of so many left.
std::vector<Index> sample(Index n, Index most, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) {
    const Index wanted = std::min(n, most) - static_cast<Index>(out.size());
    if (random.below(n - i) < wanted) out.push_back(i);
  }
  return out;
}

// From the distances of one point to the points of each cluster, added up. Of its own cluster the point itself is none.
double silhouette_of(Index own, double weight, const Vector& sums, const Vector& sizes) {
  const double others = sizes[at(own)] - std::min(1.0, weight);
  if (!(others > 0)) return 0;
  const double a = sums[at(own)] / others;
  double b = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (static_cast<Index>(c) != own) b = std::min(b, sums[c] / sizes[c]);
  }
  return a == b ? 0 : (b - a) / std::max(a, b);
}

}  // namespace

Silhouette silhouette(const Gram& K, ClassNumbers clusters, Index most, std::uint64_t seed, const Execution& how,
                      VectorView weights) {
  const Index n = K.size();
  if (static_cast<Index>(clusters.size()) != n) {
    fail(ErrorKind::shape, "silhouette: {} points are in clusters, K has {}", clusters.size(), n);
  }
  const detail::PointWeights weight("silhouette", weights, clusters.size());
  const Numbered in = numbered(clusters, weight);
  const auto count = static_cast<Index>(in.sizes.size());
  if (count < 2 || static_cast<double>(count) >= in.points) {
    fail(ErrorKind::usage, "silhouette: {} clusters of {} points; it takes two, and fewer than points", count,
         in.points);
  }
  if (most < 1) fail(ErrorKind::usage, "silhouette: a sample of {} points; take one at least", most);
  const Vector diagonal = K.diagonal();
  Silhouette out;
  out.points = sample(n, most, seed);
  const auto looked_at = static_cast<Index>(out.points.size());
  out.of.resize(out.points.size());
  const int threads = thread_count(how.threads);
  Matrix rows = Matrix::uninitialized(std::min(kBlock, looked_at), n);
  for (Index first = 0; first < looked_at; first += kBlock) {
    how.monitor.report({"silhouette", static_cast<double>(first) / static_cast<double>(looked_at)});
    const std::span<const Index> which =
        std::span(out.points).subspan(at(first), at(std::min(kBlock, looked_at - first)));
    const auto some = static_cast<Index>(which.size());
    K.rows(which, rows.ref().block({0, some}, {0, n}), {.tile = how.tile, .threads = how.threads});
    parallel_for(some, threads, {}, "silhouette", [&](Index r, int) {
      const Index i = which[at(r)];
      const double* const row = rows.row(r);
      Vector sums(at(count));
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        sums[at(in.of[at(j)])] +=
            weight[at(j)] * std::sqrt(std::max(0.0, diagonal[at(i)] + diagonal[at(j)] - 2 * row[j]));
      }
      out.of[at(first + r)] = silhouette_of(in.of[at(i)], weight[at(i)], sums, in.sizes);
    });
  }
  double total = 0;
  for (std::size_t r = 0; r < out.of.size(); ++r) {
    const double w = weight[at(out.points[r])];
    out.mean += w * out.of[r];
    total += w;
  }
  out.mean /= total;
  return out;
}

}  // namespace mercer
