// What points have in common, as normalised cuts take it: a symmetric matrix A in which a point has nothing in common
// with itself (else one far from all others would be the cheapest cut), and its spectrum.
#pragma once

#include "linalg/largest_eigen.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// Points of positive weight by what they are: those that are the same are one of their weights together. Of a matrix of
// numbers nothing is known, and each is its own.
struct Places {
  std::vector<Index> first;  // who stands for each
  Vector weights;
  std::vector<Index> of;  // the place of each point, or -1 where it has no weight
};
Places places_of(const Gram& K, VectorView weights);
Gram at_places(const Gram& K, const Places& places);
// Without some of the places: their points are as if they had no weight.
Places only(const Places& places, const std::vector<Index>& kept);

struct Affinity {
  Gram A;
  Vector degrees;        // d_i = sum_j w_j a_ij, all above 0
  Index neighbours = 0;  // 0: all pairs, by the values of K
  Vector own = {};       // k(x, x) and the reach (model/neighbourhood.hpp) of each point, where there are neighbours
  Vector reach = {};
};

// k(x, y) of all pairs; a point that is like no other keeps its k(x, x). UsageError where a degree is not above 0:
// errors name points by `names`.
Affinity by_values(const Gram& K, VectorView weights, const std::vector<Index>& names, const Execution& how);

// Of points that are known by features alone, which stand for a kernel and lack something of it: those whose degree is
// above 0, or which are like no other point and have features of their own. The others are points in which the
// features find nothing. `own`: k(x, x) itself. A degree that is negative by more than the features can lack,
// |k(x, y) - phi(x)'phi(y)| <= (r(x) r(y))^1/2 with r(x) = k(x, x) - |phi(x)|^2, is the kernel's: UsageError.
std::vector<Index> seen_by_features(const Gram& features, VectorView own, VectorView weights,
                                    const std::vector<Index>& names, const Execution& how);

// The graph of nearest neighbours by distances in feature space. Where it falls into more pieces than these, each is
// tied to the nearest other one.
Affinity by_neighbours(const Gram& K, VectorView weights, Index neighbours, Index pieces, const Execution& how);
// 10, or half of the mean size of a cluster where that is less; at least 2.
Index usual_neighbours(Index points, Index clusters);

// The largest eigenvalues of W^1/2 D^-1/2 A D^-1/2 W^1/2 and their vectors, in rows.
linalg::LargestEigen leading(const Affinity& affinity, VectorView weights, Index count, const Execution& how);

// How well so many clusters are told apart by the eigenvalues, decreasing: mercer/machines/spectral.hpp. NaN where
// there is no next eigenvalue.
double separation(const Vector& eigenvalues, Index clusters);
constexpr Index kMostClusters = 10;  // of those that are tried
// From 2 on, the number with the largest separation, the first among equals.
Index number_of_clusters(const Vector& eigenvalues);

}  // namespace mercer::detail
