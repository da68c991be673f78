// The two steps of inputs_for().
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// How new data are read for a model, which knows of columns that have names what they are called, and which of them are
// text. `weights` is a column, if any.
ReadOptions reading_for(const Model& model, const std::string& target, const std::string& weights = {});

// What was read so, as the model wants it.
Inputs inputs_of(const Model& model, Dataset data, const Source& source, const std::string& target = {},
                 const std::string& weights = {});

}  // namespace mercer::workflow
