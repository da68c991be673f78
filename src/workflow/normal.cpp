#include "workflow/normal.hpp"

#include <cmath>
#include <numbers>

namespace mercer::workflow {

NormalMarks normal_marks(VectorView y, VectorView mean, VectorView variance, VectorView weights) {
  NormalMarks out;
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = y[i] - mean[i];
    const double w = weights.empty() ? 1 : weights[i];
    out.log_density -= 0.5 * w * (std::log(2 * std::numbers::pi * variance[i]) + error * error / variance[i]);
    out.coverage += std::abs(error) <= kBand95 * std::sqrt(variance[i]) ? w : 0;
    total += w;
  }
  out.log_density /= total;
  out.coverage /= total;
  return out;
}

}  // namespace mercer::workflow
