// How alike two ways of dividing points are.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/fail.hpp"
#include "mercer/metrics.hpp"
#include "selection/point_weights.hpp"

namespace mercer {

namespace {

// How many points each class, each cluster and each pair of them has; none is named that has none.
struct Counts {
  double points = 0;
  std::map<Index, double> classes = {}, clusters = {};
  std::map<std::pair<Index, Index>, double> pairs = {};  // (cluster, class)
};

Counts counts_of(const char* metric, ClassNumbers truth, ClassNumbers clusters, VectorView weights) {
  if (truth.size() != clusters.size()) {
    fail(ErrorKind::shape, "{}: {} points are in classes, {} in clusters", metric, truth.size(), clusters.size());
  }
  if (truth.empty()) fail(ErrorKind::data, "{}: there is nothing to compare; give at least one point", metric);
  const detail::PointWeights w(metric, weights, truth.size());
  Counts out;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (w[i] == 0) continue;
    out.points += w[i];
    out.classes[truth[i]] += w[i];
    out.clusters[clusters[i]] += w[i];
    out.pairs[{clusters[i], truth[i]}] += w[i];
  }
  return out;
}

double entropy(const std::map<Index, double>& counts, double points) {
  double sum = 0;
  for (const auto& [name, count] : counts) sum -= count / points * std::log(count / points);
  return sum;
}

// Pairs of points that are together.
template <class Map>
double pairs_within(const Map& counts) {
  double sum = 0;
  for (const auto& [name, count] : counts) sum += count * (count - 1) / 2;
  return sum;
}

}  // namespace

double nmi(ClassNumbers truth, ClassNumbers clusters, VectorView weights) {
  const Counts counts = counts_of("nmi", truth, clusters, weights);
  if (counts.classes.size() == 1 && counts.clusters.size() == 1) return 1;
  double information = 0;
  for (const auto& [pair, count] : counts.pairs) {
    const double expected = counts.clusters.at(pair.first) * counts.classes.at(pair.second) / counts.points;
    information += count / counts.points * std::log(count / expected);
  }
  const double mean = (entropy(counts.classes, counts.points) + entropy(counts.clusters, counts.points)) / 2;
  return std::clamp(information / mean, 0.0, 1.0);
}

double ari(ClassNumbers truth, ClassNumbers clusters, VectorView weights) {
  const Counts counts = counts_of("ari", truth, clusters, weights);
  const double both = pairs_within(counts.pairs), of_classes = pairs_within(counts.classes),
               of_clusters = pairs_within(counts.clusters);
  if (both == of_classes && both == of_clusters) return 1;
  const double by_chance = of_classes / (counts.points * (counts.points - 1) / 2) * of_clusters;
  return (both - by_chance) / ((of_classes + of_clusters) / 2 - by_chance);
}

double purity(ClassNumbers truth, ClassNumbers clusters, VectorView weights) {
  const Counts counts = counts_of("purity", truth, clusters, weights);
  std::map<Index, double> largest;
  for (const auto& [pair, count] : counts.pairs) largest[pair.first] = std::max(largest[pair.first], count);
  double sum = 0;
  for (const auto& [cluster, count] : largest) sum += count;
  return sum / counts.points;
}

}  // namespace mercer
