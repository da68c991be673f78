// mercer/value_range.hpp: which numbers a parameter may be, and the coordinate on which an optimiser moves it.
//
//     scale        numbers                  coordinate t
//     logarithm    0 or above               log v
//     identity     any                      v
//     logit        between two ends a, b    log((v - a) / (b - v))
//
// A catalog row declares one for each number of a kernel; everything that moves such a number goes through it. O(1).
#pragma once

#include <limits>
#include <string>

namespace mercer {

struct ValueRange {
  enum class Scale { logarithm, identity, logit };

  Scale scale = Scale::logarithm;
  double lower = 0;
  double upper = std::numeric_limits<double>::infinity();
  bool above = true;   // strictly above `lower`
  bool below = false;  // strictly below `upper`

  static ValueRange any();
  static ValueRange between(double lower, double upper);  // without the ends
  static ValueRange from_to(double lower, double upper);  // with them

  bool holds(double v) const;
  std::string str() const;  // "> 0", ">= 0 and at most 1", "> 0 and < 1"; empty where any number will do

  double coordinate(double v) const;  // infinite at an end that no optimiser leaves or reaches
  double value(double t) const;
  double slope(double v) const;  // dv/dt

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

}  // namespace mercer
