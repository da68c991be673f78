// Random numbers that are the same on every platform, which the distributions of <random> are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "mercer/matrix.hpp"

namespace mercer {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }  // in (0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  Index below(Index n) { return static_cast<Index>(engine_() % static_cast<std::uint64_t>(n)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mercer
