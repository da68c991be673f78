#include "report/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"

namespace mercer::report {

namespace {

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Histogram histogram(VectorView values, Index bins) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) return {};
  const double wanted = (high - low) / static_cast<double>(bins);
  // Values that differ by rounding only are one value: edges between them would be equal numbers.
  const double least = 1e-12 * std::max(std::abs(low), std::abs(high));
  Histogram out;
  if (!(wanted > least) || !std::isfinite(wanted)) {
    const double half = std::max(std::abs(low) * 0.05, 0.5);
    out.edges = {low - half, high + half};
  } else {
    const double step = round_step(wanted), first = std::floor(low / step);
    const auto count = static_cast<Index>(std::floor(high / step) - first) + 1;
    for (Index i = 0; i <= count; ++i) out.edges.push_back((first + static_cast<double>(i)) * step);
  }
  out.counts.assign(out.edges.size() - 1, 0);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const auto above = std::ranges::upper_bound(out.edges, value) - out.edges.begin();
    ++out.counts[at(std::clamp<Index>(above - 1, 0, static_cast<Index>(out.counts.size()) - 1))];
  }
  return out;
}

}  // namespace mercer::report
