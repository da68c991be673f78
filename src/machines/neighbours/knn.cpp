#include "mercer/machines/knn.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "model/voting.hpp"
#include "selection/equal_points.hpp"

namespace mercer {

namespace {

using detail::Vote;
using detail::Voting;

bool has_classes(const Training& training) { return !training.labels.of.empty(); }

// w_i at the class of each point, or w_i times its targets and w_i last; of those whose weight is not 0.
Matrix coefficients(const Training& training, std::span<const Index> points, VectorView weights) {
  const bool classes = has_classes(training);
  const Index outputs = classes ? static_cast<Index>(training.labels.classes.size()) : training.y.cols() + 1;
  Matrix alpha(static_cast<Index>(points.size()), outputs);
  for (Index i = 0; i < alpha.rows(); ++i) {
    const Index point = points[at(i)];
    const double weight = weights[at(point)];
    if (classes) {
      alpha(i, training.labels.of[at(point)]) = weight;
      continue;
    }
    for (Index t = 0; t + 1 < outputs; ++t) alpha(i, t) = weight * training.y(point, t);
    alpha(i, outputs - 1) = weight;
  }
  return alpha;
}

// The error of each point as the others see it, weighted: whether it is another class, or the squares of all targets.
class LeaveOneOut {
 public:
  LeaveOneOut(const Training& training, std::span<const Index> points, const Matrix& alpha)
      : training_(training), points_(points), alpha_(alpha), errors_(points.size()) {}

  void add(Index i, std::span<const Vote> votes) {
    const Index point = points_[at(i)];
    Vector found(at(alpha_.cols()));
    if (has_classes(training_)) {
      detail::class_shares(alpha_, votes, found.data());
      const auto best = std::max_element(found.begin(), found.end()) - found.begin();
      errors_[at(i)] = best == training_.labels.of[at(point)] ? 0 : 1;
      return;
    }
    detail::mean_targets(alpha_, votes, found.data());
    for (Index t = 0; t < training_.y.cols(); ++t) errors_[at(i)] += std::pow(training_.y(point, t) - found[at(t)], 2);
  }

  void report(VectorView weights, Report& to) const {
    double error = 0, total = 0;
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      error += weights[i] * errors_[i];
      total += weights[i];
    }
    if (has_classes(training_)) return to.add("leave_one_out_error", error / total);
    to.add("leave_one_out_rmse", std::sqrt(error / (total * static_cast<double>(training_.y.cols()))));
  }

 private:
  const Training& training_;
  std::span<const Index> points_;
  const Matrix& alpha_;
  Vector errors_;
};

// Of each of the points the place of the first that is equal to it.
std::vector<Index> equals_among(std::span<const Index> points, const std::vector<Index>& equal_to) {
  std::vector<Index> first(equal_to.size(), -1), out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Index& place = first[at(equal_to[at(points[i])])];
    if (place < 0) place = static_cast<Index>(i);
    out.push_back(place);
  }
  return out;
}

void leave_one_out(const Training& training, std::span<const Index> points, const std::vector<Index>& equal_to,
                   const Voting& voting, VectorView own, LeaveOneOut& errors) {
  const Gram& K = training.K;
  const std::vector<Index> equals = equals_among(points, equal_to);
  if (K.kind() == GramKind::kernel) {
    const Points x = K.points()->select(points);
    detail::for_each_vote(detail::Bound(*K.kernel(), x, x, detail::Of::distance), voting, equals, training.how,
                          [&](Index i, std::span<const Vote> votes) { errors.add(i, votes); });
    return;
  }
  Vector k(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    training.how.monitor.report({"knn", static_cast<double>(i) / static_cast<double>(points.size())});
    const Matrix row = K.rows(points.subspan(i, 1));
    for (std::size_t c = 0; c < k.size(); ++c) k[c] = row(0, points[c]);
    const auto point = static_cast<Index>(i);
    errors.add(point, detail::votes_from_numbers(voting, k, own, own[i], {equals, point}));
  }
}

}  // namespace

Model KernelKnn::fit(const Training& training) const {
  const Stopwatch watch;
  const bool classes = has_classes(training);
  const char* name = classes ? "knn" : "knn_regression";
  const Threads threads = detail::check_training(name, classes ? Task::classification : Task::regression, training);
  detail::require_plain(training.K);
  if (neighbours < 1) fail(ErrorKind::usage, "{}: {} neighbours; at least one is needed", name, neighbours);
  training.how.monitor.report({name, 0});
  const Vector weights = detail::weights_of(training);
  const std::vector<Index> points = detail::weighted_points(training);
  const Index count = static_cast<Index>(points.size());
  Matrix alpha = coefficients(training, points, weights);
  Vector multiplicities(at(count));
  Matrix readout(count + 2, 1);
  readout(0, 0) = static_cast<double>(neighbours);
  readout(1, 0) = by_distance ? 1 : 0;
  const Vector diagonal = training.K.diagonal();
  for (Index i = 0; i < count; ++i) {
    multiplicities[at(i)] = weights[at(points[at(i)])];
    readout(2 + i, 0) = diagonal[at(points[at(i)])];
  }
  const Voting voting(multiplicities, neighbours, by_distance);

  Report report;
  if (loo) {
    const std::vector<Index> equal_to = detail::first_equal(training.K);
    const detail::Counted counted = detail::count_points(training, equal_to);
    if (counted.different > 1) {
      LeaveOneOut errors(training, points, alpha);
      leave_one_out(training, points, equal_to, voting, {readout.data() + 2, at(count)}, errors);
      errors.report(multiplicities, report);
    }
    if (counted.some_equal()) report.notes.push_back(detail::left_out_together(counted));
  }
  Expansion::Parts found{.alpha = std::move(alpha), .support = points};
  if (by_distance) found.self.assign(at(found.alpha.cols()), 0.0);  // k(x, x) is asked for beside numbers
  Model::Parts parts = detail::parts_of(name, training, training.K.expansion(std::move(found), training.how),
                                        classes ? Reading::nearest_classes : Reading::nearest_numbers);
  parts.readout = std::move(readout);
  if (classes) {
    parts.classes = training.labels.classes;
    parts.calibration.kind = Calibration::Kind::shares;
  }
  parts.report = std::move(report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

namespace {

Model fit_from(const char* name, const Settings& settings, const Training& training) {
  const detail::SettingsReader read(machine(name), settings);
  return KernelKnn{.neighbours = read.whole("neighbours", 1),
                   .by_distance = read.choice("votes", {"equal", "distance"}) == 1,
                   .loo = read.flag("loo")}
      .fit(training);
}

Machine row_of(const char* name, const char* purpose, const char* problem, Task task, const char* figure) {
  return {
      .name = name,
      .purpose = purpose,
      .problem = problem,
      .task = task,
      .options = {{"neighbours", "5", "How many of the nearest points vote, a whole number >= 1"},
                  {"votes", "equal", "The weight of a vote: equal, or distance: 1 over the distance"},
                  {"loo", "false", "Report the error of points left out, which looks at all pairs", true}},
      .fit = [name](const Settings& settings, const Training& training) { return fit_from(name, settings, training); },
      .kernel = "linear()",
      .choosing =
          [figure](const Settings& given, const Training*) {
            Choosing plan{.while_trying = {{"loo", "true"}}, .figure = figure, .most = 5000};
            if (!given.contains("neighbours")) {
              plan.stages = {{{"neighbours", {50, 30, 20, 15, 10, 7, 5, 3, 2, 1}}}};
            }
            return plan;
          },
      .needs =
          [name](const Settings& settings, const Extent& extent) {
            const bool all = detail::SettingsReader(machine(name), settings).flag("loo");
            return detail::by_passes(extent, "nearest neighbours", all ? 1 : 0);
          },
  };
}

}  // namespace

std::vector<Machine> detail::knn_rows() {
  return {row_of("knn", "the class that most of the nearest points have",
                 "argmax_c  sum_i [y_i = c] over the points x_i nearest to x in feature space", Task::classification,
                 "leave_one_out_error"),
          row_of("knn_regression", "the mean of the nearest points' targets",
                 "f(x) = argmin_c  sum_i (y_i - c)^2 over the points x_i nearest to x in feature space",
                 Task::regression, "leave_one_out_rmse")};
}

}  // namespace mercer
