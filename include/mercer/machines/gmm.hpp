// mercer/machines/gmm.hpp: a mixture of Gaussians in feature space.
//
//     Model m = KernelGaussianMixture{.components = 3}.fit(lazy(k, x));
//     m.predict_classes(test);            // the likeliest component
//     m.probabilities(test);              // how likely each of them is
#pragma once

#include <cstdint>
#include <optional>

#include "mercer/machines.hpp"

namespace mercer {

// max  L = sum_i w_i log sum_c pi_c N(z(x_i); m_c, S_c)
//
// z(x) are the coordinates of phi(x) in the leading D principal directions of all points in feature space (kernel PCA):
// expansions, so that new points have them too. Each S_c has q principal directions of its own with their variances and
// one variance rho_c for the other D - q (Moghaddam & Pentland 1997; with a kernel Wang, Lee & Zhang 2003). A floor of
// the variances keeps L bounded. With linear() and all directions this is the ordinary mixture of Gaussians with full
// covariances: there the floor is a share of the variance of all points in the same direction, S_c >= floor S, so that
// the units of the columns change nothing. Else it is a share of their mean variance along the D directions.
//
// By expectation and maximisation, from k-means in these coordinates; L never falls. The points have about D columns
// then: an iteration costs 4 n D^2 flops for each component. Before it, the directions: those of pca.
//
// Components are in the order of their shares. Scores are log (pi_c N(z; m_c, S_c)), and log of the sum of their
// exponentials is the logarithm of the density of z(x).
//
// Report: log_likelihood L, bic (-2 L + parameters log(sum w)), aic, parameters, dimension D, variance_kept (the share
// of the variance in the D directions), floor, tables course (L at each iteration) and components (share, effective
// weight).
struct KernelGaussianMixture {
  Index components = 2;
  std::optional<Index> dimension = {};  // D; none: all where there are at most 20, else those with 0.9 of the variance,
                                        // at most 20
  std::optional<Index> directions = {};  // q; none: D, full covariances
  // None: 1e-4 where the D directions are all there are; else 0.05. Images of points lie on curved sheets, which ever
  // more and ever thinner Gaussians follow ever better: the floor says how closely.
  std::optional<double> floor = {};
  Index starts = 5;
  std::uint64_t seed = 1;
  Index max_iterations = 1000;
  double tolerance = 1e-6;  // ends when an iteration gains less than this, for each point

  Model fit(const Training& training) const;
  Model fit(const Gram& K) const { return fit(Training{.K = K}); }
};

}  // namespace mercer
