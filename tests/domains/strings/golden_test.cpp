// Values of string kernels from the literature and from exact arithmetic, each cross-checked by brute force.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::golden_test {
namespace {

double value(const std::string& kernel, const std::string& a, const std::string& b) {
  return cross(parse(kernel), strings({a}), strings({b}))(0, 0);
}

TEST(StringGolden, SubsequencesOfLodhi) {
  EXPECT_EQ(value("subsequence(length=2, decay=0.5)", "cat", "car"), 1.0 / 16);
  EXPECT_EQ(value("subsequence(length=2, decay=0.5)", "cat", "cat"), 9.0 / 64);
  EXPECT_NEAR(value("normalize(subsequence(length=2, decay=0.5))", "cat", "car"), 4.0 / 9, 1e-15);
  EXPECT_EQ(value("subsequence(length=2, decay=0.5)", "cat", "bar"), 0);
  for (const double decay : {0.3, 0.9, 1.0}) {
    const auto k = [&](int length, const std::string& a, const std::string& b) {
      return cross(subsequence(length, decay), strings({a}), strings({b}))(0, 0);
    };
    const auto to = [&](int power) { return std::pow(decay, power); };
    EXPECT_NEAR(k(1, "gatta", "cata"), 6 * to(2), 1e-14);
    EXPECT_NEAR(k(2, "gatta", "cata"), 2 * to(4) + 2 * to(5) + to(7), 1e-14);
    EXPECT_NEAR(k(3, "gatta", "cata"), 2 * to(7), 1e-14);
    EXPECT_NEAR(k(2, "gatta", "gatta"), 4 * to(4) + 4 * to(5) + 3 * to(6) + 4 * to(7) + 2 * to(8) + to(10), 1e-13);
    EXPECT_NEAR(k(2, "cata", "cata"), 3 * to(4) + 4 * to(6) + to(8), 1e-14);
  }
}

TEST(StringGolden, AllSubsequencesWithTheEmptyOne) {
  EXPECT_EQ(1 + value("subsequence(length=5, decay=1, kind=blended)", "gatta", "cata"), 14);
  EXPECT_EQ(1 + value("subsequence(length=5, decay=1, kind=blended)", "gatta", "gatta"), 52);
  EXPECT_EQ(1 + value("subsequence(length=5, decay=1, kind=blended)", "cata", "cata"), 20);
}

// The paper prints 0.580 for length 1 and 0.370 for length 6; both are slips.
TEST(StringGolden, KnowledgeAndLife) {
  const std::vector<double> expected{.848679, .579814, .478455, .438871, .405745, .369156};
  for (int length = 1; length <= 6; ++length) {
    const Kernel k = normalize(subsequence(length, 0.5));
    EXPECT_NEAR(cross(k, strings({"science is organized knowledge"}), strings({"wisdom is organized life"}))(0, 0),
                expected[static_cast<std::size_t>(length - 1)], 5e-7);
  }
}

TEST(StringGolden, BlendedSubsequences) {
  const Matrix k = gram(parse("normalize(subsequence(length=3, decay=0.5, kind=blended))"),
                        strings({"ATCG", "ATGG", "TACG", "GCTA"}));
  const Matrix expected{{1, .74037191, .91640867, .79256966},
                        {.74037191, 1, .68420576, .65356968},
                        {.91640867, .68420576, 1, .84210526},
                        {.79256966, .65356968, .84210526, 1}};
  test::expect_near(k, expected, 5e-9);
}

TEST(StringGolden, Substrings) {
  EXPECT_EQ(gram(spectrum(2), strings({"bar", "bat", "car", "cat"})),
            (Matrix{{2, 1, 1, 0}, {1, 2, 0, 1}, {1, 0, 2, 1}, {0, 1, 1, 2}}));
  EXPECT_EQ(gram(spectrum(3), strings({"statistics", "computation"})), (Matrix{{8, 2}, {2, 9}}));
  EXPECT_EQ(value("substrings(min=1, max=11, decay=1)", "statistics", "computation"), 17);
  EXPECT_EQ(value("substrings(min=1, max=11, decay=1)", "abracadabra", "abracadabra"), 102);
  EXPECT_EQ(value("substrings(min=1, max=11, decay=1)", "abracadabra", "cadabra"), 48);
}

struct Case {
  std::string kernel;
  double between, first;
};

TEST(StringGolden, Mismatches) {
  for (const auto& [kernel, between, first] :
       {Case{"mismatch(k=3, m=0, alphabet=dna)", 3, 5}, Case{"mismatch(k=2, m=1, alphabet=dna)", 121, 126},
        Case{"mismatch(k=3, m=1, alphabet=dna)", 54, 74}, Case{"mismatch(k=4, m=1, alphabet=dna)", 15, 52}}) {
    EXPECT_EQ(value(kernel, "GATTACA", "TACAGAT"), between) << kernel;
    EXPECT_EQ(value(kernel, "GATTACA", "GATTACA"), first) << kernel;
  }
}

TEST(StringGolden, Gaps) {
  const auto all = [](int g, int k) { return gram(gapped(g, k), strings({"GATTACA", "TACAGAT"})); };
  EXPECT_EQ(all(3, 2), (Matrix{{15, 10}, {10, 17}}));
  EXPECT_EQ(all(4, 2), (Matrix{{24, 7}, {7, 28}}));
  EXPECT_EQ(all(5, 3), (Matrix{{30, 0}, {0, 30}}));
}

TEST(StringGolden, WeightedDegree) {
  EXPECT_NEAR(value("weighted_degree(d=3)", "GATTACA", "GATCACA"), 14.0 / 3, 1e-15);
  EXPECT_NEAR(value("weighted_degree(d=3)", "GATTACA", "GATTACA"), 19.0 / 3, 1e-15);
}

}  // namespace
}  // namespace mercer::golden_test
