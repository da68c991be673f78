#include "mercer/value_range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ValueRange ValueRange::any() { return {.scale = Scale::identity, .lower = -kInfinity, .upper = kInfinity}; }

ValueRange ValueRange::between(double lower, double upper) {
  return {.scale = Scale::logit, .lower = lower, .upper = upper, .above = true, .below = true};
}

ValueRange ValueRange::from_to(double lower, double upper) {
  return {.scale = Scale::logit, .lower = lower, .upper = upper, .above = false, .below = false};
}

bool ValueRange::holds(double v) const {
  return std::isfinite(v) && (above ? v > lower : v >= lower) && (below ? v < upper : v <= upper);
}

std::string ValueRange::str() const {
  std::string out = std::isfinite(lower) ? fmt::format("{} {}", above ? ">" : ">=", lower) : "";
  if (!std::isfinite(upper)) return out;
  return fmt::format("{}{}{} {}", out, out.empty() ? "" : " and ", below ? "<" : "at most", upper);
}

double ValueRange::coordinate(double v) const {
  switch (scale) {
    case Scale::logarithm: return std::log(v);
    case Scale::identity: return v;
    default: return std::log((v - lower) / (upper - v));
  }
}

double ValueRange::value(double t) const {
  switch (scale) {
    case Scale::logarithm: return std::exp(t);
    case Scale::identity: return t;
    default: break;
  }
  // From the nearer end; rounding may reach it, and one that does not belong to the range is left again.
  const double width = upper - lower;
  const double v = t < 0 ? lower + width / (1 + std::exp(-t)) : upper - width / (1 + std::exp(t));
  if (above && v <= lower) return std::nextafter(lower, upper);
  if (below && v >= upper) return std::nextafter(upper, lower);
  return v;
}

double ValueRange::slope(double v) const {
  switch (scale) {
    case Scale::logarithm: return v;
    case Scale::identity: return 1;
    default: return (v - lower) / (upper - lower) * (upper - v);
  }
}

}  // namespace mercer
