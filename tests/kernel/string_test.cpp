// String kernels. Values from Lodhi 2002 and Shawe-Taylor & Cristianini, recomputed by brute force.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::string_test {
namespace {

double naive_spectrum(const std::string& a, const std::string& b, std::size_t k) {
  std::map<std::string, double> counts;
  for (std::size_t i = 0; i + k <= a.size(); ++i) ++counts[a.substr(i, k)];
  double total = 0;
  for (std::size_t i = 0; i + k <= b.size(); ++i) {
    if (const auto at = counts.find(b.substr(i, k)); at != counts.end()) total += at->second;
  }
  return total;
}

double spectrum_of(int k, const std::string& a, const std::string& b) {
  return cross(spectrum(k), strings({a}), strings({b}))(0, 0);
}

TEST(Spectrum, TwoSpectrumOfFourWords) {
  EXPECT_EQ(gram(spectrum(2), strings({"bar", "bat", "car", "cat"})),
            (Matrix{{2, 1, 1, 0}, {1, 2, 0, 1}, {1, 0, 2, 1}, {0, 1, 1, 2}}));
}

TEST(Spectrum, ThreeSpectrumOfStatisticsAndComputation) {
  EXPECT_EQ(gram(spectrum(3), strings({"statistics", "computation"})), (Matrix{{8, 2}, {2, 9}}));
  EXPECT_EQ(spectrum_of(3, "statistics", "computation"), 2);
}

TEST(Spectrum, CountsRepeats) {
  EXPECT_EQ(spectrum_of(1, "aaa", "aa"), 6);
  EXPECT_EQ(spectrum_of(2, "aaaa", "aaa"), 6);
  EXPECT_EQ(spectrum_of(3, "GATTACA", "TACAGAT"), 3);
  EXPECT_EQ(spectrum_of(3, "GATTACA", "GATTACA"), 5);
}

TEST(Spectrum, ShortAndEmptyStringsShareNothing) {
  const Points x = strings({"", "ab", "abc"});
  EXPECT_EQ(gram(spectrum(3), x), (Matrix{{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(gram(spectrum(1000000), x), Matrix(3, 3));
  EXPECT_EQ(diagonal(spectrum(3), x), (Vector{0, 0, 1}));
  EXPECT_EQ(gram(normalize(spectrum(3)), x), (Matrix{{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}));
}

TEST(Spectrum, CountsBytes) {
  // "ä" is two bytes, of which "ö" shares the first.
  EXPECT_EQ(spectrum_of(1, "\xC3\xA4", "\xC3\xB6"), 1);
  EXPECT_EQ(spectrum_of(2, "\xC3\xA4", "\xC3\xB6"), 0);
  const std::string nul("a\0b", 3);
  EXPECT_EQ(spectrum_of(3, nul, nul), 1);
  EXPECT_EQ(spectrum_of(1, std::string(2, '\0'), std::string(3, '\0')), 6);
}

TEST(Spectrum, MatchesBruteForceInEveryCall) {
  const std::vector<std::string> a{"abracadabra", "cadabra", "", "a", "banana", "abracadabra", "zzzz"};
  const std::vector<std::string> b{"brabra", "nana", "unseen letters", "zz", ""};
  for (int k = 1; k <= 5; ++k) {
    const auto length = static_cast<std::size_t>(k);
    const Matrix within = gram(spectrum(k), strings(a), {.tile = 3});
    const Matrix between = cross(spectrum(k), strings(a), strings(b), {.tile = 2});
    const Matrix back = cross(spectrum(k), strings(b), strings(a));
    const Matrix unit = cross(normalize(spectrum(k)), strings(a), strings(b));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto row = static_cast<Index>(i);
      for (std::size_t j = 0; j < a.size(); ++j) {
        EXPECT_EQ(within(row, static_cast<Index>(j)), naive_spectrum(a[i], a[j], length));
      }
      for (std::size_t j = 0; j < b.size(); ++j) {
        const auto column = static_cast<Index>(j);
        const double expected = naive_spectrum(a[i], b[j], length);
        EXPECT_EQ(between(row, column), expected);
        EXPECT_EQ(back(column, row), expected);
        // The norm of b counts the substrings that a has never seen.
        const double norms = naive_spectrum(a[i], a[i], length) * naive_spectrum(b[j], b[j], length);
        EXPECT_NEAR(unit(row, column), norms > 0 ? expected / std::sqrt(norms) : 0, 1e-15);
      }
    }
  }
}

TEST(Spectrum, UnseenSubstringsCountInTheNorm) {
  const Matrix k = cross(normalize(spectrum(2)), strings({"ab"}), strings({"abxy"}));
  EXPECT_NEAR(k(0, 0), 1 / std::sqrt(3.0), 1e-15);
}

TEST(Spectrum, TwoLengthsTogether) {
  const Points x = strings({"banana", "bandana", "ban"});
  const Matrix k = gram(spectrum(2) + 0.5 * normalize(spectrum(3)) * spectrum(1), x);
  const Matrix k1 = gram(spectrum(1), x), k2 = gram(spectrum(2), x), k3 = gram(normalize(spectrum(3)), x);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(k(i, j), k2(i, j) + 0.5 * k3(i, j) * k1(i, j), 1e-13);
  }
}

TEST(Spectrum, OfTheSameSetMoreThanOnce) {
  const Points x = strings({"banana", "bandana"});
  EXPECT_EQ(gram(spectrum(2), x), gram(spectrum(2), x));
  EXPECT_EQ(cross(spectrum(2), x, x), gram(spectrum(2), x));
  EXPECT_EQ(gram(spectrum(3), x)(0, 1), naive_spectrum("banana", "bandana", 3));
}

TEST(Spectrum, NoStrings) {
  EXPECT_EQ(gram(spectrum(2), strings({})).rows(), 0);
  EXPECT_EQ(cross(spectrum(2), strings({"ab"}), strings({})).rows(), 1);
  EXPECT_EQ(cross(spectrum(2), strings({}), strings({"ab"})).cols(), 1);
}

TEST(Spectrum, GradientOfItsScale) {
  const Points x = strings({"bar", "bat"});
  const Matrix w{{1, 2}, {3, 4}};
  EXPECT_EQ(gradient(3.0 * spectrum(2), x, w), Vector{2 + 2 + 3 + 8});
}

TEST(Spectrum, ServesRowsOfALazyGram) {
  const Gram k = lazy(normalize(spectrum(2)), strings({"bar", "bat", "car", "cat"}));
  const std::vector<Index> which{3, 1};
  const Matrix found = k.rows(which), all = gram(normalize(spectrum(2)), strings({"bar", "bat", "car", "cat"}));
  for (Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(found(0, j), all(3, j), 1e-15);
    EXPECT_NEAR(found(1, j), all(1, j), 1e-15);
  }
}

}  // namespace
}  // namespace mercer::string_test
