// Two sides to tell apart: the problem behind C-SVC and nu-SVC, of a pair of classes or of one against the rest.
#pragma once

#include "machines/svm/dual.hpp"
#include "machines/svm/outcome.hpp"

namespace mercer::detail {

struct BinaryProblem {
  Vector sign;              // of each point of the Rows: +1 or -1
  Vector cost;              // largest |b| of each point: C_i, or w_i for nu-SVC; 0: takes no part
  double nu = 0;            // above 0: nu-SVC
  bool bias = true;         // of C-SVC
  bool hard = false;        // C = inf: a cost above 0 stands for no bound
  double largest_phi = 0;   // for the hard margin: the largest |phi(x)| = sqrt(k(x, x))
  double positive() const;  // the sum of costs of each side
  double negative() const;
};

// Where to begin: alphas, one for each point of the Rows, and K times them where that is known; or nothing.
struct Beginning {
  Vector alpha = {}, f = {};

  void scale(double factor);
};

struct BinaryOutcome {
  Outcome outcome;
  Vector scores = {};     // f at each point of the Rows, bias included
  bool separable = true;  // false: a margin, hard or of this nu, that does not exist

  Beginning next() const;  // for a problem that is nearly the same
};

// A problem with one side only has no margin to speak of: f is then the constant 1 or -1.
BinaryOutcome solve_binary(const BinaryProblem& problem, Rows& rows, Beginning begin, const DualOptions& options,
                           const Execution& how);

// For C-SVC and nu-SVC with finite costs.
DualProblem dual_of(const BinaryProblem& problem);

// The hard margin by a path of soft ones (src/machines/svm/hard_margin.cpp).
BinaryOutcome solve_hard_margin(const BinaryProblem& problem, Rows& rows, VectorView wish, const DualOptions& options,
                                const Execution& how);

// The f of a solution at each point of the Rows, bias included.
Vector scores_of(const DualSolution& solution, double rho);

}  // namespace mercer::detail
