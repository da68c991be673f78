// Mixtures of Gaussians in feature space: the ordinary ones with linear(), and what only a kernel can tell apart.
#include "mercer/machines/gmm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "machines/golden_mixtures.hpp"
#include "mercer/choose.hpp"
#include "mercer/kernels.hpp"
#include "model/gaussians.hpp"
#include "support.hpp"

namespace mercer::gmm_test {
namespace {

using test::expect_error;
using test::golden_mixtures;
using test::matrix_in;

// scikit-learn's GaussianMixture, full covariances: the same likelihood, shares and probabilities.
TEST(GmmTest, IsTheOrdinaryMixtureWithTheLinearKernel) {
  for (const auto& golden : golden_mixtures()["mixtures"]) {
    const Points x = rows(matrix_in(golden["x"]));
    const Model m = KernelGaussianMixture{.components = golden["components"].get<Index>(),
                                          .floor = 1e-9,
                                          .starts = 10,
                                          .max_iterations = 20000,
                                          .tolerance = 1e-13}
                        .fit(lazy(linear(), x));
    const double likelihood = golden["log_likelihood"].get<double>();
    EXPECT_NEAR(*m.report().figure("log_likelihood"), likelihood, 1e-7 * std::abs(likelihood));
    EXPECT_NEAR(*m.report().figure("bic"), golden["bic"].get<double>(), 1e-6 * std::abs(likelihood));
    EXPECT_NEAR(*m.report().figure("aic"), golden["aic"].get<double>(), 1e-6 * std::abs(likelihood));
    EXPECT_NEAR(*m.report().figure("variance_kept"), 1, 1e-12);
    test::expect_near(m.probabilities(x), matrix_in(golden["probabilities"]), 1e-5);
    const Vector logs = detail::log_sums(m.scores(x)), expected = golden["log_density"].get<Vector>();
    for (std::size_t i = 0; i < logs.size(); ++i) EXPECT_NEAR(logs[i], expected[i], 1e-5);
    for (Index c = 0; c < m.parts().readout.rows(); ++c) {
      EXPECT_NEAR(m.parts().readout(c, 0), golden["weights"][at(c)].get<double>(), 1e-6);
    }
  }
}

struct Rings {
  Matrix x;
  std::vector<Index> of;
};

Rings rings(Index n) {
  const Vector noise = test::random_vector(2 * n, 3, -0.1, 0.1);
  Rings out{Matrix(n, 2), {}};
  for (Index i = 0; i < n; ++i) {
    const double radius = (i % 2 == 0 ? 0.4 : 1) + noise[at(i)];
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n) + noise[at(n + i)];
    out.x(i, 0) = radius * std::cos(angle);
    out.x(i, 1) = radius * std::sin(angle);
    out.of.push_back(i % 2);
  }
  return out;
}

// The share of points on the side of the majority of their ring.
double agreement(const std::vector<Index>& a, const std::vector<Index>& b) {
  double same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) same += a[i] == b[i] ? 1 : 0;
  same /= static_cast<double>(a.size());
  return std::max(same, 1 - same);
}

TEST(GmmTest, SeparatesRingsWhereTheLinearMixtureCannot) {
  const Rings data = rings(200);
  const Points x = rows(Matrix(data.x));
  const KernelGaussianMixture two{.components = 2};
  EXPECT_EQ(agreement(two.fit(lazy(rbf(0.3), x)).predict_classes(x), data.of), 1.0);
  EXPECT_LT(agreement(two.fit(lazy(linear(), x)).predict_classes(x), data.of), 0.7);
}

TEST(GmmTest, NewPointsAreReadAsOldOnes) {
  const Rings data = rings(120);
  const Points x = rows(Matrix(data.x));
  const Model m = KernelGaussianMixture{}.fit(lazy(rbf(0.3), x));
  Matrix some(2, 2);
  std::copy_n(data.x.row(4), 2, some.row(0));
  std::copy_n(data.x.row(7), 2, some.row(1));
  const Matrix all = m.probabilities(x), few = m.probabilities(rows(std::move(some)));
  for (Index c = 0; c < 2; ++c) {
    EXPECT_NEAR(few(0, c), all(4, c), 1e-12);
    EXPECT_NEAR(few(1, c), all(7, c), 1e-12);
  }
}

TEST(GmmTest, LikelihoodIsTheSumOfItsScoresAndNeverFalls) {
  const Points x = rows(Matrix(rings(150).x));
  for (const Index directions : {1, 3}) {
    const Model m =
        KernelGaussianMixture{.components = 3, .dimension = 6, .directions = directions}.fit(lazy(rbf(0.5), x));
    const Vector logs = detail::log_sums(m.scores(x));
    EXPECT_NEAR(std::accumulate(logs.begin(), logs.end(), 0.0), *m.report().figure("log_likelihood"), 1e-7);
    const Report::Table& course = *m.report().table("course");
    for (Index t = 1; t < course.rows.rows(); ++t) EXPECT_GE(course.rows(t, 1), course.rows(t - 1, 1) - 1e-9);
    EXPECT_EQ(*m.report().figure("dimension"), 6);
  }
}

// q directions of D and one variance for the rest are q D - q (q - 1)/2 + 1 numbers (Tipping & Bishop, 1999); beside
// them a Gaussian has a mean, and all but one a share.
TEST(GmmTest, CountsItsNumbersAndItsPoints) {
  const Points x = rows(test::random_matrix(60, 3, 4));
  Training training{.K = lazy(linear(), x)};
  for (Index i = 0; i < 60; ++i) training.weights.push_back(i % 3 == 0 ? 2.5 : 1);
  for (const auto& [directions, covariance] : {std::pair<Index, Index>{0, 1}, {1, 4}, {2, 6}, {3, 6}}) {
    const Model m = KernelGaussianMixture{.components = 2, .directions = directions}.fit(training);
    EXPECT_EQ(*m.report().figure("parameters"), static_cast<double>(1 + 2 * (3 + covariance))) << directions;
    const Matrix& parts = m.report().table("components")->rows;
    ASSERT_EQ(parts.rows(), 2);
    EXPECT_NEAR(parts(0, 0) + parts(1, 0), 1, 1e-12);
    for (Index c = 0; c < 2; ++c) EXPECT_NEAR(parts(c, 1), 90 * parts(c, 0), 1e-9);  // 20 x 2.5 + 40 points
    EXPECT_NEAR(*m.report().figure("bic"),
                *m.report().figure("parameters") * std::log(90.0) - 2 * *m.report().figure("log_likelihood"), 1e-9);
  }
}

// The least variance is a share of that of all points, which weigh what they weigh.
TEST(GmmTest, TheFloorIsAShareOfTheWeightedVariance) {
  const Matrix x = test::random_matrix(40, 2, 8);
  std::vector<Index> which;
  Training weighted{.K = lazy(linear(), rows(x.view()))};
  for (Index i = 0; i < 40; ++i) {
    const Index times = x(i, 0) > 0 ? 3 : 1;
    weighted.weights.push_back(static_cast<double>(times));
    which.insert(which.end(), at(times), i);
  }
  const Training twins{.K = lazy(linear(), rows(x.view()).select(which))};
  for (const std::optional<Index> directions : {std::optional<Index>(), std::optional<Index>(1)}) {
    const KernelGaussianMixture config{.components = 3, .directions = directions, .floor = 0.5};
    EXPECT_NEAR(*config.fit(weighted).report().figure("log_likelihood"),
                *config.fit(twins).report().figure("log_likelihood"), 1e-6);
  }
}

TEST(GmmTest, TheNumberOfComponentsIsChosenByBic) {
  const Points x = rows(matrix_in(golden_mixtures()["mixtures"][0]["x"]));
  const Choice choice = choose(machine("gmm"), {}, true, {.K = lazy(linear(), x)});
  EXPECT_EQ(choice.settings.at("components"), "3") << choice.words;
  EXPECT_NE(choice.words.find("bic"), std::string::npos) << choice.words;
}

TEST(GmmTest, ManyPointsGoThroughProductsWithTheKernel) {
  const Points x = rows(Matrix(rings(1600).x)), few = rows(Matrix(rings(1500).x));
  const KernelGaussianMixture two{.components = 2, .dimension = 10};
  const Model m = two.fit(lazy(rbf(0.3), x));
  std::vector<Index> of(1600);
  for (std::size_t i = 0; i < of.size(); ++i) of[i] = static_cast<Index>(i % 2);
  EXPECT_EQ(agreement(m.predict_classes(x), of), 1.0);
  EXPECT_NEAR(*m.report().figure("variance_kept"), *two.fit(lazy(rbf(0.3), few)).report().figure("variance_kept"),
              0.01);
}

TEST(GmmTest, WhatCannotBeIsRefused) {
  const Points x = rows(Matrix(rings(20).x));
  expect_error([&] { KernelGaussianMixture{.components = 21}.fit(lazy(rbf(0.3), x)); }, "UsageError",
               {"21 components for 20 points"});
  expect_error([&] { KernelGaussianMixture{}.fit(lazy(constant(2), x)); }, "DataError",
               {"all points are the same to the kernel"});
  expect_error([&] { KernelGaussianMixture{}.fit(lazy(rbf(1), rows(Matrix(9, 2, 3.0)))); }, "DataError",
               {"all points are the same to the kernel"});
  expect_error([&] { KernelGaussianMixture{.dimension = 3}.fit(lazy(linear(), x)); }, "UsageError",
               {"3 dimensions", "differ in 2 directions only"});
  expect_error([&] { KernelGaussianMixture{.dimension = 20}.fit(lazy(rbf(1), x)); }, "UsageError",
               {"20 dimensions", "differ in 19 directions only"});
  expect_error([&] { KernelGaussianMixture{.dimension = 2, .directions = 3}.fit(lazy(rbf(1), x)); }, "UsageError",
               {"3 directions in a space of 2"});
  Matrix twice(8, 2);
  for (Index i = 0; i < 8; ++i) twice(i, 0) = static_cast<double>(i % 2);
  expect_error([&] { KernelGaussianMixture{.components = 3}.fit(lazy(rbf(1), rows(std::move(twice)))); }, "DataError",
               {"3 components", "2 points apart"});
}

}  // namespace
}  // namespace mercer::gmm_test
