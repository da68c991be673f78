#include "selection/choice_record.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
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

}  // namespace

std::string criterion_words(const Choosing& plan, const Machine& machine, Task task) {
  const bool folds = plan.figure.empty();
  std::string name = folds ? criterion(plan.metric, machine.name, task).name : plan.figure;
  std::replace(name.begin(), name.end(), '_', ' ');
  return folds ? name + " in 5-fold cross-validation" : name;
}

ChoiceRecord::ChoiceRecord(const Machine& machine, const Choosing& plan) : settled_(plan.read) {
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
  for (Tried& one : tried_) one.tried = true;
}

void ChoiceRecord::add(const Candidate& candidate, const std::vector<Axis>& axes) {
  for (Tried& one : tried_) {
    one.tried |= std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == one.name; });
  }
  Vector row;
  for (const Tried& one : tried_) {
    row.push_back(one.tried || one.is_option ? value_of(one.name, one.is_option, candidate) : kNone);
  }
  for (const std::string& name : settled_) row.push_back(value_of(name, true, candidate));
  row.push_back(candidate.mean);
  rows_.push_back(std::move(row));
}

std::string ChoiceRecord::ranges() const {
  std::vector<std::string> out;
  for (const Tried& one : tried_) {
    if (one.tried && one.low < one.high) {
      out.push_back(fmt::format("{} {} to {}{}", one.name, one.low, one.high, unit_words(one.unit)));
    }
  }
  for (const std::string& name : settled_) out.push_back(fmt::format("{} along its path", name));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string ChoiceRecord::words(const Settings& settings, const std::optional<Kernel>& kernel,
                                const std::string& criterion, Points points, bool interrupted) const {
  std::vector<std::string> chosen;
  const bool kernel_tried =
      std::any_of(tried_.begin(), tried_.end(), [](const Tried& one) { return one.tried && !one.is_option; });
  if (kernel && kernel_tried) chosen.push_back(kernel->str());
  for (const Tried& one : tried_) {
    if (one.tried && one.is_option) chosen.push_back(fmt::format("{}={}", one.name, settings.at(one.name)));
  }
  for (const std::string& name : settled_) chosen.push_back(fmt::format("{}={}", name, settings.at(name)));
  std::string out = fmt::format("{} (by {}, {:.4g}; tried {}", fmt::join(chosen, ", "), criterion, *score_, ranges());
  if (points.decided < points.all) out += fmt::format("; on {} of {} points", points.decided, points.all);
  return out + (interrupted ? fmt::format("; stopped after {} trials)", rows_.size()) : ")");
}

Report::Table ChoiceRecord::table(const std::string& criterion) const {
  std::vector<std::string> columns;
  for (const Tried& one : tried_) columns.push_back(one.name);
  columns.insert(columns.end(), settled_.begin(), settled_.end());
  columns.push_back(criterion);
  Matrix rows(static_cast<Index>(rows_.size()), static_cast<Index>(columns.size()));
  for (std::size_t r = 0; r < rows_.size(); ++r)
    std::copy(rows_[r].begin(), rows_[r].end(), rows.row(static_cast<Index>(r)));
  return {"choice", std::move(columns), std::move(rows)};
}

}  // namespace mercer::detail

namespace mercer {

std::string tried_words(const Machine& machine) {
  if (!machine.choosing) return "";
  const Choosing plan = machine.choosing({}, nullptr);
  detail::ChoiceRecord record(machine, plan);
  record.try_all();
  return fmt::format("{}; by {}, on {} points at most", record.ranges(),
                     detail::criterion_words(plan, machine, machine.task), plan.most);
}

}  // namespace mercer
