// mercer/machines/spectral.hpp: clusters by normalised cuts.
#pragma once

#include <cstdint>
#include <optional>

#include "mercer/machines.hpp"

namespace mercer {

// minimise  sum_c cut(c) / D_c = k - sum_c A_c / D_c
//
// over all divisions of the points into k clusters, a_ij being what two points have in common: D_c = sum of the degrees
// d_i = sum_j w_j a_ij of its points, A_c what its points have in common with each other, cut(c) = D_c - A_c with
// others (Shi & Malik 2000). What a point has in common with itself is left out: else a point far from all others would
// be the cheapest cut.
//
// Of points with a kernel, a_ij is the graph of nearest neighbours: 1 where both are among the nearest of the other,
// 1/2 where one is, else 0; near by the distance in feature space. Each point so finds its own scale, where one kernel
// width would be too wide here and too narrow there. This a is no kernel, and need be none. With neighbours = 0 it is
// k(x, y) itself, for all pairs; numbers given for K are taken as they are, and need not be those of a kernel. They
// must not be negative in sum: every d_i must be above 0. Where the graph falls into more pieces than there are
// clusters, each piece is tied to the nearest other one, by an edge that is weaker the longer it is.
//
// This is weighted k-means with weights w_i d_i and the matrix a_ij / (d_i d_j) (Dhillon, Guan & Kulis 2004), for which
// eigenvectors find a start: those of the largest eigenvalues of D^-1/2 A D^-1/2, divided by sqrt(d), divided into
// clusters there; then Lloyd's iterations lower the cut itself as long as it falls. Clusters need not be round.
//
// clusters = 0: as many as are told apart best, 2 to 10: with mu = 1 - lambda, the k of the largest separation
// (mu_k+1^1/2 - mu_k^1/2)(1 - mu_k / mu_k+1). Cuts into k clusters cost about mu_k^1/2 (Lee, Oveis Gharan & Trevisan
// 2014): what one more would cost beyond that, if it is more by much.
//
// Costs K once for the neighbours, then the eigenvectors: 9 n^3 flops up to 500 points, beyond some tens of products of
// A with a few more columns than k; then one such product, or some rows of A, for each iteration. Without neighbours A
// is in memory up to 5,000 points.
//
// With centres (mercer/centres.hpp) a_ij is what their features say of k(x, y), and neighbours are refused: A is never
// formed, a product with m features costs 4 n m flops. Entries that the features lack may be negative, by little; a
// point whose degree is not above 0 for that reason, one in which the centres find nothing, takes no part in the cut
// and is where new points of its kind would be. The report says how many (`unseen`), and where an eigenvalue is
// above 1.
//
// A new x goes to the nearest centre in that geometry; it is joined with training points as these are. For
// training points the model keeps what was found (Model::Parts::fitted). Report: normalised_cut, before refining
// too; eigengap, lambda_k - lambda_k+1; separation; silhouette in the feature space of the kernel; tables of
// eigenvalues, of the course, and of the clusters with their points and the part of their degree that is cut.
struct SpectralClusters {
  enum class Assign {
    kmeans,      // k-means of the eigenvectors
    discretize,  // the nearest rotation of indicators (Yu & Shi 2003)
    cluster_qr,  // pivots of a QR factorisation (Damle, Minden & Ying 2019)
  };
  Index clusters = 8;  // 0: by the separation
  // Joined with each point; 0: all, by what K says. None: 10 of points with a kernel, at most half of the mean size of
  // a cluster; of numbers, and with centres, 0.
  std::optional<Index> neighbours = {};
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
