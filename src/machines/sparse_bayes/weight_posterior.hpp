// The weights of a linear model given the variances of their prior, and how the evidence depends on those variances.
//
//     z ~ N(Phi w, (precision W)^-1),   w_m ~ N(0, 1/alpha_m):   w ~ N(mean, covariance)
//
// All of it is m x m; whoever owns the points brings Phi'W Phi, as a product, and Phi'W z. Columns of neighbours are
// nearly the same and their weights cancel: a factor of Phi'W Phi + A itself would lose twice as many digits as one
// made from those of its terms.
#pragma once

#include <optional>

#include "mercer/matrix.hpp"

namespace mercer::detail {

struct WeightPosterior {
  double precision = 1;
  Vector alpha;
  Matrix root;     // Phi'W Phi = root root'
  Vector moments;  // Phi'W z

  Vector mean;
  Matrix covariance;
  Matrix factor;               // L L' = I + precision D Phi'W Phi D, D = A^-1/2
  double log_determinant = 0;  // log |A + precision Phi'W Phi| - log |A|

  Index size() const { return static_cast<Index>(alpha.size()); }
  // The mean and all below it from what is above it, m^3. False when it overflows.
  [[nodiscard]] bool update();
  // One step of iterative refinement of the mean from Phi'W (z - Phi mean), computed at the points: where large weights
  // cancel, the mean alone has lost digits that the residual still has.
  void refine(const Vector& projected_residual);
  double penalty() const;          // mean' A mean
  double well_determined() const;  // sum_m 1 - alpha_m covariance_mm: how many weights the data decide

  // With all other alphas as they are the evidence is  (log(alpha / (alpha + s)) + q^2 / (alpha + s)) / 2  and a
  // constant. It has one maximum: at s / excess if the excess q^2/s - 1 is positive, else at infinity.
  struct Alone {
    double s = 0, q = 0;
    double excess() const { return s > 0 ? q * q / s - 1 : -1; }
    double best_alpha() const;        // infinity: better left out
    double gain(double alpha) const;  // over an infinite alpha
    double best_gain() const;
    bool holds(double push) const;  // whether gain(alpha) + push log alpha is stationary at some alpha
  };
  Alone alone(Index m) const;

  // A weight comes, with its row of the root, or goes; update() has to follow.
  void append(double value, double moment, const Vector& row);
  void erase(Index m);

  // The slopes of the evidence by the logarithms of the alphas and, where `misfit` is given, of the precision, which
  // comes last: (z - Phi mean)'W (z - Phi mean), for `points` of them. All m^3.
  struct Slopes {
    Vector first;
    Matrix second;
  };
  Slopes slopes(std::optional<double> misfit, double points) const;
};

// The Cholesky factor of I + D G D for D = A^-1/2, of which the lower triangle of G is read: no eigenvalue is below 1,
// whatever the alphas. Empty when it fails in floating point.
std::optional<Matrix> scaled_factor(MatrixView g, const Vector& alpha);

// The step that Newton's method takes uphill from such slopes, and what it promises to gain. Where the second slopes do
// not bend down in every direction they are made to by adding to their diagonal, at least `shift`.
struct NewtonStep {
  Vector step;
  double promised = 0;
};
NewtonStep newton_step(const WeightPosterior::Slopes& slopes, double shift);

}  // namespace mercer::detail
