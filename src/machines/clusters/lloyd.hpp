// Weighted k-means in feature space, from K alone:
//
//     minimise  sum_i w_i |phi_i - mu_c(i)|^2,   mu_c = sum_{i in c} w_i phi_i / sum_{i in c} w_i
//
// by Lloyd's iterations: with Z the n x k matrix of w_i at (i, c(i)), S = K Z has all that the distances need,
//     |phi_i - mu_c|^2 = k_ii - 2 S_ic / m_c + |mu_c|^2,   |mu_c|^2 = sum_{i in c} w_i S_ic / m_c^2,   m_c = sum w_i
// The objective falls with each iteration where K is positive semi-definite; where it rises K is not.
//
// Starts go side by side, so that one product with K serves all of them. When few points have moved, S is brought up
// to date with their rows of K instead.
#pragma once

#include <string_view>
#include <vector>

#include "machines/clusters/seeds.hpp"

namespace mercer::detail {

struct Partition {
  std::vector<Index> of;  // the cluster of each point, also of those of weight 0
  Vector masses;          // of the clusters: the weights of their points
  Vector squares;         // |mu_c|^2
  Matrix sums;            // S
  double objective = 0;
  Vector course;             // the objective at the start, and after each iteration
  bool settled = false;      // no point would rather be elsewhere
  bool interrupted = false;  // the monitor said stop
};

constexpr Index kBlockOfRows = 256;  // of K, that are held at a time

struct Lloyd {
  std::string_view machine;  // for errors
  Index max_iterations = 300;
  double tolerance = 0;  // ends when the objective falls by less than this part of it; 0: when no point moves
  // A product of K with a few columns takes as long as so many rows of it do.
  double rows_per_product = 0;
  // K need not be positive semi-definite: a start ends before the objective would rise, or a cluster lose all its
  // points. Else NumericError says so.
  bool indefinite = false;
};

// The best of what the starts lead to, the first among equals. When the monitor says stop, the best until then;
// Error(cancelled) before the first product. Clusters that lose all points get the one farthest from its centre.
Partition improve(const WeightedPoints& points, std::vector<std::vector<Index>> starts, Index clusters,
                  const Lloyd& how_far, const Execution& how);

// Clusters numbered by their mass, the largest first, and among equals by who has the point nearest to the mean;
// clusters without points are left out.
void renumber(Partition& partition, const WeightedPoints& points);

}  // namespace mercer::detail
