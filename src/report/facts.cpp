#include "report/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/at.hpp"
#include "base/text.hpp"
#include "workflow/json.hpp"

namespace mercer::report {

namespace {

constexpr std::size_t kMostRows = 60, kMostColumns = 4;

Json row(const std::string& name, const std::string& value, const std::string& words = {}) {
  Json out = {{"name", name}, {"value", value}};
  if (!words.empty()) out["words"] = words;
  return out;
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

// "rbf2.ell[3]" -> "ell", and 3; 0: of all columns.
struct Path {
  std::string name;
  Index column = 0;
};
Path taken_apart(const std::string& path) {
  Path out{path.substr(path.rfind('.') + 1), 0};
  // Along a circle, in parts of its radius: no length of the inputs.
  if (out.name.starts_with("ell") && path.starts_with("periodic")) return {"roughness", 0};
  if (const std::size_t bracket = out.name.find('['); bracket != std::string::npos) {
    out.column =
        static_cast<Index>(parse_number(out.name.substr(bracket + 1, out.name.size() - bracket - 2)).value_or(0));
    out.name.resize(bracket);
  }
  return out;
}

// The names of the real columns, in the order of the scaling; empty where they are not the columns of the inputs.
std::vector<std::string> column_names(const Model& model) {
  const Schema& inputs = model.parts().inputs;
  const std::size_t scaled = model.parts().scaling.factor.size();
  if (inputs.domain.kind != "reals") return {};
  std::vector<std::string> out = inputs.columns;
  if (out.empty()) {
    for (std::size_t c = 0; c < scaled; ++c) out.push_back(fmt::format("column {}", c + 1));
  }
  return out.size() == scaled ? out : std::vector<std::string>();
}

std::string unit_of(Scaling::Kind kind) {
  return kind == Scaling::Kind::standard ? "standard deviations" : "of the range";
}

const std::map<std::string, std::string, std::less<>>& parameter_words() {
  static const std::map<std::string, std::string, std::less<>> words = {
      {"ell", "how far apart two points may be and still be alike"},
      {"roughness", "how smooth the pattern within a period is; large: near a sine"},
      {"period", "after how much the pattern repeats"},
      {"alpha", "how much long and short lengths are mixed; large: one length only"},
      {"degree", "how high products of inputs go"},
      {"c", "a constant beside the products"},
      {"nu", "how smooth functions are"},
      {"k", "length of the substrings that are compared"},
      {"h", "how far around each node is looked"},
      {"t", "how long heat spreads"},
      {"lambda", "what longer pieces count"}};
  return words;
}

std::string target_name(const Model& model, Index t) {
  const auto& names = model.parts().targets;
  return at(t) < names.size() ? names[at(t)] : "the target";
}

void add_noise(const Model& model, Json& rows) {
  if (!model.has_posterior() || model.is_classifier()) return;
  const Posterior& posterior = model.posterior();
  for (std::size_t t = 0; t < posterior.noise.size(); ++t) {
    const std::string name = target_name(model, static_cast<Index>(t));
    rows.push_back(row("noise", short_number(posterior.noise[t]),
                       fmt::format("observations of {} scatter about the function by {:.3g} (one standard deviation)",
                                   name, std::sqrt(posterior.noise[t]))));
  }
  for (std::size_t t = 0; t < posterior.signal.size(); ++t) {
    rows.push_back(row("signal", short_number(posterior.signal[t]),
                       fmt::format("times k is the variance of the function itself: {:.3g} is its standard deviation "
                                   "where k is 1, in units of {}",
                                   std::sqrt(posterior.signal[t]), target_name(model, static_cast<Index>(t)))));
  }
}

std::string figure_words(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> words = {
      {"gap", "how far the objective can be from the best one at most"},
      {"relative_gap", "the same, relative to the objective"},
      {"objective", "what was minimised or maximised"},
      {"residual", "how well the equations are solved"},
      {"jitter", "added to the diagonal, because the matrix was singular in floating point"},
      {"condition", "how many digits solving loses: its logarithm"},
      {"condition_bound", "a bound of the same"},
      {"support_vectors", "points that the prediction rests on"},
      {"log_marginal_likelihood", "the evidence for this kernel"},
      {"leave_one_out_rmse", "error of each point predicted from the others"},
      {"leave_one_out_log_density", "log density of each point under the others"}};
  const auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

}  // namespace

std::string length_words(const Subject& subject, const std::string& path, double value) {
  const Model& model = subject.model;
  const Scaling& scaling = model.parts().scaling;
  const auto& kernel = model.expansion().parts().kernel;
  const Path parts = taken_apart(path);
  if (scaling.kind == Scaling::Kind::none || scaling.kind == Scaling::Kind::centred || !scaling.maps.empty() ||
      !kernel || (parts.name != "ell" && parts.name != "period"))
    return {};
  // Where a kernel is of some columns only, its parameter does not say of which.
  const std::vector<std::string> names = column_names(model);
  if (names.empty() || kernel->str().find("on(") != std::string::npos) return {};
  const auto in_units = [&](std::size_t c) { return fmt::format("{:.3g} of {}", value / scaling.factor[c], names[c]); };
  const std::string begin = fmt::format("{:.3g} {}: ", value, unit_of(scaling.kind));
  if (parts.column > 0) return at(parts.column) <= names.size() ? begin + in_units(at(parts.column - 1)) : "";
  std::vector<std::string> each;
  for (std::size_t c = 0; c < std::min(names.size(), kMostColumns); ++c) each.push_back(in_units(c));
  return begin + fmt::format("{}{}", fmt::join(each, ", "), names.size() > kMostColumns ? ", ..." : "");
}

Exhibit parameters_facts(const Subject& subject) {
  const Model& model = subject.model;
  Json rows = Json::array();
  if (const auto& kernel = model.expansion().parts().kernel) {
    rows.push_back(row("kernel", kernel->str(), "two points are alike to the degree that this is large"));
    std::size_t shown = 0;
    for (const Parameter& p : kernel->params()) {
      if (++shown > kMostRows) break;
      const auto meaning = parameter_words().find(taken_apart(p.path).name);
      std::string words = meaning == parameter_words().end() ? "" : meaning->second;
      const std::string lengths = length_words(subject, p.path, p.value);
      if (!lengths.empty()) words += (words.empty() ? "" : "; ") + lengths;
      rows.push_back(row(p.path, short_number(p.value), words));
    }
  } else {
    rows.push_back(row("kernel", "precomputed", "the matrix was given as numbers"));
  }
  add_noise(model, rows);
  const Machine& machine = mercer::machine(model.parts().machine);
  for (const MachineOption& option : machine.options) {
    const auto given = model.parts().settings.find(option.name);
    if (given != model.parts().settings.end() && given->second != option.fallback && rows.size() < kMostRows) {
      rows.push_back(row(option.name, given->second, option.help));
    }
  }
  const std::string chosen = model.report().chosen;
  return {"parameters",
          "facts",
          "What it is made of",
          chosen.empty() ? fmt::format("{}: {}", machine.name, machine.purpose) : "Chosen: " + chosen,
          {{"rows", rows}}};
}

namespace {

void add_plan(const Plan& plan, Json& rows) {
  rows.push_back(row("K was held", std::string(name_of(plan.form)), plan.why));
  if (!plan.solver.empty()) rows.push_back(row("solver", plan.solver));
  rows.push_back(row("memory", fmt::format("{:.3g} MB", 1e-6 * plan.bytes), "planned for the fit, at the peak"));
  rows.push_back(row("approximated", plan.approximates.empty() ? "nothing" : plan.approximates));
}

}  // namespace

Exhibit certificate_facts(const Subject& subject) {
  const Report& report = subject.model.report();
  Json rows = Json::array();
  Json end = row("finished", report.converged ? "yes" : "no", report.stopped);
  end["good"] = report.converged;
  rows.push_back(end);
  if (report.iterations > 0) rows.push_back(row("iterations", fmt::format("{}", report.iterations)));
  rows.push_back(row("seconds", short_number(report.seconds), "of the fit"));
  if (report.plan) add_plan(*report.plan, rows);
  for (const Report::Figure& figure : report.figures) {
    rows.push_back(row(figure.name, short_number(figure.value), figure_words(figure.name)));
  }
  const Expansion& f = subject.model.expansion();
  rows.push_back(row("rests on", fmt::format("{} of {} points", f.size(), f.parts().training_size)));
  for (const std::string& note : report.notes) rows.push_back(row("note", note));
  return {"certificate",
          "facts",
          "How the fit went",
          report.converged ? "The fit came to its end." : "The fit was ended before it was done.",
          {{"rows", rows}}};
}

std::optional<Exhibit> race_facts(const Subject& subject) {
  const Report& report = subject.model.report();
  const Report::Table* const race = report.table("race");
  if (race == nullptr || race->rows.rows() != 3) return std::nullopt;
  Json rows = Json::array();
  for (Index j = 0; j < race->rows.cols(); ++j) {
    const double error = race->rows(1, j);
    const std::string score = fmt::format("{:.4g}", race->rows(0, j));
    rows.push_back(row(race->columns[at(j)], error > 0 ? fmt::format("{} +- {:.1g}", score, error) : score,
                       fmt::format("{:.2g} s", race->rows(2, j))));
  }
  const auto note = std::ranges::find_if(report.notes, [](const auto& one) { return one.starts_with("auto: "); });
  std::string finding = note == report.notes.end() ? "" : note->substr(6, note->find(';') - 6) + ".";
  return Exhibit{"race", "facts", "The race of auto", std::move(finding), {{"rows", rows}}};
}

Exhibit proof_exhibit(const Subject& subject) {
  const auto& kernel = subject.model.expansion().parts().kernel;
  const Proof proof = kernel->proof();
  return {"proof",
          "proof",
          "Why it is a kernel",
          proof.assumes() ? "Proved, but for what somebody has signed for." : "Proved, step by step, from theorems.",
          {{"proof", workflow::to_json(proof)}}};
}

}  // namespace mercer::report
