// A x = b to a tolerance, by conjugate gradients that are begun again where rounding has made the residual that steps
// update better than the one that A itself gives.
#pragma once

#include <functional>

#include "linalg/conjugate_gradient.hpp"
#include "solve/system.hpp"

namespace mercer::solve {

struct Iteration {
  // A and what preconditions it. Both get the monitor of a step, which tells all steps' progress as one stage.
  std::function<linalg::LinearSystem(const Monitor& monitor)> system;
  // b - A x from A itself.
  std::function<Matrix(const Matrix& x, const Monitor& monitor)> residual;
  double tolerance = 0;  // |b - A x| / |b| of each column
  // By how much a residual falls before it is computed from A itself, where steps multiply something near A; 0: as far
  // as is wanted.
  double gain = 0;
  int most_steps = 0;
  const Monitor& monitor;
  // What is kept of it, and numbers that must be the same where it goes on.
  std::shared_ptr<Checkpoints> checkpoints = {};
  Vector same = {};
};

struct Iterated {
  Matrix x, r;  // r = b - A x, from A itself
  Vector norm;  // |b|^2 of each column
  Accuracy accuracy;
};

Iterated iterate(const Matrix& b, const Iteration& how);

}  // namespace mercer::solve
