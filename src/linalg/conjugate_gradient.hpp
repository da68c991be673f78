// Preconditioned conjugate gradients: H x = r for an H that is only known by what it does to a vector.
//
// H and its preconditioner M must be symmetric and positive definite in an inner product <u, v> = u'G v. Usually G = I.
// Newton's method in a reproducing kernel Hilbert space has G = K, in which lambda I + W K is symmetric though it is
// not as a matrix. After Hestenes & Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
#pragma once

#include <functional>

#include "mercer/matrix.hpp"

namespace mercer::linalg {

struct LinearSystem {
  // out = H v; G v is given too, since H is often made of it.
  std::function<void(VectorView v, VectorView G_v, VectorRef out)> apply;
  std::function<void(VectorRef v)> precondition = {};            // v becomes M^-1 v; none: M = I
  std::function<void(VectorView v, VectorRef out)> metric = {};  // out = G v; none: G = I
};

struct ConjugateGradients {
  Vector x;
  int steps = 0;
  bool reached = false;  // what was asked for
};

// Until <r, M^-1 r> of the residual r has fallen to `enough` of what it was, `most` steps are done, or rounding leaves
// nothing to gain. Calls `before_step` before each. A step costs one of each of the system's functions.
ConjugateGradients conjugate_gradients(const LinearSystem& system, Vector r, double enough, int most,
                                       const std::function<void()>& before_step = {});

}  // namespace mercer::linalg
