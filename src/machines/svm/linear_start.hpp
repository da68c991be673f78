// Where a problem begins whose K has few features: near its solution, by dual coordinate descent.
//
// One variable at a time cannot keep the sum of b, so that the bias is penalised there (b^2 / (2 s^2), as LIBLINEAR's):
// another problem, whose solution is near this one, and no more than a beginning. What follows it is the exact method,
// which then has little left to move.
#pragma once

#include "machines/svm/dual.hpp"

namespace mercer::detail {

// The alpha of each point of the Rows, which may have two variables; empty where K has no few features, where points
// are so few that it saves nothing, and where a record knows more. `options` are those of the exact method that
// follows: what is left of its time, and no record where the time was over before this was near, since the next process
// would begin elsewhere.
Vector near_start(const DualProblem& problem, const Rows& rows, DualOptions& options, const Execution& how);

}  // namespace mercer::detail
