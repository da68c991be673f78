// Sums over subsequences and runs of a group of strings, against plain loops over index sets.
#include "simd/string_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace mercer::simd::string_groups_test {
namespace {

using Symbols = std::vector<std::uint32_t>;

Symbols random_string(std::mt19937& random, Size longest, std::uint32_t letters) {
  Symbols out(random() % (longest + 1));
  for (std::uint32_t& symbol : out) symbol = static_cast<std::uint32_t>(random() % letters);
  return out;
}

struct Packed {
  Symbols symbols;
  std::vector<Size> lengths = std::vector<Size>(kGroup);
  Size length = 0, strings = 0;
  StringGroup group() const { return {symbols.data(), lengths.data(), length, strings}; }
};

Packed pack(const std::vector<Symbols>& strings) {
  Packed out;
  out.strings = strings.size();
  for (const Symbols& s : strings) out.length = std::max(out.length, s.size());
  out.symbols.assign(out.length * kGroup, kNoSymbol);
  for (Size j = 0; j < strings.size(); ++j) {
    out.lengths[j] = strings[j].size();
    for (Size k = 0; k < strings[j].size(); ++k) out.symbols[k * kGroup + j] = strings[j][k];
  }
  return out;
}

// sum over index sets of i places in x and in y with equal symbols of decay^gaps: V(i, a, b) of those that end at a, b.
double ending_at(const Symbols& x, const Symbols& y, Size i, Size a, Size b, double decay) {
  if (x[a] != y[b]) return 0;
  if (i == 1) return 1;
  double total = 0;
  for (Size p = 0; p < a; ++p) {
    for (Size q = 0; q < b; ++q) {
      total += std::pow(decay, a - p - 1 + b - q - 1) * ending_at(x, y, i - 1, p, q, decay);
    }
  }
  return total;
}
double sum_over_sets(const Symbols& x, const Symbols& y, const std::vector<double>& weights, double decay) {
  double total = 0;
  for (Size i = 1; i <= weights.size(); ++i) {
    for (Size a = 0; a < x.size(); ++a) {
      for (Size b = 0; b < y.size(); ++b) total += weights[i - 1] * ending_at(x, y, i, a, b, decay);
    }
  }
  return total;
}

std::vector<double> sums(const Symbols& x, const Packed& y, const std::vector<double>& weights, double decay,
                         std::vector<double>* slopes = nullptr) {
  const std::vector<double> none(weights.size());
  const Subsequences what{weights.size(), decay, weights.data(), none.data()};
  std::vector<double> work(subsequence_work(what, y.length, slopes != nullptr)), out(kGroup);
  if (slopes != nullptr) slopes->resize(kGroup);
  subsequence_sums(what, x.data(), x.size(), y.group(), work.data(), out.data(),
                   slopes != nullptr ? slopes->data() : nullptr);
  return out;
}

TEST(SubsequenceSums, AgreeWithAllIndexSets) {
  std::mt19937 random(1);
  for (const std::vector<double>& weights : {std::vector<double>{1}, {0, 1}, {0, 0, 1}, {0.5, 0.25, 2}, {0, 0, 0, 1}}) {
    for (const double decay : {1.0, 0.5, 0.3}) {
      const Symbols x = random_string(random, 9, 3);
      std::vector<Symbols> strings(kGroup - 3);
      for (Symbols& s : strings) s = random_string(random, 8, 3);
      std::vector<double> slopes;
      const std::vector<double> found = sums(x, pack(strings), weights, decay, &slopes);
      const double h = 1e-6;
      for (Size j = 0; j < strings.size(); ++j) {
        const double expected = sum_over_sets(x, strings[j], weights, decay);
        EXPECT_NEAR(found[j], expected, 1e-13 * (1 + expected));
        if (decay == 1) {
          EXPECT_EQ(found[j], expected);
        }
        const double slope =
            (sum_over_sets(x, strings[j], weights, decay + h) - sum_over_sets(x, strings[j], weights, decay - h)) /
            (2 * h);
        EXPECT_NEAR(slopes[j], slope, 1e-7 * (1 + std::abs(slope)));
      }
      for (Size j = strings.size(); j < kGroup; ++j) EXPECT_EQ(found[j], 0);
    }
  }
}

TEST(SubsequenceSums, AreTheSameBitsBothWaysAndInAnyCompany) {
  std::mt19937 random(2);
  std::vector<Symbols> strings(kGroup);
  for (Symbols& s : strings) s = random_string(random, 60, 4);
  const std::vector<double> weights{0.3, 0.1, 0.7};
  const Packed all = pack(strings);
  std::vector<std::vector<double>> table;
  for (const Symbols& x : strings) table.push_back(sums(x, all, weights, 0.7));
  std::vector<double> slopes;
  for (Size i = 0; i < kGroup; ++i) {
    EXPECT_EQ(table[i], sums(strings[i], all, weights, 0.7, &slopes));
    for (Size j = 0; j < kGroup; ++j) {
      EXPECT_EQ(table[i][j], table[j][i]);
      EXPECT_EQ(table[i][j], sums(strings[i], pack({strings[j]}), weights, 0.7)[0]);
    }
  }
}

TEST(MatchRuns, AddUpTheWeightsOfTheirEnds) {
  std::mt19937 random(3);
  for (const Size degree : {Size{1}, Size{3}, Size{20}, Size{90000}}) {
    Symbols x(50);
    std::vector<Symbols> strings(kGroup, Symbols(50));
    for (std::uint32_t& symbol : x) symbol = static_cast<std::uint32_t>(random() % 2);
    for (Symbols& s : strings) {
      for (std::uint32_t& symbol : s) symbol = static_cast<std::uint32_t>(random() % 2);
    }
    strings[5] = x;
    const Packed y = pack(strings);
    std::vector<double> found(kGroup);
    match_runs(x.data(), y.group(), degree, found.data());
    for (Size j = 0; j < kGroup; ++j) {
      double expected = 0;
      for (Size end = 0; end < x.size(); ++end) {
        for (Size k = 1; k <= std::min(degree, end + 1) && x[end + 1 - k] == strings[j][end + 1 - k]; ++k) {
          expected += static_cast<double>(degree - k + 1);
        }
      }
      EXPECT_EQ(found[j], expected);
    }
  }
}

// All symbols match: weights grow to degree (degree + 1) / 2, and no sum of them may leave its 32 bits on the way.
TEST(MatchRuns, LongRunsOfLargeDegree) {
  for (const Size degree : {Size{1500}, Size{60000}}) {
    const Symbols x(6000, 7);
    const Packed y = pack(std::vector<Symbols>(kGroup, x));
    std::vector<double> found(kGroup);
    match_runs(x.data(), y.group(), degree, found.data());
    double expected = 0, weight = 0;
    for (Size end = 0; end < x.size(); ++end) {
      if (end < degree) weight += static_cast<double>(degree - end);
      expected += weight;
    }
    for (const double sum : found) EXPECT_EQ(sum, expected);
  }
}

}  // namespace
}  // namespace mercer::simd::string_groups_test
