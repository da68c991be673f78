#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "domains/bags/row.hpp"
#include "mercer/mercer.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::mean_embedding_test {
namespace {

using test::expect_error;
using test::random_matrix;
using testing::broken_laws;
const std::vector<std::string> none;

// The means of entries of K over pairs of bags, one pair after the other.
Matrix naive(const Matrix& K, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  Matrix out(std::ssize(rows) - 1, std::ssize(columns) - 1);
  for (Index a = 0; a < out.rows(); ++a) {
    for (Index b = 0; b < out.cols(); ++b) {
      long double sum = 0;
      const auto u = static_cast<std::size_t>(a), v = static_cast<std::size_t>(b);
      for (Index i = rows[u]; i < rows[u + 1]; ++i) {
        for (Index j = columns[v]; j < columns[v + 1]; ++j) sum += static_cast<long double>(K(i, j));
      }
      const Index pairs = (rows[u + 1] - rows[u]) * (columns[v + 1] - columns[v]);
      out(a, b) = static_cast<double>(sum / static_cast<long double>(pairs));
    }
  }
  return out;
}

double gap(const Matrix& a, const Matrix& b) {
  double out = 0;
  for (Index e = 0; e < a.rows() * a.cols(); ++e) out = std::max(out, std::abs(a.data()[e] - b.data()[e]));
  return out;
}

TEST(MeanEmbedding, IsTheMeanOverPairs) {
  const std::vector<Index> many = {0, 1, 4, 304, 305, 700, 702}, few = {0, 270, 271};
  const Matrix x = random_matrix(702, 3, 1), y = random_matrix(271, 3, 2);
  for (const Kernel& k : {rbf(0.7), linear(), 2.0 * matern(1.5, 0.4) + poly(2)}) {
    const Matrix all = gram(mean_embedding(k), bags(rows(x), many));
    EXPECT_LT(gap(all, naive(gram(k, rows(x)), many, many)), 1e-13) << k.str();
    const Matrix between = cross(mean_embedding(k), bags(rows(x), many), bags(rows(y), few));
    EXPECT_LT(gap(between, naive(cross(k, rows(x), rows(y)), many, few)), 1e-13) << k.str();
  }
}

// sum_i alpha_i mean_{x in X_i} k(x, z) / m of each element z, by a double loop.
TEST(MeanEmbedding, IsExplainedElementByElement) {
  const std::vector<Index> offsets = {0, 3, 4, 9, 14, 16, 20};
  const Matrix x = random_matrix(20, 2, 1), y = random_matrix(6, 2, 3);
  const Points all = bags(rows(x), offsets);
  for (const char* const text : {"mean_embedding(rbf(ell=0.7))", "2*normalize(mean_embedding(rbf(ell=0.7)))",
                                 "mean_embedding(rbf(ell=0.7)) + mean_embedding(linear())",
                                 "mean_embedding(linear()) + exp(mean_embedding(rbf(ell=0.7)))"}) {
    SCOPED_TRACE(text);
    const Model m = KernelRidge{.ridge = 0.3}.fit({.K = lazy(parse(text), all), .y = y});
    for (const Index row : {0, 1, 3}) {
      const Explanation found = explain_prediction(m, all.slice({row, row + 1}));
      const Matrix scores = m.scores(all.slice({row, row + 1}));
      for (Index o = 0; o < 2; ++o) {
        double sum = 0;
        for (const Contribution& part : found.parts) {
          for (Index p = 0; p < part.values.rows(); ++p) sum += part.values(p, o);
        }
        EXPECT_NEAR(sum, scores(0, o), 1e-10);
      }
    }
  }
  const Model m = KernelRidge{.ridge = 0.3}.fit({.K = lazy(parse("mean_embedding(rbf(ell=0.7))"), all), .y = y});
  const Matrix K = gram(rbf(0.7), rows(x)), &alpha = m.expansion().parts().alpha;
  const Explanation found = explain_prediction(m, all.slice({2, 3}));
  ASSERT_EQ(found.parts.size(), 1U);
  ASSERT_EQ(found.parts[0].places.size(), 5U);
  for (Index z = 4; z < 9; ++z) {
    const std::string words = fmt::format("({:.4g}, {:.4g})", x(z, 0), x(z, 1));
    const auto place = std::find(found.parts[0].places.begin(), found.parts[0].places.end(), words);
    ASSERT_NE(place, found.parts[0].places.end()) << words;
    for (Index o = 0; o < 2; ++o) {
      double expected = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        double mean = 0;
        for (Index a = offsets[i]; a < offsets[i + 1]; ++a) mean += K(a, z);
        expected += alpha(static_cast<Index>(i), o) * mean / static_cast<double>(offsets[i + 1] - offsets[i]) / 5;
      }
      EXPECT_NEAR(found.parts[0].values(place - found.parts[0].places.begin(), o), expected, 1e-12);
    }
  }
  // Words are of the bag as it was given, and texts are themselves.
  const Points words = bags(strings({"banana", "an", "nab"}), {0, 2, 3});
  const Model of_words = KernelRidge{}.fit(lazy(parse("mean_embedding(spectrum(k=2))"), words), Vector{1, 2});
  const std::vector<std::string> expected = {"an", "banana"};
  EXPECT_EQ(explain_prediction(of_words, words.slice({0, 1})).parts[0].places, expected);
}

TEST(MeanEmbedding, TakesElementsOfAnyKind) {
  const Points words = strings({"banana", "ananas", "an", "bandana", "cabana", "", "nab"});
  const std::vector<Index> offsets = {0, 2, 3, 7};
  EXPECT_LT(
      gap(gram(mean_embedding(spectrum(2)), bags(words, offsets)), naive(gram(spectrum(2), words), offsets, offsets)),
      1e-14);
  const Points mixed = table({{"age", rows(random_matrix(7, 1, 1))}, {"text", words}});
  const Kernel k = parse("on(text, normalize(spectrum(k=1)))*on(age, rbf(ell=2))");
  EXPECT_LT(gap(gram(mean_embedding(k), bags(mixed, offsets)), naive(gram(k, mixed), offsets, offsets)), 1e-14);
  const Points pairs_of_bags = bags(bags(words, offsets), {0, 1, 3});
  EXPECT_EQ(gram(mean_embedding(mean_embedding(spectrum(1))), pairs_of_bags).rows(), 2);
}

TEST(MeanEmbedding, ObeysTheLaws) {
  const Points x = detail::sample_bags(23, 4);
  for (const char* text :
       {"mean_embedding(rbf(ell=1))", "normalize(mean_embedding(2*rbf(ell=0.5) + linear()))",
        "rbf_of(mean_embedding(rbf(ell=[0.7, 2])), ell=0.5)",
        "3*mean_embedding(matern(nu=1.5, ell=1))^2 + rbf_of(mean_embedding(poly(degree=2, c=1)), ell=4)"}) {
    EXPECT_EQ(broken_laws(parse(text), x), none) << text;
  }
  EXPECT_EQ(broken_laws(parse("mean_embedding(normalize(spectrum(k=2)))"),
                        bags(strings({"abab", "ba", "aab", "bb", "abba", "a"}), {0, 1, 3, 6})),
            none);
}

// In any order of the elements, to the last bit; and so is the MMD of equal bags 0.
TEST(MeanEmbedding, BagsHaveNoOrder) {
  const Matrix x = random_matrix(40, 5, 3);
  std::vector<Index> turned(40);
  std::iota(turned.rbegin(), turned.rend(), Index{0});
  const Points one = bags(rows(x), {0, 40}), other = bags(rows(x).select(turned), {0, 40});
  EXPECT_EQ(cross(mean_embedding(rbf(1)), one, other), gram(mean_embedding(rbf(1)), one));
  EXPECT_EQ(cross(rbf_of(mean_embedding(rbf(1)), 1e-6), one, other)(0, 0), 1);
  // {a, b} and {a, a, b, b} are one distribution
  const Points twice = bags(rows(Matrix{{1}, {2}, {1}, {1}, {2}, {2}}), {0, 2, 6});
  EXPECT_NEAR(gram(rbf_of(mean_embedding(rbf(1)), 1e-6), twice)(0, 1), 1, 1e-3);
}

// Population values of N(0,1), N(1,1) and N(0,4) with a Gaussian kernel of width 1: bags of quantiles come near them.
TEST(MeanEmbedding, DiscrepancyOfNormalDistributions) {
  constexpr Index count = 2000;
  Matrix x(3 * count, 1);
  for (Index i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / count;
    double low = -9, high = 9;  // the quantile by bisection
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
    }
    x(i, 0) = low;
    x(count + i, 0) = low + 1;
    x(2 * count + i, 0) = 2 * low;
  }
  const Matrix K = gram(rbf_of(mean_embedding(rbf(1)), 1), bags(rows(x), {0, count, 2 * count, 3 * count}));
  EXPECT_NEAR(-2 * std::log(K(0, 1)), 0.1772676349, 2e-4);
  EXPECT_NEAR(-2 * std::log(K(0, 2)), 0.0941870216, 2e-4);
}

TEST(MeanEmbedding, LengthScalesComeFromTheElements) {
  const Matrix x = random_matrix(30, 2, 5);
  const Kernel k = parse("mean_embedding(rbf(ell=auto))").resolve(bags(rows(x), {0, 10, 30}));
  EXPECT_NEAR(k.params()[0].value, parse("rbf(ell=auto)").resolve(rows(x)).params()[0].value, 1e-12);
}

TEST(MeanEmbedding, BadInput) {
  const Points x = rows(random_matrix(5, 2, 1));
  expect_error([&] { bags(x, {0, 2, 2, 5}); }, "DataError", {"bags: number 2 is empty"});
  expect_error([&] { bags(x, {0, 2, 4}); }, "DataError", {"from 0 to the number of elements, 5"});
  expect_error([&] { bags(x, {0, 4, 2, 5}); }, "DataError", {"fall from 4 to 2"});
  expect_error([&] { bags(rows(Matrix{{1.0}, {std::nan("")}}), {0, 2}); }, "DataError", {"row 2"});
  expect_error([&] { gram(mean_embedding(rbf(1)), x); }, "DomainError", {"mean_embedding() needs bags", "reals(2)"});
  expect_error([&] { gram(mean_embedding(spectrum(2)), bags(x, {0, 5})); }, "DomainError", {"needs strings"});
  expect_error(
      [&] {
        cross(mean_embedding(rbf(1)), bags(x, {0, 5}), bags(rows(Matrix{{1}}), {0, 1}));
      },
      "ShapeError", {"one data set has 2 columns, the other 1"});
  expect_error([&] { mean_embedding(rbf(1)) + mean_embedding(spectrum(2)); }, "KernelError",
               {"bags of reals", "bags of strings"});
}

}  // namespace
}  // namespace mercer::mean_embedding_test
