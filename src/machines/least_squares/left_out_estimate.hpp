// The leave-one-out error of least squares by few of the points, where A^-1 has no diagonal to read.
//
// Left out, point i has the residual z_i / (A^-1)_ii with z = A^-1 b. (A^-1)_ii takes a solution for the i-th unit
// vector, as exact as the system gives it, for `count` points side by side; of as many points as there are, all. They
// are drawn with the chance p_i = 1/(2 n) + z_i^2 / (2 |z|^2): those of large z say most where (A^-1)_ii is much the
// same everywhere, and where it is not, as with a small ridge, points drawn alike keep the error bounded. The sum of
// squares is then the mean of r_i^2 / p_i, without bias, and its standard error is seen from them.
#pragma once

#include "solve/system.hpp"

namespace mercer::detail {

struct LeftOutEstimate {
  double squares = 0;  // sum_i r_i^2 over all columns of z
  double error = 0;    // its standard error; 0: all points were asked
  Index points = 0;    // that were
  solve::Accuracy accuracy = {};
};

LeftOutEstimate estimate_left_out(const solve::System& A, const Matrix& z, Index count);

}  // namespace mercer::detail
