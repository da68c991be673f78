#include "model/target_scale.hpp"

#include <cmath>

#include "base/at.hpp"

namespace mercer::detail {

std::vector<TargetScale> target_scales(const Matrix& y, VectorView weights) {
  const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[at(i)]; };
  std::vector<TargetScale> out(at(y.cols()));
  for (Index t = 0; t < y.cols(); ++t) {
    double total = 0, sum = 0, squares = 0;
    for (Index i = 0; i < y.rows(); ++i) {
      total += weight(i);
      sum += weight(i) * y(i, t);
    }
    const double mean = sum / total;
    for (Index i = 0; i < y.rows(); ++i) squares += weight(i) * (y(i, t) - mean) * (y(i, t) - mean);
    const double deviation = std::sqrt(squares / total);
    // What is left of a constant in rounding is no spread.
    out[at(t)] = {mean, deviation > 1e-12 * std::abs(mean) && std::isfinite(deviation) ? deviation : 1};
  }
  return out;
}

}  // namespace mercer::detail
