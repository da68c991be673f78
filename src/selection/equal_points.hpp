// Training points that are the same: whoever holds one of them out holds out all, or the model has seen what it is
// asked for.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// Of each point the first that is equal to it: of the same content or, of a matrix of numbers alone, with the same row.
std::vector<Index> first_equal(const Gram& K);

// How many points of positive weight there are, and how many of them are different.
struct Counted {
  Index points = 0, different = 0;

  bool some_equal() const { return different < points; }
};
Counted count_points(const Training& training, const std::vector<Index>& equal_to);
// "of 30 points 10 are different; equal ones are left out together"
std::string left_out_together(const Counted& counted);

// The points of positive weight, in the order of the first of each; equal points with equal targets are one that weighs
// as much as they together. So points that weigh 2 and points that are there twice become the same training set.
Training merged(const Training& training, const std::vector<Index>& equal_to);

}  // namespace mercer::detail
