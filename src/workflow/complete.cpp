#include "workflow/complete.hpp"

#include <cmath>

#include "workflow/provenance.hpp"

namespace mercer::workflow {

Model complete(const Prepared& data, Model model) {
  Provenance provenance = provenance_of(data, model);
  return std::move(model).with([&](Model::Parts& parts) {
    // A model that goes on from another one has its scaling already.
    parts.scaling = data.training.start ? data.scaling : data.scaling.then(parts.scaling);
    parts.inputs = data.inputs;
    parts.recipe = data.recipe;
    parts.targets = data.targets;
    parts.left_out = data.left_out;
    parts.provenance = std::move(provenance);
    if (parts.reading != Reading::density) return;
    for (Report::Figure& figure : parts.report.figures) {
      if (figure.name == "leave_one_out_log_likelihood") figure.value += std::log(data.scaling.volume());
    }
  });
}

void complete(const Prepared& data, Tuned& tuned) {
  tuned.model = complete(data, std::move(tuned.model));
  if (tuned.metric != "log_density") return;
  const double shift = std::log(data.scaling.volume());
  for (Candidate& candidate : tuned.candidates) {
    candidate.mean += shift;
    for (double& score : candidate.scores) score += shift;
  }
}

}  // namespace mercer::workflow
