// y = H b + e with cov(e) = A, a solved system: the trend that generalised least squares fits, and what is left of y.
#pragma once

#include <optional>

#include "solve/system.hpp"

namespace mercer::solve {

// What belongs to the functions of the trend alone; empty matrices where there are none.
struct TrendPart {
  Matrix solved = {};  // A^-1 H
  Matrix factor = {};  // the Cholesky factor of H' A^-1 H
};
// Nothing where the functions cannot be told apart on the points.
std::optional<TrendPart> trend_part(const System& A, const Matrix& H);

struct Regression {
  TrendPart trend = {};
  Matrix b = {};           // functions x targets
  Matrix alpha = {};       // A^-1 (y - H b)
  Accuracy accuracy = {};  // of A^-1 y
};
// CancelledError where a solution was told to stop before it was there. 2 n^2 for each target and each function.
std::optional<Regression> regression(const System& A, const Matrix& H, const Matrix& y);

}  // namespace mercer::solve
