#include "model_output.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kShownNames = 6;

std::string list_of(const std::vector<std::string>& names) {
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<Index>(std::min(kShownNames, names.size())));
  return fmt::format("{}{}", fmt::join(some, ", "), names.size() > kShownNames ? ", ..." : "");
}

}  // namespace

void require_writable(const std::string& path) {
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    fail(ErrorKind::file, "{}: cannot be written: its folder does not exist; create it first", path);
  }
  if (std::filesystem::is_directory(file, ignored)) fail(ErrorKind::file, "{}: is a folder; name a file", path);
}

std::string describe(const Model& model) {
  const Model::Parts& parts = model.parts();
  if (model.is_classifier()) {
    return fmt::format("{} of {} classes ({})", parts.machine, parts.classes.size(), list_of(parts.classes));
  }
  if (model.finds_clusters()) {
    return fmt::format("{} of {} cluster{}", parts.machine, parts.classes.size(), parts.classes.size() == 1 ? "" : "s");
  }
  if (parts.targets.empty()) return parts.machine;
  return fmt::format("{} of {} ({})", parts.machine,
                     parts.targets.size() == 1 ? "a target" : fmt::format("{} targets", parts.targets.size()),
                     list_of(parts.targets));
}

std::string outcome(const Model& model) {
  const Report& report = model.report();
  std::string out = report.converged ? "" : "not converged: ";
  out += report.stopped.empty() ? "solved" : report.stopped;
  if (report.iterations > 0) {
    out += fmt::format(" after {} iteration{}", report.iterations, report.iterations == 1 ? "" : "s");
  }
  out += fmt::format(" in {}", seconds_text(report.seconds));
  const Expansion& f = model.expansion();
  const bool chosen = f.parts().support.empty() && f.size() > 0;  // centres that are no training points
  if (chosen) {
    out += fmt::format("; {} centres", f.size());
  } else if (f.parts().training_size > 0) {
    out += fmt::format("; predicts from {} of {} points", f.size(), f.parts().training_size);
  }
  return out;
}

std::string learnt(const Model& model, const std::optional<Kernel>& given) {
  const std::optional<Kernel>& found = model.expansion().parts().kernel;
  if (!given || !found || *found == *given) return "";
  std::vector<Parameter> params;
  for (Parameter p : found->params()) {
    // Four digits are enough to read; a value at a bound stays inside.
    if (!p.fixed) p.value = std::clamp(*parse_number(fmt::format("{:.4g}", p.value)), p.lower, p.upper);
    params.push_back(std::move(p));
  }
  std::string out = found->with(Params(std::move(params))).str();
  for (const char* const name : {"signal", "noise"}) {
    const std::optional<double> value = model.report().figure(name);
    if (value && *value != 1) out += fmt::format(", {} {:.4g}", name, *value);
  }
  return out;
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const Report& report) {
  Json figures = Json::object(), stages = Json::object(), tables = Json::array();
  for (const Report::Figure& figure : report.figures) figures[figure.name] = json_number(figure.value);
  for (const Report::Figure& stage : report.stages) stages[stage.name] = stage.value;
  for (const Report::Table& one : report.tables) {
    Json rows = Json::array();
    for (Index i = 0; i < one.rows.rows(); ++i) {
      Json row = Json::array();
      for (Index j = 0; j < one.rows.cols(); ++j) row.push_back(json_number(one.rows(i, j)));
      rows.push_back(std::move(row));
    }
    tables.push_back({{"name", one.name}, {"columns", one.columns}, {"rows", std::move(rows)}});
  }
  return {{"converged", report.converged},
          {"stopped", report.stopped},
          {"chosen", report.chosen.empty() ? Json() : Json(report.chosen)},
          {"iterations", report.iterations},
          {"seconds", report.seconds},
          {"stages", stages},
          {"figures", figures},
          {"notes", report.notes},
          {"tables", tables}};
}

Json to_json(const Model& model) {
  const Model::Parts& parts = model.parts();
  const Expansion::Parts& f = parts.f.parts();
  return {{"machine", parts.machine},
          {"settings", parts.settings},
          {"kernel", f.kernel ? Json(f.kernel->str()) : Json("precomputed")},
          {"scale", name_of(parts.scaling.kind)},
          {"inputs", {{"kind", parts.inputs.domain.str()}, {"columns", parts.inputs.columns}}},
          {"targets", parts.targets},
          {"classes", parts.classes},
          {"points", f.training_size},
          {"support", parts.f.size()},
          {"report", to_json(parts.report)}};
}

}  // namespace mercer::cli
