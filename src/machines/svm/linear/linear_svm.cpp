// LinearSvc and LinearSvr: their problems, and the model of what coordinate descent finds.
#include "mercer/machines/linear_svm.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/svm/class_weights.hpp"
#include "machines/svm/linear/coordinate_descent.hpp"
#include "machines/svm/linear/features.hpp"
#include "model/settings.hpp"
#include "model/tasks.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"

namespace mercer {

using namespace detail;

namespace {

template <class Config>
void check(const char* machine, const Config& config) {
  if (!(config.C > 0) || std::isinf(config.C)) {
    fail(ErrorKind::usage, "{}: C is {}; give a finite number above 0", machine, config.C);
  }
  if (!(config.bias_scale >= 0) || std::isinf(config.bias_scale)) {
    fail(ErrorKind::usage, "{}: bias_scale is {}; give a finite number, or 0 for no bias", machine, config.bias_scale);
  }
  if (!(config.tolerance > 0) || std::isinf(config.tolerance)) {
    fail(ErrorKind::usage, "{}: tolerance is {}; give a finite number above 0", machine, config.tolerance);
  }
  if (config.max_iterations < 1) {
    fail(ErrorKind::usage, "{}: max_iterations is {}; give a number above 0", machine, config.max_iterations);
  }
}

// A number of each point's content, by which most are told apart before they are compared: where its rows are numbers,
// a random sum of these.
Vector keys_of(const std::optional<Points>& x, Index n) {
  Vector out(at(n));
  if (!x || x->domain().kind != "reals") return out;
  const FeatureMatrix rows(*x);
  Random random(0);
  Vector factors(at(rows.columns()));
  for (double& factor : factors) factor = random.uniform();
  for (Index i = 0; i < n; ++i) {
    const double key = rows.dot(i, factors.data());
    if (!std::isnan(key)) out[at(i)] = key;
  }
  return out;
}

// Points that are equal, inputs and targets, as one with their cost together, in an order that their content alone
// decides. So a fit, which ends somewhere within its tolerance, ends at the same place in whatever order the points
// come, and whether one is there twice or weighs 2.
struct Ordered {
  std::vector<Index> order;
  Vector cost;  // of each point; 0 but for the first of those that are equal
};

Ordered by_content(const Training& training, const Vector& cost) {
  const auto x = training.K.points();
  const auto target = [&](Index i) {
    return training.labels.size() > 0 ? Vector{static_cast<double>(training.labels.of[at(i)])}
                                      : Vector(training.y.row(i), training.y.row(i) + training.y.cols());
  };
  const auto compare = [&](Index a, Index b) {
    if (!x) return a < b ? -1 : a > b ? 1 : 0;
    const int inputs = x->rep().compare(a, b);
    if (inputs != 0) return inputs;
    const Vector u = target(a), v = target(b);
    return u < v ? -1 : v < u ? 1 : 0;
  };
  std::vector<Index> all;
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (cost[i] > 0) all.push_back(static_cast<Index>(i));
  }
  const Vector key = keys_of(x, training.K.size());
  std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) {
    return key[at(a)] != key[at(b)] ? key[at(a)] < key[at(b)] : compare(a, b) < 0;
  });
  Ordered out{{}, Vector(cost.size())};
  for (const Index i : all) {
    if (out.order.empty() || compare(out.order.back(), i) != 0) out.order.push_back(i);
    out.cost[at(out.order.back())] += cost[at(i)];
  }
  return out;
}

// One output: its dual, and what a point with the value f loses, per C_i.
struct Output {
  LinearProblem problem;
  Vector cost;  // C_i
};

Output output_of(const Ordered& points, Vector y, MarginLoss loss, double epsilon, double bias_scale, bool classes) {
  const std::size_t n = y.size();
  Output out{{.order = points.order,
              .y = std::move(y),
              .lower = Vector(n),
              .upper = Vector(n),
              .ridge = Vector(n),
              .epsilon = epsilon,
              .bias_scale = bias_scale},
             points.cost};
  for (std::size_t i = 0; i < n; ++i) {
    if (!(out.cost[i] > 0)) continue;
    const bool squared = loss == MarginLoss::squared;
    const double most = squared ? std::numeric_limits<double>::infinity() : out.cost[i];
    if (!classes || out.problem.y[i] > 0) out.problem.upper[i] = most;
    if (!classes || out.problem.y[i] < 0) out.problem.lower[i] = -most;
    if (squared) out.problem.ridge[i] = 1 / (2 * out.cost[i]);
  }
  return out;
}

double primal_of(const Features& x, const Output& output, const LinearSolution& found, MarginLoss loss, bool classes) {
  double sum = found.size / 2;
  for (Index i = 0; i < x.points(); ++i) {
    if (!(output.cost[at(i)] > 0)) continue;
    const double y = output.problem.y[at(i)], f = x.dot(i, found.w.data()) + found.bias;
    const double lost = std::max(0.0, classes ? 1 - y * f : std::abs(y - f) - output.problem.epsilon);
    sum += output.cost[at(i)] * (loss == MarginLoss::squared ? lost * lost : lost);
  }
  return sum;
}

Expansion expansion_of(const Training& training, const Features& x, const std::vector<LinearSolution>& found) {
  const auto outputs = static_cast<Index>(found.size());
  Vector bias;
  for (const LinearSolution& one : found) bias.push_back(one.bias);
  if (!x.are_inputs()) {
    Matrix alpha(x.points(), outputs);
    for (Index i = 0; i < x.points(); ++i) {
      for (Index o = 0; o < outputs; ++o) alpha(i, o) = found[at(o)].b[at(i)];
    }
    return training.K.expansion(alpha, std::move(bias), training.how);
  }
  // w.x = k(w, x): each output has its weights for its only centre.
  Matrix weights(outputs, x.columns()), alpha(outputs, outputs);
  for (Index o = 0; o < outputs; ++o) {
    std::copy(found[at(o)].w.begin(), found[at(o)].w.end(), weights.row(o));
    alpha(o, o) = 1;
  }
  return Expansion({.kernel = training.K.kernel(),
                    .centres = named_like(rows(std::move(weights)), x.inputs()),
                    .alpha = std::move(alpha),
                    .bias = std::move(bias),
                    .support = {},
                    .training_size = training.K.size(),
                    .squared_norms = {}});
}

template <class Config>
Model::Parts solve(const char* machine, const Config& config, const Training& training,
                   const std::vector<Output>& outputs, Reading reading) {
  const Stopwatch watch;
  const bool classes = reading != Reading::value;
  const Features x(machine, training);
  std::vector<LinearSolution> found(outputs.size());
  run_tasks(Vector(outputs.size(), 1.0), training.how, machine, [&](Index o, const Execution& how) {
    found[at(o)] = coordinate_descent(x, outputs[at(o)].problem, {config.tolerance, config.max_iterations, config.seed},
                                      how.monitor);
  });
  Report report;
  double primal = 0, dual = 0, gap = 0;
  std::vector<char> used(at(x.points()));
  for (std::size_t o = 0; o < found.size(); ++o) {
    primal += primal_of(x, outputs[o], found[o], config.loss, classes);
    dual += found[o].dual;
    gap = std::max(gap, found[o].gap);
    report.iterations += found[o].passes;
    if (report.stopped.empty() || (report.converged && !found[o].converged)) report.stopped = found[o].stopped;
    report.converged = report.converged && found[o].converged;
    for (std::size_t i = 0; i < used.size(); ++i) used[i] |= found[o].b[i] != 0 ? 1 : 0;
  }
  if (!report.converged && report.stopped == "iteration limit" && config.loss == MarginLoss::linear) {
    report.notes.push_back(fmt::format(
        "{} passes were not enough: where no plane divides the points, a loss that is not squared takes the "
        "more of them the larger C is; a smaller C, or the squared loss, ends sooner",
        config.max_iterations));
  }
  report.add("objective_primal", primal);
  report.add("objective_dual", dual);
  report.add("duality_gap", primal - dual);
  report.add("gap", gap);
  report.add("support_vectors", static_cast<double>(std::count(used.begin(), used.end(), 1)));
  report.add("features", static_cast<double>(x.columns()));
  Model::Parts parts = parts_of(machine, training, expansion_of(training, x, found), reading);
  report.seconds = watch.seconds();
  parts.report = std::move(report);
  return parts;
}

}  // namespace

Model LinearSvc::fit(const Training& training) const {
  check("linear_svc", *this);
  const Threads threads = check_training("linear_svc", Task::classification, training);
  require_plain(training.K);
  Vector cost = weights_of(training);
  const Labels& labels = training.labels;
  const Vector factors = class_factors("linear_svc", class_weight, labels, cost);
  for (std::size_t i = 0; i < cost.size(); ++i) cost[i] *= C * factors[at(labels.of[i])];
  const Ordered points = by_content(training, cost);
  const auto classes = static_cast<Index>(labels.classes.size());
  std::vector<Output> outputs;
  for (Index c = classes == 2 ? 1 : 0; c < classes; ++c) {
    Vector y;
    for (const Index of : labels.of) y.push_back(of == c ? 1.0 : -1.0);
    outputs.push_back(output_of(points, std::move(y), loss, 0, bias_scale, true));
  }
  Model::Parts parts = solve("linear_svc", *this, training, outputs, classes == 2 ? Reading::binary : Reading::largest);
  parts.classes = labels.classes;
  return Model(std::move(parts));
}

Model LinearSvr::fit(const Training& training) const {
  check("linear_svr", *this);
  if (!(epsilon >= 0) || std::isinf(epsilon)) {
    fail(ErrorKind::usage, "linear_svr: epsilon is {}; give a finite number, at least 0", epsilon);
  }
  const Threads threads = check_training("linear_svr", Task::regression, training);
  require_plain(training.K);
  Vector cost = weights_of(training);
  for (double& c : cost) c *= C;
  const Ordered points = by_content(training, cost);
  std::vector<Output> outputs;
  for (Index t = 0; t < training.y.cols(); ++t) {
    Vector y;
    for (Index i = 0; i < training.y.rows(); ++i) y.push_back(training.y(i, t));
    outputs.push_back(output_of(points, std::move(y), loss, epsilon, bias_scale, false));
  }
  return Model(solve("linear_svr", *this, training, outputs, Reading::value));
}

Model LinearSvr::fit(const Gram& K, VectorView y) const { return fit(training_on(K, y)); }

namespace {

template <class Config>
Machine row(const char* name, const char* purpose, const char* problem, Task task, std::vector<MachineOption> options,
            std::function<void(const SettingsReader& read, Config& config)> more, std::vector<std::string> losses) {
  Machine machine{name, purpose, problem, task, std::move(options), {}};
  machine.options.push_back({"bias_scale", "1", "s: the bias is s times a weight that is penalised too; 0: no bias"});
  machine.options.push_back({"tolerance", "0.0001", "The largest violation of the optimality conditions at the end"});
  machine.options.push_back(
      {"max_iterations", std::to_string(Config{}.max_iterations), "Passes over the points at most"});
  machine.options.push_back({"seed", "0", "Of the order of the steps"});
  machine.iterative = true;
  machine.kernel = "linear()";
  machine.fit = [name, more = std::move(more), losses = std::move(losses)](const Settings& settings,
                                                                           const Training& training) {
    const SettingsReader read(mercer::machine(name), settings);
    Config config;
    config.C = read.positive("C");
    config.loss = read.choice("loss", losses) == 0 ? MarginLoss::linear : MarginLoss::squared;
    config.bias_scale = read.number("bias_scale");
    config.tolerance = read.positive("tolerance");
    config.max_iterations = read.whole("max_iterations", 1);
    config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
    more(read, config);
    return config.fit(training);
  };
  machine.centres = OnCentres::as_features;
  machine.needs = [](const Settings&, const Extent& extent) { return needs_of_features(extent); };
  return machine;
}

}  // namespace

std::vector<Machine> detail::linear_svm_rows() {
  Machine svc = row<LinearSvc>(
      "linear_svc", "support vector classification on features, for many points",
      "min 1/2 |f|^2 + b^2 / (2 s^2) + sum_i C_i max(0, 1 - y_i (f(x_i) + b))^p, C_i = C w_i (weight of the class of "
      "i), p = 1 or 2",
      Task::classification,
      {{"C", "1", "The price of a violation of the margin, above 0"},
       {"loss", "squared_hinge", "hinge (p = 1), or squared_hinge (p = 2)"},
       {"class_weight", "", "Factors of C: balanced, or NAME=WEIGHT,NAME=WEIGHT"}},
      [](const SettingsReader& read, LinearSvc& config) {
        config.class_weight = class_weights("linear_svc", read.text("class_weight"));
      },
      {"hinge", "squared_hinge"});
  svc.choosing = [](const Settings& given, const Training*) {
    Choosing plan{.stages = {{{"C", {0.01, 0.1, 1, 10, 100}}}}};
    if (given.contains("class_weight")) plan.metric = "balanced_accuracy";
    return plan;
  };
  svc.borders = [](const Model&, const Training*) { return Borders{.margin = true}; };
  Machine svr = row<LinearSvr>(
      "linear_svr", "support vector regression on features, for many points",
      "min 1/2 |f|^2 + b^2 / (2 s^2) + sum_i C_i max(0, |y_i - f(x_i) - b| - epsilon)^p, C_i = C w_i, p = 1 or 2",
      Task::regression,
      {{"C", "1", "The price of a violation, above 0"},
       {"epsilon", "0", "Errors up to this are free, at least 0"},
       {"loss", "epsilon_insensitive", "epsilon_insensitive (p = 1), or squared_epsilon_insensitive (p = 2)"}},
      [](const SettingsReader& read, LinearSvr& config) { config.epsilon = read.number("epsilon"); },
      {"epsilon_insensitive", "squared_epsilon_insensitive"});
  svr.choosing = [](const Settings&, const Training*) {
    return Choosing{.stages = {{{"C", {0.01, 0.1, 1, 10, 100}}}}};
  };
  svr.borders = [](const Model& model, const Training*) {
    const double epsilon = number_of(model, "epsilon").value_or(0);  // which it is where nobody says otherwise
    return Borders{.tube = epsilon > 0 ? Vector(at(model.expansion().outputs()), epsilon) : Vector()};
  };
  return {std::move(svc), std::move(svr)};
}

}  // namespace mercer
