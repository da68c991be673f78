// How good a number of clusters is, where no class is known: by the clusters of a fit, and of others like it.
#pragma once

#include "selection/criterion.hpp"

namespace mercer::detail {

// The silhouette in feature space. UsageError for one cluster.
double silhouette_of(const WholeFit& fit);

// The gap statistic (Tibshirani, Walther & Hastie 2001): how much smaller log W is than for points without clusters, W
// the sum of squares within clusters, in feature space. Large is good; where clusters have parts of their own it
// grows on slowly, and the number to take is where it stops growing fast. The reference is uniform over the box around
// the points along their principal axes, ten times: real vectors only, else UsageError.
double gap_of(const WholeFit& fit);

// How alike the clusters of two samples, of four fifths of the points each, are where these overlap: the adjusted Rand
// index, which is 0 for what chance gives, over ten pairs. What is not stable is not there; what is may still be wrong.
double stability_of(const WholeFit& fit);

// Both fit to a thousand points at most, drawn where there are more.

}  // namespace mercer::detail
