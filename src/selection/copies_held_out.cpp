#include "selection/copies_held_out.hpp"

#include "base/stages.hpp"
#include "selection/criterion.hpp"
#include "selection/deciding.hpp"
#include "selection/held_out.hpp"

namespace mercer::detail {

namespace {

// So many bound what it costs. Of 3,000 held out, one standard error of an error of 1 % is 0.2 %.
constexpr Index kSample = 12000, kParts = 4;

}  // namespace

std::optional<CopiesHeldOut> copies_held_out(const Machine& machine, const Choice& choice, const Training& training) {
  const WholeStage stage("held out");
  const std::vector<const Criterion*> all = criteria(machine.task_for(choice.settings));
  if (all.empty() || all.front()->of == nullptr) return std::nullopt;
  const Criterion& criterion = *all.front();
  Training points = training;
  if (choice.kernel && choice.kernel != training.K.kernel()) {
    points.K = gram_for(*choice.kernel, *training.K.points(), {});
  }
  const Deciding::Sample sample = Deciding(points).sample(kSample);
  if (sample.different < 2 * kParts) return std::nullopt;
  const Fold fold = divide(sample.training, kParts).folds.front();
  const Cut cut(sample.training, fold);
  CopiesHeldOut out{
      .criterion = criterion.name, .fitted = cut.rest().K.size(), .held_out = static_cast<Index>(fold.size())};
  try {
    for (double* const score : {&out.without, &out.with}) {
      Training rest = cut.rest();
      rest.how = training.how;
      Settings settings = choice.settings;
      if (score == &out.without) {
        settings["invariance"] = "";
        if (rest.origin) rest.origin->invariance.clear();
      }
      const Model model = fit(machine, settings, rest);
      if (!model.report().converged && model.report().stopped == "interrupted") return std::nullopt;
      *score = criterion.of(cut.say(model, training.how), sample.training, fold);
    }
  } catch (const Error& error) {
    // A part may lack what the whole has, such as a second class; then there is nothing to say.
    if (error.kind() != ErrorKind::cancelled && error.kind() != ErrorKind::data) throw;
    return std::nullopt;
  }
  return out;
}

}  // namespace mercer::detail
