#include "selection/open_trials.hpp"

#include <algorithm>

#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPointsOnCentres = 20000;

// Whatever the row says: an option that is given is not settled by a trial, and trials are made with it.
Choosing without_given(Choosing plan, const Settings& given) {
  std::erase_if(plan.read, [&](const std::string& name) {
    if (given.contains(name)) plan.while_trying.erase(name);
    return given.contains(name);
  });
  return plan;
}

bool is_option(const Machine& machine, const std::string& name) {
  return std::any_of(machine.options.begin(), machine.options.end(),
                     [&](const MachineOption& one) { return one.name == name; });
}

// As many points as wanted, or half as many, and so on, as find room with all that the machine may come to need; where
// too few do, trials say what is wrong.
Index that_fit(const Machine& machine, const Settings& trying, Extent extent, Index wanted) {
  constexpr Index kTooFew = 50;
  if (!machine.needs) return wanted;
  extent.centres = extent.rows_at_once = 0;
  for (Index points = wanted; points >= kTooFew; points /= 2) {
    extent.points = extent.weighted = std::min(points, extent.points);
    try {
      const Needs needs = machine.needs(trying, extent);
      if (needs.squares() * std::max(needs.least, needs.matrices) <= extent.room()) return points;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      return wanted;
    }
  }
  return wanted;
}

}  // namespace

Choosing what_is_open(Choosing plan, const Machine& machine, const Settings& given, bool kernel_given,
                      const std::optional<Kernel>& kernel) {
  plan = without_given(std::move(plan), given);
  for (std::vector<Trial>& stage : plan.stages) {
    std::erase_if(stage, [&](const Trial& trial) {
      return is_option(machine, trial.name) ? given.contains(trial.name) : kernel_given || !kernel;
    });
  }
  std::erase_if(plan.stages, [](const std::vector<Trial>& stage) { return stage.empty(); });
  // Those that the evidence decides on are made for these points, whatever they are.
  const bool made = machine.by_evidence && !plan.figure.empty();
  const bool fits = kernel && (kernel->domain().kind == "reals" || made);
  if (kernel_given || !fits) plan.kernels.clear();
  if (plan.stages.empty() && !(plan.read.empty() && plan.kernels.empty())) plan.stages.emplace_back();
  return plan;
}

Choosing within_room(Choosing plan, const Machine& machine, const Settings& given, const Extent& extent) {
  const Settings trying = settings_of_trials(plan, given);
  plan.most = that_fit(machine, trying, extent, plan.most);
  if (plan.finals > 0) plan.finals = that_fit(machine, trying, extent, plan.finals);
  return plan;
}

Settings settings_of_trials(const Choosing& plan, Settings settings) {
  for (const auto& [name, value] : plan.along) settings.emplace(name, value);
  for (const auto& [name, value] : plan.while_trying) settings[name] = value;
  return settings;
}

bool tried_on_centres(Index centres) { return centres > kCentresOfTrials; }

Index finals_of(const Choosing& plan, bool on_centres) {
  return on_centres && plan.finals > 0 ? kPointsOnCentres : plan.finals;
}

}  // namespace mercer::detail
