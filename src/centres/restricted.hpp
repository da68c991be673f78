// Least squares by functions of the centres alone, f = w'phi (mercer/centres.hpp):
//     min_w  sum_i v_i (y_i - w'phi(x_i))^2 + ridge |w|^2,      (Phi'V Phi + ridge I) w = Phi'V y
// In these coordinates |w| is the norm of f, and the condition of the system is that of the problem: with K(Z, Z)
// instead of I it would be squared.
#pragma once

#include <optional>

#include "centres/pass.hpp"
#include "mercer/centres.hpp"
#include "solve/system.hpp"

namespace mercer::centres {

struct LeastSquares {
  const Centres& centres;
  const Pass& pass;    // over the rows x_i, with the points of the centres
  MatrixView y;        // a row for each, and a column for each target
  VectorView weights;  // v; empty: all 1

  double weight(Index i) const { return weights.empty() ? 1 : weights[static_cast<std::size_t>(i)]; }
};

// The problem for every ridge, from the eigenvectors of Phi'V Phi. One pass, 2 n m^2 + 9 m^3 flops, and 2 m^2 numbers
// beside a sum of m^2 for each thread.
class AllRidges {
 public:
  AllRidges(const LeastSquares& problem, const Execution& how);

  double trace() const;                  // of Phi'V Phi
  Matrix w(double ridge) const;          // centres x targets
  double freedom(double ridge) const;    // tr Phi'V Phi (Phi'V Phi + ridge I)^-1
  double squares(double ridge) const;    // sum_i v_i (y_i - f(x_i))^2 of all targets
  double condition(double ridge) const;  // of the system
  // sum_i v_i (y_i - f_i(x_i))^2 of all targets, f_i fitted without the point i: a number for each ridge. One more
  // pass, 2 n m^2 flops.
  Vector left_out(VectorView ridges, const Execution& how) const;

 private:
  const LeastSquares& problem_;
  Vector values_;        // eigenvalues
  Matrix vectors_;       // a row for each
  Matrix rotated_;       // vectors Phi'V y
  double y_square_ = 0;  // sum v y^2
};

// By conjugate gradients, a pass for each step, preconditioned by a sketch: rows of Phi are added up in random groups
// with random signs, and (S Phi)'V(S Phi) + ridge I, of as few rows as twice the centres, is near the system whatever
// the centres are (Diaz, Epperly, Frangella, Tropp & Webber, arXiv:2304.12465, "KRILL"). One pass and 5 m^3 flops
// before the first step, 3 m^2 numbers. The residual that ends it, relative to Phi'V y of each target, is computed anew
// from the data; the bound of the error follows from it and the ridge.
struct BySteps {
  Matrix w;
  solve::Accuracy accuracy;
  std::optional<double> freedom = {};  // as of AllRidges, of the sketch; none where rounding leaves no factor of it
};
BySteps by_steps(const LeastSquares& problem, double ridge, double tolerance, int most_steps, const Execution& how,
                 const std::shared_ptr<Checkpoints>& checkpoints = {});

}  // namespace mercer::centres
