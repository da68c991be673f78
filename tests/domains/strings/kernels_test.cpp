// String kernels against plain loops over all pairs of places, and what becomes of input that they cannot take.
#include "mercer/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "support.hpp"

namespace mercer::kernels_test {
namespace {

using test::expect_error;

std::vector<std::string> random_strings(unsigned seed, int count, std::size_t longest, const std::string& letters) {
  std::mt19937 random(seed);
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    std::string text(random() % (longest + 1), ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    out.push_back(text);
  }
  return out;
}

// How many strings of the alphabet are within m letters of both.
double common_neighbours(const std::string& a, const std::string& b, int m, const std::string& letters) {
  double count = 0;
  std::vector<std::size_t> digits(a.size());
  while (true) {
    int from_a = 0, from_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      from_a += letters[digits[i]] != a[i] ? 1 : 0;
      from_b += letters[digits[i]] != b[i] ? 1 : 0;
    }
    count += from_a <= m && from_b <= m ? 1 : 0;
    std::size_t i = 0;
    while (i < digits.size() && ++digits[i] == letters.size()) digits[i++] = 0;
    if (i == digits.size()) return count;
  }
}

double naive_mismatch(const std::string& a, const std::string& b, std::size_t k, int m, const std::string& letters) {
  double total = 0;
  for (std::size_t i = 0; i + k <= a.size(); ++i) {
    for (std::size_t j = 0; j + k <= b.size(); ++j) {
      total += common_neighbours(a.substr(i, k), b.substr(j, k), m, letters);
    }
  }
  return total;
}

TEST(StringKernels, MismatchCountsCommonNeighbours) {
  const auto x = random_strings(1, 5, 9, "ACGT");
  for (const auto& [k, m] : std::vector<std::pair<int, int>>{{1, 0}, {1, 1}, {2, 1}, {3, 1}, {3, 2}, {4, 2}, {3, 3}}) {
    const Matrix K =
        gram(parse("mismatch(k=" + std::to_string(k) + ", m=" + std::to_string(m) + ", alphabet=dna)"), strings(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        EXPECT_EQ(K(static_cast<Index>(i), static_cast<Index>(j)),
                  naive_mismatch(x[i], x[j], static_cast<std::size_t>(k), m, "ACGT"))
            << k << " " << m << " " << x[i] << " " << x[j];
      }
    }
  }
}

TEST(StringKernels, MismatchDoesNotDependOnTheLettersOfTheData) {
  const double alone = cross(parse("mismatch(k=2, m=1, alphabet=protein)"), strings({"MK"}), strings({"MA"}))(0, 0);
  EXPECT_EQ(alone, 20);  // M and any letter: the two of them, and 18 others
  EXPECT_EQ(gram(parse("mismatch(k=2, m=1, alphabet=protein)"), strings({"MK", "MA", "WWW"}))(0, 1), alone);
}

TEST(StringKernels, SubstringsAreSpectraOfAllLengths) {
  const Points x = strings(random_strings(2, 9, 20, "ab"));
  const Matrix k = gram(substrings(2, 4, 0.7), x);
  Matrix sum(9, 9);
  for (int length = 2; length <= 4; ++length) {
    const Matrix part = gram(spectrum(length), x);
    for (Index i = 0; i < 81; ++i) sum.data()[i] += std::pow(0.7, 2 * length) * part.data()[i];
  }
  test::expect_near(k, sum, 1e-13);
}

TEST(StringKernels, WeightedDegreeCountsSubstringsAtTheirPlaces) {
  std::vector<std::string> x = random_strings(3, 40, 0, "ab");
  std::mt19937 random(4);
  for (std::string& s : x) {
    for (int p = 0; p < 23; ++p) s += "ab"[random() % 2];
  }
  for (const int d : {1, 2, 5, 40}) {
    const Matrix K = gram(weighted_degree(d), strings(x), {.tile = 16});
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        double expected = 0;
        for (int k = 1; k <= d; ++k) {
          for (std::size_t at = 0; at + static_cast<std::size_t>(k) <= 23; ++at) {
            if (x[i].compare(at, static_cast<std::size_t>(k), x[j], at, static_cast<std::size_t>(k)) == 0) {
              expected += 2.0 * (d - k + 1) / (d * (d + 1.0));
            }
          }
        }
        EXPECT_NEAR(K(static_cast<Index>(i), static_cast<Index>(j)), expected, 1e-12);
      }
    }
  }
}

// Tiles cut the groups of strings elsewhere; single rows have no group at all.
TEST(StringKernels, PairsAreTheSameBitsInEveryCall) {
  const Points x = strings(random_strings(5, 75, 40, "abc"));
  for (const std::string text : {"subsequence(length=3, decay=0.6)", "subsequence(length=4, decay=0.3, kind=blended)",
                                 "normalize(subsequence(length=2, decay=0.9))"}) {
    const Kernel k = parse(text);
    const Matrix K = gram(k, x);
    EXPECT_EQ(gram(k, x, {.tile = 7}), K);
    EXPECT_EQ(cross(k, x, x.slice({0, 75})), K);
    const Vector diagonal = mercer::diagonal(k, x);
    for (Index i = 0; i < 75; ++i) EXPECT_EQ(diagonal[static_cast<std::size_t>(i)], K(i, i));
    const std::vector<Index> some{70, 3};
    const Matrix rows = lazy(k, x).rows(some);
    for (Index j = 0; j < 75; ++j) {
      EXPECT_EQ(rows(0, j), K(70, j));
      EXPECT_EQ(rows(1, j), K(3, j));
    }
  }
}

TEST(StringKernels, DecayIsLearnt) {
  const Points x = strings(random_strings(6, 12, 15, "abc"));
  const Matrix w = test::random_matrix(12, 12, 7, -1, 1);
  for (const std::string text :
       {"subsequence(length=3, decay=0.6)", "normalize(subsequence(length=3, decay=0.6))",
        "subsequence(length=3, decay=0.6, kind=blended)", "substrings(min=1, max=3, decay=0.6)"}) {
    const Kernel k = parse(text);
    const auto objective = [&](double decay) {
      Vector theta = k.params().theta();
      theta[0] = std::log(decay);
      const Matrix K = gram(k.with(theta), x);
      double total = 0;
      for (Index i = 0; i < 144; ++i) total += w.data()[i] * K.data()[i];
      return total;
    };
    const double h = 1e-5, slope = (objective(0.6 + h) - objective(0.6 - h)) / (2 * h);
    EXPECT_NEAR(gradient(k, x, w).front(), slope, 1e-7 * (1 + std::abs(slope))) << text;
  }
}

TEST(StringKernels, CharactersAndStrands) {
  const auto k = [](const std::string& kernel, const std::string& a, const std::string& b) {
    return cross(parse(kernel), strings({a}), strings({b}))(0, 0);
  };
  EXPECT_EQ(k("spectrum(k=1)", "\xC3\xA4", "\xC3\xB6"), 1);  // of two bytes each, they share the first
  EXPECT_EQ(k("spectrum(k=1, alphabet=chars)", "\xC3\xA4", "\xC3\xB6"), 0);
  EXPECT_EQ(k("subsequence(length=1, decay=1, alphabet=chars)", "\xC3\xA4", "\xC3\xA4"), 1);
  EXPECT_EQ(k("spectrum(k=2, alphabet=dna)", "acgt", "ACGT"), 3);
  EXPECT_EQ(k("spectrum(k=3, alphabet=dna)", "AAA", "TTT"), 0);
  EXPECT_EQ(k("spectrum(k=3, alphabet=dna, reverse_complement=yes)", "AAA", "TTT"), 1);
  EXPECT_EQ(k("gapped(g=3, k=2, alphabet=dna, reverse_complement=yes)", "AAC", "GTT"), 3);
}

TEST(StringKernels, ShortAndEmptyStringsAreZeros) {
  const Points x = strings({"", "ab", "abcde"});
  for (const std::string text : {"spectrum(k=3)", "substrings(min=3, max=4)", "subsequence(length=3, decay=0.5)",
                                 "gapped(g=4, k=2)", "mismatch(k=3, m=1)"}) {
    const Matrix k = gram(parse("normalize(" + text + ")"), x);
    SCOPED_TRACE(text);
    test::expect_near(k, Matrix{{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, 1e-15);
  }
  EXPECT_EQ(gram(weighted_degree(2), strings({"", ""})), Matrix(2, 2));
}

TEST(StringKernels, RefuseWhatTheyCannotTake) {
  const Points x = strings({"ACGT", "ACG", "ACNT"});
  expect_error([&] { gram(weighted_degree(2), x); }, "DataError",
               {"weighted_degree(d=2) needs strings of one length; row 2 has 3 letters, row 1 has 4"});
  expect_error(
      [&] {
        cross(weighted_degree(2), x.slice({0, 1}), strings({"AC"}));
      },
      "DataError", {"row 1 of the points it is compared with has 2 letters"});
  expect_error([&] { gram(parse("spectrum(k=2, alphabet=dna)"), x); }, "DataError",
               {"\"N\" at position 3 of row 3 is not in alphabet=dna (ACGT)"});
  expect_error([&] { gram(subsequence(100, 0.001), x); }, "NumericError", {"take a decay of 0.035 or more"});
  expect_error([] { parse("gapped(g=3, k=4)"); }, "KernelError", {"k must not be above g"});
  expect_error([] { parse("gapped(g=60, k=30)"); }, "KernelError", {"ways to place its gaps"});
  expect_error([] { parse("substrings(min=3, max=2)"); }, "KernelError", {"min must not be above max"});
  expect_error([] { parse("mismatch(k=3, m=4)"); }, "KernelError", {"m must not be above k"});
  expect_error([] { parse("spectrum(k=3, reverse_complement=yes)"); }, "KernelError", {"needs alphabet=dna"});
  expect_error([] { parse("spectrum(k=3, alphabet=latin)"); }, "KernelError", {"alphabet must be one of"});
  expect_error([] { parse("subsequence(length=2, decay=1.5)"); }, "KernelError",
               {"decay must be a finite number > 0 and at most 1, not 1.5"});
  expect_error([] { parse("subsequence(length=2, decay=0.5 in [0.1, 2])"); }, "KernelError",
               {"the range [0.1, 2] of decay must be within > 0 and at most 1"});
}

TEST(StringKernels, SubsequencesThatWouldTakeHoursAreRefused) {
  const Points x = strings({std::string(100000, 'a'), "ab"});
  expect_error([&] { gram(subsequence(3, 0.5), x); }, "UsageError",
               {"strings of 100000 and 100000 letters take 3e+10 steps",
                "take gapped(), which has gaps within windows, substrings() or spectrum()"});
  EXPECT_EQ(cross(subsequence(1, 1), x, x.slice({1, 2}))(0, 0), 100000);
  EXPECT_EQ(gram(substrings(1, 1, 1), x)(0, 0), 1e10);
}

}  // namespace
}  // namespace mercer::kernels_test
