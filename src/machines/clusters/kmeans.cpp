#include "mercer/machines/kmeans.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/clusters/affinity.hpp"
#include "machines/clusters/found.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::Partition;

// |mu_c|^2 of means of features as they came, less their mean.
Vector squares_of_means(const Matrix& centred, const Vector& mean, VectorView weights, const Partition& found) {
  Matrix means(static_cast<Index>(found.masses.size()), centred.cols());
  for (Index c = 0; c < means.rows(); ++c) std::ranges::copy(mean, means.row(c));
  for (Index i = 0; i < centred.rows(); ++i) {
    const Index c = found.of[at(i)];
    const double share = weights[at(i)] / found.masses[at(c)];
    for (Index j = 0; j < centred.cols(); ++j) means(c, j) += share * centred(i, j);
  }
  Vector out;
  for (Index c = 0; c < means.rows(); ++c) {
    double sum = 0;
    for (Index j = 0; j < means.cols(); ++j) sum += means(c, j) * means(c, j);
    out.push_back(sum);
  }
  return out;
}

// k(x,x) - 2 sum_i a_i k(x_i,x) + |mu_c|^2
Expansion squared_distances(const Gram& K, VectorView weights, const Partition& found, const Vector& squares) {
  const auto clusters = static_cast<Index>(squares.size());
  Expansion::Parts parts;
  parts.training_size = K.size();
  for (Index i = 0; i < K.size(); ++i) {
    if (weights[at(i)] > 0) parts.support.push_back(i);
  }
  parts.alpha = Matrix(static_cast<Index>(parts.support.size()), clusters);
  for (Index r = 0; r < parts.alpha.rows(); ++r) {
    const std::size_t i = at(parts.support[at(r)]);
    parts.alpha(r, found.of[i]) = -2 * weights[i] / found.masses[at(found.of[i])];
  }
  parts.self.assign(squares.size(), 1.0);
  parts.bias = squares;
  for (const double square : squares) parts.squared_norms.push_back(4 * square);
  return K.expansion(std::move(parts));
}

Report::Table table_of(const Partition& found, const Vector& diagonal, VectorView weights) {
  const auto clusters = static_cast<Index>(found.masses.size());
  Report::Table out{"clusters", {"cluster", "points", "weight", "mean_squared_distance"}, Matrix(clusters, 4)};
  for (Index i = 0; i < static_cast<Index>(found.of.size()); ++i) {
    if (weights[at(i)] == 0) continue;
    const Index c = found.of[at(i)];
    const double mass = found.masses[at(c)];
    out.rows(c, 1) += 1;
    out.rows(c, 3) += weights[at(i)] / mass * (diagonal[at(i)] - 2 * found.sums(i, c) / mass + found.squares[at(c)]);
  }
  for (Index c = 0; c < clusters; ++c) {
    out.rows(c, 0) = static_cast<double>(c + 1);
    out.rows(c, 2) = found.masses[at(c)];
    out.rows(c, 3) = std::max(0.0, out.rows(c, 3));
  }
  return out;
}

struct Number {
  Index clusters;
  std::optional<double> separation = {};  // where it was found by it
};

Number number_found(const Training& training, VectorView weights) {
  const detail::Places places = detail::places_of(training.K, weights);
  const auto n = static_cast<Index>(places.first.size());
  if (n == 1) detail::fail_indistinct("kmeans");
  const detail::Affinity graph =
      detail::by_neighbours(detail::at_places(training.K, places), places.weights, detail::usual_neighbours(n, 2),
                            detail::kMostClusters, training.how);
  const Vector values =
      detail::leading(graph, places.weights, std::min(n, detail::kMostClusters + 1), training.how).values;
  const Index clusters = detail::number_of_clusters(values);
  return {clusters, detail::separation(values, clusters)};
}

}  // namespace

Model KernelKMeans::fit(const Training& given) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("kmeans", Task::clustering, given);
  detail::require_plain(given.K);
  Training training = given;
  const detail::AboutMean about = detail::about_mean(given.K, given.weights, given.how);
  training.K = about.K;
  const Vector weights = detail::weights_of(training);
  detail::require_clusters("kmeans", clusters == 0 ? 1 : clusters, weights);
  if (starts < 1 || max_iterations < 1 || !(tolerance >= 0 && tolerance < 1)) {
    fail(ErrorKind::usage,
         "kmeans: {} starts, {} iterations, a tolerance of {}; ask for one start and one iteration at least, and a "
         "tolerance >= 0 and below 1",
         starts, max_iterations, tolerance);
  }
  const Number wanted = clusters == 0 ? number_found(training, weights) : Number{clusters};
  const detail::KMeans options{"kmeans", wanted.clusters, starts, max_iterations, tolerance, seed};
  // Few features: products with them instead of K, and differences from their mean, which keep all digits.
  std::optional<Matrix> features = training.K.factor(training.K.size() / 4);
  const detail::Divided divided =
      features ? detail::divide_features(std::move(*features), weights, training.K.points(), options, training.how)
               : detail::divide(detail::in_memory(training.K, training.how), weights, options, training.how);
  const Partition& found = divided.partition;

  const Vector squares =
      divided.centred ? squares_of_means(*divided.centred, divided.mean, weights, found) : found.squares;
  Model::Parts parts =
      detail::parts_of("kmeans", training, squared_distances(training.K, weights, found, squares), Reading::clusters);
  parts.scaling = about.moved;
  detail::add_clusters(parts, found);
  Report& report = parts.report;
  detail::check_distinct("kmeans", wanted.clusters, found, report);
  report.add("clusters", static_cast<double>(found.masses.size()));
  if (wanted.separation) report.add("separation", *wanted.separation);
  report.add("objective", found.objective);
  if (divided.total > 0) report.add("explained", 1 - found.objective / divided.total);
  detail::add_silhouette(report, divided.K, found, weights, training.how);
  detail::add_course(report, found, tolerance);
  report.tables.push_back(table_of(found, divided.K.diagonal(), weights));
  report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelKMeans::fit(const Gram& K) const { return fit(Training{.K = K}); }

std::vector<Machine> detail::kmeans_rows() {
  const KernelKMeans defaults;
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{
      .name = "kmeans",
      .purpose = "clusters around means in feature space",
      .problem = "min over divisions into k clusters of sum_i w_i |phi(x_i) - mu_c(i)|^2, mu_c the mean of cluster c",
      .task = Task::clustering,
      .options =
          {
              {"clusters", text(defaults.clusters), "How many, k; auto: 2 to 10, as many as spectral would find"},
              {"starts", text(defaults.starts), "The best of so many starts is taken"},
              {"max_iterations", text(defaults.max_iterations), "Of each start"},
              {"tolerance", text(defaults.tolerance),
               "End when the objective falls by less than this part of it; 0: when no point moves"},
              {"seed", text(defaults.seed), "Of the starts"},
          },
      .fit =
          [](const Settings& settings, const Training& training) {
            const SettingsReader read(machine("kmeans"), settings);
            KernelKMeans config;
            config.clusters = read.text("clusters") == "auto" ? 0 : read.whole("clusters", 1);
            config.starts = read.whole("starts", 1);
            config.max_iterations = read.whole("max_iterations", 1);
            config.tolerance = read.number("tolerance");
            config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
            return config.fit(training);
          },
      .iterative = true,
      .choosing = [](const Settings& given,
                     const Training* training) { return number_from_separation(given, training); },
      .centres = OnCentres::as_features,
      .needs =
          [](const Settings& settings, const Extent& extent) {
            const SettingsReader read(machine("kmeans"), settings);
            const bool found = read.text("clusters") == "auto";
            return needs_of(KMeans{.machine = "kmeans",
                                   .clusters = found ? kMostClusters : read.whole("clusters", 1),
                                   .starts = read.whole("starts", 1)},
                            extent);
          },
  }};
}

}  // namespace mercer
