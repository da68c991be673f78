// Classes as targets of least squares, and back.
#pragma once

#include "mercer/machines.hpp"
#include "mercer/tune.hpp"

namespace mercer::detail {

// The same points with the codes of their classes as targets.
Training with_codes(const Training& training);
// A model of codes, read as one of classes.
Model with_classes(const Model& codes, const Labels& labels, std::string_view machine);

}  // namespace mercer::detail
