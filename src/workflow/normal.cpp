#include "workflow/normal.hpp"

#include <cmath>
#include <numbers>

namespace mercer::workflow {

NormalMarks normal_marks(VectorView y, VectorView mean, VectorView variance) {
  NormalMarks out;
  const auto count = static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = y[i] - mean[i];
    out.log_density -= 0.5 * (std::log(2 * std::numbers::pi * variance[i]) + error * error / variance[i]) / count;
    out.coverage += std::abs(error) <= kBand95 * std::sqrt(variance[i]) ? 1 : 0;
  }
  out.coverage /= count;
  return out;
}

}  // namespace mercer::workflow
