// The same equations with one shift after the other.
#pragma once

#include <functional>

#include "linalg/shifted.hpp"
#include "solve/system.hpp"

namespace mercer::solve {

struct Path {
  Vector shifts;
  double trace = 0;           // of S K S / unit
  bool factored = false;      // by few features
  linalg::ShiftedSolves all;  // one solution, and one diagonal of the inverse, for each shift
};

// (S K S / unit + s I)^-1 b and the diagonal of the inverse, for all shifts s together: by few features where K has
// them, else by one reduction of the matrix to a band, which takes 2 n^2 numbers. The shifts may depend on the trace.
Path path_for(const Equations& equations, MatrixView b, const std::function<Vector(double trace)>& shifts,
              const Wishes& wishes, const Execution& how);

}  // namespace mercer::solve
