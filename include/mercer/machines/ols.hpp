// mercer/machines/ols.hpp: least squares without a penalty.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// f = argmin  sum_i w_i (y_i - f(x_i))^2,  of all minimisers the one with the smallest |f|;   alpha = K^+ y
//
// Where K is not singular, f passes through every target and alpha = K^-1 y, by Cholesky: n^3/3 flops. Where it is (in
// floating point: a condition number above 1/(n eps)), the pseudo-inverse takes the eigenvalues above n eps times the
// largest, about 9 n^3 flops, and the report has a note with the rank. Points of weight 0 take no part; with weights
// alpha = W^1/2 (W^1/2 K W^1/2)^+ W^1/2 y. Where K = F F' with r <= n/4
// features, both come from the eigenvectors of F'F: 2 n r^2 flops and n r numbers. Report: rank; condition, or the
// largest of the eigenvalues.
struct KernelLeastSquares {
  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

}  // namespace mercer
