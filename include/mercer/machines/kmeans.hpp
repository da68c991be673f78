// mercer/machines/kmeans.hpp: clusters around means in feature space.
#pragma once

#include <cstdint>

#include "mercer/machines.hpp"

namespace mercer {

// minimise  sum_i w_i |phi(x_i) - mu_c(i)|^2,   mu_c the weighted mean of the phi(x_i) in cluster c
//
// over all divisions of the points into k clusters: with linear() plain k-means. No algorithm finds the best division
// of many points; this one ends where no point is nearer to another mean than to its own, and takes the best of some
// starts: k-means++ in feature space (Arthur & Vassilvitskii 2007, each seed the best of 2 + log k draws), then Lloyd's
// iterations. A cluster that loses all points gets the one farthest from its mean. Clusters are numbered from 1, the
// one of the largest weight first.
//
// One iteration of all starts is one product of K with starts * k columns, or, when less than half of the points have
// moved, their rows of K; where the kernel has few features (linear, poly), 4 n r k flops with r of them. Memory: a few
// times n k doubles for each start; up to 5,000 points K, beyond no matrix of all pairs.
//
// A new x belongs to the cluster of the smallest |phi(x) - mu_c|^2 = k(x,x) - 2 sum_i a_i k(x_i,x) + a'K a, which are
// the model's scores. Report: objective; explained, the part of the sum of squares around the mean that is between
// clusters; separation, where k was found by it; silhouette (mercer/metrics.hpp); tables `course`, the objective after
// each iteration, and `clusters`.
struct KernelKMeans {
  Index clusters = 8;  // k; fewer where there are fewer distinct points, which is said. 0: as many as spectral finds
                       // in the graph of nearest neighbours (mercer/machines/spectral.hpp)
  Index starts = 10;
  Index max_iterations = 300;  // of each start
  double tolerance = 0;        // ends when the objective falls by less than this part of it; 0: when no point moves
  std::uint64_t seed = 1;

  Model fit(const Training& training) const;
  Model fit(const Gram& K) const;
};

}  // namespace mercer
