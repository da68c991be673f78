#include "mercer/machines/kcca.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "kernel/features.hpp"
#include "linalg/lapack.hpp"
#include "linalg/largest_eigen.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/embeddings/cca_view.hpp"
#include "machines/embeddings/signs.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "selection/equal_points.hpp"

namespace mercer {

namespace {

using detail::CcaView;

// Of n x n numbers: the eigenvectors of both views, and what it takes to find them and to pair them.
constexpr int kMatrices = 6;
// Features are few where they are at most this part of the points.
constexpr Index kFewFeatures = 4;
// A correlation below this is none: its square is rounding.
constexpr double kNoCorrelation = 1e-7;
// Correlations that differ by less are equal: pairings of twins, or the one that there is, computed in another way.
constexpr double kEqual = 1 - 1e-8;

// The matrix with the correlations as its singular values: diag(shrink_x) U_x' P U_y diag(shrink_y), where P puts point
// pairing[i] of y beside point i of x.
Matrix correlation_matrix(const CcaView& x, const CcaView& y, std::span<const Index> pairing, const Monitor& monitor) {
  Matrix paired(y.rank(), y.vectors.cols());
  for (Index r = 0; r < y.rank(); ++r) {
    for (Index i = 0; i < paired.cols(); ++i) paired(r, i) = y.shrink[at(r)] * y.vectors(r, pairing[at(i)]);
  }
  Matrix out(x.rank(), y.rank());
  linalg::multiply_transposed(1, x.vectors, paired, 0, out, monitor);
  for (Index r = 0; r < x.rank(); ++r) {
    for (Index s = 0; s < y.rank(); ++s) out(r, s) *= x.shrink[at(r)];
  }
  return out;
}

// M M' or M' M, whichever is smaller.
Matrix smaller_square(const Matrix& m, const Monitor& monitor) {
  const bool by_rows = m.rows() <= m.cols();
  Matrix out(std::min(m.rows(), m.cols()), std::min(m.rows(), m.cols()));
  if (by_rows) {
    linalg::multiply_transposed(1, m, m, 0, out, monitor);
  } else {
    linalg::multiply_left_transposed(1, m, m, 0, out, monitor);
  }
  return out;
}

// The largest singular value of that matrix, which is not made.
double largest_correlation(const CcaView& x, const CcaView& y, std::span<const Index> pairing) {
  Matrix paired(y.rank(), y.vectors.cols());
  for (Index r = 0; r < y.rank(); ++r) {
    for (Index i = 0; i < paired.cols(); ++i) paired(r, i) = y.vectors(r, pairing[at(i)]);
  }
  const auto shrunk = [](const CcaView& view, int times, Matrix& m) {
    for (Index r = 0; r < m.rows(); ++r) {
      for (Index c = 0; c < m.cols(); ++c) m(r, c) *= std::pow(view.shrink[at(r)], times);
    }
  };
  const linalg::Symmetric square{x.rank(), [&](MatrixView v, MatrixRef out) {
                                   Matrix in(v), points(paired.cols(), v.cols()), across(y.rank(), v.cols()),
                                       back(x.rank(), v.cols());
                                   shrunk(x, 1, in);
                                   linalg::multiply_left_transposed(1, x.vectors, in, 0, points);
                                   linalg::multiply(1, paired, points, 0, across);
                                   shrunk(y, 2, across);
                                   linalg::multiply_left_transposed(1, paired, across, 0, points);
                                   linalg::multiply(1, x.vectors, points, 0, back);
                                   shrunk(x, 1, back);
                                   for (Index r = 0; r < back.rows(); ++r)
                                     std::copy_n(back.row(r), back.cols(), out.row(r));
                                 }};
  return std::sqrt(std::max(0.0, linalg::largest_eigen(square, 1).values.front()));
}

struct Pairs {
  Vector correlations;  // largest first
  Matrix x, y;          // directions, a column for each pair
};

// The singular pairs of M, as many as are asked for, and how many there are.
Pairs leading_pairs(const Matrix& m, std::optional<Index> wanted, const Monitor& monitor) {
  const bool by_rows = m.rows() <= m.cols();
  const linalg::Eigen eigen = linalg::eigen(smaller_square(m, monitor), monitor);
  const Index size = static_cast<Index>(eigen.values.size());
  const auto correlation = [&](Index c) { return std::sqrt(std::max(0.0, eigen.values[at(size - 1 - c)])); };
  Index there = 0;
  while (there < size && correlation(there) > kNoCorrelation) ++there;
  if (there == 0) fail(ErrorKind::data, "kcca: no function of x is correlated with one of y");
  const Index count = wanted.value_or(std::min<Index>(2, there));
  if (count > there) {
    fail(ErrorKind::usage,
         "kcca: {} components are asked for, and there are {}: the views have rank {} and {}; ask for no more", count,
         there, m.rows(), m.cols());
  }
  Pairs out{{}, Matrix(m.rows(), count), Matrix(m.cols(), count)};
  Matrix& own = by_rows ? out.x : out.y;
  for (Index c = 0; c < count; ++c) {
    out.correlations.push_back(std::min(1.0, correlation(c)));
    for (Index r = 0; r < size; ++r) own(r, c) = eigen.vectors(size - 1 - c, r);
  }
  if (by_rows) {
    linalg::multiply_left_transposed(1, m, out.x, 0, out.y);
  } else {
    linalg::multiply(1, m, out.y, 0, out.x);
  }
  Matrix& other = by_rows ? out.y : out.x;
  for (Index r = 0; r < other.rows(); ++r) {
    for (Index c = 0; c < count; ++c) other(r, c) /= correlation(c);
  }
  return out;
}

// From directions among whitened features to those of var f + kappa |f|^2 = 1.
Matrix unwhitened(const CcaView& view, Matrix directions, double total) {
  for (Index r = 0; r < directions.rows(); ++r) {
    const double length = std::sqrt((view.values[at(r)] + view.penalty) / total);
    for (Index c = 0; c < directions.cols(); ++c) directions(r, c) /= length;
  }
  return directions;
}

// f at the points, times the root of their weights: sum_r u_r values_r^1/2 directions(r, c).
Matrix weighted_values(const CcaView& view, Matrix directions) {
  for (Index r = 0; r < directions.rows(); ++r) {
    for (Index c = 0; c < directions.cols(); ++c) directions(r, c) *= std::sqrt(view.values[at(r)]);
  }
  Matrix out(view.vectors.cols(), directions.cols());
  linalg::multiply_left_transposed(1, view.vectors, directions, 0, out);
  return out;
}

// Those of each f; g turns with it.
void fix_signs(const CcaView& x, VectorView weights, const detail::Before& before, Matrix& dx, Matrix& dy) {
  const Matrix values = weighted_values(x, dx);
  Vector f(weights.size());
  for (Index c = 0; c < dx.cols(); ++c) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      f[i] = weights[i] == 0 ? 0 : values(static_cast<Index>(i), c) / std::sqrt(weights[i]);
    }
    const double sign = detail::sign_of(f, before);
    for (Index r = 0; r < dx.rows(); ++r) dx(r, c) *= sign;
    for (Index r = 0; r < dy.rows(); ++r) dy(r, c) *= sign;
  }
}

double correlation_of(const Matrix& f, const Matrix& g, Index c) {
  double ff = 0, gg = 0, fg = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    ff += f(i, c) * f(i, c);
    gg += g(i, c) * g(i, c);
    fg += f(i, c) * g(i, c);
  }
  return ff > 0 && gg > 0 ? fg / std::sqrt(ff * gg) : 0;
}

// The share of pairings, this one counted too, whose largest correlation is at least each of these.
Vector p_values(const KernelCca& config, const CcaView& x, const CcaView& y, VectorView weights,
                const Vector& correlations, const Monitor& monitor) {
  std::vector<Index> counted;  // points of weight 0 are none
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) counted.push_back(static_cast<Index>(i));
  }
  if (std::any_of(counted.begin(), counted.end(),
                  [&](Index i) { return weights[at(i)] != weights[at(counted.front())]; })) {
    fail(ErrorKind::usage, "kcca: a permutation test takes points of equal weight; leave out the weights, or it");
  }
  Vector reached(correlations.size(), 1);
  Random random(config.seed);
  for (Index p = 0; p < config.permutations; ++p) {
    monitor.report({"permutations", static_cast<double>(p) / static_cast<double>(config.permutations)});
    std::vector<Index> shuffled = counted, pairing(weights.size());
    for (std::size_t i = shuffled.size(); i > 1; --i) {
      std::swap(shuffled[i - 1], shuffled[at(random.below(static_cast<Index>(i)))]);
    }
    std::iota(pairing.begin(), pairing.end(), Index{0});
    for (std::size_t i = 0; i < counted.size(); ++i) pairing[at(counted[i])] = shuffled[i];
    const double largest = largest_correlation(x, y, pairing);
    for (std::size_t c = 0; c < reached.size(); ++c) reached[c] += largest >= kEqual * correlations[c] ? 1 : 0;
  }
  for (double& count : reached) count /= static_cast<double>(config.permutations + 1);
  return reached;
}

// Both views, in features where both have few, or centres say what x is.
struct BothViews {
  CcaView x, y;
  std::optional<Centres> of_y = {};  // where centres stand for the targets too
};

// Of the different targets that count, as many as those of x and chosen like these.
Centres centres_of_y(const Centres& of_x, const Gram& y, const Vector& weights, const Execution& how) {
  const std::vector<Index> equal_to = detail::first_equal(y);
  std::vector<Index> which;
  std::vector<bool> taken(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t first = at(equal_to[i]);
    if (weights[i] == 0 || taken[first]) continue;
    taken[first] = true;
    which.push_back(static_cast<Index>(i));
  }
  CentreWishes wishes = of_x.choice().wishes;
  wishes.count =
      std::min(std::max(of_x.size(), of_x.choice().looked_at > 0 ? wishes.count : 0), static_cast<Index>(which.size()));
  return choose_centres(*y.kernel(), y.points()->select(which), wishes, how);
}

BothViews views_of(const KernelCca& config, const Training& training, const Gram& x, const Gram& y,
                   const Vector& weights) {
  const Execution& how = training.how;
  const auto in_features = [&](const char* which, Matrix F, std::optional<Centres> centres) {
    return detail::view_in_features(which, std::move(F), std::move(centres), weights, config.ridge, how);
  };
  const Index few = x.size() / kFewFeatures;
  if (training.centres) {
    CcaView of_x = in_features("x", training.centres->features(*x.points(), how), training.centres);
    if (auto F = y.factor(few)) return {std::move(of_x), in_features("y", std::move(*F), std::nullopt)};
    if (y.kind() != GramKind::kernel) {
      fail(
          ErrorKind::usage,
          "kcca: centres stand for the points of x, and the view of y is a matrix of numbers for all pairs; give it as "
          "points and a kernel, or leave the centres out");
    }
    Centres of_y = centres_of_y(*training.centres, y, weights, how);
    return {std::move(of_x), in_features("y", of_y.features(*y.points(), how), of_y), of_y};
  }
  if (const auto features = x.factor(few)) {
    if (auto F = y.factor(few)) {
      return {in_features("x", *features, std::nullopt), in_features("y", std::move(*F), std::nullopt)};
    }
  }
  detail::require_matrices("kcca", training, x.size(), kMatrices);
  return {detail::view_of("x", x, weights, config.ridge, how), detail::view_of("y", y, weights, config.ridge, how)};
}

void require_usable(const KernelCca& config) {
  if (!(config.ridge > 0) || !std::isfinite(config.ridge)) {
    fail(ErrorKind::usage,
         "kcca: the ridge must be a finite number > 0, not {}; without one all correlations would be 1 wherever the "
         "matrices have full rank",
         config.ridge);
  }
  if (config.components && *config.components < 1) {
    fail(ErrorKind::usage, "kcca: {} components; at least one is needed", *config.components);
  }
  if (config.permutations < 0) fail(ErrorKind::usage, "kcca: {} permutations; 0 or more", config.permutations);
}

}  // namespace

KernelCca::Views KernelCca::fit_both(const Training& training, const Gram& of_y) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("kcca", Task::embedding, training);
  // Centres are of the kernel at the points as they are.
  const detail::AboutMean about_x = training.centres ? detail::AboutMean{training.K, {}}
                                                     : detail::about_mean(training.K, training.weights, training.how);
  const detail::AboutMean about_y = detail::about_mean(of_y, training.weights, training.how);
  const Gram &x = about_x.K, &y = about_y.K;
  detail::require_unshifted(x);
  detail::require_unshifted(y);
  require_usable(*this);
  if (x.size() != y.size()) {
    fail(ErrorKind::shape, "kcca: one view has {} points, the other {}; both are of the same points", x.size(),
         y.size());
  }
  const Execution& how = training.how;
  const Vector weights = detail::weights_of(training);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const BothViews views = views_of(*this, training, x, y, weights);
  const CcaView &one = views.x, &other = views.y;
  std::vector<Index> as_they_are(weights.size());
  std::iota(as_they_are.begin(), as_they_are.end(), Index{0});
  Pairs pairs = leading_pairs(correlation_matrix(one, other, as_they_are, how.monitor), components, how.monitor);
  Matrix dx = unwhitened(one, std::move(pairs.x), total), dy = unwhitened(other, std::move(pairs.y), total);
  fix_signs(one, weights, detail::by_what_they_are(x), dx, dy);

  Report::Table table{"components", {"component", "rho", "correlation"}, {}};
  if (permutations > 0) table.columns.emplace_back("p_value");
  const Vector p = permutations > 0 ? p_values(*this, one, other, weights, pairs.correlations, how.monitor) : Vector();
  const Matrix f = weighted_values(one, dx), g = weighted_values(other, dy);
  table.rows = Matrix(dx.cols(), static_cast<Index>(table.columns.size()));
  for (Index c = 0; c < dx.cols(); ++c) {
    table.rows(c, 0) = static_cast<double>(c + 1);
    table.rows(c, 1) = pairs.correlations[at(c)];
    table.rows(c, 2) = correlation_of(f, g, c);
    if (!p.empty()) table.rows(c, 3) = p[at(c)];
  }
  const auto model = [&](const CcaView& view, const detail::AboutMean& about, const Matrix& directions) {
    Training own = training;
    own.K = about.K;
    Model::Parts parts = detail::parts_of("kcca", own, detail::expansion_of(view, about.K, weights, directions, how),
                                          Reading::embedding);
    parts.scaling = about.moved;
    parts.report.add("correlation", table.rows(0, 2));
    parts.report.add("rank_x", static_cast<double>(one.rank()));
    parts.report.add("rank_y", static_cast<double>(other.rank()));
    parts.report.tables.push_back(table);
    if (views.of_y) {
      parts.report.add("centres_of_targets", static_cast<double>(views.of_y->size()));
      parts.report.notes.push_back(
          fmt::format("the functions of the targets are made of {} centres: of tr K they leave out {:.2g}",
                      views.of_y->size(), views.of_y->choice().trace_left_out));
    }
    parts.report.seconds = watch.seconds();
    return Model(std::move(parts));
  };
  return {model(one, about_x, dx), model(other, about_y, dy)};
}

Model KernelCca::fit(const Training& training) const {
  const Threads threads = detail::check_training("kcca", Task::correlation, training);
  return fit_both(training, lazy(parse(target_kernel), rows(training.y.view()))).x;
}

namespace {

KernelCca config_from(const Settings& settings) {
  const detail::SettingsReader read(machine("kcca"), settings);
  KernelCca config;
  if (read.text("components") != "auto") config.components = read.whole("components", 1);
  config.ridge = read.number("ridge");
  config.target_kernel = read.text("target_kernel");
  try {
    parse(config.target_kernel);
  } catch (const Error& error) {
    fail(ErrorKind::usage, "kcca: target_kernel is {}: {}", quoted(config.target_kernel), error.what());
  }
  config.permutations = read.whole("permutations", 0);
  config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
  return config;
}

Needs needs_of_kcca(const Settings& settings, const Extent& extent) {
  const Kernel of_targets = parse(config_from(settings).target_kernel);
  const Index targets = detail::feature_count(of_targets, rows(Matrix(1, extent.outputs)));
  const Index few = extent.points / kFewFeatures;
  const bool few_targets = targets > 0 && targets <= few;
  if (extent.centres == 0 && !(few_targets && extent.features > 0 && extent.features <= few)) {
    return detail::by_all_pairs(extent.points, kMatrices, "all eigenvectors of both views", 12);
  }
  const auto n = static_cast<double>(extent.points);
  const auto of_x = static_cast<double>(extent.centres > 0 ? extent.centres : extent.features);
  const double of_y = few_targets ? static_cast<double>(targets) : of_x, squares = of_x * of_x + of_y * of_y;
  return {.form = extent.centres > 0 ? Form::centres : Form::factor,
          .solver = "eigenvectors of both views, in their features",
          .size = extent.points,
          // Of each view as they come and whitened; the second is paired with the first.
          .beside = {{"features of both views", sizeof(double) * n * std::max(2 * of_x, of_x + 2 * of_y)},
                     {"their eigenvectors", 6 * sizeof(double) * squares}},
          .pairs = extent.centres > 0 ? n * (of_x + (few_targets ? 0 : 2 * of_y)) : 0,
          .flops = 4 * n * squares + 2 * n * of_x * of_y + 12 * (of_x + of_y) * squares,
          .why = extent.centres > 0 ? "" : "both views have few features"};
}

}  // namespace

std::vector<Machine> detail::kcca_rows() {
  const KernelCca defaults;
  return {{
      .name = "kcca",
      .purpose = "functions of the inputs that are most correlated with functions of the targets",
      .problem =
          "max_f,g  cov(f(x), g(y))  with  var f(x) + kappa |f|^2 = var g(y) + lambda |g|^2 = 1, pair after pair",
      .task = Task::correlation,
      .options = {{"components", "auto", "How many pairs of functions, or auto: two, or one where there is no second"},
                  {"ridge", "0.1", "The price of |f|^2 and |g|^2, > 0, in units of the variance of each view"},
                  {"target_kernel", defaults.target_kernel, "The kernel of the targets"},
                  {"permutations", "0", "Random pairings for p-values; 0: none"},
                  {"seed", "1", "Of the permutations"}},
      .fit = [](const Settings& settings, const Training& training) { return config_from(settings).fit(training); },
      .centres = OnCentres::itself,
      .needs = needs_of_kcca,
  }};
}

}  // namespace mercer
