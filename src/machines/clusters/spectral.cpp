#include "mercer/machines/spectral.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/largest_eigen.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/clusters/found.hpp"
#include "machines/clusters/rotations.hpp"
#include "machines/clusters/scaled.hpp"
#include "model/assemble.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::Partition;
using detail::WeightedPoints;
using Assign = SpectralClusters::Assign;

// So many points have all their eigenvectors computed.
constexpr Index kAllEigenvectors = 500;
// Eigenvalues this small are those of no direction that K has.
constexpr double kNoEigenvalue = 1e-9;

// d_i = sum_j w_j k_ij. What rounding leaves of sums that cancel (a linear kernel of centred inputs) is not above 0.
Vector degrees_of(const Gram& K, VectorView weights, const Execution& how) {
  constexpr double kRounding = 1e-13;
  Vector degrees = K.multiply(weights, how);
  const Vector diagonal = K.diagonal();
  double sizes = 0;
  for (std::size_t i = 0; i < degrees.size(); ++i) sizes += weights[i] * std::sqrt(std::max(0.0, diagonal[i]));
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    if (weights[i] == 0 || degrees[i] > kRounding * std::sqrt(std::max(0.0, diagonal[i])) * sizes) continue;
    if (degrees[i] == 0 && diagonal[i] == 0) {
      fail(ErrorKind::data,
           "spectral: point {} is like no point, not even itself (all its k(x, y) are 0); leave it out, or take a "
           "kernel that finds something in it",
           i + 1);
    }
    fail(
        ErrorKind::usage,
        "spectral: what point {} has in common with all points adds to {:.3g}, and a cut needs numbers above 0; take a "
        "kernel without negative values, such as rbf, or kmeans",
        i + 1, degrees[i]);
  }
  return degrees;
}

// Where points stand by the eigenvectors: one row each; points of weight 0 at the origin.
struct Relaxed {
  Matrix rows;
  Vector eigenvalues;  // decreasing; one more than there are columns, where there is one
  bool converged = true;
};

Relaxed relaxed(const Gram& K, VectorView weights, const Vector& degrees, Index count, const Execution& how) {
  const Index n = K.size();
  Vector half;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    half.push_back(weights[i] > 0 ? std::sqrt(weights[i] / degrees[i]) : 0);
  }
  const Gram B = detail::scaled(K, half);
  const auto points = static_cast<Index>(std::ranges::count_if(weights, [](double w) { return w > 0; }));
  const Index wanted = std::min(points, count + 1);
  linalg::LargestEigen found;
  if (n <= kAllEigenvectors) {
    std::vector<Index> all(at(n));
    for (Index i = 0; i < n; ++i) all[at(i)] = i;
    how.monitor.report({"eigen", 0});
    found = linalg::largest_eigen(B.rows(all, how).view(), wanted, how.monitor);
  } else {
    const linalg::Symmetric by_products{n, [&](MatrixView v, MatrixRef out) {
                                          B.source().multiply(v, out, {.tile = how.tile, .threads = how.threads});
                                        }};
    found = linalg::largest_eigen(by_products, wanted, {}, how.monitor);
  }
  Relaxed out{{}, std::move(found.values), found.converged};
  std::vector<Index> used;
  for (Index j = 0; j < std::min(count, wanted); ++j) {
    if (std::abs(out.eigenvalues[at(j)]) > kNoEigenvalue) used.push_back(j);
  }
  out.rows = Matrix(n, static_cast<Index>(used.size()));
  for (Index i = 0; i < n; ++i) {
    if (weights[at(i)] == 0) continue;
    const double scale = 1 / std::sqrt(weights[at(i)] * degrees[at(i)]);
    for (std::size_t j = 0; j < used.size(); ++j) {
      out.rows(i, static_cast<Index>(j)) = scale * found.vectors(used[j], i);
    }
  }
  return out;
}

double normalised_cut(const Partition& found) {
  double within = 0, clusters = 0;
  for (std::size_t c = 0; c < found.masses.size(); ++c) {
    if (found.masses[c] == 0) continue;
    within += found.masses[c] * found.squares[c];
    clusters += 1;
  }
  return clusters - within;
}

// Divides and refines: weighted k-means of phi(x) / d(x).
class Cutting {
 public:
  Cutting(const SpectralClusters& config, const WeightedPoints& points, std::optional<Points> content,
          const Execution& how)
      : config_(config), clusters_(config.clusters), points_(points), content_(std::move(content)), how_(how) {}

  // From the eigenvectors.
  Partition start(const Relaxed& relaxed) {
    if (config_.assign != Assign::kmeans && relaxed.rows.cols() == config_.clusters) {
      how_.monitor.report({"clusters", 0});
      std::vector<Index> of =
          config_.assign == Assign::cluster_qr
              ? detail::clusters_by_pivots(relaxed.rows)
              : detail::clusters_by_indicators(relaxed.rows, points_.weights, points_.order, config_.seed);
      return measured(std::move(of));
    }
    const detail::KMeans options{"spectral", config_.clusters, config_.starts, config_.max_iterations, 0, config_.seed};
    Partition found = detail::divide_features(relaxed.rows, points_.weights, content_, options, how_).partition;
    clusters_ = static_cast<Index>(found.masses.size());
    const bool settled = found.settled, interrupted = found.interrupted;
    Partition out = measured(std::move(found.of));
    out.settled = settled;
    out.interrupted = interrupted;
    return out;
  }

  Partition refined(const Partition& start) {
    try {
      return improve(points_, {start.of}, clusters_, lloyd(config_.max_iterations), how_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      Partition out = start;
      out.interrupted = true;
      return out;
    }
  }

 private:
  detail::Lloyd lloyd(Index iterations) const {
    return {.machine = "spectral",
            .max_iterations = iterations,
            .rows_per_product = 0.5 * static_cast<double>(points_.K.size()),
            .indefinite = true};
  }

  Partition measured(std::vector<Index> of) const {
    Partition out =
        improve(points_, {std::move(of)}, clusters_, lloyd(0), {.tile = how_.tile, .threads = how_.threads});
    out.settled = true;
    return out;
  }

  const SpectralClusters& config_;
  Index clusters_;  // fewer than asked for where there are fewer distinct points
  const WeightedPoints& points_;
  std::optional<Points> content_;
  const Execution& how_;
};

// A point of weight 0 is in the cluster where a new point would be.
void place_weightless(Partition& found, VectorView weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < found.masses.size(); ++c) {
      const double square =
          found.squares[c] - 2 * found.sums(static_cast<Index>(i), static_cast<Index>(c)) / found.masses[c];
      if (square >= least) continue;
      least = square;
      found.of[i] = static_cast<Index>(c);
    }
  }
}

// sum_i w_i k(x_i, x) over the points of each cluster.
Expansion sums_by_cluster(const Gram& K, VectorView weights, const Partition& found) {
  Expansion::Parts parts;
  parts.training_size = K.size();
  for (Index i = 0; i < K.size(); ++i) {
    if (weights[at(i)] > 0) parts.support.push_back(i);
  }
  parts.alpha = Matrix(static_cast<Index>(parts.support.size()), static_cast<Index>(found.masses.size()));
  for (Index r = 0; r < parts.alpha.rows(); ++r) {
    const std::size_t i = at(parts.support[at(r)]);
    parts.alpha(r, found.of[i]) = weights[i];
  }
  for (std::size_t c = 0; c < found.masses.size(); ++c) {
    parts.squared_norms.push_back(found.squares[c] * found.masses[c] * found.masses[c]);
  }
  return K.expansion(std::move(parts));
}

void add_tables(Report& report, const Partition& found, VectorView weights, const Vector& eigenvalues) {
  Report::Table values{"eigenvalues", {"number", "eigenvalue"}, Matrix(static_cast<Index>(eigenvalues.size()), 2)};
  for (Index j = 0; j < values.rows.rows(); ++j) {
    values.rows(j, 0) = static_cast<double>(j + 1);
    values.rows(j, 1) = eigenvalues[at(j)];
  }
  report.tables.push_back(std::move(values));
  const auto clusters = static_cast<Index>(found.masses.size());
  Report::Table table{"clusters", {"cluster", "points", "weight", "degree", "cut"}, Matrix(clusters, 5)};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    table.rows(found.of[i], 1) += 1;
    table.rows(found.of[i], 2) += weights[i];
  }
  for (Index c = 0; c < clusters; ++c) {
    table.rows(c, 0) = static_cast<double>(c + 1);
    table.rows(c, 3) = found.masses[at(c)];
    table.rows(c, 4) = 1 - found.masses[at(c)] * found.squares[at(c)];
  }
  report.tables.push_back(std::move(table));
}

}  // namespace

Model SpectralClusters::fit(const Training& training) const {
  const detail::Stopwatch watch;
  const Threads threads = detail::check_training("spectral", Task::clustering, training);
  detail::require_plain(training.K);
  const Vector weights = detail::weights_of(training);
  detail::require_clusters("spectral", clusters, weights);
  if (components < 0 || starts < 1 || max_iterations < 1) {
    fail(ErrorKind::usage, "spectral: {} components, {} starts, {} iterations; ask for one at least", components,
         starts, max_iterations);
  }
  if (assign != Assign::kmeans && components != 0 && components != clusters) {
    fail(ErrorKind::usage,
         "spectral: {} components for {} clusters; only kmeans takes another number of them, leave them out",
         components, clusters);
  }
  const Execution& how = training.how;
  const Gram K = detail::in_memory(training.K, how);
  const Vector degrees = degrees_of(K, weights, how);
  const Relaxed start_at = relaxed(K, weights, degrees, components > 0 ? components : clusters, how);
  // Of the first eigenvector alone all points have the same share.
  if (clusters > 1 && start_at.rows.cols() < 2 && components != 1) detail::fail_indistinct("spectral");

  Vector inverse, degree_weights;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    inverse.push_back(degrees[i] > 0 ? 1 / degrees[i] : 0);
    degree_weights.push_back(weights[i] * degrees[i]);
  }
  const WeightedPoints points(detail::scaled(K, inverse), degree_weights, K.points(), how);
  Cutting cutting(*this, points, K.points(), how);
  Partition found = cutting.start(start_at);
  const double cut_at_start = normalised_cut(found);
  if (refine && !found.interrupted) found = cutting.refined(found);
  renumber(found, points);
  place_weightless(found, weights);

  Model::Parts parts =
      detail::parts_of("spectral", training, sums_by_cluster(training.K, weights, found), Reading::cut);
  detail::add_clusters(parts, found);
  parts.readout = Matrix(static_cast<Index>(found.masses.size()), 2);
  for (Index c = 0; c < parts.readout.rows(); ++c) {
    parts.readout(c, 0) = found.masses[at(c)];
    parts.readout(c, 1) = found.squares[at(c)];
  }
  Report& report = parts.report;
  detail::check_distinct("spectral", clusters, found, report);
  const Vector& eigenvalues = start_at.eigenvalues;
  report.add("normalised_cut", normalised_cut(found));
  report.add("cut_before_refining", cut_at_start);
  if (static_cast<Index>(eigenvalues.size()) > clusters) {
    report.add("eigengap", eigenvalues[at(clusters - 1)] - eigenvalues[at(clusters)]);
  }
  detail::add_silhouette(report, K, found, weights, how);
  detail::add_course(report, found, 0);
  add_tables(report, found, weights, eigenvalues);
  if (!start_at.converged) {
    report.converged = false;
    report.notes.push_back(
        "the eigenvectors are not as exact as they should be; the clusters begin with what there is");
  }
  report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model SpectralClusters::fit(const Gram& K) const { return fit(Training{.K = K}); }

std::vector<Machine> detail::spectral_rows() {
  const SpectralClusters defaults;
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{
      .name = "spectral",
      .purpose = "clusters of any shape, by normalised cuts of what points have in common",
      .problem =
          "min over divisions into k clusters of sum_c cut(c) / D_c, cut(c) = sum of w_i w_j k_ij from within c to "
          "outside, D_c from within c to all; begun at eigenvectors of D^-1/2 K D^-1/2",
      .task = Task::clustering,
      .options =
          {
              {"clusters", text(defaults.clusters), "How many, k"},
              {"components", text(defaults.components), "Eigenvectors to begin with; 0: as many as clusters"},
              {"assign", "kmeans", "How eigenvectors become clusters: kmeans, discretize, cluster_qr"},
              {"refine", "true", "Go on from there by lowering the cut itself", true},
              {"starts", text(defaults.starts), "Of kmeans; the best of them is taken"},
              {"max-iterations", text(defaults.max_iterations), "Of each start, and of refining"},
              {"seed", text(defaults.seed), "Of the starts"},
          },
      .fit =
          [](const Settings& settings, const Training& training) {
            const SettingsReader read(machine("spectral"), settings);
            SpectralClusters config;
            config.clusters = read.whole("clusters", 1);
            config.components = read.whole("components", 0);
            config.assign = static_cast<Assign>(read.choice("assign", {"kmeans", "discretize", "cluster_qr"}));
            config.refine = read.flag("refine");
            config.starts = read.whole("starts", 1);
            config.max_iterations = read.whole("max-iterations", 1);
            config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
            return config.fit(training);
          },
      .iterative = true,
      .choosing =
          [](const Settings&, const Training* training) {
            // Of two points nothing can be compared, and there are no more than two clusters.
            const bool few = training != nullptr && training->K.size() < 3;
            // At what auto gives, points far from the others are nearest to themselves, and a cut of one of them is
            // cheap.
            return Choosing{
                .stages = {{{"ell", {3}, Trial::Unit::automatic}, {"clusters", {2, 3, 4, 5, 6, 7, 8, 9, 10}}}},
                .along = few ? Settings{{"clusters", std::to_string(training->K.size())}} : Settings{},
                .figure = "eigengap",
                .larger_is_better = true,
                .most = 2000};
          },
  }};
}

}  // namespace mercer
