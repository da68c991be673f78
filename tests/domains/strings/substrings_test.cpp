// Substrings of many lengths by their tree, against plain loops over all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/at.hpp"
#include "domains/strings/substring_tree.hpp"
#include "mercer/explain.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/testing.hpp"
#include "points/join.hpp"
#include "support.hpp"

namespace mercer::substrings_test {
namespace {

using Texts = std::vector<std::string>;

double naive(const std::string& x, const std::string& y, std::size_t min, std::size_t max, double decay) {
  double total = 0;
  for (std::size_t length = min; length <= max; ++length) {
    std::map<std::string, double> counts;
    for (std::size_t at = 0; at + length <= x.size(); ++at) ++counts[x.substr(at, length)];
    double common = 0;
    for (std::size_t at = 0; at + length <= y.size(); ++at) {
      const auto found = counts.find(y.substr(at, length));
      common += found == counts.end() ? 0 : found->second;
    }
    total += std::pow(decay, 2 * static_cast<double>(length)) * common;
  }
  return total;
}

Texts random_texts(unsigned seed, int count, const std::string& letters) {
  std::mt19937 random(seed);
  Texts out;
  for (int i = 0; i < count; ++i) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    out.push_back(text);
  }
  out.push_back("");
  out.push_back(out[0] + out[1] + out[0]);
  out.push_back(std::string(30, letters[0]));
  return out;
}

TEST(Substrings, AreThoseOfPlainLoops) {
  for (const std::string letters : {"a", "ab", "acgt", "abcdefghijklmnopqrstuvwxyz"}) {
    const Texts x = random_texts(1, 3, letters), y = random_texts(2, 2, letters + "!");
    for (const auto& [min, max] : {std::pair{1, 1}, {1, 5}, {3, 4}, {1, 65}, {7, 1000}}) {
      for (const double decay : {1.0, 0.6}) {
        const Kernel k = substrings(min, max, decay);
        const Matrix K = cross(k, strings(x), strings(y)), own = gram(k, strings(x));
        for (Index i = 0; i < K.rows(); ++i) {
          for (Index j = 0; j < K.cols(); ++j) {
            const double expected = naive(x[at(i)], y[at(j)], size_t(min), size_t(max), decay);
            EXPECT_NEAR(K(i, j), expected, 1e-13 * expected) << k.str() << " " << x[at(i)] << " " << y[at(j)];
          }
          for (Index j = 0; j < own.cols(); ++j) {
            const double expected = naive(x[at(i)], x[at(j)], size_t(min), size_t(max), decay);
            EXPECT_NEAR(own(i, j), expected, 1e-13 * expected) << k.str() << " " << x[at(i)] << " " << x[at(j)];
          }
        }
      }
    }
  }
}

TEST(Substrings, OfPublishedExamples) {
  const Points x = strings({"statistics", "computation", "abracadabra", "cadabra"});
  const Matrix K = gram(substrings(1, 11, 1), x);
  EXPECT_EQ(K(0, 1), 17);
  EXPECT_EQ(K(2, 2), 102);
  EXPECT_EQ(K(2, 3), 48);
}

TEST(Substrings, OfTheTreeAreAllDifferentOnes) {
  for (const Texts& texts : {random_texts(3, 5, "ab"), random_texts(4, 5, "abcd"), Texts{}, Texts{"", ""}}) {
    for (const Index longest : {1, 3, 9, 100}) {
      const detail::SubstringTree tree(
          detail::letters_of(std::vector<std::string_view>(texts.begin(), texts.end()), detail::Alphabet::bytes, ""),
          longest, "substrings()");
      std::set<std::string> all;
      std::size_t letters = 0;
      for (const std::string& text : texts) {
        letters += text.size();
        for (std::size_t at = 0; at < text.size(); ++at) {
          for (std::size_t l = 1; l <= std::min(size_t(longest), text.size() - at); ++l) all.insert(text.substr(at, l));
        }
      }
      std::size_t lengths = 0;
      for (Index node = 1; node < tree.size(); ++node) lengths += at(tree.depth(node) - tree.above(node));
      EXPECT_EQ(lengths, all.size());
      EXPECT_LE(at(tree.size()), 2 * letters + 1);
    }
  }
}

TEST(Substrings, ObeyTheLaws) {
  const Points x = strings(random_texts(5, 7, "acgt"));
  for (const char* text : {"substrings(min=1, max=3)", "substrings(min=2, max=50, decay=0.7)",
                           "normalize(substrings(min=1, max=9, decay=0.9))", "rbf_of(substrings(max=4), ell=9)"}) {
    EXPECT_EQ(testing::broken_laws(parse(text), x), std::vector<std::string>{}) << text;
  }
}

// Long substrings take no more memory than short ones: a table of each length would take 3 GB here.
TEST(Substrings, OfLongStringsAndLengths) {
  std::mt19937 random(9);
  std::string first(20000, ' ');
  for (char& c : first) c = "acgt"[random() % 4];
  const std::string second = first.substr(5000) + first.substr(0, 5000);
  const Points x = strings({first, second});
  const Matrix K = gram(substrings(300, 400, 1), x);
  // All substrings of so many letters are different; the second string has those that do not cross its seam.
  double own = 0, common = 0;
  for (int length = 300; length <= 400; ++length) {
    own += 20000 - length + 1;
    common += (5000 - length + 1) + (15000 - length + 1);
  }
  EXPECT_EQ(K, (Matrix{{own, common}, {common, own}}));
}

TEST(Substrings, AreExplainedLetterByLetter) {
  const Texts texts = {"banana", "bandana", "ananas", "cabana", "abc", "nab"};
  const Vector y = {1, 2, -1, 0.5, 3, -2};
  for (const char* text : {"substrings(min=1, max=4, decay=0.8)", "normalize(substrings(min=2, max=3))",
                           "2*substrings(max=2) + spectrum(k=3)"}) {
    SCOPED_TRACE(text);
    const Model m = fit("ridge", {}, {.K = lazy(parse(text), strings(texts)), .y = Matrix(MatrixView(y.data(), 6, 1))});
    for (const std::string one : {"banana", "cabin", "x"}) {
      const Explanation found = explain_prediction(m, strings({one}));
      ASSERT_EQ(found.parts.size(), 1U);
      double sum = found.bias.empty() ? 0 : found.bias[0];
      for (Index i = 0; i < found.parts[0].values.rows(); ++i) sum += found.parts[0].values(i, 0);
      EXPECT_EQ(found.parts[0].places.size(), one.size());
      EXPECT_NEAR(sum, found.scores[0], 1e-10);
      EXPECT_NEAR(m.scores(strings({one}))(0, 0), found.scores[0], 1e-12);
    }
  }
  // Of one training string and one length the shares are known: each "ab" is worth alpha, half of it each letter.
  const Vector one = {2};
  const Model m =
      fit("ridge", {},
          {.K = lazy(parse("substrings(min=2, max=2)"), strings({"ab"})), .y = Matrix(MatrixView(one.data(), 1, 1))});
  const Explanation found = explain_prediction(m, strings({"xabab"}));
  const Matrix& values = found.parts[0].values;
  EXPECT_EQ(values(0, 0), 0);
  for (Index i = 1; i < 5; ++i) EXPECT_NEAR(values(i, 0), found.scores[0] / 4, 1e-12);
}

}  // namespace
}  // namespace mercer::substrings_test
