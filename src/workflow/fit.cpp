// Choosing what is not given, and fitting.
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

Training training_of(const Prepared& data, const Execution& how) {
  Training out = data.training;
  out.how = how;
  return out;
}

}  // namespace

Chosen choose(const Prepared& data, const Execution& how) {
  Chosen out{.choice = {.settings = data.settings, .kernel = data.training.K.kernel()}, .remarks = data.remarks};
  // A fit that goes on from a model goes on with its options.
  if (!data.plain && !data.training.start) {
    const WholeStage stage("choose");
    out.choice = mercer::choose(machine(data.machine), data.settings, data.kernel_given, training_of(data, how));
  }
  const Choice& choice = out.choice;
  if (choice.words.empty() || choice.kernel == data.training.K.kernel()) {
    out.remarks.insert(out.remarks.end(), data.kernel_remarks.begin(), data.kernel_remarks.end());
  }
  if (!choice.words.empty()) out.remarks.push_back(fmt::format("chosen: {}; --plain chooses nothing", choice.words));
  return out;
}

FitResult fit(const Prepared& data, const Chosen& chosen, const Execution& how) {
  const Stage stage("fit");
  const Model model = fit_chosen(machine(data.machine), chosen.choice, training_of(data, how));
  return {complete(data, model), chosen.choice, chosen.remarks};
}

FitResult fit(const Prepared& data, const Execution& how) { return fit(data, choose(data, how), how); }

FitResult fit(const FitRequest& request, const Execution& how) { return fit(prepare(request, how), how); }

}  // namespace mercer::workflow
