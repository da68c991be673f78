#include "mercer/machines/logistic.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/risk/logistic_on_centres.hpp"
#include "machines/risk/logistic_solver.hpp"
#include "machines/risk/softmax_system.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

// A class that no point speaks for would be driven to a bias of minus infinity.
void require_every_class(const Labels& labels, const Vector& weights) {
  Vector weight(labels.classes.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weight[at(labels.of[i])] += weights[i];
  for (std::size_t c = 0; c < weight.size(); ++c) {
    if (!(weight[c] > 0)) {
      fail(ErrorKind::data, "logistic: class {} has no point of positive weight; leave the class out",
           quoted(labels.classes[c]));
    }
  }
}

// Of n x n numbers, beside K: the factor of a Newton step.
constexpr int kBesideK = 1;

Expansion of_all_points(const KernelLogistic& config, const Training& training, const detail::SoftmaxLoss& loss,
                        Report& report) {
  const Gram K = detail::held("logistic", training, kBesideK);
  const double room = extent_of(training).share();
  detail::LogisticSolution found = detail::solve_logistic(config, K, loss, room, training.how.monitor, report);
  return training.K.expansion(found.alpha, std::move(found.bias), training.how);
}

Needs needs_of(const Extent& extent) {
  if (extent.centres > 0) return detail::logistic_needs_on_centres(extent);
  const Index n = extent.points, outputs = extent.outputs == 2 ? 1 : extent.outputs;
  constexpr double kSteps = 12;  // of Newton's method, as a rule
  if (auto few = detail::in_few_features(extent, kSteps)) {
    if (outputs > 1) few->solver += " and conjugate gradients";
    return *few;
  }
  Needs out =
      detail::by_all_pairs(n, kBesideK + (extent.in_memory ? 0 : 1), "Newton's method with Cholesky", kSteps / 3);
  if (outputs == 1) return out;
  out.solver = "Newton's method with conjugate gradients";
  const double direct = detail::SoftmaxSystem::bytes(n, outputs);
  if (direct > extent.share()) return out;
  out.solver += ", a factor for each class where these are slow";
  out.beside.push_back({"factors of the classes", direct});
  return out;
}

}  // namespace

Model KernelLogistic::fit(const Training& training) const {
  if (!(lambda > 0) || std::isinf(lambda)) {
    fail(ErrorKind::usage, "logistic: lambda must be a finite number above 0, not {}", lambda);
  }
  if (!(tolerance > 0)) fail(ErrorKind::usage, "logistic: tolerance must be above 0, not {}", tolerance);
  if (max_iterations < 1) fail(ErrorKind::usage, "logistic: max_iterations must be at least 1, not {}", max_iterations);
  const Threads threads = detail::check_training("logistic", Task::classification, training);
  detail::require_unshifted(training.K);
  const Vector weights = detail::weights_of(training);
  require_every_class(training.labels, weights);
  const Stopwatch watch;
  const auto classes = static_cast<Index>(training.labels.classes.size());
  const detail::SoftmaxLoss loss(classes, training.labels.of, weights);
  Report report;
  Expansion f = training.centres ? detail::logistic_on_centres(*this, training, loss, report)
                                 : of_all_points(*this, training, loss, report);
  report.seconds = watch.seconds();
  Model::Parts parts =
      detail::parts_of("logistic", training, std::move(f), classes == 2 ? Reading::binary : Reading::largest);
  parts.classes = training.labels.classes;
  if (classes == 2) {
    parts.calibration = {Calibration::Kind::sigmoids, {Sigmoid{-1, 0}}};
  } else {
    parts.calibration = {Calibration::Kind::softmax, {}};
  }
  parts.report = std::move(report);
  return Model(std::move(parts));
}

namespace detail {

std::vector<Machine> logistic_rows() {
  Machine row;
  row.name = "logistic";
  row.purpose = "probabilities of classes, by regularised maximum likelihood";
  row.problem = "minimise sum_i w_i log(1 + exp(-y_i (f(x_i) + b))) + lambda/2 |f|^2, and its form for several classes";
  row.task = Task::classification;
  row.iterative = true;
  row.options = {
      {"lambda", "1", "The price of |f|^2 / 2, > 0: 1 / C"},
      {"no_bias", "false", "Leave out b", true},
      {"tolerance", "1e-8", "Of the gradient, for each unit of weight"},
      {"max_iterations", "200", "Newton steps at most"},
  };
  row.fit = [row](const Settings& settings, const Training& training) {
    const SettingsReader read(row, settings);
    return KernelLogistic{.lambda = read.positive("lambda"),
                          .bias = !read.flag("no_bias"),
                          .tolerance = read.positive("tolerance"),
                          .max_iterations = read.whole("max_iterations", 1)}
        .fit(training);
  };
  row.choosing = [](const Settings&, const Training* training) {
    const std::size_t classes = training == nullptr ? 2 : training->labels.classes.size();
    return Choosing{
        .stages = {{{"ell", {4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}, {"lambda", {10, 1, 0.1, 0.01, 0.001}}}},
        .metric = "log_loss",
        .most = classes > 2 ? 300 : 500};
  };
  row.resumes = true;
  row.centres = OnCentres::itself;
  row.streams = true;
  row.needs = [](const Settings&, const Extent& extent) { return needs_of(extent); };
  return {row};
}

}  // namespace detail

}  // namespace mercer
