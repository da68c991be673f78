#include "machines/embeddings/signs.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// Far above what rounding and an iterative solver make of equal values.
constexpr double kEqual = 1 - 1e-6;

}  // namespace

Before by_what_they_are(const Points& x) {
  return [x](Index a, Index b) { return x.rep().compare(a, b) < 0; };
}

Before by_what_they_are(const Gram& K) {
  if (const std::optional<Points> x = K.points()) return by_what_they_are(*x);
  return std::less<>();
}

double sign_of(VectorView values, const Before& before) {
  double farthest = 0;
  for (const double value : values) farthest = std::max(farthest, std::abs(value));
  Index first = -1;
  for (Index i = 0; i < static_cast<Index>(values.size()); ++i) {
    if (std::abs(values[at(i)]) < kEqual * farthest) continue;
    if (first < 0 || before(i, first)) first = i;
  }
  return first >= 0 && values[at(first)] < 0 ? -1 : 1;
}

}  // namespace mercer::detail
