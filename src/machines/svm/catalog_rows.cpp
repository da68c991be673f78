// The support vector machines' rows of the catalog.
#include "machines/catalog_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/svm/class_weights.hpp"
#include "machines/svm/cross.hpp"
#include "machines/svm/dual.hpp"
#include "mercer/invariance.hpp"
#include "model/settings.hpp"
#include "model/target_scale.hpp"
#include "model/training.hpp"

namespace mercer::detail {

namespace {

const MachineOption kCost{"C", "1", "The price of a violation, above 0"};
const MachineOption kOverM{"C_over_m", "false", "Divide C by the number of points (the sum of their weights)", true};
const MachineOption kNoBias{"no_bias", "false", "Leave out b", true};
const MachineOption kMultiClass{"multi_class", "one_vs_one", "one_vs_one, or one_vs_rest"};
const MachineOption kProbability{"probability", "false", "Fit probabilities on scores of points held out in 5 folds",
                                 true};

const MachineOption kScaleTarget{"scale_target", "none",
                                 "none, or standard: C, epsilon and tolerance are for targets of mean 0 and sd 1"};

// What is tried. Length scales as multiples of auto, from smooth to wiggly.
const Trial kWidths{"ell", {4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic};

// Kernels that fall off faster than any Gaussian are better where classes and functions change abruptly.
const std::vector<std::string> kRougher = {"matern(nu=1.5, ell=auto)", "laplace(ell=auto)"};

// A trial that has not converged after so many steps is worth no more of them.
Settings hurried(const Settings& given) {
  return given.contains("max_iterations") ? Settings{} : Settings{{"max_iterations", "30000"}};
}

// nu is feasible up to twice the share of the smaller side of each problem.
double largest_nu(const Training& training, bool one_vs_rest) {
  Vector weight(training.labels.classes.size());
  const Vector of_points = weights_of(training);
  for (std::size_t i = 0; i < of_points.size(); ++i) weight[at(training.labels.of[i])] += of_points[i];
  double least = std::numeric_limits<double>::infinity(), most = 0, total = 0;
  for (const double w : weight) {
    if (w > 0) least = std::min(least, w);
    most = std::max(most, w);
    total += w;
  }
  return std::min(1.0, 2 * least / (one_vs_rest ? total : least + most));
}

Choosing choosing_classes(const Settings& given, const Trial& penalty) {
  Choosing plan{.stages = {{kWidths, penalty}}, .while_trying = hurried(given), .finals = 6000};
  plan.while_trying["probability"] = "false";
  plan.while_trying["invariance"] = "";
  if (given.contains("class_weight")) plan.metric = "balanced_accuracy";
  return plan;
}

// Where C is divided by the number of points, it has to be that much larger.
Trial costs(std::vector<double> values, const Settings& given, const Training* training) {
  const auto divided = given.find("C_over_m");
  if (training != nullptr && divided != given.end() && divided->second == "true") {
    const Vector weights = weights_of(*training);
    const double m = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& value : values) value *= m;
  }
  return {"C", std::move(values)};
}

// C and epsilon that are given are in the units of the target, which then stays as it is.
Choosing choosing_numbers(const Settings& given, const Training* training, const Trial& start, const Trial& tube) {
  const bool own_units = given.contains("C") || given.contains("epsilon") || given.contains("tolerance");
  const Trial widths{"ell", {8, 4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic};
  Trial costs_here = costs({1, 10, 100, 1000}, given, training);
  costs_here.unit = Trial::Unit::target;
  Choosing plan{.stages = {{widths, costs_here, start}, {costs_here, tube}},
                .while_trying = hurried(given),
                .most = 600,
                .finals = 3000};
  plan.while_trying["invariance"] = "";
  if (!own_units) plan.along = {{"scale_target", "standard"}};
  return plan;
}

const MachineOption kInvariance{"invariance", "",
                                "Maps of rows that make copies of its support vectors, to which it is fitted again: "
                                "shift(28x28, 1), rotate, scale, "
                                "flip; several with commas"};

// Those that are named, and those that are given as functions.
std::vector<RowMap> invariance(const SettingsReader& read, const std::vector<RowMap>& own) {
  const std::string text = read.text("invariance");
  std::vector<RowMap> out = text.empty() ? std::vector<RowMap>() : row_map_list(text);
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

std::vector<RowMap> own_maps(const Training& training) {
  return training.origin ? training.origin->invariance : std::vector<RowMap>();
}

void add_limits(Machine& machine) {
  machine.options.push_back({"tolerance", "0.001", "The largest violation of the KKT conditions at the end"});
  machine.options.push_back({"max_iterations", "0", "Pair updates of each problem at most; 0: no limit"});
  machine.options.push_back({"max_seconds", "inf", "Seconds of the whole fit at most"});
}

double bytes_beside(const Needs& needs) {
  double out = 0;
  for (const Room& room : needs.beside) out += room.bytes;
  return out;
}

// How many points and copies there are to fit to: the more points, the smaller the share of them that are support
// vectors, as digits have shown (0.52 of 5,000, 0.22 of 60,000).
Index with_copies(Index points, Index copies) {
  constexpr double kShare = 0.25, kOf = 5e4;
  const double share = std::min(1.0, kShare * std::cbrt(kOf / static_cast<double>(std::max<Index>(1, points))));
  return static_cast<Index>(share * static_cast<double>(points) * static_cast<double>(1 + copies));
}

// A fit to points is followed by one to copies of its support vectors, and both are made for a sample as well, of which
// a quarter says what copies do (src/selection/copies_held_out.cpp). How many there will be is not known before.
void add_fits_to_copies(Needs& needs, const Extent& extent, Index variables, Index copies) {
  constexpr double kMoreRows = 3;  // because more of these are support vectors again, as digits have shown
  constexpr Index kSample = 9000;
  const auto of = [&](Index points) {
    Extent some = extent;
    some.points = points;
    some.in_memory = false;
    return needs_of_duals(some, variables);
  };
  const Index points = with_copies(extent.points, copies), sample = std::min(kSample, extent.points / 4 * 3);
  const Needs second = of(points), tried = of(sample), tried_again = of(with_copies(sample, copies));
  needs.pairs += kMoreRows * (second.pairs + tried_again.pairs) + tried.pairs;
  needs.flops += second.flops + tried.flops + tried_again.flops;
  if (bytes_beside(second) > bytes_beside(needs)) needs.beside = second.beside;
  needs.least_bytes = std::max(needs.least_bytes, second.least_bytes);
  needs.beside.push_back({"support vectors and copies of them",
                          needs.copies * sizeof(double) * static_cast<double>(points) * extent.stored});
  needs.solver += ", and again with copies of support vectors";
}

// The machine's reader of settings; `fit` gets the row it belongs to from the catalog, so that defaults stand once.
template <class Fit>
Machine row(const char* name, const char* purpose, const char* problem, Task task, std::vector<MachineOption> options,
            Fit fit) {
  Machine machine{name, purpose, problem, task, std::move(options), {}};
  machine.options.push_back(kInvariance);
  add_limits(machine);
  machine.iterative = machine.takes_start = machine.warm_start = machine.keeps_time = machine.resumes = true;
  const auto configure = [name, fit](const Settings& settings) {
    const SettingsReader read(mercer::machine(name), settings);
    auto config = fit(read);
    config.tolerance = read.positive("tolerance");
    config.max_iterations = read.whole("max_iterations", 0);
    config.max_seconds = read.positive("max_seconds");
    return config;
  };
  machine.fit = [name, configure](const Settings& settings, const Training& training) {
    const SettingsReader read(mercer::machine(name), settings);
    const std::vector<RowMap> maps = invariance(read, own_maps(training));
    if (maps.empty()) return configure(settings).fit(training);
    if (read.text("probability") == "true") {
      fail(ErrorKind::usage,
           "{}: probabilities are fitted to points held out, and a copy of such a point would be fitted to; leave out "
           "`probability` or `invariance`",
           name);
    }
    const auto config = configure(settings);
    // The option is of the whole fit too.
    const bool own_limit = config.max_seconds < training.seconds;
    Training all = training;
    if (own_limit) all.seconds = config.max_seconds;
    return fit_invariant(maps, all, [&](const Training& points) {
      if (!own_limit) return config.fit(points);
      auto part = config;
      part.max_seconds = std::max(points.seconds, std::numeric_limits<double>::min());
      Training own = points;
      own.seconds = training.seconds;
      return part.fit(own);
    });
  };
  machine.centres = OnCentres::as_features;
  machine.needs = [name, task](const Settings& settings, const Extent& extent) {
    const Index variables = task == Task::regression ? 2 : 1;
    Needs out = needs_of_duals(extent, variables);
    Index copies = 0;
    for (const RowMap& map : invariance(SettingsReader(mercer::machine(name), settings), {})) copies += map.copies();
    if (copies > 0) add_fits_to_copies(out, extent, variables, copies);
    return out;
  };
  using Config = decltype(configure(Settings{}));
  if constexpr (!std::is_same_v<Config, OneClass>) {  // which has nothing to be scored by
    machine.cross = [name, configure](const Crossing& crossing) -> std::vector<HeldOut> {
      for (const Settings& settings : crossing.settings) {
        if (!invariance(SettingsReader(mercer::machine(name), settings), own_maps(crossing.training)).empty())
          return {};
      }
      return cross(crossing, std::function<Config(const Settings&)>(configure));
    };
  }
  return machine;
}

MultiClass multi_class(const SettingsReader& read) {
  return read.choice("multi_class", {"one_vs_one", "one_vs_rest"}) == 0 ? MultiClass::one_vs_one
                                                                        : MultiClass::one_vs_rest;
}

// f is brought to the scale on which the margin is 1, also by nusvc, which finds its width.
Borders margin(const Model&, const Training*) { return {.margin = true}; }

Machine svc_row() {
  Machine out = row("svc", "support vector classification",
                    "min 1/2 |f|^2 + sum_i C_i max(0, 1 - y_i (f(x_i) + b)), C_i = C w_i (weight of the class of i)",
                    Task::classification,
                    {{"C", "1", "The price of a violation of the margin, above 0; inf: a hard margin"},
                     kOverM,
                     {"class_weight", "", "Factors of C: balanced, or NAME=WEIGHT,NAME=WEIGHT"},
                     kMultiClass,
                     kProbability,
                     kNoBias},
                    [](const SettingsReader& read) {
                      return Svc{.C = read.positive("C"),
                                 .C_over_m = read.flag("C_over_m"),
                                 .class_weight = class_weights("svc", read.text("class_weight")),
                                 .multi_class = multi_class(read),
                                 .probability = read.flag("probability"),
                                 .bias = !read.flag("no_bias")};
                    });
  out.choosing = [](const Settings& given, const Training* training) {
    Choosing plan = choosing_classes(given, costs({0.1, 1, 10, 100, 1000}, given, training));
    plan.kernels = kRougher;
    return plan;
  };
  out.borders = margin;
  return out;
}

Machine nusvc_row() {
  Machine out =
      row("nusvc", "support vector classification with a bound on the fraction of margin errors",
          "min 1/2 |f|^2 - nu W r + sum_i w_i max(0, r - y_i (f(x_i) + b)), W = sum_i w_i", Task::classification,
          {{"nu", "0.5", "At most this fraction inside the margin, at least this fraction support vectors; in (0, 1]"},
           kMultiClass,
           kProbability},
          [](const SettingsReader& read) {
            return NuSvc{
                .nu = read.number("nu"), .multi_class = multi_class(read), .probability = read.flag("probability")};
          });
  out.choosing = [](const Settings& given, const Training* training) {
    Trial nus{"nu", {0.6, 0.4, 0.2, 0.1, 0.05, 0.02}};
    const auto split = given.find("multi_class");
    const bool one_vs_rest = split != given.end() && split->second == "one_vs_rest";
    for (double& nu : nus.values) nu *= training == nullptr ? 1 : largest_nu(*training, one_vs_rest);
    return choosing_classes(given, nus);
  };
  out.borders = margin;
  return out;
}

bool scale_target(const SettingsReader& read) { return read.choice("scale_target", {"none", "standard"}) == 1; }

// In the units of each target.
Borders tube_given(const Model& model, const Training* training) {
  const std::optional<double> epsilon = number_of(model, "epsilon");
  const std::string scale = setting_of(model, "scale_target");
  const bool scaled = scale == "standard" || scale == "true";  // files of before say true
  if (!epsilon || (scaled && training == nullptr)) return {};
  Borders out{.tube = Vector(at(model.expansion().outputs()), *epsilon)};
  if (!scaled) return out;
  const std::vector<TargetScale> scales = target_scales(training->y, training->weights);
  for (std::size_t t = 0; t < out.tube.size(); ++t) out.tube[t] *= scales[t].deviation;
  return out;
}

// The figure is that of one target.
Borders tube_found(const Model& model, const Training*) {
  const std::optional<double> epsilon = model.report().figure("epsilon");
  return {.tube = epsilon ? Vector(at(model.expansion().outputs()), *epsilon) : Vector()};
}

Machine svr_row() {
  Machine out =
      row("svr", "support vector regression",
          "min 1/2 |f|^2 + sum_i C_i max(0, |y_i - f(x_i) - b| - epsilon), C_i = C w_i", Task::regression,
          {kCost, {"epsilon", "0.1", "Errors up to this are free, at least 0"}, kScaleTarget, kOverM, kNoBias},
          [](const SettingsReader& read) {
            return Svr{.C = read.positive("C"),
                       .epsilon = read.number("epsilon"),
                       .C_over_m = read.flag("C_over_m"),
                       .scale_target = scale_target(read),
                       .bias = !read.flag("no_bias")};
          });
  out.choosing = [](const Settings& given, const Training* training) {
    Choosing plan = choosing_numbers(given, training, {"epsilon", {0.1}, Trial::Unit::target},
                                     {"epsilon", {0.3, 0.1, 0.01}, Trial::Unit::target});
    plan.kernels = kRougher;
    return plan;
  };
  out.borders = tube_given;
  return out;
}

Machine nusvr_row() {
  Machine out =
      row("nusvr", "support vector regression that finds its tube",
          "min 1/2 |f|^2 + sum_i C_i (nu epsilon + max(0, |y_i - f(x_i) - b| - epsilon)), C_i = C w_i, epsilon free",
          Task::regression,
          {kCost, {"nu", "0.5", "At most this fraction of the points outside the tube; in (0, 1]"}, kScaleTarget},
          [](const SettingsReader& read) {
            return NuSvr{.C = read.positive("C"), .nu = read.number("nu"), .scale_target = scale_target(read)};
          });
  out.choosing = [](const Settings& given, const Training* training) {
    return choosing_numbers(given, training, {"nu", {0.5}}, {"nu", {0.25, 0.5, 0.8}});
  };
  out.borders = tube_found;
  return out;
}

Machine oneclass_row() {
  return row("oneclass", "novelty: where the points are, and where they are not",
             "min 1/2 |f|^2 - nu W rho + sum_i w_i max(0, rho - f(x_i)), W = sum_i w_i", Task::novelty,
             {{"nu", "0.5", "At most this fraction of the points called novel; in (0, 1]"}},
             [](const SettingsReader& read) { return OneClass{.nu = read.number("nu")}; });
}

}  // namespace

std::vector<Machine> svm_rows() { return {svc_row(), nusvc_row(), svr_row(), nusvr_row(), oneclass_row()}; }

}  // namespace mercer::detail
