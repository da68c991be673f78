// mercer/statistics/test_result.hpp: what a statistical test found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer {

// What all tests by resampling take. Their p is (1 + how many resamples reach the statistic) / (1 + resamples): never
// 0, and not below alpha more often than alpha says.
struct Resampling {
  Index resamples = 2000;
  double alpha = 0.05;     // the level: how often a true hypothesis may be rejected
  std::uint64_t seed = 1;  // of the resamples; the same seed gives the same p
};

struct TestResult {
  // One for each kernel, or pair of kernels, that was tried.
  struct Part {
    std::string kernel = {};  // its text, with every `auto` resolved; empty where only a matrix was given
    double statistic = 0;
    double p = 1;  // of this one alone
  };

  double statistic = 0;  // with several parts: of the one with the smallest p
  double p = 1;          // with several parts: of all together
  double alpha = 0.05;
  Index resamples = 0;  // 0: p comes from the normal distribution
  std::uint64_t seed = 1;
  std::string null = {};  // where p comes from: "permutations", ...
  std::vector<Part> parts = {};
  std::vector<std::string> remarks = {};  // what a reader should know: p that cannot be small, and the like

  bool rejected() const { return p <= alpha; }
};

// Of quadratic statistics. Biased: all pairs, points with themselves included; never below 0. Unbiased: without those.
enum class Estimate { biased, unbiased };

}  // namespace mercer
