#include "machines/clusters/k_means.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/clusters/features.hpp"
#include "machines/clusters/lloyd_on_features.hpp"
#include "mercer/machines.hpp"
#include "model/needs.hpp"

namespace mercer::detail {

namespace {

// Starts that go side by side hold n k numbers each, a few times over.
constexpr double kNumbersAtOnce = 1.6e7;

using Improve = std::function<Partition(std::vector<std::vector<Index>> starts, Index clusters)>;

Partition best_of_starts(const WeightedPoints& points, const KMeans& options, Index at_once, const Improve& improved,
                         const Execution& how) {
  Random random(options.seed);
  std::optional<Partition> best;
  for (Index first = 0; first < options.starts && !(best && best->interrupted); first += at_once) {
    try {
      std::vector<std::vector<Index>> starts;
      Index clusters = options.clusters;
      for (Index s = first; s < std::min(options.starts, first + at_once); ++s) {
        how.monitor.report({"seeds", static_cast<double>(s) / static_cast<double>(options.starts)});
        Seeds seeds = draw_seeds(points, options.clusters, random, how);
        clusters = seeds.count;  // of all starts the same
        if (clusters == 0) {
          fail(ErrorKind::numeric,
               "{}: the weights or the kernel's values are too large or too small for double precision; scale them",
               options.machine);
        }
        starts.push_back(std::move(seeds.nearest));
      }
      Partition found = improved(std::move(starts), clusters);
      const bool interrupted = found.interrupted;
      if (!best || found.objective < best->objective) best = std::move(found);
      best->interrupted = interrupted;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || !best) throw;
      best->interrupted = true;
    }
  }
  return std::move(*best);
}

bool is_held(const Extent& extent) {
  constexpr Index kMost = 5000;
  return extent.points <= kMost && !extent.in_memory && extent.plain;
}

}  // namespace

Needs needs_of(const KMeans& options, const Extent& extent) {
  const auto n = static_cast<double>(extent.points), k = static_cast<double>(std::max<Index>(1, options.clusters));
  constexpr double kIterations = 20;  // products with K, as a rule
  // What starts that go side by side hold: S, S before, and products.
  const double numbers = std::min(n * k * static_cast<double>(options.starts), std::max(kNumbersAtOnce, n * k));
  // And what a product with K adds up, by lanes (gram/lazy.cpp), while that is little.
  constexpr double kLanes = 8, kMostOfLanes = 1 << 25;
  const Room sums{"sums over the clusters",
                  sizeof(double) * 4 * numbers + std::min(kMostOfLanes, sizeof(double) * kLanes * numbers)};
  const Room rows{"rows of points that move", sizeof(double) * static_cast<double>(kBlockOfRows) * n};
  if (auto few = by_features(extent, extent.points, extent.points / 4, "Lloyd's iterations on features")) {
    // Bounds of distances, those sums, and the best start before.
    few->beside.push_back({"distances from the clusters", sizeof(double) * n * (2 * k + 8)});
    // Of a start: distances of all points from all means, so many times as bounds save none, and rows for seeds.
    constexpr double kAll = 25;
    const double seeds = 2 + std::log(k);
    few->flops = (kAll + seeds) * kNarrow * 2 * n * k * static_cast<double>(extent.features * options.starts);
    return *few;
  }
  Needs out = by_passes(extent, "Lloyd's iterations", kIterations);
  if (is_held(extent)) {
    out = by_all_pairs(extent.points, 1, "Lloyd's iterations", 0);
    out.flops = kIterations * 2 * n * n * k * static_cast<double>(options.starts);
    out.why = fmt::format("{} points are few enough to keep all pairs", extent.points);
  }
  out.beside.insert(out.beside.end(), {sums, rows});
  return out;
}

Gram in_memory(const Gram& K, const Execution& how) {
  return is_held(extent_of(Training{.K = K})) ? exact(*K.kernel(), *K.points(), how) : K;
}

Divided divide(const Gram& K, VectorView weights, const KMeans& options, const Execution& how) {
  const WeightedPoints points(K, weights, K.points(), how);
  const double numbers = static_cast<double>(K.size()) * static_cast<double>(options.clusters);
  // A product goes over half of the pairs, and adds up all of them.
  const Lloyd how_far{options.machine, options.max_iterations, options.tolerance, 0.5 * static_cast<double>(K.size())};
  Partition best = best_of_starts(
      points, options, std::max<Index>(1, static_cast<Index>(kNumbersAtOnce / numbers)),
      [&](std::vector<std::vector<Index>> starts, Index clusters) {
        return improve(points, std::move(starts), clusters, how_far, how);
      },
      how);
  renumber(best, points);
  return {std::move(best), points.total, K};
}

Divided divide_features(Matrix features, VectorView weights, const std::optional<Points>& content,
                        const KMeans& options, const Execution& how) {
  const double mass = std::accumulate(weights.begin(), weights.end(), 0.0);
  Vector mean(at(features.cols()));
  for (Index i = 0; i < features.rows(); ++i) {
    for (Index j = 0; j < features.cols(); ++j) mean[at(j)] += weights[at(i)] / mass * features(i, j);
  }
  for (Index i = 0; i < features.rows(); ++i) {
    for (Index j = 0; j < features.cols(); ++j) features(i, j) -= mean[at(j)];
  }
  const auto centred = std::make_shared<const Matrix>(std::move(features));
  const WeightedPoints points(gram_of_features(centred), weights, content, how);
  const Lloyd how_far{options.machine, options.max_iterations, options.tolerance};
  Partition best = best_of_starts(
      points, options, 1,
      [&](std::vector<std::vector<Index>> starts, Index clusters) {
        return improve_on_features(points, *centred, std::move(starts.front()), clusters, how_far, how);
      },
      how);
  best.sums = sums_on_features(points, *centred, best, how);
  renumber(best, points);
  Divided out{std::move(best), points.total, points.K};
  out.mean = std::move(mean);
  out.centred = centred;
  return out;
}

}  // namespace mercer::detail
