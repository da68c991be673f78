#include "mercer/machines/pca.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/embeddings/component_options.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::Axes;

Report report_of(const Axes& axes, double weight) {
  Report out;
  out.converged = axes.converged;
  if (axes.products > 0) {
    out.iterations = axes.products;
    out.stopped = axes.converged ? "optimal to the tolerance" : "the largest number of products";
    out.add("residual", axes.residual);
  }
  Report::Table table{"components", {"eigenvalue", "variance", "share"}, Matrix(axes.alpha.cols(), 3)};
  double explained = 0;
  for (Index j = 0; j < table.rows.rows(); ++j) {
    const double value = axes.values[at(j)];
    explained += value / axes.total;
    table.rows(j, 0) = value;
    table.rows(j, 1) = value / weight;
    table.rows(j, 2) = value / axes.total;
  }
  out.add("total_variance", axes.total / weight);
  out.add("explained_share", explained);
  out.tables.push_back(std::move(table));
  return out;
}

// The coordinates, and |phi(x) - mean|^2 = k(x, x) - 2 sum_i p_i k(x_i, x) + |mean|^2.
Expansion with_distance(const Axes& axes, const Training& training) {
  const Index outputs = axes.alpha.cols() + 1;
  Expansion::Parts found;
  found.bias = axes.bias;
  found.bias.push_back(axes.mean_square);
  found.self.assign(at(outputs), 0.0);
  found.self.back() = 1;
  found.support = detail::weighted_points(training);
  found.alpha = Matrix(static_cast<Index>(found.support.size()), outputs);
  for (Index i = 0; i < found.alpha.rows(); ++i) {
    const Index point = found.support[at(i)];
    std::copy_n(axes.alpha.row(point), outputs - 1, found.alpha.row(i));
    found.alpha(i, outputs - 1) = -2 * axes.weights[at(point)];
  }
  return training.K.expansion(std::move(found), training.how);
}

}  // namespace

Model KernelPca::fit(const Training& given) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("pca", Task::embedding, given);
  detail::require_unshifted(given.K);
  Training training = given;
  const detail::AboutMean about = detail::about_mean(given.K, given.weights, given.how);
  training.K = about.K;
  detail::require_components("pca", components, tolerance);
  const Axes axes = detail::principal_axes({.machine = "pca",
                                            .components = components,
                                            .at_most = at_most,
                                            .solver = static_cast<detail::AxesSolver>(solver),
                                            .tolerance = tolerance,
                                            .seed = seed},
                                           training);
  double weight = 0;
  for (const double w : detail::weights_of(training)) weight += w;
  const bool known = training.K.kind() == GramKind::kernel;
  Model::Parts parts = detail::parts_of(
      "pca", training,
      known ? with_distance(axes, training) : training.K.expansion(axes.alpha, axes.bias, training.how),
      known ? Reading::projection : Reading::embedding);
  parts.scaling = about.moved;
  parts.fitted = axes.coordinates;
  parts.report = report_of(axes, weight);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelPca::fit(const Gram& K) const { return fit(Training{.K = K}); }

Vector reconstruction_errors(const Model& pca, const Points& x, const Execution& how) {
  if (!(pca.parts().reading == Reading::projection)) {
    fail(ErrorKind::usage,
         "reconstruction_errors: {} of {} does not know the distance from its mean; fit a pca with a "
         "kernel",
         name_of(pca.parts().reading), pca.parts().machine);
  }
  const Matrix scores = pca.scores(x, how);
  const Index last = scores.cols() - 1;
  Vector out;
  for (Index i = 0; i < scores.rows(); ++i) {
    double rest = scores(i, last);
    for (Index j = 0; j < last; ++j) rest -= scores(i, j) * scores(i, j);
    out.push_back(std::max(rest, 0.0));
  }
  return out;
}

std::vector<Machine> detail::pca_rows() {
  const KernelPca defaults;
  return {{
      .name = "pca",
      .purpose = "coordinates along the directions in feature space in which the points differ most",
      .problem = "max_v  sum_i w_i <phi(x_i) - mean, v>^2,  |v| = 1,  each v orthogonal to those before",
      .task = Task::embedding,
      .options = axes_options(defaults.components, defaults.tolerance, defaults.seed),
      .fit =
          [](const Settings& settings, const Training& training) {
            return config_for<KernelPca>(axes_wanted(machine("pca"), settings)).fit(training);
          },
      .exceptions = {{Exception::Law::numbers,
                      "numbers k(x, X) do not say k(x, x), so a model of them has no distance from the mean"}},
      .centres = OnCentres::as_features,
      .needs = [](const Settings& settings,
                  const Extent& extent) { return needs_of(axes_wanted(machine("pca"), settings), extent); },
  }};
}

}  // namespace mercer
