#include "model/neighbourhood.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

constexpr double kSamePlace = 1e-10;      // of the largest squared distance: rounding
constexpr double kEquallyFar = 1 + 1e-9;  // ties are joined, all or none

}  // namespace

double reach_of(VectorView squared, Index count) {
  if (squared.empty()) return 0;
  const double farthest = *std::max_element(squared.begin(), squared.end());
  Vector apart;
  for (const double d : squared) {
    if (d > kSamePlace * farthest) apart.push_back(d);
  }
  if (static_cast<Index>(apart.size()) <= count) return farthest;
  std::nth_element(apart.begin(), apart.begin() + (count - 1), apart.end());
  return apart[at(count - 1)];
}

double joined(double squared, double reach, double other) {
  return 0.5 * ((squared <= kEquallyFar * reach ? 1 : 0) + (squared <= kEquallyFar * other ? 1 : 0));
}

}  // namespace mercer::detail
