// The points of a process by their places: observations at one place are one of their mean, which says as much about f.
#pragma once

#include "machines/processes/approach.hpp"

namespace mercer::detail {

// With w_j the weights at a place and W their sum, prod_j N(y_j; f, v / w_j) is N(mean; f, v / W) times what does not
// know of f: exp(-repeats.square / (2 v)) and factors of v and w alone.
struct ProcessPlaces {
  Points x;
  Matrix y = {}, H = {};
  Vector shape = {}, known = {};
  std::vector<Index> place_of = {};  // of each point

  Index merged = 0;            // points less places
  Vector square = {};          // of each target: sum_j w_j (y_j - mean)^2 over all places
  double log_determinant = 0;  // of the noise, beside `merged` times log v: sum_j log shape_j - log shape of the place

  Index size() const { return y.rows(); }
};

// In the order of the first point of each. Where points have noise of their own, each is a place: what they say
// together then depends on the other noise.
ProcessPlaces places_of(const ProcessData& data);
// The same places in another order.
ProcessPlaces reordered(const ProcessPlaces& places, std::span<const Index> order);

}  // namespace mercer::detail
