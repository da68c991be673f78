#include "machines/clusters/found.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/metrics.hpp"

namespace mercer::detail {

void require_clusters(std::string_view machine, Index clusters, VectorView weights) {
  if (clusters < 1) fail(ErrorKind::usage, "{}: {} clusters; ask for one at least", machine, clusters);
  const auto points = std::ranges::count_if(weights, [](double w) { return w > 0; });
  if (clusters <= points) return;
  fail(ErrorKind::usage, "{}: {} clusters of {} points; ask for at most as many as there are points", machine, clusters,
       points);
}

void fail_indistinct(std::string_view machine) {
  fail(ErrorKind::usage,
       "{}: the kernel does not tell any two of the points apart (they are all the same, or it is constant); there is "
       "nothing to divide",
       machine);
}

Choosing number_from_separation(const Settings& given, const Training* training) {
  if (given.contains("clusters")) return {};
  // Of two points nothing can be compared, and there are no more than two clusters.
  const bool few = training != nullptr && training->K.size() < 3;
  return {.along = few ? Settings{{"clusters", std::to_string(training->K.size())}} : Settings{},
          .while_trying = {{"clusters", "auto"}},
          .figure = "separation",
          .larger_is_better = true,
          .read = {"clusters"},
          .most = 2000};
}

void check_distinct(std::string_view machine, Index clusters, const Partition& found, Report& report) {
  const auto count = static_cast<Index>(found.masses.size());
  if (count >= clusters) return;
  if (count == 1) fail_indistinct(machine);
  report.notes.push_back(fmt::format("{} clusters instead of {}: the kernel tells only {} different points apart",
                                     count, clusters, count));
}

void add_clusters(Model::Parts& parts, const Partition& found) {
  parts.classes.clear();
  for (std::size_t c = 1; c <= found.masses.size(); ++c) parts.classes.push_back(fmt::format("{}", c));
  parts.fitted = Matrix::uninitialized(static_cast<Index>(found.of.size()), 1);
  for (Index i = 0; i < parts.fitted.rows(); ++i) parts.fitted(i, 0) = static_cast<double>(found.of[at(i)]);
}

void add_course(Report& report, const Partition& found, double tolerance) {
  report.iterations = static_cast<Index>(found.course.size()) - 1;
  report.converged = found.settled && !found.interrupted;
  report.stopped = found.interrupted ? "interrupted"
                   : !found.settled  ? "iteration limit"
                   : tolerance > 0   ? "optimal to the tolerance"
                                     : "no point is nearer to another cluster";
  Report::Table course{"course", {"iteration", "objective"}, Matrix(static_cast<Index>(found.course.size()), 2)};
  for (Index t = 0; t < course.rows.rows(); ++t) {
    course.rows(t, 0) = static_cast<double>(t);
    course.rows(t, 1) = found.course[at(t)];
  }
  report.tables.push_back(std::move(course));
}

void add_silhouette(Report& report, const Gram& K, const Partition& found, VectorView weights, const Execution& how) {
  std::vector<Index> points, of;
  Vector counts;
  double with_twins = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    points.push_back(static_cast<Index>(i));
    of.push_back(found.of[i]);
    counts.push_back(weights[i]);
    with_twins += std::max(1.0, weights[i]);
  }
  const auto clusters = static_cast<double>(found.masses.size());
  if (clusters < 2 || clusters >= with_twins) return;
  const bool all = points.size() == weights.size();
  const Silhouette looked =
      silhouette(all ? K : select(K, points), of, 2000, 1, {.tile = how.tile, .threads = how.threads}, counts);
  report.add("silhouette", looked.mean);
  if (looked.of.size() == of.size()) return;
  report.notes.push_back(
      fmt::format("the silhouette is the mean over a sample of {} of {} points", looked.of.size(), of.size()));
}

}  // namespace mercer::detail
