// mercer/machines/kde.hpp: kernel density estimation.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// f(x) = sum_i w_i k(x_i, x) / (Z sum_i w_i),   Z = integral of k(x_i, x) over x
//
// For kernels whose integral is known and does not depend on x_i: rbf, laplace, exponential, matern, and rq with
// alpha > d/2, on all columns; their sums and multiples; and products of such over columns that share none.
// Others are refused with the reason. Report: integral; leave_one_out_log_likelihood, the mean over the points of the
// logarithm of their density from the others, those at other inputs.
struct KernelDensity {
  Model fit(const Training& training) const;
  Model fit(const Gram& K) const;
};

// The integral of k(x, y) over y in R^d, for inputs like x. KernelError where it is not finite or not known.
double integral(const Kernel& k, const Points& x);

}  // namespace mercer
