// The primal of squared losses, in the weights of the columns:
//
//     minimise over w  1/2 |w|^2 + sum_i d_i b_i^2 / 2,   b_i = what the loss of point i at f_i = w.(x_i, s) makes of
//     it
//
// by Newton's method: a step costs n c^2 for c columns and few are needed, whatever C is, where coordinate descent
// takes the more passes the larger C is (Keerthi & DeCoste 2005, JMLR 6).
#pragma once

#include <span>

#include "machines/svm/linear/coordinate_descent.hpp"

namespace mercer::detail {

// Whether there are few columns and the loss of each point is squared.
bool has_primal_newton(const FeatureMatrix& x, const LinearProblem& problem, std::span<const Index> points);

// The b that belongs to the value f.
double dual_at(const LinearProblem& problem, Index i, double f);

// The weights of the columns, and last that of the bias, from `start` on: as near to the optimum as rounding lets them
// come, or as some tens of steps do. Told to stop, throws.
Vector primal_newton(const FeatureMatrix& x, const LinearProblem& problem, std::span<const Index> points, Vector start,
                     const Monitor& monitor);

}  // namespace mercer::detail
