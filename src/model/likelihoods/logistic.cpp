// p(y | f) = 1 / (1 + exp(-y f)) for y = +-1.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "model/likelihoods.hpp"

namespace mercer {

namespace {

Likelihood::Terms terms(double y, double f) {
  const double z = y * f, e = std::exp(-std::abs(z));
  const double likely = 1 / (1 + e), unlikely = e / (1 + e);  // p(|z|), p(-|z|)
  return {std::min(z, 0.0) - std::log1p(e), y * (z >= 0 ? unlikely : likely), likely * unlikely, -std::tanh(f / 2)};
}

double logistic(double u) {
  const double e = std::exp(-std::abs(u));
  return u >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// Both rules below are sums at equal distances, whose error falls as exp(-2 pi y / step) for a function without poles
// nearer to the real line than y. The logistic function has its poles at distance pi.

// Deviation below 1: over the normal density of z, f = mean + deviation z, where the poles are beyond pi.
double average_narrow(double mean, double deviation) {
  constexpr double step = 0.5;
  double sum = 0, weights = 0;
  for (int i = -18; i <= 18; ++i) {
    const double z = step * i, weight = std::exp(-z * z / 2);
    sum += weight * logistic(mean + deviation * z);
    weights += weight;
  }
  return sum / weights;
}

// Larger: by parts, over the logistic density of t, at step 1/2; Phi((mean - t) / deviation) has no poles.
struct LogisticDensity {
  static constexpr Index half = 72;
  static constexpr double step = 0.5;
  std::array<double, 2 * half + 1> weight;
  LogisticDensity() {
    double sum = 0;
    for (Index i = -half; i <= half; ++i) {
      const double t = step * static_cast<double>(i);
      sum += weight[at(i + half)] = logistic(t) * logistic(-t);
    }
    for (double& w : weight) w /= sum;
  }
};

double average_wide(double mean, double deviation) {
  static const LogisticDensity density;
  double sum = 0;
  for (Index i = -LogisticDensity::half; i <= LogisticDensity::half; ++i) {
    sum += density.weight[at(i + LogisticDensity::half)] *
           detail::normal_below((mean - LogisticDensity::step * static_cast<double>(i)) / deviation);
  }
  return sum;
}

// The error is below 1e-12 for all means and variances.
double average(double mean, double variance) {
  const double deviation = std::sqrt(variance), below = -std::abs(mean);
  const double p = std::min(0.5, deviation < 1 ? average_narrow(below, deviation) : average_wide(below, deviation));
  return mean > 0 ? 1 - p : p;
}

constexpr Likelihood::Row kLogistic{
    .name = "logistic", .of = Likelihood::Of::two_classes, .terms = terms, .average = average};

}  // namespace

const Likelihood Likelihood::logistic(kLogistic);

}  // namespace mercer
