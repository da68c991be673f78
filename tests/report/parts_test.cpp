#include "report/parts.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace mercer::report {
namespace {

// scipy.stats.norm.ppf and cdf, binom.ppf.
TEST(ReportParts, AgreeWithScipy) {
  EXPECT_NEAR(normal_quantile(1e-12), -7.034483825301131, 1e-12);
  EXPECT_NEAR(normal_quantile(0.01), -2.3263478740408408, 1e-13);
  EXPECT_NEAR(normal_quantile(0.3), -0.5244005127080409, 1e-13);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_cdf(-3.2), 0.0006871379379158471, 1e-16);
  const std::vector<std::pair<std::pair<Index, double>, std::pair<Index, Index>>> known = {
      {{50, 0.2}, {5, 16}}, {{1000, 0.05}, {37, 64}}, {{7, 0.2}, {0, 4}}};
  for (const auto& [given, band] : known) {
    const CountRange found = binomial_band(given.first, given.second);
    EXPECT_EQ(found.low, band.first);
    EXPECT_EQ(found.high, band.second);
  }
}

// Both ends solve (p - hits/n)^2 = z^2 p (1 - p) / n, which is how Wilson defines them.
TEST(ReportParts, WilsonSolvesItsEquation) {
  for (const double hits : {1.0, 7.0, 29.0}) {
    const Extent found = wilson(hits, 30);
    for (const double p : {found.low, found.high}) {
      EXPECT_NEAR(std::pow(p - hits / 30, 2), kBand95 * kBand95 * p * (1 - p) / 30, 1e-14);
    }
  }
  EXPECT_EQ(wilson(0, 30).low, 0);
  EXPECT_EQ(wilson(30, 30).high, 1);
}

TEST(ReportParts, SamplesKeepTheSharesOfGroups) {
  std::vector<Index> groups;
  for (Index i = 0; i < 20000; ++i) groups.push_back(i % 10 == 0 ? 1 : 0);
  const std::vector<Index> which = sample_by(groups);
  ASSERT_EQ(which.size(), 5000);
  EXPECT_TRUE(std::is_sorted(which.begin(), which.end()));
  EXPECT_EQ(std::adjacent_find(which.begin(), which.end()), which.end());
  Index rare = 0;
  for (const Index i : which) rare += groups[static_cast<std::size_t>(i)];
  EXPECT_EQ(rare, 500);
  EXPECT_EQ(sample_by(std::vector<Index>{1, 0, 1}), (std::vector<Index>{0, 1, 2}));
}

TEST(ReportParts, RangesAreNeverEmpty) {
  for (const double v : {0.0, 3.0, -1e300, 1e-300}) {
    const Extent range = with_margin(extent(Vector{v}));
    EXPECT_LT(range.low, v);
    EXPECT_GT(range.high, v);
  }
}

}  // namespace
}  // namespace mercer::report
