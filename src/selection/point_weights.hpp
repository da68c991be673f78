// How much each point counts in a figure: weights are multiplicities.
#pragma once

#include <cmath>

#include "base/fail.hpp"
#include "mercer/matrix.hpp"

namespace mercer::detail {

// As given, or 1 of each where none are. Throws where they are no weights of so many points.
class PointWeights {
 public:
  PointWeights(const char* metric, VectorView given, std::size_t points) : given_(given) {
    if (given.empty()) return;
    if (given.size() != points) fail(ErrorKind::shape, "{}: {} weights for {} points", metric, given.size(), points);
    bool any = false;
    for (const double w : given) {
      if (!(w >= 0) || std::isinf(w)) fail(ErrorKind::data, "{}: a weight is {}; it must be finite, >= 0", metric, w);
      any = any || w > 0;
    }
    if (!any) fail(ErrorKind::data, "{}: no point has a weight; give at least one", metric);
  }
  double operator[](std::size_t i) const { return given_.empty() ? 1 : given_[i]; }

  template <class Of>
  double mean(std::size_t points, Of of) const {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < points; ++i) {
      const double w = (*this)[i];
      if (w == 0) continue;
      sum += w * of(i);
      total += w;
    }
    return sum / total;
  }

 private:
  VectorView given_;
};

}  // namespace mercer::detail
