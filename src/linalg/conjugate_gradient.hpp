// Preconditioned conjugate gradients: H x = r for an H that is only known by what it does to vectors, several r at
// once.
//
// H and its preconditioner M must be symmetric and positive definite in an inner product <u, v> = u'G v. Usually G = I.
// Newton's method in a reproducing kernel Hilbert space has G = K, in which lambda I + W K is symmetric though it is
// not as a matrix. After Hestenes & Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
#pragma once

#include <functional>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::linalg {

// Each function is given the columns that are still under way, side by side.
struct LinearSystem {
  // out = H v; G v is given too, since H is often made of it.
  std::function<void(MatrixView v, MatrixView G_v, MatrixRef out)> apply;
  std::function<void(MatrixRef v)> precondition = {};            // v becomes M^-1 v; none: M = I
  std::function<void(MatrixView v, MatrixRef out)> metric = {};  // out = G v; none: G = I
};

struct Stop {
  double enough = 0;    // a column is done when <r, M^-1 r> has fallen to this share of what it was
  int most = 0;         // steps
  Vector squares = {};  // where given, `enough` does not count: a column is done when r'r is at most its number
  bool gentle = false;  // where somebody cancels, return what there is instead of throwing
};

struct ConjugateGradients {
  Matrix x;                        // one column for each right-hand side
  std::vector<int> steps = {};     // that each took
  std::vector<char> reached = {};  // whether each got what was asked for
  // Of each step of each that was taken here: how far along its direction, and how much of this the next one has. They
  // are what H is between the residuals, a tridiagonal matrix (lanczos.hpp).
  std::vector<Vector> lengths = {}, ratios = {};
  bool cancelled = false;

  int most_steps() const;
  bool all_reached() const;
};

// Who looks on, and where a search begins. A state is all that a search is at the beginning of a step: one that goes on
// from it takes the same steps, to the last bit, as the one that it is of.
struct Steps {
  using State = std::function<Vector()>;
  // Before each step, and where it is cancelled; `done` is how much of the way there is behind it, from 0 to 1, if
  // residuals go on falling as they do.
  std::function<void(double done, const State& state)> before = {};
  std::function<void(const State& state)> cancelled = {};
  Vector from = {};  // a state of the same system; empty: x = 0
};

// Each column by itself, until it is done, `stop.most` steps are, or rounding leaves nothing to gain; then it is out of
// the way of the others. What is found for a column does not depend on those beside it, as far as the system's
// functions do not. A step costs one of each of these.
ConjugateGradients conjugate_gradients(const LinearSystem& system, Matrix r, const Stop& stop, const Steps& steps = {});

}  // namespace mercer::linalg
