// What few points know of a process: K is replaced by what m inducing points Z explain of it,
//     Q = K(X, Z) K(Z, Z)^-1 K(Z, X) = Phi Phi',   phi(x) = L^-1 k(Z, x),   K(Z, Z) = L L'.
//
// bound: log N(y | H b, s (Q + D)) - 1/2 tr (K - Q) D^-1, which is never above the evidence, whatever Z (Titsias,
// AISTATS 2009); D is the noise in units of the signal s. fitc: log N(y | H b, s (Q + diag(K - Q) + D)), the evidence
// of another process, whose variances are those of K (Snelson & Ghahramani, NIPS 2005), and no bound.
//
// With A = Q + D, or with diag(K - Q) in D, and B = I + Phi'D^-1 Phi, log |A| = log |D| + log |B|, and y'A^-1 y is the
// least value of |D^-1/2 (y - Phi w)|^2 + |w|^2: a sum of squares, in which nothing cancels. K(Z, X) D^-1 K(X, Z) is
// never formed, which would square the condition of K(Z, Z).
//
// n m^2 flops for Phi, as many for B, and 3 n m^2 for the derivatives; three passes over the rows, and memory of a few
// m^2 and strips of rows, whatever n is.
#pragma once

#include "centres/pass.hpp"
#include "machines/processes/approach.hpp"
#include "mercer/centres.hpp"

namespace mercer::detail {

enum class InducingBy { bound, fitc };

// The rows of the data in the features of some centres.
struct Seen {
  const ProcessData& data;
  const Centres& centres;
  const centres::Pass& pass;
  const Execution& how;
};

// A, and what is left of H and y in it.
struct Reduced {
  Matrix precision = {};  // B, both triangles
  Matrix factor = {};     // its Cholesky factor
  Vector own = {};        // D
  Vector missing = {};    // the diagonal of K - Q
  Matrix by_trend = {};   // Phi'A^-1 H
  Matrix trend = {};      // the Cholesky factor of H'A^-1 H
  bool separable = true;  // the functions of the trend can be told apart; else nothing that follows is there
  Matrix b = {};          // functions x targets
  Matrix w = {};          // Phi'alpha: centres x targets
  Matrix alpha = {};      // A^-1 (y - H b)
  Vector quadratic = {};  // (y - H b)' A^-1 (y - H b) of each target
  double log_determinant = 0;
  double lost = 0;   // tr (K - Q) D^-1; of fitc 0
  double rest = 0;   // tr (K - Q)
  double trace = 0;  // tr K
};
// `shift` is what is added to the diagonal of K. NumericError where it cannot be told from 0 beside K.
Reduced reduce(const Seen& seen, Vector shift, InducingBy by);

// The signal of each target where none is given: at its best.
Vector signals(const Reduced& A, const std::optional<double>& given, Index points);
// The bound, or the log likelihood of fitc.
double log_evidence(const Reduced& A, const Vector& signal, Index points);

// Its derivatives at a kernel, noise and signal, added to `out`, whose signal is set.
void add_slopes(const Seen& seen, const Reduced& A, const Approach::At& at, InducingBy by, Approach::Value& out);

}  // namespace mercer::detail
