// Points of a Gaussian process predicted from all that are different from them.
#pragma once

#include <functional>
#include <optional>

#include "mercer/gram.hpp"

namespace mercer::detail {

using Group = std::vector<Index>;

// Each point of a single group, equal ones together.
std::vector<Group> groups_of_equals(const Points& x);
std::vector<Group> groups_of_equals(const Gram& K);

// With P = A^-1 - A^-1 H (H' A^-1 H)^-1 H' A^-1, the points F, predicted from all others, have the errors
// P_FF^-1 (P y)_F and the covariance P_FF^-1 (Dubrule 1983 for one point, which is the same algebra).
struct GroupsLeftOut {
  Matrix error;                    // points x targets
  Vector variance;                 // relative to the signal, noise included
  std::vector<Matrix> covariance;  // of each group
};
// From Py and `precision`, which gives P_FF; nothing where one is not positive definite in floating point.
std::optional<GroupsLeftOut> leave_groups_out(const std::vector<Group>& groups, const Matrix& Py,
                                              const std::function<Matrix(const Group&)>& precision);

}  // namespace mercer::detail
