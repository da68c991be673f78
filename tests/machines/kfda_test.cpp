// Fisher's discriminant: the generalised eigenproblem with linear(), and what it equals.
#include "mercer/machines/kfda.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "machines/golden_mixtures.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::kfda_test {
namespace {

using test::expect_error;
using test::golden_mixtures;
using test::matrix_in;
using test::random_matrix;

Labels labels_in(const Json& golden) { return Labels::from(golden["y"].get<Vector>()); }

// Up to the sign of each column.
void expect_same_directions(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.cols(), b.cols());
  for (Index k = 0; k < a.cols(); ++k) {
    double product = 0;
    for (Index i = 0; i < a.rows(); ++i) product += a(i, k) * b(i, k);
    for (Index i = 0; i < a.rows(); ++i) {
      EXPECT_NEAR(a(i, k), product < 0 ? -b(i, k) : b(i, k), tolerance) << "point " << i << ", direction " << k;
    }
  }
}

TEST(KfdaTest, SolvesTheEigenproblemOfTheLinearDiscriminant) {
  for (const auto& golden : golden_mixtures()["discriminants"]) {
    const Points x = rows(matrix_in(golden["x"]));
    const Model m = KernelFda{.ridge = golden["ridge"].get<double>()}.fit(lazy(linear(), x), labels_in(golden));
    expect_same_directions(m.expansion()(x), matrix_in(golden["coordinates"]), 1e-9);
    const Report::Table& table = *m.report().table("directions");
    const auto ratios = golden["ratios"].get<Vector>();
    ASSERT_EQ(table.rows.rows(), static_cast<Index>(ratios.size()));
    for (std::size_t k = 0; k < ratios.size(); ++k) EXPECT_NEAR(table.rows(static_cast<Index>(k), 0), ratios[k], 1e-9);
  }
}

// scikit-learn's LinearDiscriminantAnalysis has no ridge.
TEST(KfdaTest, IsLinearDiscriminantAnalysisWhereTheRidgeVanishes) {
  for (const auto& golden : golden_mixtures()["discriminants"]) {
    const Points x = rows(matrix_in(golden["x"]));
    const Model m =
        KernelFda{.ridge = 1e-7, .priors = KernelFda::Priors::shares}.fit(lazy(linear(), x), labels_in(golden));
    test::expect_near(m.probabilities(x), matrix_in(golden["probabilities"]), 1e-5);
    const std::vector<std::string> names = m.predict_labels(x);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(names[i], std::to_string(golden["predicted"][i].get<int>()));
    }
  }
}

// Two classes: least squares on centred features with targets 1/p_1 and -1/p_2 have the same direction.
TEST(KfdaTest, OfTwoClassesIsRidgeRegression) {
  const Index n = 60;
  const Matrix at_x = random_matrix(n, 2, 7);
  const Points x = rows(at_x.view());
  Vector of;
  double second = 0;
  for (Index i = 0; i < n; ++i) {
    of.push_back(at_x(i, 0) * at_x(i, 1) > 0.3 ? 1 : 0);
    second += of.back() / static_cast<double>(n);
  }
  Vector target;
  for (const double c : of) target.push_back(c == 1 ? 1 / second : -1 / (1 - second));
  const double ridge = 1e-2;
  const Gram K = exact(rbf(0.8), x);
  const Model discriminant = KernelFda{.ridge = ridge}.fit(K, Labels::from(of));
  const Model regression = KernelRidge{.ridge = ridge * static_cast<double>(n)}.fit(centred(K), target);
  const Matrix a = discriminant.expansion()(x);
  const Matrix fitted = centred(K).multiply([&] {
    Matrix alpha(n, 1);
    const auto& parts = regression.expansion().parts();
    for (std::size_t i = 0; i < parts.support.size(); ++i)
      alpha(parts.support[i], 0) = parts.alpha(static_cast<Index>(i), 0);
    return alpha;
  }()
                                                .view());
  ASSERT_EQ(a.cols(), 1);
  double ratio = 0;
  for (Index i = 0; i < n; ++i) {
    if (i == 0) ratio = a(0, 0) / fitted(0, 0);
    EXPECT_NEAR(a(i, 0), ratio * fitted(i, 0), 1e-8) << i;
  }
  EXPECT_GT(ratio, 0);  // the second class is on the positive side
}

// In the discriminant space the scatter within the classes, with the ridge, is the identity, and the means are where
// the readout has them.
TEST(KfdaTest, CoordinatesAreCentredAndOfUnitSpread) {
  const Index n = 90;
  const Points x = rows(random_matrix(n, 3, 9));
  Vector of;
  for (Index i = 0; i < n; ++i) of.push_back(static_cast<double>(i % 4));
  const Model m = KernelFda{.ridge = 1e-9}.fit(lazy(rbf(0.1), x), Labels::from(of));  // nearly no ridge, all far apart
  const Matrix z = m.expansion()(x);
  ASSERT_EQ(z.cols(), 3);
  Matrix means(4, 3);
  for (Index k = 0; k < 3; ++k) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += z(i, k);
      means(i % 4, k) += z(i, k) / (i % 4 < 2 ? 23 : 22);
    }
    EXPECT_NEAR(sum, 0, 1e-5);
    for (Index c = 0; c < 4; ++c)
      EXPECT_NEAR(means(c, k), m.parts().readout(c, k), 1e-5 * std::abs(means(c, k)) + 1e-5);
  }
}

// So that points can be ranked by them.
TEST(KfdaTest, ScoresAreLogarithmsOfProbabilities) {
  const auto& golden = golden_mixtures()["discriminants"][0];
  const Points x = rows(matrix_in(golden["x"]));
  const Model m = KernelFda{}.fit(lazy(linear(), x), labels_in(golden));
  const Matrix scores = m.scores(x), p = m.probabilities(x);
  for (Index i = 0; i < scores.rows(); ++i) {
    double sum = 0;
    for (Index c = 0; c < scores.cols(); ++c) {
      sum += std::exp(scores(i, c));
      EXPECT_NEAR(std::exp(scores(i, c)), p(i, c), 1e-12);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(KfdaTest, TellsRingsApart) {
  Matrix x(80, 2);
  Vector of;
  for (Index i = 0; i < 80; ++i) {
    const double angle = 0.31 * static_cast<double>(i), radius = i % 2 == 0 ? 0.5 : 1;
    x(i, 0) = radius * std::cos(angle);
    x(i, 1) = radius * std::sin(angle);
    of.push_back(static_cast<double>(i % 2));
  }
  const Points points = rows(std::move(x));
  const std::vector<Index> found = KernelFda{}.fit(lazy(rbf(0.4), points), Labels::from(of)).predict_classes(points);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<Index>(of[i]));
}

TEST(KfdaTest, WhatCannotBeIsRefused) {
  const Points x = rows(random_matrix(12, 2, 4));
  const Labels labels = Labels::from(Vector{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  expect_error([&] { KernelFda{.ridge = 0}.fit(lazy(rbf(1), x), labels); }, "UsageError", {"ridge", "above 0"});
  expect_error([&] { KernelFda{}.fit(lazy(constant(1), x), labels); }, "DataError", {"same mean"});
  Training training{.K = lazy(rbf(1), x), .labels = labels};
  for (const Index c : labels.of) training.weights.push_back(c == 2 ? 0 : 1);
  expect_error([&] { KernelFda{}.fit(training); }, "DataError", {"class \"2\"", "no point of positive weight"});
}

}  // namespace
}  // namespace mercer::kfda_test
