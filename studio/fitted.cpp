#include "studio/fitted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/stopwatch.hpp"
#include "report/answers.hpp"
#include "report/catalog.hpp"
#include "report/figures.hpp"
#include "report/reproduce.hpp"
#include "studio/given.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

namespace {

constexpr double kGuessedShare = 0.05;  // of the targets' variance, taken for noise

// About as much memory as it takes: the centres and their weights.
std::size_t bytes_of(const Model& model) {
  const Expansion& f = model.expansion();
  return static_cast<std::size_t>(f.size() * (f.outputs() + 16)) * sizeof(double) +
         (model.has_posterior() ? static_cast<std::size_t>(f.size() * f.size()) * sizeof(double) : 0);
}

// Those that there are: a page of another version may name one that is gone.
std::vector<std::string> known(const std::vector<std::string>& wanted) {
  std::vector<std::string> out;
  for (const report::Picture& picture : report::pictures()) {
    if (std::find(wanted.begin(), wanted.end(), picture.id) != wanted.end()) out.emplace_back(picture.id);
  }
  return out;
}

// A Gaussian process that learns nothing has to be told its noise: where it is not, a guess, which is said.
void guess_noise(workflow::Prepared& prepared, std::vector<std::string>& remarks) {
  const auto objective = prepared.settings.find("objective");
  const bool learns = objective == prepared.settings.end() || objective->second != "none";
  if (prepared.machine != "gp" || learns || prepared.settings.count("noise") > 0) return;
  const Matrix& y = prepared.training.y;
  double mean = 0, squares = 0;
  for (Index i = 0; i < y.rows(); ++i) mean += y(i, 0) / static_cast<double>(y.rows());
  for (Index i = 0; i < y.rows(); ++i) squares += (y(i, 0) - mean) * (y(i, 0) - mean);
  const double variance = y.rows() > 0 && squares > 0 ? squares / static_cast<double>(y.rows()) : 1;
  prepared.settings["noise"] = fmt::format("{:.3g}", kGuessedShare * variance);
  prepared.settings.emplace("signal", fmt::format("{:.3g}", variance));
  remarks.push_back(fmt::format("noise {} and signal {}: guesses from the spread of the target; learning finds better",
                                prepared.settings["noise"], prepared.settings["signal"]));
}

Json exhibits_json(const report::Subject& subject, const std::vector<std::string>& wanted) {
  Json out = Json::array();
  const std::vector<std::string> names = known(wanted);
  if (!wanted.empty() && names.empty()) return out;
  for (const report::Exhibit& exhibit : report::exhibits_of(subject, names)) out.push_back(report::to_json(exhibit));
  return out;
}

}  // namespace

report::Subject fitted_subject(const ModelEntry& entry, const Execution& how) {
  const workflow::Inputs inputs = workflow::inputs_for(entry.model, entry.data->source(), entry.target);
  return report::subject_of(entry.model, inputs, entry.data->origin().name, how);
}

Json fit_and_show(Studio& studio, FitWish wish, const Monitor& monitor) {
  const Execution how{.monitor = monitor};
  const Stopwatch whole;
  wish.request.source = wish.data->source();
  workflow::Prepared prepared = wish.data->prepared(wish.request, how);
  guess_noise(prepared, prepared.remarks);
  const workflow::FitResult fitted = workflow::fit(prepared, how);
  const Model& model = fitted.model;
  const double fit_seconds = whole.seconds();
  monitor.report({"pictures", 0});

  ModelEntry entry{.model = model, .data = wish.data, .target = wish.request.target};
  const auto& kernel = model.expansion().parts().kernel;
  Json told = {{"model",
                {{"machine", model.parts().machine},
                 {"kernel", kernel ? Json(kernel->str()) : Json("precomputed")},
                 {"words", workflow::describe(model)},
                 {"outcome", workflow::outcome(model)},
                 {"settings", model.parts().settings},
                 {"report", workflow::to_json(model.report())}}},
               {"metrics", Json::array()},
               {"params", kernel ? params_json(kernel->params()) : Json::array()},
               {"remarks", fitted.remarks}};
  report::Subject subject = fitted_subject(entry, how);
  subject.box = wish.box;
  if (wish.metrics) {
    for (const report::Metric& metric : report::metrics_of(subject)) told["metrics"].push_back(report::to_json(metric));
    if (!told["metrics"].empty()) told["how"] = report::answers(subject).words;
  }
  const std::string& path = wish.data->origin().path;
  told["code"] = report::to_json(report::reproduce(subject, "", path.empty() ? subject.source : path));
  Json exhibits = exhibits_json(subject, wish.exhibits);
  entry.told = told;
  told["model"]["id"] =
      studio.models.put(std::make_shared<const ModelEntry>(std::move(entry)), bytes_of(model), wish.slot);
  told["exhibits"] = std::move(exhibits);
  told["seconds"] = whole.seconds();
  told["fit_seconds"] = fit_seconds;
  return told;
}

}  // namespace mercer::studio
