// e'log(M) e for the unit vector e that a search by conjugate gradients began at, from the search itself: M is the
// preconditioned matrix, and its steps know M between the residuals, a tridiagonal T (Golub & Meurant, Matrices,
// Moments and Quadrature, 2010).
//
// e1'log(T) e1 is a Gauss rule, which is above for the logarithm; with one node more at a number that no eigenvalue of
// M is below it is a Gauss-Radau rule, which is below.
#pragma once

#include "solve/system.hpp"

namespace mercer::solve {

// From the lengths and ratios of steps (linalg/conjugate_gradient.hpp), for an M without eigenvalues below 1.
Interval log_between_rules(const Vector& lengths, const Vector& ratios);

}  // namespace mercer::solve
