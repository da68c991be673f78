// p(y | f) = Phi(y f) for y = +-1.
#include <cmath>
#include <numbers>

#include "model/likelihoods.hpp"

namespace mercer {

namespace {

// Far out, Phi(-t) = phi(t) / (t + 1/(t + 2/(t + 3/(t + ...)))): of the fractions 1/(t + ...), 2/(t + ...) and
// 3/(t + ...), from which the derivatives follow without cancellation.
struct Fractions {
  double one, two, three;
};

Fractions tail_fractions(double t) {
  double below = 0;
  for (int k = 60; k > 3; --k) below = k / (t + below);
  const double three = 3 / (t + below), two = 2 / (t + three), one = 1 / (t + two);
  return {one, two, three};
}

// With r = phi(z) / Phi(z): slope r, second derivative -r (z + r), third r ((z + r)(z + 2 r) - 1).
Likelihood::Terms terms(double y, double f) {
  const double z = y * f, log_root = 0.5 * std::log(2 * std::numbers::pi);
  if (z < -5) {
    const double t = -z;
    const Fractions by = tail_fractions(t);
    const double r = t + by.one;
    // (z + r)(z + 2 r) - 1 = one (t + 2 one) - 1 = one (2 one - two)
    const double rest = 2 * (by.three - by.two) / ((t + by.two) * (t + by.three));
    return {-t * t / 2 - log_root - std::log(r), y * r, r * by.one, -y * rest};
  }
  const double upper = 0.5 * std::erfc(z / std::numbers::sqrt2), Phi = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double r = std::exp(-z * z / 2 - log_root) / Phi, q = z + r;
  return {z > 0 ? std::log1p(-upper) : std::log(Phi), y * r, r * q, -y * (q * (z + 2 * r) - 1) / q};
}

double average(double mean, double variance) { return detail::normal_below(mean / std::sqrt(1 + variance)); }

constexpr Likelihood::Row kProbit{
    .name = "probit", .of = Likelihood::Of::two_classes, .terms = terms, .average = average};

}  // namespace

const Likelihood Likelihood::probit(kProbit);

}  // namespace mercer
