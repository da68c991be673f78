// K(x, centres) alpha from inputs packed as for support vector machines (gram/packed/packed_points.hpp).
#pragma once

#include <optional>

#include "mercer/evaluate.hpp"

namespace mercer::detail {

// multiply(k, x, centres, alpha) in double precision, of inputs that are bytes or bits, whose inner products are exact.
// Nothing where the kernel or the inputs are of another kind, or too few for packing to pay.
std::optional<Matrix> multiply_whole_numbers(const Kernel& k, const Points& x, const Points& centres, MatrixView alpha,
                                             const Execution& how);

// The same from values in single precision, added up in double, and how far each of them may be from the result in
// double precision: at most so much at a point, whichever the output; 0 where it is that result.
struct CloseProducts {
  Matrix values;
  Vector error;
};
std::optional<CloseProducts> multiply_closely(const Kernel& k, const Points& x, const Points& centres, MatrixView alpha,
                                              const Execution& how);

}  // namespace mercer::detail
