#include "mercer/machines/kde.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "selection/equal_points.hpp"

namespace mercer {

Model KernelDensity::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("kde", Task::density, training);
  const auto k = training.K.kernel();
  const auto x = training.K.points();
  if (!k || !x) {
    fail(ErrorKind::usage, "kde: a density needs the kernel itself, not a matrix of numbers; give a kernel and points");
  }
  detail::require_plain(training.K);
  training.how.monitor.report({"kde", 0});
  const double Z = integral(*k, *x);
  const Vector weights = detail::weights_of(training);
  double total = 0;
  for (const double w : weights) total += w;
  Matrix alpha(training.K.size(), 1);
  for (Index i = 0; i < alpha.rows(); ++i) alpha(i, 0) = weights[at(i)] / (total * Z);

  Expansion f = training.K.expansion(alpha);
  Model::Parts parts = detail::parts_of("kde", training, std::move(f), Reading::density);
  parts.report.add("integral", Z);
  const Matrix density = training.K.multiply(alpha.view(), training.how);
  const Vector diagonal = training.K.diagonal();
  const std::vector<Index> equal_to = detail::first_equal(training.K);
  Vector together(weights.size());  // the weight of all that are equal to a first point
  for (std::size_t i = 0; i < weights.size(); ++i) together[at(equal_to[i])] += weights[i];
  double likelihood = 0;
  Index lonely = 0;
  for (Index i = 0; i < alpha.rows(); ++i) {
    const double w = weights[at(i)], here = together[at(equal_to[at(i)])];
    if (w == 0) continue;
    const double others = (density(i, 0) - here / (total * Z) * diagonal[at(i)]) * total / (total - here);
    if (!(others > 0)) ++lonely;
    likelihood += w / total * std::log(std::max(others, std::numeric_limits<double>::min()));
  }
  if (lonely == 0) {
    parts.report.add("leave_one_out_log_likelihood", likelihood);
    const detail::Counted counted = detail::count_points(training, equal_to);
    if (counted.some_equal()) parts.report.notes.push_back(detail::left_out_together(counted));
  } else {
    parts.report.notes.push_back(fmt::format(
        "{} points have no density from the others, so there is no leave-one-out likelihood; a larger ell gives one",
        lonely));
  }
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelDensity::fit(const Gram& K) const { return fit(Training{.K = K}); }

std::vector<Machine> detail::kde_rows() {
  return {{
      .name = "kde",
      .purpose = "the density of the inputs, by a kernel that has an integral",
      .problem = "f(x) = sum_i w_i k(x_i, x) / (Z sum_i w_i), Z the integral of k",
      .task = Task::density,
      .options = {},
      .fit = [](const Settings&, const Training& training) { return KernelDensity{}.fit(training); },
      .exceptions = {{Exception::Law::numbers, "numbers alone have no integral, and are refused"}},
      .choosing =
          [](const Settings&, const Training*) {
            return Choosing{.stages = {{{"ell",
                                         {1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09, 0.06, 0.045, 0.03},
                                         Trial::Unit::automatic}}},
                            .figure = "leave_one_out_log_likelihood",
                            .larger_is_better = true,
                            .refine = true,
                            .most = 10000};
          },
      .needs = [](const Settings&, const Extent& extent) { return by_passes(extent, "one product with K", 1); },
  }};
}

}  // namespace mercer
