#include "mercer/machines/gmm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/clusters/em.hpp"
#include "machines/embeddings/axes.hpp"
#include "model/gaussians.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

// Floors of the variances: that keeps a Gaussian from shrinking to a point, and that does not follow each bend.
constexpr double kBarely = 1e-4, kResolution = 0.05;

void require_usable(const KernelGaussianMixture& config) {
  const auto at_least = [](const char* name, Index value, Index least) {
    if (value < least) fail(ErrorKind::usage, "gmm: {} must be a whole number from {}, not {}", name, least, value);
  };
  at_least("components", config.components, 1);
  at_least("dimension", config.dimension.value_or(1), 1);
  at_least("directions", config.directions.value_or(0), 0);
  at_least("starts", config.starts, 1);
  at_least("max_iterations", config.max_iterations, 1);
  if (const double floor = config.floor.value_or(1); !(floor > 0 && floor <= 1)) {
    fail(ErrorKind::usage, "gmm: floor must be above 0 and at most 1, not {}", floor);
  }
  if (!(config.tolerance > 0)) fail(ErrorKind::usage, "gmm: tolerance must be above 0, not {}", config.tolerance);
}

// The space of the Gaussians where none is asked for: all directions, or of more than so many those with this share of
// the variance.
constexpr Index kMostDirections = 20;
constexpr double kShare = 0.9;

struct Space {
  Matrix alpha;  // z(x) = sum_i alpha_i k(x_i, x) + bias
  Vector bias;
  Matrix z;            // of the points of positive weight
  double share = 0;    // of the variance
  Vector deviations;   // along each direction
  double spread = 0;   // the mean variance along a direction
  bool whole = false;  // there are no further directions
  Index dimension() const { return alpha.cols(); }
};

Matrix first_columns(const Matrix& m, Index count) { return Matrix(m.view().block({0, m.rows()}, {0, count})); }

// One more than may be kept shows whether there are more.
detail::AxesWanted axes_wanted(std::optional<Index> dimension) {
  return {
      .machine = "gmm", .components = static_cast<double>(dimension.value_or(kMostDirections) + 1), .at_most = true};
}

Space space_of(std::optional<Index> dimension, const Training& training, const std::vector<Index>& points,
               double weight) {
  const detail::Axes axes = detail::principal_axes(axes_wanted(dimension), training);
  const auto known = static_cast<Index>(axes.values.size());
  if (dimension && known < *dimension) {
    fail(ErrorKind::usage, "gmm: a space of {} dimensions, and the points differ in {} direction{} only; ask for fewer",
         *dimension, known, known == 1 ? "" : "s");
  }
  Index D = 0;
  double kept = 0;
  const Index most = std::min(known, dimension.value_or(kMostDirections));
  const bool all = dimension || known <= kMostDirections;
  while (D < most && (all || kept < kShare * axes.total)) kept += axes.values[at(D++)];
  Space out;
  out.alpha = first_columns(axes.alpha, D);
  out.bias.assign(axes.bias.begin(), axes.bias.begin() + D);
  out.z = Matrix::uninitialized(static_cast<Index>(points.size()), D);
  for (Index i = 0; i < out.z.rows(); ++i) std::copy_n(axes.coordinates.row(points[at(i)]), D, out.z.row(i));
  for (Index d = 0; d < D; ++d) out.deviations.push_back(std::sqrt(axes.values[at(d)] / weight));
  out.share = kept / axes.total;
  out.spread = kept / weight / static_cast<double>(D);
  out.whole = D == known;
  return out;
}

// Numbers that a mixture of k components in D coordinates is made of: shares, means, directions, variances.
double parameters_of(Index k, Index D, Index q) {
  const Index covariance = q == D ? D * (D + 1) / 2 : q * D - q * (q - 1) / 2 + 1;
  return static_cast<double>(k - 1 + k * (D + covariance));
}

void report_on(const detail::MixtureFound& found, double weight, Index D, Index q, Report& report) {
  const double parameters = parameters_of(found.mixture.rows(), D, q);
  report.converged = found.converged;
  report.stopped = found.stopped;
  report.iterations = static_cast<Index>(found.course.size());
  report.add("log_likelihood", found.log_likelihood);
  report.add("bic", parameters * std::log(weight) - 2 * found.log_likelihood);
  report.add("aic", 2 * parameters - 2 * found.log_likelihood);
  report.add("parameters", parameters);
  Report::Table course{"course", {"iteration", "log_likelihood"}, Matrix(report.iterations, 2)};
  for (Index t = 0; t < report.iterations; ++t) {
    course.rows(t, 0) = static_cast<double>(t + 1);
    course.rows(t, 1) = found.course[at(t)];
  }
  Report::Table components{"components", {"share", "weight"}, Matrix(found.mixture.rows(), 2)};
  for (Index c = 0; c < found.mixture.rows(); ++c) {
    components.rows(c, 0) = found.mixture(c, 0);
    components.rows(c, 1) = weight * found.mixture(c, 0);
  }
  report.tables = {std::move(course), std::move(components)};
}

}  // namespace

Model KernelGaussianMixture::fit(const Training& given) const {
  const Stopwatch watch;
  require_usable(*this);
  const Threads threads = detail::check_training("gmm", Task::mixture, given);
  detail::require_unshifted(given.K);
  Training training = given;
  const detail::AboutMean about = detail::about_mean(given.K, given.weights, given.how);
  training.K = about.K;
  const std::vector<Index> points = detail::weighted_points(training);
  if (components > static_cast<Index>(points.size())) {
    fail(ErrorKind::usage, "gmm: {} components for {} points; there cannot be more than points", components,
         points.size());
  }
  Vector weights;
  for (const Index i : points) weights.push_back(training.weights.empty() ? 1 : training.weights[at(i)]);
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  const Space space = space_of(dimension, training, points, weight);
  const Index D = space.dimension(), q = directions.value_or(D);
  if (q > D) fail(ErrorKind::usage, "gmm: {} directions in a space of {}; raise dimension, or ask for fewer", q, D);
  const double least = floor.value_or(space.whole ? kBarely : kResolution);
  // Full covariances in all directions there are: an ordinary mixture, to which units are nothing.
  const bool ordinary = space.whole && q == D;
  const detail::MixtureFound mixture = detail::fit_mixture(
      {.z = space.z,
       .weights = weights,
       .components = components,
       .directions = q,
       .floor = ordinary ? least : least * space.spread,
       .unit = ordinary ? space.deviations : Vector()},
      {.starts = starts, .seed = seed, .max_iterations = max_iterations, .tolerance = tolerance}, training.how);

  Model::Parts parts =
      detail::parts_of("gmm", training, training.K.expansion(space.alpha, space.bias, training.how), Reading::mixture);
  parts.scaling = about.moved;
  parts.readout = mixture.mixture;
  parts.calibration.kind = Calibration::Kind::softmax;
  for (Index c = 0; c < mixture.mixture.rows(); ++c) parts.classes.push_back(std::to_string(c + 1));
  report_on(mixture, weight, D, q, parts.report);
  parts.report.add("dimension", static_cast<double>(D));
  parts.report.add("variance_kept", space.share);
  parts.report.add("floor", least);
  if (mixture.mixture.rows() < components) {
    parts.report.notes.push_back(fmt::format("{} of {} components lost all points and are left out",
                                             components - mixture.mixture.rows(), components));
  }
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

namespace {

// A number, or the word that leaves it open.
std::optional<Index> whole_or(const detail::SettingsReader& read, const std::string& name, const char* word) {
  return read.text(name) == word ? std::nullopt : std::optional(read.whole(name, 0));
}

}  // namespace

std::vector<Machine> detail::gmm_rows() {
  Machine row;
  row.name = "gmm";
  row.purpose = "a mixture of Gaussians in feature space: soft clusters, as many as the Bayesian criterion chooses";
  row.problem = "max  sum_i w_i log sum_c pi_c N(z(x_i); m_c, S_c), z(x) the leading principal coordinates of phi(x)";
  row.task = Task::mixture;
  row.kernel = "linear()";
  row.iterative = true;
  row.options = {
      {"components", "2", "How many Gaussians"},
      {"dimension", "auto",
       "Of the space they are in: a number of principal directions of all points, or auto: all where there "
       "are at most 20, else those with 0.9 of the variance, at most 20"},
      {"directions", "all", "In which a Gaussian has variances of its own; the rest share one. A number, or all"},
      {"floor", "auto",
       "The least variance of a Gaussian in any direction, as a share of that of all points: in the same direction "
       "where "
       "the space is all there is, as that of linear(), and directions are all; else of their mean variance. auto: "
       "0.0001 where it is all there is, else 0.05"},
      {"starts", "5", "Of k-means; the likeliest mixture is kept"},
      {"seed", "1", "Of the starts"},
      {"max_iterations", "1000", "Of each start"},
      {"tolerance", "1e-6", "Ends when an iteration adds less than this to the log likelihood of each point"},
  };
  row.fit = [row](const Settings& settings, const Training& training) {
    const SettingsReader read(row, settings);
    return KernelGaussianMixture{
        .components = read.whole("components", 1),
        .dimension = whole_or(read, "dimension", "auto"),
        .directions = whole_or(read, "directions", "all"),
        .floor = read.text("floor") == "auto" ? std::nullopt : std::optional(read.positive("floor")),
        .starts = read.whole("starts", 1),
        .seed = static_cast<std::uint64_t>(read.whole("seed", 0)),
        .max_iterations = read.whole("max_iterations", 1),
        .tolerance = read.positive("tolerance")}
        .fit(training);
  };
  row.centres = OnCentres::as_features;
  row.needs = [row](const Settings& settings, const Extent& extent) {
    return needs_of(axes_wanted(whole_or(SettingsReader(row, settings), "dimension", "auto")), extent);
  };
  row.choosing = [](const Settings&, const Training*) {
    return Choosing{.stages = {{{"components", {1, 2, 3, 4, 5, 6, 7, 8, 9}}}}, .figure = "bic", .most = 5000};
  };
  return {row};
}

}  // namespace mercer
