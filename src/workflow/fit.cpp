// Choosing what is not given, and fitting.
#include <fmt/format.h>

#include <algorithm>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "kernel/print.hpp"
#include "selection/grow_centres.hpp"
#include "selection/trials.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

Training training_of(const Prepared& data, const Execution& how) {
  Training out = data.training;
  out.how = how;
  return out;
}

// `centres`: how many stand for all points; 0: as the plan decides.
Plan plan_of(const Prepared& data, const Settings& settings, const std::optional<Kernel>& kernel, Index centres,
             const Execution& how) {
  const Gram& K = data.training.K;
  const Extent extent = kernel && K.kernel() != kernel ? extent_of(data.training, *kernel) : extent_of(data.training);
  Wishes wishes{.centres = centres, .approximate = true};
  if (data.centres && centres == 0) wishes.centres = data.centres->count;
  if (data.centres && wishes.centres == 0) wishes.centres = usual_centres(extent.points);
  if (data.time) {
    wishes.seconds = *data.time;
    wishes.rates = measured_rates(K, how);
  }
  return plan_for(machine(data.machine), settings, extent, wishes);
}

// Measuring how fast it goes is nothing beside it.
bool is_long(const Plan& plan) { return plan.pairs > 1e7 || plan.flops > 1e10; }

}  // namespace

namespace {

// As many as find room, and half of the time; the other half goes to trying them.
Index most_centres(const Prepared& data, const Choice& choice, Index first, const Execution& how) {
  const Rates rates = data.time ? measured_rates(data.training.K, how) : Rates{};
  const double allowed = data.time.value_or(Wishes{}.seconds) / 2;
  const Extent extent = extent_of(data.training, *choice.kernel);
  Index out = first;
  for (Index next = 2 * first; next <= extent.weighted / 2; next *= 2) {
    Extent wished = extent;
    wished.centres = next;
    if (wished.memory == 0) wished.memory = static_cast<std::size_t>(extent.share());
    try {
      const Plan plan = plan_for(machine(data.machine), choice.settings, wished);
      if (plan.pairs / rates.pairs + plan.flops / rates.flops > allowed) break;
    } catch (const Error&) {  // no room
      break;
    }
    out = next;
  }
  return out;
}

// Of a fit that is not told everything: with the most centres that it may come to, and what its trials take.
Plan with_trials(const Prepared& data, Plan plan, const Execution& how) {
  const Choice choice{.settings = data.settings, .kernel = data.training.K.kernel()};
  const Extent extent = extent_of(data.training);
  Extent planned = extent;
  planned.centres = plan.centres;
  detail::Trials all =
      detail::trials_of(machine(data.machine), data.settings, data.kernel_given, choice.kernel, planned);
  if (plan.centres > 0 && !(data.centres && data.centres->count > 0)) {
    const Index most = most_centres(data, choice, plan.centres, how);
    const detail::Trials growth = detail::growth_of(machine(data.machine), choice.settings, extent, most);
    all = {std::max(all.bytes, growth.bytes), all.pairs + growth.pairs, all.flops + growth.flops};
    std::string why = std::move(plan.why);
    plan = plan_of(data, choice.settings, choice.kernel, most, how);
    plan.why = std::move(why);
  }
  plan.pairs += all.pairs;
  plan.flops += all.flops;
  if (const double more = all.bytes - plan.bytes; more > 0) {
    plan.parts.push_back({"trials, beyond that", more});
    plan.bytes += more;
  }
  return plan;
}

// How many, where they stand for all points.
void choose_centres(const Prepared& data, const Plan& plan, Chosen& out, const Execution& how) {
  if (plan.centres == 0) return;
  CentreWishes wishes = data.centres.value_or(CentreWishes{.count = 0});
  const bool given = wishes.count > 0;
  if (!given) wishes.count = plan.centres;
  if (given && data.weighted && wishes.count > data.weighted->size() &&
      data.weighted->size() < data.training.K.size()) {
    fail(ErrorKind::usage, "`centres`: {} of {} points, of which {} are different and count; choose at most these",
         wishes.count, data.training.K.size(), data.weighted->size());
  }
  if (!given && !data.plain && !out.choice.interrupted) {
    const WholeStage stage("choose");
    wishes.count = most_centres(data, out.choice, wishes.count, how);
    const detail::Growth growth =
        detail::grow_centres(machine(data.machine), out.choice, training_of(data, how), wishes);
    wishes.count = growth.count;
    out.centres = growth.centres;
    if (growth.table) out.choice.others.push_back(*growth.table);
    if (!growth.words.empty()) out.remarks.push_back(growth.words);
  }
  if (!data.centres) {
    out.remarks.push_back(
        fmt::format("approximated: {} centres stand for all points, because {}; `centres` and `time` "
                    "decide otherwise",
                    wishes.count, plan.why));
  }
  out.wishes = wishes;
}

}  // namespace

Plan plan(const Prepared& data, const Execution& how) {
  Plan out = plan_of(data, data.settings, data.training.K.kernel(), 0, how);
  if (!data.plain && !data.training.start && data.training.K.kernel()) out = with_trials(data, std::move(out), how);
  return in_process(timed(std::move(out), data.training.K, how), how);
}

Chosen choose(const Prepared& data, const Execution& how) {
  // What cannot be fitted in the end is not begun.
  const Plan plan = plan_of(data, data.settings, data.training.K.kernel(), 0, how);
  Chosen out{.choice = {.settings = data.settings, .kernel = data.training.K.kernel()}, .remarks = data.remarks};
  // A fit that goes on from a model goes on with its options.
  if (!data.plain && !data.training.start) {
    const WholeStage stage("choose");
    Training training = training_of(data, how);
    training.plan = plan;
    out.choice = mercer::choose(machine(data.machine), data.settings, data.kernel_given, training);
  }
  const Choice& choice = out.choice;
  // What was chosen may be what auto is; its words name it then.
  const bool named = choice.kernel && choice.words.starts_with(detail::print_short(*choice.kernel));
  if (choice.words.empty() || (choice.kernel == data.training.K.kernel() && !named)) {
    out.remarks.insert(out.remarks.end(), data.kernel_remarks.begin(), data.kernel_remarks.end());
  }
  if (!choice.words.empty()) out.remarks.push_back(fmt::format("chosen: {}; `plain` chooses nothing", choice.words));
  choose_centres(data, plan, out, how);
  return out;
}

FitResult fit(const Prepared& data, const Chosen& chosen, const Execution& how) {
  const Stage stage("fit");
  Training training = training_of(data, how);
  const std::optional<Kernel>& kernel = chosen.choice.kernel;
  training.plan = plan_of(data, chosen.choice.settings, kernel, chosen.wishes ? chosen.wishes->count : 0, how);
  if (is_long(*training.plan)) training.plan = timed(*training.plan, training.K, how);
  if (chosen.wishes) {
    if (kernel != training.K.kernel()) training.K = gram_for(*kernel, *data.x, {});
    training.plan->centres_by = name_of(chosen.wishes->by);
    training.centres =
        chosen.centres ? *chosen.centres : mercer::choose_centres(*kernel, *data.weighted, *chosen.wishes, how);
  }
  return {complete(data, fit_chosen(machine(data.machine), chosen.choice, training)), chosen.choice, chosen.remarks};
}

FitResult fit(const Prepared& data, const Execution& how) { return fit(data, choose(data, how), how); }

FitResult fit(const FitRequest& request, const Execution& how) { return fit(prepare(request, how), how); }

}  // namespace mercer::workflow
