// A mixture of Gaussians in few dimensions, by expectation and maximisation (Dempster, Laird & Rubin 1977).
//
//     maximise  L = sum_i w_i log sum_c pi_c N(z_i; m_c, S_c)
//
// over shares, means and covariances S_c = sum_{e <= q} lambda_e v_e v_e' + rho (the other D - q directions), with all
// of lambda_e and rho at least `floor`, by the measure of `unit` along each coordinate: with full covariances and the
// standard deviations of all points for units nothing depends on those of the inputs. Given how much of each point
// belongs to c, the best m_c is the mean, the v_e are the principal directions of these shares of points, lambda_e
// their variances, rho the mean of the remaining ones (Tipping & Bishop 1999; Moghaddam & Pentland 1997); a variance
// below the floor becomes the floor, because each term -log lambda - s/lambda falls on both sides of lambda = s. So
// every step is an exact maximum, and L never falls.
#pragma once

#include <cstdint>
#include <string>

#include "mercer/evaluate.hpp"
#include "mercer/matrix.hpp"

namespace mercer::detail {

struct MixtureProblem {
  MatrixView z;        // points x D
  VectorView weights;  // > 0
  Index components = 1;
  Index directions = 0;  // q; D: full covariances
  double floor = 0;      // > 0
  Vector unit = {};      // one for each coordinate; empty: all 1

  double unit_of(Index d) const { return unit.empty() ? 1 : unit[static_cast<std::size_t>(d)]; }
};

struct MixtureSearch {
  Index starts = 1;  // of k-means++ and k-means; of many points the best after a few iterations goes on to the end
  std::uint64_t seed = 1;
  Index max_iterations = 1000;
  double tolerance = 1e-6;  // ends when L gains less than this for each point
};

struct MixtureFound {
  Matrix mixture;  // as in model/gaussians.hpp, the largest share first
  double log_likelihood = 0;
  Vector course;  // L after each iteration of the start that was kept
  bool converged = false;
  std::string stopped;
};

// The order of the points does not matter. Throws DataError where there are fewer different points than components,
// and Error(cancelled) before the first iteration.
MixtureFound fit_mixture(const MixtureProblem& problem, const MixtureSearch& search, const Execution& how);

}  // namespace mercer::detail
