// The exact end of a small dual problem.
//
// The solver ends when the KKT conditions hold to a tolerance, so problems that mean the same (points in another order,
// a point of weight 2 or the same point twice, dense or sparse rows) end at answers that differ by it. From there an
// active-set method goes to the optimum itself: with F the variables between their bounds, the step d with
//
//     (K_FF d + g_F)_i equal within each group,  and the sum of d in each group 0
//
// is taken as far as the box allows. What meets a bound leaves F, what violates the conditions most joins it. A few
// Cholesky factors of |F|^3/3 flops; where F is large or the changes are many, it ends before the optimum.
#pragma once

#include "machines/svm/dual.hpp"

namespace mercer::detail {

// b and f = K b at a point that is no worse, as a rule the optimum to rounding. On one thread but for rows of K.
void polish(const DualProblem& problem, const Rows& rows, int threads, Vector& b, Vector& f);

}  // namespace mercer::detail
