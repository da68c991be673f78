#include "selection/trials.hpp"

#include <algorithm>

#include "selection/open_trials.hpp"

namespace mercer::detail {

void Trials::add(const Machine& machine, const Settings& settings, const Extent& extent, double times, double beside) {
  const Plan one = plan_for(machine, settings, extent, {});
  bytes += one.bytes + beside;
  pairs += times * one.pairs;
  flops += times * one.flops;
}

Trials trials_of(const Machine& machine, const Settings& given, bool kernel_given, const std::optional<Kernel>& kernel,
                 const Extent& extent) {
  // Of the last trials: the best of each kernel, and steps from the best of these.
  constexpr double kStepsOfFinals = 4;
  Trials out;
  if (!machine.choosing) return out;
  const Choosing plan = within_room(
      what_is_open(machine.choosing(given, nullptr), machine, given, kernel_given, kernel), machine, given, extent);
  const Settings trying = settings_of_trials(plan, given);
  const bool in_folds = plan.figure.empty(), on_centres = tried_on_centres(extent.centres);
  Extent some = extent;
  some.centres = 0;
  const auto try_on = [&](Index points, double times) {
    some.points = some.weighted = std::min(points, extent.points);
    const auto n = static_cast<double>(some.points);
    // Folds read one K.
    out.add(machine, trying, some, in_folds ? static_cast<double>(plan.folds) * times : times,
            in_folds ? sizeof(double) * n * n : 0);
  };
  const auto kernels = static_cast<double>(1 + plan.kernels.size());
  for (const std::vector<Trial>& stage : plan.stages) {
    double grid = kernels;
    for (const Trial& trial : stage) grid *= static_cast<double>(trial.values.size());
    try_on(plan.most, grid);
  }
  if (plan.stages.empty() || plan.finals == 0 || extent.points <= plan.most) return out;
  if (on_centres) some.centres = kCentresOfTrials;
  try_on(finals_of(plan, on_centres), kernels + kStepsOfFinals);
  return out;
}

}  // namespace mercer::detail
