// Kernels that single precision computes fast: a multiple of rbf, linear or poly, perhaps on some columns.
#pragma once

#include <optional>

#include "mercer/kernel.hpp"
#include "simd/float_rows.hpp"

namespace mercer::detail {

struct FloatForm {
  simd::FloatProfile profile;
  double factor = 1, shift = 0, scale = 1;  // those of the profile in double precision
  Points inputs;                            // the columns it is a function of
  Vector column_factors;                    // each column is to be multiplied with; empty: none
  bool shift_free = true;                   // a function of differences: the inputs may be centred
};
// Nothing when the kernel has another form, or the inputs are no real vectors or too sparse to be stored densely.
// The kernel must be resolved.
std::optional<FloatForm> float_form(const Kernel& k, const Points& x);

}  // namespace mercer::detail
