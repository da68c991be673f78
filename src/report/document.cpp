#include "report/document.hpp"

#include <fmt/format.h>

#include "mercer/recipe.hpp"
#include "report/answers.hpp"
#include "report/catalog.hpp"
#include "report/facts.hpp"
#include "report/figures.hpp"
#include "report/reproduce.hpp"
#include "report/worries.hpp"

namespace mercer::report {

namespace {

Json section(const std::string& id, const std::string& title, const std::vector<std::string>& words,
             const std::vector<Exhibit>& exhibits) {
  Json all = Json::array();
  for (const Exhibit& exhibit : exhibits) all.push_back(to_json(exhibit));
  return {{"id", id}, {"title", title}, {"words", words}, {"exhibits", all}};
}

std::string title_of(const Subject& subject) {
  const Model& model = subject.model;
  const Model::Parts& parts = model.parts();
  const std::string of = subject.source.empty() ? "the data" : subject.source;
  if (model.is_classifier()) return fmt::format("Telling {} classes of {} apart", model.classes().size(), of);
  if (model.finds_clusters()) return fmt::format("{} clusters found in {}", model.classes().size(), of);
  if (parts.reading == Reading::density) return "How the points of " + of + " are spread";
  if (parts.reading == Reading::novelty) return "What is unlike the rest in " + of;
  if (machine(parts.machine).task_for(parts.settings) != Task::regression) return "A map of " + of;
  if (parts.targets.empty()) return "Predicting the target of " + of;
  return fmt::format("Predicting {}", fmt::join(parts.targets, ", "));
}

// Figures and pictures are of what?
std::vector<std::string> evidence_words(const Subject& subject, const std::string& evidence) {
  const Index n = subject.x.size();
  const std::string of = subject.source.empty() ? "the data" : subject.source;
  if (!subject.fitted_to) {
    return {fmt::format(
        "The figures are of the {} points of {}, which are not the points that the model was fitted to.", n, of)};
  }
  if (evidence.starts_with("leave-one-out")) {
    const bool together = evidence.find("equal rows") != std::string::npos;
    return {
        fmt::format("{} holds the very points that the model was fitted to. Figures of what it has seen would "
                    "flatter, so each of the {} points is predicted from all {} (leave-one-out, in closed form; "
                    "the parameters stay as they are).",
                    of, n, together ? "that are not equal to it" : "others")};
  }
  if (evidence.find("fold") != std::string::npos) {
    return {
        fmt::format("{} holds the very points that the model was fitted to. Figures of what it has seen would "
                    "flatter, so the machine is fitted anew with the same options, {}, and each point is predicted "
                    "by a model that has not seen it.",
                    of, evidence.substr(0, evidence.find(',')))};
  }
  return {fmt::format("{} holds the very points that the model was fitted to: the figures flatter.", of)};
}

std::string evidence_of(const Subject& subject) {
  if (is_classification(subject) || is_regression(subject)) return answers(subject).words;
  if (subject.fitted_to && subject.model.report().figure("leave_one_out_log_likelihood")) return "leave-one-out";
  return subject.fitted_to ? "training data" : "held-out data";
}

Exhibit provenance(const Subject& subject, const Cover& cover) {
  Json rows = Json::array();
  const auto add = [&](const std::string& name, const std::string& value, const std::string& words = {}) {
    if (!value.empty()) rows.push_back({{"name", name}, {"value", value}, {"words", words}});
  };
  const Schema& inputs = subject.model.parts().inputs;
  add("data", cover.data.empty() ? subject.source : cover.data);
  add("rows", fmt::format("{}", subject.x.size()));
  add("inputs", inputs.columns.empty() ? inputs.domain.str() : fmt::format("{} columns", inputs.columns.size()));
  if (const Recipe* const recipe = subject.model.parts().recipe.get()) {
    for (const ColumnRecipe& column : recipe->columns) {
      add(column.name, fmt::format("{}{}", name_of(column.type), is_left_out(column.type) ? ", left out" : ""),
          column.why);
    }
  }
  add("SHA-256", cover.data_hash, "of the data");
  if (const Provenance& from = subject.model.parts().provenance; !subject.fitted_to) {
    add("fitted to", from.source, fmt::format("{} points", subject.model.expansion().parts().training_size));
    add("SHA-256", from.sha256, "of the data that the model was fitted to");
  }
  add("Mercer", MERCER_VERSION);
  return {"provenance", "facts", "Of what", "", {{"rows", rows}}};
}

std::vector<Exhibit> first(std::vector<Exhibit> own, const std::vector<Exhibit>& others) {
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

}  // namespace

Json document_of(const Subject& subject, const Cover& cover) {
  const Model& model = subject.model;
  const std::vector<Metric> metrics = metrics_of(subject);
  const std::string evidence = evidence_of(subject);
  std::vector<std::string> quality = evidence_words(subject, evidence);
  if ((is_classification(subject) || is_regression(subject)) && !answers(subject).why.empty()) {
    quality.push_back(fmt::format("Leaving points out was not possible: {}.", answers(subject).why));
  }
  if (!metrics.empty() && metrics[0].interval) {
    quality.emplace_back("Intervals hold the figure in 95 of 100 cases had other points been drawn (1,000 resamples).");
  }
  if (metrics.empty()) quality = {"There is no truth among the data to hold the answers against."};
  std::vector<Exhibit> what = {parameters_facts(subject)};
  if (model.expansion().parts().kernel) what.push_back(proof_exhibit(subject));
  if (std::optional<Exhibit> race = race_facts(subject)) what.push_back(std::move(*race));

  Json sections = Json::array();
  sections.push_back(section("model", "What it is",
                             {fmt::format("This is {}: {}.", workflow::describe(model), workflow::outcome(model))},
                             first(std::move(what), section_of(subject, "model"))));
  sections.push_back(section("quality", "How good it is", quality, section_of(subject, "quality")));
  const auto add = [&](const std::string& id, const std::string& title) {
    std::vector<Exhibit> pictures = section_of(subject, id);
    if (!pictures.empty()) sections.push_back(section(id, title, {}, pictures));
  };
  add("learnt", "What it has learnt");
  add("kernel", "How alike the points are");
  sections.push_back(
      section("fit", "How the fit went", {},
              first({certificate_facts(subject)}, first({provenance(subject, cover)}, section_of(subject, "fit")))));
  Json figures = Json::array(), worries = Json::array();
  for (const Metric& metric : metrics) figures.push_back(to_json(metric));
  for (const Worry& worry : worries_of(subject, metrics)) worries.push_back(to_json(worry));
  const std::string data = cover.data.empty() ? (subject.source.empty() ? "data.csv" : subject.source) : cover.data;
  return {{"kind", "report"},
          {"title", cover.title.empty() ? title_of(subject) : cover.title},
          {"subtitle", fmt::format("{}, shown with {} points{}", workflow::describe(model), subject.x.size(),
                                   subject.source.empty() ? "" : " of " + subject.source)},
          {"evidence", evidence},
          {"metrics", figures},
          {"worries", worries},
          {"sections", sections},
          {"code", to_json(reproduce(subject, cover.model, data))},
          {"made", "Mercer " MERCER_VERSION}};
}

}  // namespace mercer::report
