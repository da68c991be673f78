#include "mercer/machines/rrm.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/risk/newton.hpp"
#include "machines/risk/rrm_solver.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

// Of n x n numbers, beside K: the factor of a Newton step.
constexpr int kBesideK = 1;

void check(const RegularisedRisk& c) {
  if (!(c.ridge > 0) || std::isinf(c.ridge)) {
    fail(ErrorKind::usage, "rrm: ridge must be a finite number above 0, not {}", c.ridge);
  }
  if (!(c.delta > 0)) fail(ErrorKind::usage, "rrm: delta must be above 0, not {}", c.delta);
  if (!(c.tau > 0 && c.tau < 1)) fail(ErrorKind::usage, "rrm: tau must be between 0 and 1, not {}", c.tau);
  if (!(c.epsilon >= 0) || std::isinf(c.epsilon)) {
    fail(ErrorKind::usage, "rrm: epsilon must be a finite number, at least 0, not {}", c.epsilon);
  }
  if (c.offset && is_for_classes(c.loss)) {
    fail(ErrorKind::usage, "rrm: an offset is the median of numbers; leave it out with loss {}, which is for classes",
         name_of(c.loss));
  }
  if (!(c.tolerance > 0)) fail(ErrorKind::usage, "rrm: tolerance must be above 0, not {}", c.tolerance);
  if (c.max_iterations < 1) {
    fail(ErrorKind::usage, "rrm: max_iterations must be at least 1, not {}", c.max_iterations);
  }
}

// One column for each output: targets, or +1 for a class and -1 for the rest.
Matrix targets(const RegularisedRisk& config, const Training& training) {
  if (!is_for_classes(config.loss)) return training.y;
  const auto classes = static_cast<Index>(training.labels.classes.size());
  Matrix y(training.K.size(), classes == 2 ? 1 : classes);
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index c = 0; c < y.cols(); ++c) y(i, c) = training.labels.of[at(i)] == (classes == 2 ? 1 : c) ? 1 : -1;
  }
  return y;
}

Vector column(const Matrix& m, Index j) {
  Vector out(at(m.rows()));
  for (Index i = 0; i < m.rows(); ++i) out[at(i)] = m(i, j);
  return out;
}

// The least of the numbers at which those up to it have `share` of all weight.
double quantile(const Vector& y, const Vector& weights, double share) {
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (weights[i] > 0) order.push_back(i);
    all += weights[i];
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return y[a] < y[b]; });
  double left = share * all * (1 - 1e-12);  // in whichever order weights are added up
  for (const std::size_t i : order) {
    left -= weights[i];
    if (left <= 0) return y[i];
  }
  return y[order.back()];
}

// 1 of targets that are all 0.
double mean_size(const Vector& y, const Vector& weights) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sum += weights[i] * std::abs(y[i]);
    all += weights[i];
  }
  return sum > 0 ? sum / all : 1;
}

// Losses that grow like |y - f| have a price of |f|^2 in units of the target.
bool is_absolute(Loss loss) { return loss == Loss::quantile || loss == Loss::epsilon; }

// Sums of the outputs, and why the first that did not get there stopped.
void add_to(Report& report, const detail::RiskSolution& found) {
  if (report.converged) {
    report.converged = found.converged;
    report.stopped = found.stopped;
  }
  report.iterations += found.iterations;
}

Report summed(const std::vector<detail::RiskSolution>& outputs) {
  Report report;
  Report::Table table{
      "outputs", {"primal", "dual", "gap", "iterations", "converged"}, Matrix(static_cast<Index>(outputs.size()), 5)};
  double primal = 0, dual = 0;
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    const detail::RiskSolution& one = outputs[c];
    add_to(report, one);
    primal += one.primal;
    dual += one.dual;
    const double row[] = {one.primal, one.dual, one.primal - one.dual, static_cast<double>(one.iterations),
                          one.converged ? 1.0 : 0.0};
    std::copy(std::begin(row), std::end(row), table.rows.row(static_cast<Index>(c)));
  }
  report.add("objective_primal", primal);
  report.add("objective_dual", dual);
  report.add("duality_gap", primal - dual);
  if (outputs.size() > 1) report.tables.push_back(std::move(table));
  return report;
}

}  // namespace

Model RegularisedRisk::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Model RegularisedRisk::fit(const Training& training) const {
  check(*this);
  const bool classes = is_for_classes(loss);
  const Threads threads = detail::check_training("rrm", classes ? Task::classification : Task::regression, training);
  detail::require_unshifted(training.K);
  const Stopwatch watch;
  const Matrix y = targets(*this, training);
  const Vector weights = detail::weights_of(training);
  const Gram K = detail::held("rrm", training, kBesideK);
  std::vector<detail::RiskSolution> outputs;
  Matrix alpha(y.rows(), y.cols());
  Vector offsets;
  const auto share = 1 / static_cast<double>(y.cols());
  for (Index c = 0; c < y.cols(); ++c) {
    const double from = share * static_cast<double>(c);
    Vector target = column(y, c);
    RegularisedRisk risk = *this;
    if (offset) {
      offsets.push_back(quantile(target, weights, loss == Loss::quantile ? tau : 0.5));
      for (double& value : target) value -= offsets.back();
      if (is_absolute(loss)) risk.ridge /= mean_size(target, weights);
    }
    outputs.push_back(detail::minimise_risk(risk, K, target, weights, training.how.monitor, from, from + share));
    for (Index i = 0; i < y.rows(); ++i) alpha(i, c) = outputs.back().alpha[at(i)];
  }
  Report report = summed(outputs);
  Expansion f = training.K.expansion(alpha, offsets, training.how);
  report.add("support_points", static_cast<double>(f.size()));
  report.seconds = watch.seconds();

  const Reading reading = !classes ? Reading::value : y.cols() == 1 ? Reading::binary : Reading::largest;
  Model::Parts parts = detail::parts_of("rrm", training, std::move(f), reading);
  if (classes) parts.classes = training.labels.classes;
  if (loss == Loss::logistic) {
    parts.calibration = {Calibration::Kind::sigmoids, std::vector<Sigmoid>(at(y.cols()), Sigmoid{-1, 0})};
  }
  parts.report = std::move(report);
  return Model(std::move(parts));
}

namespace detail {

std::vector<Machine> rrm_rows() {
  Machine row;
  row.name = "rrm";
  row.purpose = "regularised risk with a loss of your choice, for numbers or classes";
  row.problem = "minimise sum_i w_i loss(y_i, f(x_i)) + ridge |f|^2";
  row.task = Task::regression;
  row.iterative = true;
  row.options = {
      {"loss", "squared", "squared, huber, quantile, epsilon; for classes hinge, squared_hinge, logistic"},
      {"ridge", "0.001", "The price of |f|^2, > 0: 1 / (2 C)"},
      {"delta", "1", "Of huber, r^2 or else 2 delta |r| - delta^2 (twice the textbook's): the |r| where it turns, > 0"},
      {"tau", "0.5", "Of quantile: the fraction of targets to lie below f, in (0, 1)"},
      {"epsilon", "0.1", "Of epsilon: errors that cost nothing, >= 0"},
      {"offset", "false",
       "Of numbers: f = b + g with b their median (of quantile, their tau), the price is of |g|^2 and in units of them",
       true},
      {"tolerance", "1e-6", "Of the duality gap, relative to the objective"},
      {"max_iterations", "1000", "Newton steps for each output at most"},
  };
  const auto loss_of = [](const SettingsReader& read) {
    return static_cast<Loss>(read.choice("loss", {loss_names().begin(), loss_names().end()}));
  };
  row.task_given = [row, loss_of](const Settings& settings) {
    return is_for_classes(loss_of(SettingsReader(row, settings))) ? Task::classification : Task::regression;
  };
  row.fit = [row, loss_of](const Settings& settings, const Training& training) {
    const SettingsReader read(row, settings);
    return RegularisedRisk{.loss = loss_of(read),
                           .ridge = read.positive("ridge"),
                           .delta = read.positive("delta"),
                           .tau = read.number("tau"),
                           .epsilon = read.number("epsilon"),
                           .offset = read.flag("offset"),
                           .tolerance = read.positive("tolerance"),
                           .max_iterations = read.whole("max_iterations", 1)}
        .fit(training);
  };
  row.choosing = [row, loss_of](const Settings& given, const Training*) {
    const Loss loss = loss_of(SettingsReader(row, given));
    const bool absolute = is_absolute(loss), relative = SettingsReader(row, given).flag("offset");
    Choosing plan{.stages = {{{"ell", {8, 4, 2, 1, 0.5}, Trial::Unit::automatic},
                              {"ridge",
                               {1, 0.1, 0.01, 1e-3, 1e-4},
                               absolute && !relative ? Trial::Unit::per_target : Trial::Unit::one}}},
                  .most = 400};
    if (loss == Loss::huber) plan.stages[0].push_back({"delta", {0.3}, Trial::Unit::target});
    if (loss == Loss::epsilon) plan.stages[0].push_back({"epsilon", {0.1}, Trial::Unit::target});
    if (loss == Loss::huber || absolute) plan.metric = "mae";
    if (loss == Loss::quantile) plan.while_trying = {{"tau", "0.5"}};  // mae is the loss of the median
    if (loss == Loss::logistic) plan.metric = "log_loss";
    return plan;
  };
  row.borders = [row, loss_of](const Model& model, const Training*) {
    Borders out;
    const Loss loss = loss_of(SettingsReader(row, model.parts().settings));
    out.margin = loss == Loss::hinge || loss == Loss::squared_hinge;
    if (loss == Loss::quantile) out.quantile = number_of(model, "tau");
    const std::optional<double> epsilon = loss == Loss::epsilon ? number_of(model, "epsilon") : std::nullopt;
    if (epsilon) out.tube.assign(at(model.expansion().outputs()), *epsilon);
    return out;
  };
  row.centres = OnCentres::as_features;
  row.needs = [](const Settings&, const Extent& extent) {
    constexpr double kSteps = 20;  // of Newton's method, as a rule
    if (auto few = in_few_features(extent, kSteps * static_cast<double>(extent.outputs))) return *few;
    return by_all_pairs(extent.points, kBesideK + (extent.in_memory ? 0 : 1), "Newton's method with Cholesky",
                        kSteps / 3 * static_cast<double>(extent.outputs));
  };
  return {row};
}

}  // namespace detail

}  // namespace mercer
