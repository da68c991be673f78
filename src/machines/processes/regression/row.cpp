// The machine `gp` of the catalog.
#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/processes/line_kernels.hpp"
#include "machines/processes/process_options.hpp"
#include "machines/processes/regression/effort.hpp"
#include "machines/processes/regression/fit.hpp"
#include "model/posterior/posterior.hpp"
#include "model/training.hpp"
#include "selection/blocks_held_out.hpp"
#include "selection/first_kernel.hpp"

namespace mercer {

namespace {

// One length scale or one for each column: more of them fit any training set better, and the evidence of noisy columns
// too; points held out tell.
Choosing choosing(const Settings& given, const Training* training) {
  if (given.contains("objective") || given.contains("prior")) return {};
  if (training != nullptr && training->K.points() && training->K.kernel()) {
    const Points x = *training->K.points();
    const auto lines = state_space::along_lines(*training->K.kernel(), x);
    const bool exact = !given.contains("inducing") && !given.contains("nearest") && !given.contains("solver");
    const bool chosen = lines && (lines->apart || detail::is_long_line(x));
    if (chosen && exact) return detail::kernels_along_lines(*lines, *training);
    if (chosen || x.domain().dimension == 1) return {};
  }
  Choosing plan{.metric = "rmse", .kernels = {"rbf(ell=auto)"}, .folds = 1, .most = 600};
  plan.while_trying = {{"inducing", "0"}, {"fitc", "false"}, {"nearest", "0"}};  // of few points there is no need
  if (!given.contains("starts")) plan.while_trying["starts"] = "4";
  return plan;
}

bool learns_nothing(const Settings& settings) {
  const auto given = settings.find("objective");
  return given != settings.end() && given->second == "none";
}

bool is_given(const Settings& settings, const char* option) {
  const auto given = settings.find(option);
  return given != settings.end() && given->second != "0";
}

// Where nothing is learnt, points are held out in closed form, if it is one of all pairs.
bool solves_all_pairs(const Settings& settings) {
  const auto solver = settings.find("solver");
  if (solver != settings.end() && solver->second == "iterative") return false;
  return learns_nothing(settings) && !is_given(settings, "inducing") && !is_given(settings, "nearest");
}

constexpr double kGuessedShare = 0.05;  // of the targets' variance, taken for noise

// Where nothing is learnt, the noise has to be told.
Settings guesses(const Settings& given, const Training& training) {
  if (!learns_nothing(given) || given.contains("noise")) return {};
  const Matrix& y = training.y;
  double mean = 0, squares = 0;
  for (Index i = 0; i < y.rows(); ++i) mean += y(i, 0) / static_cast<double>(y.rows());
  for (Index i = 0; i < y.rows(); ++i) squares += (y(i, 0) - mean) * (y(i, 0) - mean);
  const double variance = y.rows() > 0 && squares > 0 ? squares / static_cast<double>(y.rows()) : 1;
  Settings out = {{"noise", fmt::format("{:.3g}", kGuessedShare * variance)}};
  if (!given.contains("signal")) out["signal"] = fmt::format("{:.3g}", variance);
  return out;
}

// Points of weight 0 are not in the model, which then does not say who the others are.
std::optional<HeldOut> each_left_out(const Model& model, const Training& training) {
  const auto solver = model.parts().settings.find("solver");
  if (solver != model.parts().settings.end() && solver->second == "iterative") return std::nullopt;
  const bool of_all_pairs = model.has_posterior() && model.posterior().kind == Posterior::Kind::process;
  if (!of_all_pairs || model.expansion().size() != training.y.rows()) return std::nullopt;
  LeaveOneOut found = leave_one_out(model, training.y, training.how);
  return HeldOut{.values = std::move(found.mean), .variances = std::move(found.variance)};
}

std::vector<Report::Figure> learnt(const Model& model) {
  const auto fixed = [&](const char* name) {
    const auto given = model.parts().settings.find(name);
    return given != model.parts().settings.end() && given->second.starts_with("fixed");
  };
  std::vector<Report::Figure> out;
  const std::optional<double> noise = model.report().figure("noise"), signal = model.report().figure("signal");
  if (noise && *noise > 0 && !fixed("noise")) out.push_back({"noise", *noise});
  const auto& kernel = model.expansion().parts().kernel;
  if (signal && !fixed("signal") && !(kernel && has_free_scale(*kernel))) out.push_back({"signal", *signal});
  return out;
}

double log_evidence(const Model& model, const std::vector<Report::Figure>& changed, const Training& training) {
  GaussianProcess gp = GaussianProcess::from(model.parts().settings);
  gp.noise = Learnable::fixed_at(model.report().figure("noise").value());
  gp.signal = Learnable::fixed_at(model.report().figure("signal").value());
  for (const Report::Figure& one : changed) {
    (one.name == "noise" ? gp.noise : gp.signal) = Learnable::fixed_at(one.value);
  }
  return log_marginal_likelihood(gp, training, false).value;
}

std::vector<HeldOut> held_out(const Settings& settings, const Training& ordered, std::span<const Range> folds) {
  const GaussianProcess config = GaussianProcess::from(settings);
  return detail::ProcessFit(config, ordered).hold_out(folds);
}

}  // namespace

std::vector<Machine> detail::gp_rows() {
  Machine row;
  row.name = "gp";
  row.purpose = "Gaussian process regression: a mean, how sure it is, and hyper-parameters learnt from the data";
  row.problem = "maximise log p(y) for y = h(x)'b + f(x) + e, f ~ GP(0, signal k), e ~ N(0, noise / w)";
  row.task = Task::regression;
  row.iterative = true;
  row.exceptions = {{Exception::Law::weights,
                     "a weight divides the noise of its point, which is the same only where the noise is given"}};
  row.kernel = "rbf(ell=[auto])";  // a length scale for each column: they are learnt
  row.options = {
      {"noise", "auto", "The variance of the noise: auto, a start, fixed(v), or v in [a, b]"},
      {"signal", "auto", "What multiplies the kernel, likewise; auto: 1 where the kernel has a free scale itself"},
      {"mean", "constant", "The mean function: zero, constant or linear"},
      {"objective", "lml", "What learning maximises: lml, loo (leave-one-out log density), none (nothing learnt)"},
      {"nearest", "0", "Neighbours that stand for all points (Vecchia): 0 for none, exact, or K, 20 to 60"},
      {"solver", "auto",
       "How, exactly: auto, dense (all pairs), state_space (along one column, or each of several series, in time that "
       "grows as n), iterative "
       "(step by step, in memory that grows as n; the evidence is an interval)"},
      {"loo", "false", "Also report the leave-one-out log density", true},
      {"inducing", "0",
       "Points that stand for all, chosen again as the kernel is learnt: an approximation, with bounds of the "
       "evidence; "
       "0: all points"},
      {"fitc", "false", "With inducing points: each point has its own variance (FITC), and there is no bound", true},
      {"learn_on", "0", "Points to learn from, when there are more; mean and variance are of all points. 0: all"},
  };
  std::ranges::move(learn_options(), std::back_inserter(row.options));
  row.fit = [](const Settings& settings, const Training& training) {
    return GaussianProcess::from(settings).fit(training);
  };
  row.cross = [](const Crossing& crossing) { return cross_linear(crossing, {held_out, solves_all_pairs}); };
  row.choosing = choosing;
  row.guesses = guesses;
  row.without_learning = {{"objective", "none"}};
  row.needs = [](const Settings& settings, const Extent& extent) {
    return detail::needs_of(GaussianProcess::from(settings), extent);
  };
  row.shortcut = detail::shortcut;
  row.posterior = true;
  row.leave_one_out = each_left_out;
  row.by_evidence = {.learnt = learnt, .log_evidence = log_evidence};
  return {row};
}

}  // namespace mercer
