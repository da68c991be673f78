// Factors of C by class.
#pragma once

#include <string>
#include <string_view>

#include "mercer/machines/svm.hpp"

namespace mercer::detail {

// From `balanced` or NAME=WEIGHT,NAME=WEIGHT. UsageError, with the machine's name, for anything else.
ClassWeights class_weights(std::string_view machine, const std::string& text);

// Of each class; `weights` are those of the points. UsageError for a name that is no class, or a weight that is none.
Vector class_factors(std::string_view machine, const ClassWeights& wanted, const Labels& labels, VectorView weights);

}  // namespace mercer::detail
