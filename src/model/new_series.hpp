// Points of series that a model has not seen.
#pragma once

#include <string>

#include "mercer/model.hpp"

namespace mercer::detail {

// Where the kernel tells series apart, along lines that have nothing in common: how many of the points, which are not
// scaled yet, are of none that the model was fitted to. It knows no more of them than before the fit.
Index points_of_new_series(const Model& model, const Points& x);
std::string new_series_words(Index points);

}  // namespace mercer::detail
