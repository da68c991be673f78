// Choosing what is not given, and fitting.
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "kernel/print.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

Training training_of(const Prepared& data, const Execution& how) {
  Training out = data.training;
  out.how = how;
  return out;
}

Plan plan_of(const Prepared& data, const Settings& settings, const std::optional<Kernel>& kernel) {
  const Gram& K = data.training.K;
  const Extent extent = kernel && K.kernel() != kernel ? extent_of(data.training, *kernel) : extent_of(data.training);
  return plan_for(machine(data.machine), settings, extent);
}

// Measuring how fast it goes is nothing beside it.
bool is_long(const Plan& plan) { return plan.pairs > 1e7 || plan.flops > 1e10; }

}  // namespace

Plan plan(const Prepared& data, const Execution& how) {
  return in_process(timed(plan_of(data, data.settings, data.training.K.kernel()), data.training.K, how), how);
}

Chosen choose(const Prepared& data, const Execution& how) {
  // What cannot be fitted in the end is not begun.
  (void)plan_of(data, data.settings, data.training.K.kernel());
  Chosen out{.choice = {.settings = data.settings, .kernel = data.training.K.kernel()}, .remarks = data.remarks};
  // A fit that goes on from a model goes on with its options.
  if (!data.plain && !data.training.start) {
    const WholeStage stage("choose");
    out.choice = mercer::choose(machine(data.machine), data.settings, data.kernel_given, training_of(data, how));
  }
  const Choice& choice = out.choice;
  // What was chosen may be what auto is; its words name it then.
  const bool named = choice.kernel && choice.words.starts_with(detail::print_short(*choice.kernel));
  if (choice.words.empty() || (choice.kernel == data.training.K.kernel() && !named)) {
    out.remarks.insert(out.remarks.end(), data.kernel_remarks.begin(), data.kernel_remarks.end());
  }
  if (!choice.words.empty()) out.remarks.push_back(fmt::format("chosen: {}; `plain` chooses nothing", choice.words));
  return out;
}

FitResult fit(const Prepared& data, const Chosen& chosen, const Execution& how) {
  const Stage stage("fit");
  Training training = training_of(data, how);
  training.plan = plan_of(data, chosen.choice.settings, chosen.choice.kernel);
  if (is_long(*training.plan)) training.plan = timed(*training.plan, training.K, how);
  return {complete(data, fit_chosen(machine(data.machine), chosen.choice, training)), chosen.choice, chosen.remarks};
}

FitResult fit(const Prepared& data, const Execution& how) { return fit(data, choose(data, how), how); }

FitResult fit(const FitRequest& request, const Execution& how) { return fit(prepare(request, how), how); }

}  // namespace mercer::workflow
