// How well clusters are apart, how large they are, how they meet classes, and how many there should be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "mercer/metrics.hpp"
#include "report/charts.hpp"
#include "report/matrix_of.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostSilhouettes = 1500;

Index occupied(const std::vector<Index>& of, std::size_t clusters) {
  std::vector<char> seen(clusters);
  for (const Index c : of) seen[at(c)] = 1;
  return std::ranges::count(seen, 1);
}

}  // namespace

bool finds_clusters(const Subject& subject) { return subject.model.finds_clusters() && subject.x.size() > 0; }

bool has_silhouettes(const Subject& subject) {
  if (!finds_clusters(subject) || !has_matrix(subject)) return false;
  const Index found = occupied(clusters_of(subject), subject.model.classes().size());
  return found >= 2 && found < std::min(subject.x.size(), kMostSilhouettes);
}

Exhibit silhouette_picture(const Subject& subject) {
  const std::vector<Index> which = evenly(subject.x.size(), kMostSilhouettes), all = clusters_of(subject);
  std::vector<Index> of;
  for (const Index i : which) of.push_back(all[at(i)]);
  const Silhouette found = silhouette(matrix_of(subject, which), of, kMostSilhouettes, 1, subject.how);
  const std::vector<std::string>& names = subject.model.classes();
  std::vector<std::vector<std::pair<double, Index>>> values(names.size());
  Index misplaced = 0;
  for (std::size_t i = 0; i < found.of.size(); ++i) {
    const Index place = found.points[i];
    values[at(of[at(place)])].emplace_back(found.of[i], which[at(place)] + 1);
    if (found.of[i] < 0) ++misplaced;
  }
  Json clusters = Json::array();
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::ranges::sort(values[c], std::greater<>());
    Vector sorted;
    Json rows = Json::array();
    for (const auto& [value, row] : values[c]) {
      sorted.push_back(value);
      rows.push_back(row);
    }
    clusters.push_back({{"name", names[c]}, {"values", numbers(sorted)}, {"rows", rows}});
  }
  return {"silhouette",
          "silhouette",
          "How well the clusters are apart",
          fmt::format("1: far from all other clusters; 0: between two; below 0: nearer to another one. The mean is "
                      "{:.2f}; {} of {} points are nearer to another cluster than to their own.",
                      found.mean, misplaced, found.of.size()),
          {{"clusters", clusters}, {"mean", found.mean}}};
}

Exhibit cluster_sizes_picture(const Subject& subject) {
  const std::vector<std::string>& names = subject.model.classes();
  std::vector<Index> counts(names.size());
  for (const Index c : clusters_of(subject)) ++counts[at(c)];
  Json bars = Json::array();
  for (std::size_t c = 0; c < names.size(); ++c) {
    bars.push_back({{"name", names[c]}, {"value", counts[c]}, {"group", c}});
  }
  const auto [least, most] = std::ranges::minmax(counts);
  return {"cluster_sizes",
          "bars",
          "How large the clusters are",
          fmt::format("{} cluster{} of {} to {} points.", names.size(), names.size() == 1 ? "" : "s", least, most),
          {{"x", {{"label", "points"}}}, {"bars", bars}}};
}

bool has_clusters_and_classes(const Subject& subject) {
  return finds_clusters(subject) && subject.labels.size() == subject.x.size();
}

Exhibit cluster_classes_picture(const Subject& subject) {
  const std::vector<Index> of = clusters_of(subject);
  const std::vector<std::string>&clusters = subject.model.classes(), &classes = subject.labels.classes;
  std::vector<std::vector<Index>> counts(classes.size(), std::vector<Index>(clusters.size()));
  for (std::size_t i = 0; i < of.size(); ++i) ++counts[at(subject.labels.of[i])][at(of[i])];
  return {"cluster_classes",
          "confusion",
          "Clusters and classes",
          fmt::format("Normalised mutual information {:.3f} (0: they know nothing of each other, 1: they are the "
                      "same), adjusted Rand index {:.3f}.",
                      nmi(subject.labels.of, of), ari(subject.labels.of, of)),
          {{"classes", classes}, {"predicted", clusters}, {"counts", counts}}};
}

}  // namespace mercer::report
