#include <gtest/gtest.h>

#include <cmath>

#include "domains/series/row.hpp"
#include "mercer/mercer.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::gak_test {
namespace {

using test::expect_error;
using test::random_matrix;
using testing::broken_laws;
const std::vector<std::string> none;

Points series_of(const std::vector<Vector>& each) {
  std::vector<Index> offsets = {0};
  Vector all;
  for (const Vector& one : each) {
    all.insert(all.end(), one.begin(), one.end());
    offsets.push_back(static_cast<Index>(all.size()));
  }
  Matrix steps(offsets.back(), 1);
  std::copy(all.begin(), all.end(), steps.data());
  return series(rows(std::move(steps)), std::move(offsets));
}

TEST(Gak, ValuesFromElsewhere) {
  const Points x = series_of({{1, 2, 3}, {1, 2, 2, 3}, {1, 2, 3, 4}, {1, 1, 1}});
  EXPECT_NEAR(gram(gak(2), x)(0, 1), 15.3581899985, 1e-9);
  EXPECT_NEAR(gram(normalize(gak(2)), x)(0, 1), 0.8393369079, 1e-10);
  EXPECT_NEAR(gram(normalize(gak(2)), x)(1, 2), 0.6562966099, 1e-10);
  EXPECT_NEAR(gram(gak(0.3), x)(3, 3), 13, 1e-12);  // equal points: all alignments
  EXPECT_EQ(gram(normalize(gak(2)), x)(1, 1), 1);
}

TEST(Gak, ObeysTheLaws) {
  const Points x = detail::sample_series(37, 2);
  for (const char* text : {"gak(sigma=1)", "normalize(gak(sigma=0.7))", "normalize(gak(sigma=1.5, band=3))",
                           "2*normalize(gak(sigma=1))^2 + 0.01*gak(sigma=2, band=4)"}) {
    EXPECT_EQ(broken_laws(parse(text), x), none) << text;
  }
}

// Beyond 406 equal steps gak is beyond doubles: never infinite without a word, and normalised among logarithms.
TEST(Gak, LongSeries) {
  Matrix steps(2100, 2);
  const Matrix noise = random_matrix(2100, 2, 4, -0.3, 0.3);
  for (Index t = 0; t < 2100; ++t) {
    steps(t, 0) = std::sin(0.01 * static_cast<double>(t % 700)) + noise(t, 0);
    steps(t, 1) = noise(t, 1);
  }
  const Points x = series(rows(std::move(steps)), {0, 700, 1400, 2100});
  const Matrix K = gram(normalize(gak(1)), x);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(K(i, i), 1);
    for (Index j = 0; j < 3; ++j) {
      EXPECT_TRUE(K(i, j) > 0 && K(i, j) <= 1) << K(i, j);
    }
  }
  expect_error([&] { gram(gak(1), x); }, "NumericError",
               {"gak(sigma=1", "inf", "beyond double precision; take normalize() of what grows so"});
  EXPECT_EQ(gram(normalize(gak(1e-9)), x)(0, 1), 0);
}

TEST(Gak, OneStepAndConstantSeries) {
  const Points x = series_of({{2}, {3}, {5, 5, 5, 5}, {5, 5, 5, 5}});
  const Matrix K = gram(gak(1), x);
  const double w = std::exp(-0.5);
  EXPECT_NEAR(K(0, 1), w / (2 - w), 1e-15);
  EXPECT_NEAR(K(2, 3), 63, 1e-12);
  EXPECT_EQ(K(2, 3), K(2, 2));
}

TEST(Gak, BadInput) {
  const Points x = series(rows(random_matrix(4, 2, 1)), {0, 3, 4}), narrow = series_of({{1, 2}});
  expect_error([&] { cross(gak(1), x, narrow); }, "DomainError", {"2 and 1 columns"});
  expect_error([&] { series(rows(random_matrix(4, 2, 1)), {0, 4, 4}); }, "DataError", {"series: number 2 is empty"});
  expect_error([&] { series_of({{1, std::nan("")}}); }, "DataError", {"row 2"});
  expect_error([&] { series(strings({"a", "b"}), {0, 2}); }, "DomainError", {"row of numbers"});
  expect_error([&] { gram(gak(1), rows(random_matrix(4, 2, 1))); }, "DomainError", {"gak() needs series", "reals(2)"});
  expect_error([&] { parse("gak(sigma=0)"); }, "KernelError", {"sigma"});
  expect_error([&] { parse("gak(sigma=1, band=-1)"); }, "KernelError", {"band"});
}

// Of the same steps, cut otherwise: only the median length differs.
TEST(Gak, AutoGoesByTheMedianLength) {
  const auto sigma = [](const std::vector<Vector>& each) {
    return parse("gak(sigma=auto)").resolve(series_of(each)).params()[0].value;
  };
  const double thirds = sigma({{1, 2, 4}, {3, 5, 8}, {0, 7, 9}});
  EXPECT_NEAR(thirds / sigma({{1}, {2}, {4, 3, 5, 8, 0, 7, 9}}), std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(thirds / sigma({{1, 2, 4, 3}, {5, 8, 0, 7}, {9}}), std::sqrt(0.75), 1e-12);
}

}  // namespace
}  // namespace mercer::gak_test
