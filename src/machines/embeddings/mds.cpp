#include "mercer/machines/mds.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/embeddings/component_options.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::Axes;

// Eigenvalues below minus this share of the largest are no rounding.
constexpr double kNegative = 1e-10;

constexpr double kLargest = 1e150;

constexpr double kFromDistances = 1;  // of n x n numbers: what distances become

// -d^2/2 of each number.
Gram from_distances(const Gram& distances, const Training& training) {
  const Index n = distances.size();
  detail::require_matrices("mds", training, n, kFromDistances);
  Matrix out = Matrix::uninitialized(n, n);
  distances.fill(out, training.how);
  for (Index i = 0; i < n; ++i) {
    if (out(i, i) != 0) {
      fail(ErrorKind::data,
           "mds: the distance of point {0} from itself, row {0} and column {0}, is {1} and not 0; a matrix of kernel "
           "values is for pca",
           i + 1, out(i, i));
    }
    for (Index j = 0; j < n; ++j) {
      const double d = out(i, j);
      if (d < 0) fail(ErrorKind::data, "mds: row {}, column {} is {}, and a distance is not below 0", i + 1, j + 1, d);
      if (d > kLargest) {
        fail(ErrorKind::data,
             "mds: row {}, column {} is {:g}, and its square is beyond floating point; use a larger unit", i + 1, j + 1,
             d);
      }
      out(i, j) = -0.5 * d * d;
    }
  }
  return precomputed(std::move(out));
}

// How far from Euclidean the distances are.
void add_negative(const Axes& axes, Report& report) {
  const double largest = axes.values.front(), floor = -kNegative * largest;
  report.add("smallest_eigenvalue", axes.smallest);
  if (axes.all.empty()) {
    if (axes.smallest < floor) {
      report.notes.push_back(fmt::format(
          "these are not the distances of points in a Euclidean space: there is an eigenvalue of {:.3g}, the largest "
          "being {:.3g}, which a map cannot show",
          axes.smallest, largest));
    }
    return;
  }
  Index count = 0;
  double negative = 0, all = 0;
  for (const double value : axes.all) {
    all += std::abs(value);
    if (value >= floor) continue;
    ++count;
    negative -= value;
  }
  report.add("negative_eigenvalues", static_cast<double>(count));
  report.add("negative_share", negative / all);
  if (count == 0) return;
  report.notes.push_back(fmt::format(
      "these are not the distances of points in a Euclidean space: {} of {} eigenvalues are negative, {:.2g} % of the "
      "inertia, which a map cannot show",
      count, axes.all.size(), 100 * negative / all));
}

// Shares are of the sum of all |eigenvalues|, where that is known.
Report report_of(const Axes& axes) {
  Report out;
  out.converged = axes.converged;
  if (axes.products > 0) {
    out.iterations = axes.products;
    out.stopped = axes.converged ? "optimal to the tolerance" : "the largest number of products";
    out.add("residual", axes.residual);
  }
  const bool known = axes.inertia > 0;
  Report::Table table{"components", {"eigenvalue"}, Matrix(axes.alpha.cols(), known ? 2 : 1)};
  if (known) table.columns.emplace_back("share");
  double explained = 0;
  for (Index j = 0; j < table.rows.rows(); ++j) {
    table.rows(j, 0) = axes.values[at(j)];
    if (known) explained += table.rows(j, 1) = axes.values[at(j)] / axes.inertia;
  }
  if (known) out.add("explained_share", explained);
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace

Model ClassicalMds::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("mds", Task::embedding, training);
  detail::require_unshifted(training.K);
  detail::require_components("mds", components, tolerance);
  const bool distances = training.K.kind() == GramKind::numbers;
  Training inner = training;
  const detail::AboutMean about = detail::about_mean(training.K, training.weights, training.how);
  inner.K = distances ? from_distances(training.K, training) : about.K;
  const Axes axes = detail::principal_axes({.machine = "mds",
                                            .components = components,
                                            .at_most = at_most,
                                            .solver = static_cast<detail::AxesSolver>(solver),
                                            .tolerance = tolerance,
                                            .seed = seed,
                                            .smallest = distances},
                                           inner);
  Model::Parts parts = detail::parts_of("mds", inner, inner.K.expansion(axes.alpha, axes.bias, training.how),
                                        distances ? Reading::gower : Reading::embedding);
  parts.scaling = about.moved;
  parts.fitted = axes.coordinates;
  parts.report = report_of(axes);
  if (distances) add_negative(axes, parts.report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model ClassicalMds::fit(const Gram& K) const { return fit(Training{.K = K}); }

std::vector<Machine> detail::mds_rows() {
  const ClassicalMds defaults;
  return {{
      .name = "mds",
      .purpose = "a map from distances (classical scaling): those of a matrix, or those between features",
      .problem = "min_y  sum_ij (B_ij - <y_i, y_j>)^2,  B = -1/2 H D2 H,  D2 the squared distances, H = I - 11'/n",
      .task = Task::embedding,
      .options = axes_options(defaults.components, defaults.tolerance, defaults.seed),
      .fit =
          [](const Settings& settings, const Training& training) {
            return config_for<ClassicalMds>(axes_wanted(machine("mds"), settings)).fit(training);
          },
      .exceptions = {{Exception::Law::numbers, "numbers are distances, and not the values of a kernel"}},
      .needs =
          [](const Settings& settings, const Extent& extent) {
            AxesWanted wanted = axes_wanted(machine("mds"), settings);
            wanted.smallest = extent.numbers;
            Needs out = needs_of(wanted, extent);
            if (!extent.numbers) return out;
            out.least = std::max(out.least, kFromDistances);
            out.matrices += kFromDistances;
            return out;
          },
  }};
}

}  // namespace mercer
