#include "mercer/machines/rbf_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/clusters/k_means.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

// The basis: either places of our own, or some of the training points.
struct Basis {
  std::optional<Points> places;
  std::vector<Index> points;  // increasing
  Matrix features;            // n x k: k(c, x_i)
};

// Those to draw from: where they can be told apart, each content once and in its own order, so that a weight of 2 means
// the point twice.
std::vector<Index> candidates(const Training& t) {
  std::vector<Index> points = detail::weighted_points(t);
  const auto x = t.K.points();
  if (!x) return points;
  const auto order = [&](Index i, Index j) { return x->rep().compare(i, j); };
  std::stable_sort(points.begin(), points.end(), [&](Index i, Index j) { return order(i, j) < 0; });
  points.erase(std::unique(points.begin(), points.end(), [&](Index i, Index j) { return order(i, j) == 0; }),
               points.end());
  return points;
}

std::vector<Index> draw_points(const RbfNetwork& config, const Training& t) {
  std::vector<Index> points = candidates(t);
  const auto n = static_cast<Index>(points.size());
  const Index count = std::min(config.centres, n);
  Random random(config.seed);
  for (Index i = 0; i < count; ++i) std::swap(points[at(i)], points[at(i + random.below(n - i))]);
  points.resize(at(count));
  std::sort(points.begin(), points.end());
  return points;
}

Matrix means_of_clusters(const RbfNetwork& config, const Points& points, const Vector& weights, const Execution& how,
                         Report& report) {
  const DenseRows rows = dense_rows(points);
  const MatrixView x = rows.values;
  const detail::KMeans options{"rbf_network", config.centres, 1, config.max_iterations, 0, config.seed};
  const detail::Partition found = detail::divide_features(Matrix(x), weights, points, options, how).partition;
  if (found.interrupted) fail(ErrorKind::cancelled, "rbf_network: stopped on request");
  report.add("inertia", found.objective);
  report.iterations = static_cast<Index>(found.course.size()) - 1;
  Matrix means(static_cast<Index>(found.masses.size()), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    const Index c = found.of[at(i)];
    for (Index j = 0; j < x.cols(); ++j) means(c, j) += weights[at(i)] / found.masses[at(c)] * x(i, j);
  }
  return means;
}

Basis choose_basis(const RbfNetwork& config, const Training& t, const Vector& weights, Report& report) {
  Basis basis;
  const auto k = t.K.kernel();
  const auto x = t.K.points();
  if (k && x && x->domain().kind == "reals") {
    require_finite(*x);
    basis.places = named_like(mercer::rows(means_of_clusters(config, *x, weights, t.how, report)), *x);
    basis.features = cross(*k, *x, *basis.places, t.how);
    return basis;
  }
  basis.points = draw_points(config, t);
  const Matrix rows = t.K.rows(basis.points, t.how);
  basis.features = Matrix::uninitialized(rows.cols(), rows.rows());
  for (Index i = 0; i < rows.cols(); ++i) {
    for (Index c = 0; c < rows.rows(); ++c) basis.features(i, c) = rows(c, i);
  }
  return basis;
}

Vector weighted_means(const Matrix& m, const Vector& weights) {
  Vector means(at(m.cols()));
  double total = 0;
  for (Index i = 0; i < m.rows(); ++i) {
    total += weights[at(i)];
    for (Index j = 0; j < m.cols(); ++j) means[at(j)] += weights[at(i)] * m(i, j);
  }
  for (double& mean : means) mean /= total;
  return means;
}

// W^1/2 (m - means)
Matrix centred_rows(const Matrix& m, const Vector& means, const Vector& weights) {
  Matrix out(m);
  for (Index i = 0; i < m.rows(); ++i) {
    const double root = std::sqrt(weights[at(i)]);
    for (Index j = 0; j < m.cols(); ++j) out(i, j) = root * (out(i, j) - means[at(j)]);
  }
  return out;
}

struct Fit {
  Matrix a;
  Vector bias;
};

// With the means taken out of features and targets, the bias is what they leave.
Fit solve(const Matrix& features, const Matrix& y, const Vector& weights, double ridge, const Monitor& monitor) {
  const Vector feature_means = weighted_means(features, weights), target_means = weighted_means(y, weights);
  const Matrix P = centred_rows(features, feature_means, weights), Y = centred_rows(y, target_means, weights);
  Matrix A(P.cols(), P.cols());
  Fit out{Matrix(P.cols(), y.cols()), target_means};
  linalg::multiply_left_transposed(1, P, P, 0, A);
  linalg::multiply_left_transposed(1, P, Y, 0, out.a);
  double trace = 0;
  for (Index c = 0; c < A.rows(); ++c) {
    trace += A(c, c);
    A(c, c) += ridge;
  }
  if (linalg::cholesky(A, monitor) != 0) {
    fail(ErrorKind::numeric,
         "rbf_network: a ridge of {} does not make the features independent; use one of at least {:.2g}, or fewer "
         "centres",
         ridge, std::max(10 * ridge, 11 * std::numeric_limits<double>::epsilon() * trace));
  }
  linalg::cholesky_solve(A, out.a);
  for (Index c = 0; c < A.rows(); ++c) {
    for (Index j = 0; j < y.cols(); ++j) out.bias[at(j)] -= feature_means[at(c)] * out.a(c, j);
  }
  return out;
}

double weighted_rmse(const Matrix& features, const Matrix& y, const Vector& weights, const Fit& fit) {
  Matrix f(y.rows(), y.cols());
  linalg::multiply(1, features, fit.a, 0, f);
  double total = 0, weight = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    weight += weights[at(i)];
    for (Index j = 0; j < y.cols(); ++j) {
      const double r = y(i, j) - f(i, j) - fit.bias[at(j)];
      total += weights[at(i)] * r * r;
    }
  }
  return std::sqrt(total / weight);
}

Expansion expansion_of(const Training& t, Basis basis, Fit fit) {
  if (basis.places) {
    return Expansion({.kernel = t.K.kernel(),
                      .centres = std::move(basis.places),
                      .alpha = std::move(fit.a),
                      .bias = std::move(fit.bias),
                      .support = {},
                      .training_size = t.K.size(),
                      .squared_norms = {}});
  }
  Matrix alpha(t.K.size(), fit.a.cols());
  for (std::size_t c = 0; c < basis.points.size(); ++c) {
    std::copy_n(fit.a.row(static_cast<Index>(c)), fit.a.cols(), alpha.row(basis.points[c]));
  }
  return t.K.expansion(alpha, std::move(fit.bias), t.how);
}

}  // namespace

Model RbfNetwork::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("rbf_network", Task::regression, training);
  detail::require_plain(training.K);
  if (centres < 1) fail(ErrorKind::usage, "rbf_network: needs at least one centre, not {}", centres);
  if (!(ridge > 0) || std::isinf(ridge)) {
    fail(ErrorKind::usage, "rbf_network: the ridge must be a finite number > 0, not {}", ridge);
  }
  const Vector weights = detail::weights_of(training);
  Report report;
  Basis basis = choose_basis(*this, training, weights, report);
  Fit network = solve(basis.features, training.y, weights, ridge, training.how.monitor);
  report.add("centres", static_cast<double>(basis.features.cols()));
  report.add("rmse", weighted_rmse(basis.features, training.y, weights, network));
  if (basis.features.cols() < centres) {
    report.notes.push_back(fmt::format("{} centres, as there are no more distinct points", basis.features.cols()));
  }
  Model::Parts parts = detail::parts_of("rbf_network", training,
                                        expansion_of(training, std::move(basis), std::move(network)), Reading::value);
  parts.report = std::move(report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model RbfNetwork::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

std::vector<Machine> detail::rbf_network_rows() {
  const RbfNetwork defaults;
  const auto text = [](auto value) { return number(static_cast<double>(value)); };
  return {{
      .name = "rbf_network",
      .purpose = "ridge regression on the kernel's values at a few centres, found by k-means",
      .problem = "min_(a,b)  sum_i w_i (y_i - sum_c a_c k(c, x_i) - b)^2 + ridge |a|^2",
      .task = Task::regression,
      .options =
          {
              {"centres", text(defaults.centres), "How many; at most as many as there are points"},
              {"ridge", text(defaults.ridge), "The price of |a|^2, > 0"},
              {"max_iterations", text(defaults.max_iterations), "Of k-means"},
              {"seed", text(defaults.seed), "Where k-means starts, or which points are drawn"},
          },
      .fit =
          [](const Settings& settings, const Training& training) {
            const SettingsReader read(machine("rbf_network"), settings);
            RbfNetwork config;
            config.centres = read.whole("centres", 1);
            config.ridge = read.positive("ridge");
            config.max_iterations = read.whole("max_iterations", 0);
            config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
            return config.fit(training);
          },
      .exceptions = {{Exception::Law::numbers, "without them there are no means, and the seed draws training points"}},
      .choosing =
          [](const Settings&, const Training*) {
            return Choosing{
                .stages = {{{"ell", {8, 4, 2, 1, 0.5}, Trial::Unit::automatic}, {"ridge", {1, 1e-2, 1e-4, 1e-6}}}},
                .most = 500};
          },
      .needs =
          [](const Settings& settings, const Extent& extent) {
            const Index centres =
                std::min(SettingsReader(machine("rbf_network"), settings).whole("centres", 1), extent.points);
            const auto n = static_cast<double>(extent.points), m = static_cast<double>(centres);
            Needs out = by_passes(extent, fmt::format("normal equations of {} centres", centres), 0);
            out.beside.push_back({"features", sizeof(double) * (2 * n * m + m * m)});  // as they are, and centred
            out.pairs = n * m;
            out.flops = 2 * n * m * m;
            return out;
          },
  }};
}

}  // namespace mercer
