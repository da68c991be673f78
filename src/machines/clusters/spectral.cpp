#include "mercer/machines/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "linalg/lapack.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/clusters/affinity.hpp"
#include "machines/clusters/features.hpp"
#include "machines/clusters/found.hpp"
#include "machines/clusters/rotations.hpp"
#include "machines/clusters/scaled.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "points/streamed.hpp"

namespace mercer {

namespace {

using detail::Affinity;
using detail::Partition;
using detail::Places;
using detail::WeightedPoints;
using Assign = SpectralClusters::Assign;

// Eigenvalues this small are those of no direction that A has.
constexpr double kNoEigenvalue = 1e-9;
// No eigenvalue of what has no negative numbers is above 1 by more than rounding.
constexpr double kAboveOne = 1e-6;

// Where points stand by the eigenvectors: one row each.
struct Relaxed {
  Matrix rows;
  Vector eigenvalues;  // decreasing; one more than there are columns, where there is one
  bool converged = true;
};

Relaxed relaxed(const Affinity& affinity, VectorView weights, Index count, const Execution& how) {
  const auto n = static_cast<Index>(weights.size());
  linalg::LargestEigen found = detail::leading(affinity, weights, std::min(n, count + 1), how);
  Relaxed out{{}, std::move(found.values), found.converged};
  std::vector<Index> used;
  for (Index j = 0; j < std::min(count, n); ++j) {
    if (std::abs(out.eigenvalues[at(j)]) > kNoEigenvalue) used.push_back(j);
  }
  out.rows = Matrix(n, static_cast<Index>(used.size()));
  for (Index i = 0; i < n; ++i) {
    const double scale = 1 / std::sqrt(weights[at(i)] * affinity.degrees[at(i)]);
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
  // `rows_per_product` of A: machines/clusters/lloyd.hpp.
  Cutting(const SpectralClusters& config, const WeightedPoints& points, std::optional<Points> content,
          double rows_per_product, const Execution& how)
      : config_(config),
        clusters_(config.clusters),
        points_(points),
        content_(std::move(content)),
        rows_per_product_(rows_per_product),
        how_(how) {}

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
    return {
        .machine = "spectral", .max_iterations = iterations, .rows_per_product = rows_per_product_, .indefinite = true};
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
  double rows_per_product_;
  const Execution& how_;
};

// Places, and K between them: of the kernel, or as the features of centres have it.
struct Seen {
  Places places;
  Gram K;
  std::shared_ptr<const Matrix> features = {};  // of all places that there were, where centres say what K is
  std::vector<Index> kept = {};                 // of these
};

Seen seen_in(const Gram& K, VectorView weights) {
  Places places = detail::places_of(K, weights);
  Gram between = detail::at_places(K, places);
  return {std::move(places), std::move(between)};
}

Seen seen_by(const Centres& centres, const Gram& K, VectorView weights, const Execution& how) {
  const Places all = detail::places_of(K, weights);
  const Gram of_kernel = detail::at_places(K, all);
  const auto features = std::make_shared<const Matrix>(centres.features(*of_kernel.points(), how));
  const Gram by_features = detail::gram_of_features(features);
  std::vector<Index> kept = detail::seen_by_features(by_features, of_kernel.diagonal(), all.weights, all.first, how);
  if (kept.empty()) {
    fail(ErrorKind::usage, "spectral: {} centres have nothing in common with the points; take more of them",
         centres.size());
  }
  return {only(all, kept), kept.size() == all.first.size() ? by_features : select(by_features, kept), features, kept};
}

// What tells places apart: of centres the features, for the rows themselves may not be in memory.
std::optional<Points> content_of(const Seen& seen) {
  if (!seen.features) return seen.K.points();
  const Points all = rows(seen.features->view(), seen.features);
  return static_cast<Index>(seen.kept.size()) == all.size() ? all : all.select(seen.kept);
}

// Points of some weight that are nowhere count no more. How many there are.
Index forget_unseen(const Places& places, Vector& weights) {
  Index out = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0 || places.of[i] >= 0) continue;
    weights[i] = 0;
    ++out;
  }
  return out;
}

// Of the points, from that of their places; those of weight 0 are in none yet.
std::vector<Index> clusters_of_points(const Partition& found, const Places& places) {
  std::vector<Index> out;
  for (const Index place : places.of) out.push_back(place < 0 ? 0 : found.of[at(place)]);
  return out;
}

// sum_i w_i k(x_i, x) over the points of each cluster: `points` and their weights.
Expansion sums_by_cluster(const Gram& K, const std::vector<Index>& points, VectorView weights,
                          const std::vector<Index>& of, Index clusters) {
  Expansion::Parts parts;
  parts.training_size = K.size();
  parts.support = points;
  parts.alpha = Matrix(static_cast<Index>(points.size()), clusters);
  for (Index r = 0; r < parts.alpha.rows(); ++r) parts.alpha(r, of[at(points[at(r)])]) = weights[at(r)];
  return K.expansion(std::move(parts));
}

// A product goes over half of the pairs, and adds up all of them; by features it is as cheap as a few rows.
double rows_per_product(const Seen& seen, Index clusters) {
  if (!seen.features) return 0.5 * static_cast<double>(seen.K.size());
  const auto r = static_cast<double>(seen.features->cols()), k = static_cast<double>(clusters);
  return 4 * r * k / (r + k);
}

// The same over places, as centres have it.
Expansion sums_by_cluster(const Centres& centres, const Seen& seen, const Partition& found, Index training_size) {
  const auto clusters = static_cast<Index>(found.masses.size());
  Matrix taken(seen.features->rows(), clusters), w(centres.size(), clusters);
  for (std::size_t r = 0; r < seen.kept.size(); ++r) taken(seen.kept[r], found.of[r]) = seen.places.weights[r];
  linalg::multiply_left_transposed(1, *seen.features, taken, 0, w);
  return centres.expansion(w, Vector(at(clusters)), training_size);
}

// What the reading needs: D_c and q_c of each cluster; before them the number of neighbours, and after them k(x, x) and
// the reach of each centre, where there are some.
Matrix readout_of(const Affinity& affinity, const Partition& found) {
  const auto clusters = static_cast<Index>(found.masses.size());
  if (affinity.neighbours == 0) {
    Matrix out(clusters, 2);
    for (Index c = 0; c < clusters; ++c) {
      out(c, 0) = found.masses[at(c)];
      out(c, 1) = found.squares[at(c)];
    }
    return out;
  }
  Vector all = {static_cast<double>(affinity.neighbours)};
  all.insert(all.end(), found.masses.begin(), found.masses.end());
  all.insert(all.end(), found.squares.begin(), found.squares.end());
  all.insert(all.end(), affinity.own.begin(), affinity.own.end());
  all.insert(all.end(), affinity.reach.begin(), affinity.reach.end());
  Matrix out(static_cast<Index>(all.size()), 1);
  std::copy(all.begin(), all.end(), out.data());
  return out;
}

// Points of weight 0 are in the clusters where new points would be. They may not be in memory, and are looked at some
// at a time.
Model with_weightless(Model model, const Gram& K, const Places& places) {
  std::vector<Index> which;
  for (std::size_t i = 0; i < places.of.size(); ++i) {
    if (places.of[i] < 0) which.push_back(static_cast<Index>(i));
  }
  if (which.empty()) return model;
  constexpr std::size_t kAtOnce = 16384;
  Vector clusters;
  for (std::size_t begin = 0; begin < which.size(); begin += kAtOnce) {
    const std::span<const Index> some = std::span(which).subspan(begin, std::min(kAtOnce, which.size() - begin));
    const Matrix scores = K.kind() == GramKind::kernel ? model.scores(in_memory(K.points()->select(some)))
                                                       : model.scores_from_rows(K.rows(some));
    for (Index r = 0; r < scores.rows(); ++r) {
      const double* const row = scores.row(r);
      clusters.push_back(static_cast<double>(std::min_element(row, row + scores.cols()) - row));
    }
  }
  return std::move(model).with([&](Model::Parts& parts) {
    for (std::size_t r = 0; r < which.size(); ++r) parts.fitted(which[r], 0) = clusters[r];
  });
}

void add_tables(Report& report, const Partition& found, VectorView weights, const std::vector<Index>& of,
                const Vector& eigenvalues) {
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
    table.rows(of[i], 1) += 1;
    table.rows(of[i], 2) += weights[i];
  }
  for (Index c = 0; c < clusters; ++c) {
    table.rows(c, 0) = static_cast<double>(c + 1);
    table.rows(c, 3) = found.masses[at(c)];
    table.rows(c, 4) = 1 - found.masses[at(c)] * found.squares[at(c)];
  }
  report.tables.push_back(std::move(table));
}

// Of centres, who is near whom cannot be told: what points have in common can.
void require_values(const SpectralClusters& config) {
  if (config.neighbours.value_or(0) == 0) return;
  fail(ErrorKind::usage,
       "spectral: {} neighbours of points for which few centres stand: these say what points have in common, and not "
       "who is nearest; leave neighbours out, or the centres",
       *config.neighbours);
}

void require_usable(const SpectralClusters& config, bool numbers) {
  if (config.components < 0 || config.starts < 1 || config.max_iterations < 1 || config.neighbours.value_or(0) < 0) {
    fail(ErrorKind::usage, "spectral: {} components, {} neighbours, {} starts, {} iterations; ask for one at least",
         config.components, config.neighbours.value_or(0), config.starts, config.max_iterations);
  }
  if (config.assign != Assign::kmeans && config.components != 0 && config.components != config.clusters) {
    fail(ErrorKind::usage,
         "spectral: {} components for {} clusters; only kmeans takes another number of them, leave them out",
         config.components, config.clusters);
  }
  if (numbers && config.neighbours.value_or(0) > 0) {
    fail(
        ErrorKind::usage,
        "spectral: {} neighbours of points that are not known: numbers are taken for what points have in common; leave "
        "neighbours out, or give points and a kernel",
        *config.neighbours);
  }
}

}  // namespace

Model SpectralClusters::fit(const Training& given) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("spectral", Task::clustering, given);
  detail::require_plain(given.K);
  const bool numbers = given.K.kind() == GramKind::numbers, on_centres = given.centres.has_value();
  Vector weights = detail::weights_of(given);
  detail::require_clusters("spectral", clusters == 0 ? 1 : clusters, weights);
  require_usable(*this, numbers);
  if (on_centres) require_values(*this);
  const Execution& how = given.how;
  // Distances are the same wherever the origin is; values of k are not.
  const bool by_values = neighbours.value_or(numbers || on_centres ? 0 : 1) == 0;
  const detail::AboutMean about =
      by_values ? detail::AboutMean{given.K, {}} : detail::about_mean(given.K, weights, how);
  const Seen seen = on_centres ? seen_by(*given.centres, about.K, weights, how) : seen_in(about.K, weights);
  const Places& places = seen.places;
  const Index unseen = forget_unseen(places, weights);
  if (unseen > 0) detail::require_clusters("spectral", clusters == 0 ? 1 : clusters, weights);
  const auto n = static_cast<Index>(places.first.size());
  if (clusters != 1 && n == 1) detail::fail_indistinct("spectral");
  const Gram& K = seen.K;
  const std::optional<Points> content = content_of(seen);
  const Index joined = neighbours.value_or(detail::usual_neighbours(n, clusters == 0 ? 2 : clusters));
  const auto affinity_for = [&](Index pieces) {
    return by_values ? detail::by_values(K, places.weights, places.first, how)
                     : detail::by_neighbours(K, places.weights, joined, pieces, how);
  };
  Affinity affinity = affinity_for(clusters == 0 ? detail::kMostClusters : clusters);
  if (clusters != 1 && std::ranges::all_of(affinity.reach, [](double r) { return r == 0; }) && !by_values) {
    detail::fail_indistinct("spectral");
  }
  SpectralClusters config = *this;
  if (clusters == 0) {
    const Vector values = detail::leading(affinity, places.weights, std::min(n, detail::kMostClusters + 1), how).values;
    config.clusters = detail::number_of_clusters(values);
    if (!by_values) affinity = affinity_for(config.clusters);
  }
  const Relaxed start_at = relaxed(affinity, places.weights, components > 0 ? components : config.clusters, how);
  // Of the first eigenvector alone all points have the same share.
  if (config.clusters > 1 && start_at.rows.cols() < 2 && components != 1) detail::fail_indistinct("spectral");

  Vector inverse, degree_weights;
  for (std::size_t i = 0; i < places.weights.size(); ++i) {
    inverse.push_back(1 / affinity.degrees[i]);
    degree_weights.push_back(places.weights[i] * affinity.degrees[i]);
  }
  const WeightedPoints points(detail::scaled(affinity.A, inverse), degree_weights, content, how);
  Cutting cutting(config, points, content, rows_per_product(seen, config.clusters), how);
  Partition found = cutting.start(start_at);
  const double cut_at_start = normalised_cut(found);
  if (refine && !found.interrupted) found = cutting.refined(found);
  renumber(found, points);

  const std::vector<Index> of = clusters_of_points(found, places);
  Training training = given;
  training.K = about.K;
  const auto count = static_cast<Index>(found.masses.size());
  // Neighbours are counted by places; of sums it is the same whether a point is said twice or weighs twice as much.
  const auto sums = [&] {
    if (on_centres) return sums_by_cluster(*given.centres, seen, found, given.K.size());
    if (!by_values) return sums_by_cluster(about.K, places.first, places.weights, of, count);
    const std::vector<Index> all = detail::weighted_points(given);
    Vector of_all;
    for (const Index i : all) of_all.push_back(weights[at(i)]);
    return sums_by_cluster(about.K, all, of_all, of, count);
  };
  Model::Parts parts =
      detail::parts_of("spectral", training, sums(), by_values ? Reading::cut : Reading::neighbour_cut);
  parts.scaling = about.moved;
  parts.readout = readout_of(affinity, found);
  Report& report = parts.report;
  detail::check_distinct("spectral", config.clusters, found, report);
  const Vector& eigenvalues = start_at.eigenvalues;
  report.add("clusters", static_cast<double>(found.masses.size()));
  report.add("normalised_cut", normalised_cut(found));
  report.add("cut_before_refining", cut_at_start);
  if (static_cast<Index>(eigenvalues.size()) > config.clusters) {
    report.add("eigengap", eigenvalues[at(config.clusters - 1)] - eigenvalues[at(config.clusters)]);
    report.add("separation", detail::separation(eigenvalues, config.clusters));
  }
  if (!by_values) report.add("neighbours", static_cast<double>(joined));
  detail::add_course(report, found, 0);
  // As centres have it, since rows of K may not be in memory.
  if (on_centres) detail::add_silhouette(report, K, found, places.weights, how);
  found.of = of;
  detail::add_clusters(parts, found);
  if (!on_centres) detail::add_silhouette(report, about.K, found, weights, how);
  add_tables(report, found, weights, of, eigenvalues);
  if (!start_at.converged) {
    report.converged = false;
    report.notes.emplace_back(
        "the eigenvectors are not as exact as they should be; the clusters begin with what there is");
  }
  if (unseen > 0) {
    report.add("unseen", static_cast<double>(unseen));
    report.notes.push_back(fmt::format(
        "the centres find nothing in {} of {} points: they took no part in the cut, and are where new points of their "
        "kind would be; more centres would see them",
        unseen, weights.size()));
  }
  if (on_centres && eigenvalues.front() > 1 + kAboveOne) {
    report.notes.push_back(
        fmt::format("an eigenvalue of {:.3g}, above 1: what the centres lack makes numbers negative that the kernel "
                    "has not so; more "
                    "centres would tell clusters apart better",
                    eigenvalues.front()));
  }
  report.seconds = watch.seconds();
  return with_weightless(Model(std::move(parts)), given.K, places);
}

Model SpectralClusters::fit(const Gram& K) const { return fit(Training{.K = K}); }

namespace {

SpectralClusters config_from(const Settings& settings) {
  const detail::SettingsReader read(machine("spectral"), settings);
  SpectralClusters config;
  config.clusters = read.text("clusters") == "auto" ? 0 : read.whole("clusters", 1);
  if (read.text("neighbours") != "auto") config.neighbours = read.whole("neighbours", 0);
  config.components = read.whole("components", 0);
  config.assign = static_cast<Assign>(read.choice("assign", {"kmeans", "discretize", "cluster_qr"}));
  config.refine = read.flag("refine");
  config.starts = read.whole("starts", 1);
  config.max_iterations = read.whole("max_iterations", 1);
  config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
  return config;
}

Needs needs_of_spectral(const Settings& settings, const Extent& extent) {
  const SpectralClusters config = config_from(settings);
  constexpr double kVectors = 300;  // numbers of a point: of eigenvectors, the graph and sums over the clusters
  const auto n = static_cast<double>(extent.points), m = static_cast<double>(extent.centres);
  const Room vectors{"vectors and neighbours", sizeof(double) * kVectors * n};
  constexpr double kProducts = 30, kColumns = 10;  // with K, as a rule
  if (extent.centres > 0) {
    require_values(config);
    return {.form = Form::centres,
            .solver = "Krylov, and cuts of K, in the centres' features",
            .size = extent.points,
            .beside = {{"features of the points", sizeof(double) * n * m}, vectors},
            .pairs = n * m,
            .flops = n * m * m + detail::kNarrow * 4 * n * m * kProducts * kColumns};
  }
  Needs out = config.neighbours.value_or(extent.numbers ? 0 : 1) == 0
                  ? detail::by_passes(extent, "Krylov, and cuts of K", kProducts)
                  : detail::by_passes(extent, "Krylov, and cuts of the graph of neighbours", 2);
  out.beside = {vectors};
  return out;
}

}  // namespace

std::vector<Machine> detail::spectral_rows() {
  const SpectralClusters defaults;
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{
      .name = "spectral",
      .purpose = "clusters of any shape, by normalised cuts of what points have in common",
      .problem =
          "min over divisions into k clusters of sum_c cut(c) / D_c, cut(c) = sum of w_i w_j a_ij from within c to "
          "outside, D_c from within c to all others; a the graph of nearest neighbours, or k; begun at eigenvectors of "
          "D^-1/2 A D^-1/2",
      .task = Task::clustering,
      .options =
          {
              {"clusters", text(defaults.clusters), "How many, k; auto: 2 to 10, by how well they are told apart"},
              {"neighbours", "auto",
               "Join each point with so many of the nearest; 0: with all, by the values of the kernel. auto: 10, fewer "
               "of few points; of a matrix of numbers, and with centres, 0"},
              {"components", text(defaults.components), "Eigenvectors to begin with; 0: as many as clusters"},
              {"assign", "kmeans", "How eigenvectors become clusters: kmeans, discretize, cluster_qr"},
              {"refine", "true", "Go on from there by lowering the cut itself", true},
              {"starts", text(defaults.starts), "Of kmeans; the best of them is taken"},
              {"max_iterations", text(defaults.max_iterations), "Of each start, and of refining"},
              {"seed", text(defaults.seed), "Of the starts"},
          },
      .fit = [](const Settings& settings, const Training& training) { return config_from(settings).fit(training); },
      .iterative = true,
      .exceptions =
          {{Exception::Law::numbers,
            "numbers are taken for what points have in common; points of a kernel are joined with their nearest "
            "neighbours"}},
      .choosing =
          [](const Settings& given, const Training* training) {
            Choosing plan = number_from_separation(given, training);
            // What is tried is what will be fitted.
            if (training != nullptr && training->plan && training->plan->centres > 0) plan.along["neighbours"] = "0";
            return plan;
          },
      .centres = OnCentres::itself,
      .needs = needs_of_spectral,
  }};
}

}  // namespace mercer
