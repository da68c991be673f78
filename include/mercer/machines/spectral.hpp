// mercer/machines/spectral.hpp: clusters by normalised cuts.
#pragma once

#include <cstdint>

#include "mercer/machines.hpp"

namespace mercer {

// minimise  sum_c cut(c) / D_c = k - sum_c A_c / D_c
//
// over all divisions of the points into k clusters, k(x_i, x_j) being how alike two points are: D_c = sum of the
// degrees d_i = sum_j w_j k_ij of its points, A_c what its points have in common with each other, cut(c) = D_c - A_c
// with others (Shi & Malik 2000). A point is alike to itself, k(x,x), too.
//
// This is weighted k-means with weights w_i d_i and the kernel k_ij / (d_i d_j) (Dhillon, Guan & Kulis 2004), for which
// eigenvectors find a start: those of the largest eigenvalues of D^-1/2 K D^-1/2, divided by sqrt(d), divided into
// clusters there; then Lloyd's iterations lower the cut itself until no point would move. Clusters need not be round.
// Every d_i must be above 0, as it is where no k(x, y) is negative (rbf, exponential, rq, ...); others are refused
// where it is not. Numbers given for K need not be those of a kernel.
//
// Costs the eigenvectors: 9 n^3 flops up to 500 points, beyond some tens of products of K with a few more columns than
// k; then one such product, or some rows of K, for each iteration. K is in memory up to 5,000 points.
//
// A new x goes to the nearest centre in that geometry; its degree is that to the training points. For
// training points the model keeps what was found (Model::Parts::fitted). Report: normalised_cut, before refining
// too; eigengap, lambda_k - lambda_k+1; silhouette in the feature space of the kernel; tables of eigenvalues, of the
// course, and of the clusters with their points and the part of their degree that is cut.
struct SpectralClusters {
  enum class Assign {
    kmeans,      // k-means of the eigenvectors
    discretize,  // the nearest rotation of indicators (Yu & Shi 2003)
    cluster_qr,  // pivots of a QR factorisation (Damle, Minden & Ying 2019)
  };
  Index clusters = 8;
  Index components = 0;  // eigenvectors; 0: as many as clusters. For kmeans only
  Assign assign = Assign::kmeans;
  bool refine = true;  // lower the cut itself, from there
  Index starts = 10;   // of k-means
  Index max_iterations = 300;
  std::uint64_t seed = 1;

  Model fit(const Training& training) const;
  Model fit(const Gram& K) const;
};

}  // namespace mercer
