// Which data a model is of.
#pragma once

#include "workflow/raw_training.hpp"

namespace mercer::workflow {

// `raw` as the model takes points: before scaling, with the columns that it knows.
Provenance provenance_of(const FitRequest& request, const RawTraining& raw);

// That of a model that was fitted to the data; of one that went on from another, the points of both, where they are
// known.
Provenance provenance_of(const Prepared& data, const Model& model);

}  // namespace mercer::workflow
