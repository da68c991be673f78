// Ridge regression in the catalog: its options, what is chosen, and folds held out in closed form.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/least_squares/least_squares.hpp"
#include "machines/least_squares/ridge_needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "selection/blocks_held_out.hpp"

namespace mercer {

namespace {

Vector ridges_from(const std::string& text) {
  Vector out;
  for (const std::string& piece : split(text, ',')) {
    if (text.empty()) break;
    const std::optional<double> ridge = parse_number(piece);
    if (!ridge || !(*ridge > 0) || std::isinf(*ridge))
      fail(ErrorKind::usage, "ridge: the path is a list of numbers above 0 such as 0.1,1,10, not {}", quoted(text));
    out.push_back(*ridge);
  }
  return out;
}

KernelRidge config_from(const Settings& settings) {
  const detail::SettingsReader read(machine("ridge"), settings);
  KernelRidge config;
  config.ridge = read.text("ridge") == "auto" ? std::nullopt : std::optional(read.number("ridge"));
  config.criterion = static_cast<KernelRidge::Criterion>(read.choice("criterion", {"loo", "gcv"}));
  config.loo = read.flag("loo");
  config.path_size = read.whole("path_size", 1);
  config.path_from = read.positive("path_from");
  config.path_to = read.positive("path_to");
  config.path = ridges_from(read.text("path"));
  config.solver =
      static_cast<KernelRidge::Solver>(read.choice("solver", {"auto", "cholesky", "pcg", "normal", "falkon"}));
  if (read.text("tolerance") != "auto") config.tolerance = read.positive("tolerance");
  config.rank = read.whole("rank", 0);
  config.max_iterations = read.whole("max_iterations", 1);
  if (config.ridge) {
    for (const MachineOption& option : machine("ridge").options) {
      const bool of_auto = option.name == "criterion" || option.name.starts_with("path");
      const auto given = settings.find(option.name);
      if (!of_auto || given == settings.end() || given->second == option.fallback) continue;
      fail(ErrorKind::usage, "ridge: {} is about the ridges that auto tries; set ridge to auto as well", option.name);
    }
  }
  return config;
}

// One that is chosen depends on the fold.
bool has_one_ridge(const Settings& settings) {
  const auto given = settings.find("ridge");
  return given == settings.end() || given->second != "auto";
}

std::optional<HeldOut> each_left_out(const Model& model, const Training& training) {
  const std::optional<double> ridge = model.report().figure("ridge");
  if (!ridge || training.centres) return std::nullopt;
  Matrix values = leave_one_out(KernelRidge{.ridge = *ridge}, training);  // y less its prediction
  for (Index i = 0; i < values.rows() * values.cols(); ++i) values.data()[i] = training.y.data()[i] - values.data()[i];
  return HeldOut{.values = std::move(values)};
}

std::vector<HeldOut> hold_out(const Settings& settings, const Training& ordered, std::span<const Range> folds) {
  const KernelRidge config = config_from(settings);
  const Threads threads = detail::check_training("ridge", Task::regression, ordered);
  detail::require_usable(config);
  if (ordered.centres || detail::by_steps(config, ordered.K.size(), extent_of(ordered).room())) return {};
  const detail::LeastSquares s = detail::least_squares(ordered);
  const solve::Wishes wishes{.require = detail::require_room("ridge", ordered, 1)};
  const solve::Made made = solve::system_for(s.with_ridge(*config.ridge), wishes, ordered.how);
  if (!made.system || !(made.system->certificate().condition_bound <= detail::kIllConditioned)) return {};
  if (made.system->certificate().rank < s.size()) return {};  // few features: each fold is cheap by itself
  std::vector<HeldOut> out;
  const auto found =
      detail::leave_blocks_out(std::move(*made.system), s.target, Matrix(s.size(), 0), folds, ordered.how.monitor);
  for (std::size_t f = 0; f < found.size(); ++f) {
    Matrix values = found[f].residual;
    for (Index i = 0; i < values.rows(); ++i) {
      const Index point = folds[f].begin + i;
      for (Index t = 0; t < values.cols(); ++t)
        values(i, t) = ordered.y(point, t) - values(i, t) / s.equations.scale_of(point);
    }
    out.push_back({.values = std::move(values)});
  }
  return out;
}

}  // namespace

std::vector<Machine> detail::ridge_rows() {
  const KernelRidge defaults;
  return {{
      .name = "ridge",
      .purpose = "kernel ridge regression, with exact leave-one-out and a ridge chosen by it",
      .problem = "min_f  sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2",
      .task = Task::regression,
      .options =
          {
              {"ridge", number(*defaults.ridge), "The price of |f|^2, > 0, or auto: chosen by the criterion"},
              {"criterion", "loo", "What auto minimises: loo (leave-one-out) or gcv (generalised cross-validation)"},
              {"loo", "false",
               "Report the leave-one-out error of a given ridge, or of one that gcv chose on centres, which doubles "
               "the cost",
               true},
              {"path_size", number(static_cast<double>(defaults.path_size)), "How many ridges auto tries"},
              {"path_from", number(defaults.path_from), "The smallest of them, as a multiple of K's mean diagonal"},
              {"path_to", number(defaults.path_to), "The largest of them, as a multiple of K's mean diagonal"},
              {"path", "", "The ridges that auto tries, instead of those: 0.1,1,10"},
              {"solver", "auto",
               "Of all points: cholesky (all pairs in memory) or pcg (conjugate gradients: of K what finds "
               "room, in single precision). Of centres: "
               "normal (all ridges and leave-one-out at once) or falkon (conjugate gradients). auto: few features "
               "where the kernel has them, pcg beyond 20,000 points, else cholesky; of centres what takes less time. "
               "A ridge of auto needs all pairs, or normal; so does loo, which pcg estimates beyond 4,000 points"},
              {"tolerance", "auto",
               "pcg, falkon: ends when a residual is at most this share of the right-hand side; auto: 1e-6, and 1e-4 "
               "for falkon"},
              {"rank", "0", "pcg: of the preconditioner; 0: as many as save time"},
              {"max_iterations", number(static_cast<double>(defaults.max_iterations)), "pcg, falkon: steps at most"},
          },
      .fit = [](const Settings& settings, const Training& training) { return config_from(settings).fit(training); },
      .resumes = true,
      .cross =
          [](const Crossing& crossing) {
            return cross_linear(crossing, {hold_out, has_one_ridge});
          },
      // A penalty that is given leaves the width of the kernel; the other's path is part of each trial.
      .choosing =
          [](const Settings& given, const Training*) {
            Choosing plan{.stages = {{{"ell", {16, 8, 4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}}},
                          .kernels = {"matern(nu=1.5, ell=auto)", "laplace(ell=auto)"},
                          .finals = 3000};
            const auto by = given.find("criterion");
            plan.figure = by != given.end() && by->second == "gcv" ? "gcv" : "leave_one_out_rmse";
            const bool about_auto = std::any_of(given.begin(), given.end(), [](const auto& option) {
              return option.first == "criterion" || option.first.starts_with("path");
            });
            if (!given.contains("ridge") && !about_auto) {
              plan.while_trying = {{"ridge", "auto"}, {"solver", "auto"}};
              plan.settling = {{"ridge", "auto"}, {"solver", "normal"}, {"criterion", "gcv"}};
              plan.read = {"ridge"};
              plan.expected = {{"ridge", "0.03"}};
            } else if (given.contains("ridge") && given.at("ridge") != "auto") {
              plan.figure = "leave_one_out_rmse";
              plan.while_trying = {{"loo", "true"}};
            }
            return plan;
          },
      .centres = OnCentres::itself,
      .streams = true,
      .needs = [](const Settings& settings,
                  const Extent& extent) { return detail::needs_of_ridge(config_from(settings), extent); },
      .path = {{"ridge", "auto"}},
      .leave_one_out = each_left_out,
  }};
}

}  // namespace mercer
