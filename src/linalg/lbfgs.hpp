// Minimising a smooth function between bounds by a limited-memory quasi-Newton method.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::linalg {

// The value at x, and its derivatives into `gradient`. Infinite or not a number: x is out of the question, and the
// gradient is not read.
using Objective = std::function<double(VectorView x, VectorRef gradient)>;

// A step and how the gradient changed along it: what the search knows of the curvature.
struct Secant {
  Vector step, change;
};

struct Descent {
  Index max_iterations = 200;
  double tolerance = 1e-7;         // it ends when two iterations in a row have lowered the value by less
  bool promises = false;           // or already when the next step promises less: where an evaluation costs much
  double longest_step = 3;         // in any coordinate
  std::vector<Secant> known = {};  // from before, or of a similar function; the oldest first
  double value = 0;                // at the start, where `gradient` is that of the start and not empty: then it is
  Vector gradient = {};            // not evaluated again
  bool known_well = false;         // of nearly the same function, near its minimum: the first promise is believed, too
  // Called after every iteration with the value; false ends the search.
  std::function<bool(Index iteration, double value)> proceed = {};
};

struct Minimum {
  Vector x;
  double value = 0;
  Vector gradient = {};
  Index iterations = 0, evaluations = 0;
  bool converged = false;
  std::string stopped = {};        // why, in words
  std::vector<Secant> known = {};  // to go on with
};

// L-BFGS in the coordinates that are not held by a bound, with a projected line search. The start is moved between the
// bounds. What an evaluation throws goes through.
Minimum minimise(const Objective& f, Vector start, VectorView lower, VectorView upper, const Descent& how);

}  // namespace mercer::linalg
