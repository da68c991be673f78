#include "studio/fitted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/stopwatch.hpp"
#include "report/answers.hpp"
#include "report/catalog.hpp"
#include "report/figures.hpp"
#include "report/reproduce.hpp"
#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "workflow/guess.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

namespace {

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
  const workflow::FitResult fitted = workflow::fit(workflow::guessed(wish.data->prepared(wish.request, how)), how);
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
               {"remarks", Json::array()}};
  for (const std::string& remark : fitted.remarks) told["remarks"].push_back(in_page_words(remark));
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
