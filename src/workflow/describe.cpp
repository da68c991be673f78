// What is said of models, in words.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "mercer/workflow.hpp"
#include "workflow/units.hpp"

namespace mercer::workflow {

namespace {

constexpr std::size_t kShownNames = 6;

std::string list_of(const std::vector<std::string>& names) {
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<Index>(std::min(kShownNames, names.size())));
  return fmt::format("{}{}", fmt::join(some, ", "), names.size() > kShownNames ? ", ..." : "");
}

}  // namespace

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
    const double rounded = std::clamp(*parse_number(fmt::format("{:.4g}", p.value)), p.lower, p.upper);
    if (!p.fixed && p.range.holds(rounded)) p.value = rounded;
    params.push_back(std::move(p));
  }
  std::string out = found->with(Params(std::move(params))).str();
  for (const char* const name : {"signal", "noise"}) {
    const std::optional<double> value = model.report().figure(name);
    if (value && *value != 1) out += fmt::format(", {} {:.4g}", name, *value);
  }
  return out;
}

}  // namespace mercer::workflow
