// Products with the matrix of squared distances, which is never made.
#pragma once

#include "mercer/evaluate.hpp"

namespace mercer::detail {

// sum_j d(x_i, x_j)^2 v_j of each point.
Vector multiply_squared_distances(const Kernel& resolved, const Points& x, VectorView v, const Execution& how);

}  // namespace mercer::detail
