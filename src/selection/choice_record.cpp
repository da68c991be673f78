#include "selection/choice_record.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "kernel/print.hpp"
#include "selection/criterion.hpp"

namespace mercer::detail {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string unit_words(Trial::Unit unit) {
  switch (unit) {
    case Trial::Unit::one: return "";
    case Trial::Unit::automatic: return " times auto";
    case Trial::Unit::target: return " standard deviations of the target";
    case Trial::Unit::per_target: return " over the standard deviation of the target";
  }
  return "";
}

double value_of(const std::string& name, bool is_option, const Candidate& candidate) {
  if (is_option) {
    const auto found = candidate.settings.find(name);
    return found == candidate.settings.end() ? kNone : parse_number(found->second).value_or(kNone);
  }
  const Params params = candidate.kernel->params();
  return params[params.find(name)].value;
}

// Four digits are enough to read; the model has them all.
std::string option_words(const std::string& name, const Settings& settings) {
  const std::string& text = settings.at(name);
  const std::optional<double> value = parse_number(text);
  return value ? fmt::format("{}={:.4g}", name, *value) : fmt::format("{}={}", name, text);
}

}  // namespace

std::string criterion_words(const Choosing& plan, const Machine& machine, Task task, Index folds) {
  const bool held_out = plan.figure.empty();
  std::string name = held_out ? criterion(plan.metric, machine.name, task).name : plan.figure;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!held_out) return name;
  return folds == 1 ? name + " of a third held out" : fmt::format("{} in {}-fold cross-validation", name, folds);
}

std::string kernel_words(std::string text) {
  const std::pair<std::string_view, std::string_view> shorter[] = {
      {"(ell=auto)", ""}, {", ell=auto", ""}, {"(ell=[auto])", " with an ell for each column"}};
  for (const auto& [what, by] : shorter) {
    if (const std::size_t place = text.find(what); place != text.npos) text.replace(place, what.size(), by);
  }
  return text;
}

ChoiceRecord::ChoiceRecord(const Machine& machine, const Choosing& plan, const std::string& first)
    : settled_(plan.read) {
  if (!plan.kernels.empty()) planned_ = {kernel_words(first)};
  for (const std::string& text : plan.kernels) planned_.push_back(kernel_words(text));
  for (const std::vector<Trial>& stage : plan.stages) {
    for (const Trial& trial : stage) {
      const auto [low, high] = std::minmax_element(trial.values.begin(), trial.values.end());
      const auto known =
          std::find_if(tried_.begin(), tried_.end(), [&](const Tried& t) { return t.name == trial.name; });
      if (known != tried_.end()) {
        known->low = std::min(known->low, *low);
        known->high = std::max(known->high, *high);
        continue;
      }
      const bool is_option = std::any_of(machine.options.begin(), machine.options.end(),
                                         [&](const MachineOption& option) { return option.name == trial.name; });
      tried_.push_back({trial.name, trial.unit, *low, *high, is_option});
    }
  }
}

void ChoiceRecord::try_all() {
  kernels_ = planned_;
  for (Tried& one : tried_) one.tried = true;
}

void ChoiceRecord::begin(const Points& points, const std::string& criterion) { rounds_.push_back({points, criterion}); }

void ChoiceRecord::add(const Candidate& candidate, const std::vector<Axis>& axes, const std::string& kernel) {
  for (Tried& one : tried_) {
    one.tried |= std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == one.name; });
  }
  Vector row;
  for (const Tried& one : tried_) {
    row.push_back(one.tried || one.is_option ? value_of(one.name, one.is_option, candidate) : kNone);
  }
  for (const std::string& name : settled_) row.push_back(value_of(name, true, candidate));
  row.push_back(candidate.mean);
  if (!kernel.empty() && std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) {
    kernels_.push_back(kernel);
  }
  rounds_.back().rows.push_back({kernel, std::move(row)});
}

void ChoiceRecord::best(double score, const std::string& kernel) {
  score_ = score;
  best_round_ = rounds_.size() - 1;
  best_kernel_ = kernel;
}

// Those that were tried in it, the best one first.
std::vector<std::string> ChoiceRecord::kernels_in(const Round& round) const {
  std::vector<std::string> out = {best_kernel_};
  for (const Row& row : round.rows) {
    if (std::find(out.begin(), out.end(), row.kernel) == out.end()) out.push_back(row.kernel);
  }
  return out;
}

std::string ChoiceRecord::ranges() const {
  std::vector<std::string> out = kernels_;
  for (const Tried& one : tried_) {
    if (one.tried && one.low < one.high) {
      out.push_back(fmt::format("{} {} to {}{}", one.name, one.low, one.high, unit_words(one.unit)));
    }
  }
  for (const std::string& name : settled_) out.push_back(fmt::format("{}=auto", name));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string ChoiceRecord::words(const Settings& settings, const std::optional<Kernel>& kernel, bool interrupted) const {
  std::vector<std::string> chosen;
  const bool ell_tried =
      std::any_of(tried_.begin(), tried_.end(), [](const Tried& one) { return one.tried && !one.is_option; });
  if (kernel && ell_tried) {
    chosen.push_back(print_short(*kernel));
  } else if (kernel && !kernels_.empty()) {
    chosen.push_back(best_kernel_);  // its numbers are yet to be learnt
  }
  for (const Tried& one : tried_) {
    if (one.tried && one.is_option) chosen.push_back(option_words(one.name, settings));
  }
  for (const std::string& name : settled_) chosen.push_back(option_words(name, settings));
  const Round& round = rounds_[best_round_];
  std::string out =
      fmt::format("{} (by {}, {:.4g}; tried {}", fmt::join(chosen, ", "), round.criterion, *score_, ranges());
  const Points& points = round.points;
  if (points.different < points.all) {
    out += fmt::format("; on {} {} different points of {}, since equal ones count as one",
                       points.decided < points.different ? fmt::format("{} of the", points.decided) : "the",
                       points.different, points.all);
  } else if (points.decided < points.all) {
    out += fmt::format("; on {} of {} points", points.decided, points.all);
  }
  if (best_round_ > 0) {
    out += fmt::format(", the best of {} by {} on {}", rounds_.front().rows.size(), rounds_.front().criterion,
                       rounds_.front().points.decided);
  }
  std::size_t trials = 0;
  for (const Round& one : rounds_) trials += one.rows.size();
  return out + (interrupted ? fmt::format("; stopped after {} trials)", trials) : ")");
}

std::vector<Report::Table> ChoiceRecord::tables(const std::string& metric) const {
  std::vector<std::string> columns;
  for (const Tried& one : tried_) columns.push_back(one.name);
  columns.insert(columns.end(), settled_.begin(), settled_.end());
  columns.push_back(metric);
  std::vector<Report::Table> out;
  for (std::size_t r = rounds_.size(); r-- > 0;) {  // the last points first
    for (const std::string& kernel : kernels_in(rounds_[r])) {
      std::vector<const Vector*> found;
      for (const Row& row : rounds_[r].rows) {
        if (row.kernel == kernel) found.push_back(&row.values);
      }
      std::string name = out.empty() ? "choice" : "choice: " + kernel;
      if (r < best_round_) name += fmt::format(", {} points", rounds_[r].points.decided);
      Matrix rows(static_cast<Index>(found.size()), static_cast<Index>(columns.size()));
      for (std::size_t i = 0; i < found.size(); ++i) std::ranges::copy(*found[i], rows.row(static_cast<Index>(i)));
      out.push_back({std::move(name), columns, std::move(rows)});
    }
  }
  return out;
}

}  // namespace mercer::detail

namespace mercer {

std::string tried_words(const Machine& machine) {
  if (!machine.choosing) return "";
  const Choosing plan = machine.choosing({}, nullptr);
  detail::ChoiceRecord record(machine, plan, machine.kernel);
  record.try_all();
  return fmt::format("{}; by {}, on {} points at most", record.ranges(),
                     detail::criterion_words(plan, machine, machine.task, plan.folds), plan.most) +
         (plan.finals > 0 ? fmt::format(", and the best of them on {} at most", plan.finals) : "");
}

}  // namespace mercer
