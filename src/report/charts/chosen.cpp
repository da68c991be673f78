// What was chosen, and what else was there: the path of ridges, the candidates of a choice, the evidence around what
// was learnt.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"
#include "selection/held_out.hpp"

namespace mercer::report {

// ---- ridges ----

namespace {
constexpr Index kMostForPath = 2000;
}

bool path_applies(const Subject& subject) {
  const Model& model = subject.model;
  if (machine(model.parts().machine).path.empty()) return false;
  return model.report().table("path") != nullptr || (subject.training && subject.training->K.size() <= kMostForPath);
}

Exhibit path_picture(const Subject& subject) {
  const Report::Table* kept = subject.model.report().table("path");
  std::optional<Report> made;
  if (kept == nullptr) {
    if (!subject.training) fail(ErrorKind::usage, "report: the path of ridges needs the training data");
    Training training = *subject.training;
    training.how = subject.how;
    const Machine& own = machine(subject.model.parts().machine);
    made = fit(own, own.path, training).report();
    kept = made->table("path");
  }
  const std::string& penalty = kept->columns[0];
  const auto column = [&](std::string_view name) {
    return std::find(kept->columns.begin(), kept->columns.end(), name) - kept->columns.begin();
  };
  const auto columns = static_cast<Index>(kept->columns.size());
  const Vector ridge = column_of(kept->rows, 0), freedom = column_of(kept->rows, column("degrees_of_freedom"));
  const bool left_out = column("leave_one_out_rmse") < columns;  // else chosen by gcv, in one pass over centres
  Vector error = column_of(kept->rows, column(left_out ? "leave_one_out_rmse" : "gcv"));
  if (!left_out) std::transform(error.begin(), error.end(), error.begin(), [](double gcv) { return std::sqrt(gcv); });
  const std::string words = left_out ? "leave-one-out error" : "error by generalised cross-validation";
  const auto best = static_cast<std::size_t>(std::min_element(error.begin(), error.end()) - error.begin());
  Json data = {{"x", axis(penalty, true)},
               {"at", numbers(ridge)},
               {"panels",
                {{{"y", axis(words)}, {"lines", Json::array({{{"name", "root mean square"}, {"y", numbers(error)}}})}},
                 {{"y", axis("effective degrees of freedom")},
                  {"lines", Json::array({{{"name", "trace"}, {"y", numbers(freedom)}}})}}}}};
  const std::optional<double> taken = subject.model.report().figure(penalty);
  if (taken) data["chosen"] = {{"x", *taken}, {"label", "this model"}};
  return {"ridge_path", "path", "The ridge and what it costs",
          fmt::format("Of {} ridges, {} has the least {}, {}, with {} effective degrees of freedom{}.", ridge.size(),
                      figure(ridge[best]), words, figure(error[best]), figure(freedom[best]),
                      taken ? fmt::format("; the model has {}", figure(*taken)) : ""),
          std::move(data)};
}

// ---- candidates ----

bool tuning_applies(const Subject& subject) {
  const Report::Table* const table = subject.model.report().table("choice");
  return table != nullptr && table->columns.size() >= 2 && table->rows.rows() > 1;
}

namespace {

// What the model has of an option, or of a parameter of its kernel; NaN: nothing.
double own_value(const Model& model, const std::string& name) {
  const Settings& settings = model.parts().settings;
  if (const auto option = settings.find(name); option != settings.end()) {
    return parse_number(option->second).value_or(std::nan(""));
  }
  if (const auto& kernel = model.expansion().parts().kernel) {
    for (const Parameter& p : kernel->params()) {
      if (p.path == name || p.path.ends_with("." + name)) return p.value;
    }
  }
  return std::nan("");
}

// Whether a row of what was tried has the values that the model has. What was not tried with it is NaN.
bool is_chosen(const Model& model, const Report::Table& table, Index row) {
  for (Index c = 0; c + 1 < static_cast<Index>(table.columns.size()); ++c) {
    const double tried = table.rows(row, c);
    if (!std::isfinite(tried)) continue;
    if (!(std::abs(own_value(model, table.columns[at(c)]) - tried) <= 1e-6 * std::abs(tried))) return false;
  }
  return true;
}

}  // namespace

Exhibit tuning_picture(const Subject& subject) {
  const Report::Table& table = *subject.model.report().table("choice");
  const Index score = static_cast<Index>(table.columns.size()) - 1;
  const std::string& metric = table.columns[at(score)];
  constexpr std::string_view kLess[] = {"rmse", "mae", "log_loss", "brier", "gcv", "error"};
  const bool larger = std::none_of(std::begin(kLess), std::end(kLess),
                                   [&](std::string_view w) { return metric.find(w) != std::string::npos; });
  // The two axes on which most values were tried.
  std::vector<std::pair<std::size_t, Index>> axes;
  for (Index c = 0; c < score; ++c) {
    Vector values = column_of(table.rows, c);
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (!values.empty()) axes.emplace_back(values.size(), c);
  }
  if (axes.empty()) fail(ErrorKind::data, "report: what was tried is no number");
  std::stable_sort(axes.begin(), axes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const Index across = axes[0].second;
  const Index up = axes.size() > 1 && axes[1].first > 1 ? axes[1].second : -1;
  const auto all_positive = [&](Index c) {
    for (Index r = 0; r < table.rows.rows(); ++r) {
      if (table.rows(r, c) <= 0) return false;
    }
    return true;
  };
  Json cells = Json::array();
  std::size_t best = 0;
  std::optional<std::size_t> chosen;
  double best_value = std::numeric_limits<double>::quiet_NaN();
  for (Index r = 0; r < table.rows.rows(); ++r) {
    const double x = table.rows(r, across), y = up >= 0 ? table.rows(r, up) : 0, value = table.rows(r, score);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    std::vector<std::string> label;
    for (Index c = 0; c < score; ++c) label.push_back(fmt::format("{}={:.4g}", table.columns[at(c)], table.rows(r, c)));
    if (std::isfinite(value) && !(larger ? value <= best_value : value >= best_value)) {
      best = cells.size();
      best_value = value;
    }
    if (std::isfinite(value) && is_chosen(subject.model, table, r)) chosen = cells.size();
    Json cell = {{"x", x}, {"value", numbers(Vector{value})[0]}, {"label", fmt::format("{}", fmt::join(label, ", "))}};
    if (up >= 0) cell["y"] = y;
    cells.push_back(std::move(cell));
  }
  if (!std::isfinite(best_value)) fail(ErrorKind::data, "report: no candidate has a score");
  const std::size_t taken = chosen.value_or(best);
  const auto words_of = [&](std::size_t cell) {
    return fmt::format("{}, with {} {}", cells[cell]["label"].get<std::string>(), metric,
                       figure(cells[cell]["value"].get<double>()));
  };
  std::string finding = fmt::format("Of {} candidates {} {}", cells.size(),
                                    chosen ? "the one chosen is" : "the best is", words_of(taken));
  if (cells[taken]["value"] != cells[best]["value"]) {
    finding += fmt::format(
        "; the {} score is that of {}. The highest of many scores is so partly by luck, so a candidate is judged "
        "together with its neighbours on the grid",
        larger ? "highest" : "lowest", words_of(best));
  }
  Json data = {{"x", axis(table.columns[at(across)], all_positive(across))},
               {"name", metric},
               {"larger_is_better", larger},
               {"best", taken},
               {"chosen", chosen.has_value()}};
  if (up >= 0) data["y"] = axis(table.columns[at(up)], all_positive(up));
  data["cells"] = std::move(cells);
  return {"tuning", "tuning", "What was tried", finding + ".", std::move(data)};
}

// ---- the evidence ----

namespace {

constexpr Index kSide = 25, kMostForEvidence = 300;
constexpr double kReach = 8, kProbe = 1.5;  // factors around what was learnt

// A number that the evidence depends on: of the kernel by its path, else an option.
struct Knob {
  std::string name;
  double value;
  bool of_kernel;
};

class EvidenceAround {
 public:
  EvidenceAround(const Subject& subject)
      : model_(subject.model),
        machine_(machine(model_.parts().machine)),
        training_(*subject.training),
        kernel_(*model_.expansion().parts().kernel) {
    const Index all = training_.K.size();
    Vector order(at(all));
    for (Index i = 0; i < all; ++i) order[at(i)] = static_cast<double>(i);
    if (all > kMostForEvidence) training_ = detail::part_of(training_, sample_by(order, kMostForEvidence));
    training_.how = subject.how;
    for (const Parameter& p : kernel_.params()) {
      if (!p.fixed && p.value > 0 && p.range.scale == ValueRange::Scale::logarithm)
        knobs_.push_back({p.path, p.value, true});
    }
    for (const Report::Figure& option : machine_.by_evidence->learnt(model_)) {
      knobs_.push_back({option.name, option.value, false});
    }
  }

  const std::vector<Knob>& knobs() const { return knobs_; }
  Index used() const { return training_.K.size(); }

  double at_values(const std::vector<std::pair<Knob, double>>& values) const {
    try {
      std::vector<Report::Figure> changed;
      Kernel k = kernel_;
      for (const auto& [knob, value] : values) {
        if (knob.of_kernel)
          k = k.with(knob.name, value);
        else
          changed.push_back({knob.name, value});
      }
      Training training = training_;
      training.K = gram_for(k, *training_.K.points(), {});
      return machine_.by_evidence->log_evidence(model_, changed, training);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

  // How much evidence is lost when a knob is turned a little both ways.
  double weight(const Knob& knob) const {
    const double here = at_values({}), up = at_values({{knob, knob.value * kProbe}}),
                 down = at_values({{knob, knob.value / kProbe}});
    const double lost = 2 * here - up - down;
    return std::isfinite(lost) ? std::abs(lost) : 0;
  }

 private:
  const Model& model_;
  const Machine& machine_;
  Training training_;
  Kernel kernel_;
  std::vector<Knob> knobs_;
};

}  // namespace

bool surface_applies(const Subject& subject) {
  const Model& model = subject.model;
  if (!machine(model.parts().machine).by_evidence || !subject.training || subject.y.cols() != 1) return false;
  if (!model.expansion().parts().kernel || !subject.training->K.points()) return false;
  return EvidenceAround(subject).knobs().size() >= 2;
}

Exhibit surface_picture(const Subject& subject) {
  const EvidenceAround evidence(subject);
  std::vector<std::pair<double, Knob>> ranked;
  for (const Knob& knob : evidence.knobs()) ranked.emplace_back(evidence.weight(knob), knob);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const Knob& a = ranked[0].second;
  const Knob& b = ranked[1].second;
  const Vector xs = log_spaced({a.value / kReach, a.value * kReach}, kSide);
  const Vector ys = log_spaced({b.value / kReach, b.value * kReach}, kSide);
  Vector z;
  for (const double y : ys) {
    for (const double x : xs) z.push_back(evidence.at_values({{a, x}, {b, y}}));
  }
  const double here = evidence.at_values({});
  if (!std::isfinite(here)) fail(ErrorKind::numeric, "report: the evidence of the model cannot be computed");
  Json levels = Json::array();
  for (const double below : {1.0, 3.0, 10.0, 30.0, 100.0}) levels.push_back(here - below);
  std::string finding = fmt::format("The model is at {} = {}, {} = {}, where the log evidence is {}", a.name,
                                    figure(a.value), b.name, figure(b.value), figure(here));
  if (evidence.used() < subject.x.size()) {
    finding += fmt::format("; that of {} of the {} points, so the highest place may be a little off", evidence.used(),
                           subject.x.size());
  }
  return {"surface",
          "surface",
          "The evidence around what was learnt",
          finding + ".",
          {{"x", axis(a.name, true)},
           {"y", axis(b.name, true)},
           {"at", {{"x", numbers(xs)}, {"y", numbers(ys)}}},
           {"z", numbers(z)},
           {"name", "log evidence"},
           {"larger_is_better", true},
           {"levels", std::move(levels)},
           {"best", {{"x", a.value}, {"y", b.value}, {"label", "this model"}}}}};
}

}  // namespace mercer::report
