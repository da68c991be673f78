// Recursive feature machines against differences of their own f, ridge regression, and folds held out by hand.
#include "mercer/machines/rfm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machines/gp_problem.hpp"
#include "mercer/kernels.hpp"
#include "mercer/tune.hpp"

namespace mercer::rfm_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::pos;
using test::random_matrix;

Matrix product_of_two(const Matrix& x) {
  Matrix y(x.rows(), 1);
  for (Index i = 0; i < x.rows(); ++i) y(i, 0) = x(i, 0) * x(i, 1) + 0.3 * std::sin(2 * x(i, 0));
  return y;
}

Training toy(Index n, Index columns, const char* kernel, unsigned seed = 1) {
  const Matrix x = random_matrix(n, columns, seed, -1.5, 1.5);
  return {.K = lazy(parse(kernel), rows(x)), .y = product_of_two(x)};
}

const Matrix& relevance(const Model& m) { return m.report().table("relevance")->rows; }

Matrix inputs_of(const Training& t) { return Matrix(random_matrix(t.K.size(), 3, 1, -1.5, 1.5)); }

TEST(Rfm, SlopesAreThoseOfDifferences) {
  for (const char* const kernel : {"exponential(ell=2)", "rbf(ell=[1, 2, 1.5])", "laplace(ell=3)"}) {
    SCOPED_TRACE(kernel);
    const Training t = toy(40, 3, kernel);
    const Model m = RecursiveFeatureMachine{.ridge = 0.1, .rounds = 1}.fit(t);
    const Matrix x = inputs_of(t);
    constexpr double kStep = 1e-5;
    for (Index c = 0; c < 3; ++c) {
      Matrix up = x, down = x;
      for (Index i = 0; i < x.rows(); ++i) {
        up(i, c) += kStep;
        down(i, c) -= kStep;
      }
      const Vector above = m.predict(rows(up)), below = m.predict(rows(down));
      double sum = 0;
      for (Index i = 0; i < x.rows(); ++i) sum += std::pow((above[pos(i)] - below[pos(i)]) / (2 * kStep), 2);
      EXPECT_NEAR(relevance(m)(c, 1), sum / 40, 1e-4 * (sum / 40)) << c;
    }
  }
}

TEST(Rfm, ColumnsThatDoNotMatterGetLongLengths) {
  const Training t = toy(200, 6, "exponential(ell=3)");
  const Model m = RecursiveFeatureMachine{}.fit(t);
  ASSERT_GT(*m.report().figure("rounds"), 0);
  for (Index c = 0; c < 6; ++c) {
    if (c < 2) {
      EXPECT_GT(relevance(m)(c, 2), 0.2);
    } else {
      EXPECT_LT(relevance(m)(c, 2), 1e-2);
      EXPECT_GT(relevance(m)(c, 0), 5 * relevance(m)(0, 0));
    }
  }
  const Matrix fresh = random_matrix(300, 6, 5, -1.5, 1.5), truth = product_of_two(fresh);
  const auto rmse = [&](const Model& one) {
    const Vector said = one.predict(rows(fresh));
    double sum = 0;
    for (Index i = 0; i < 300; ++i) sum += std::pow(said[pos(i)] - truth(i, 0), 2);
    return std::sqrt(sum / 300);
  };
  EXPECT_LT(rmse(m), 0.5 * rmse(KernelRidge{.ridge = std::nullopt}.fit(t)));
}

TEST(Rfm, WithoutRoundsItIsRidge) {
  const Training t = toy(60, 3, "exponential(ell=2)");
  for (const std::optional<double> ridge : {std::optional(0.1), std::optional<double>()}) {
    const Matrix a = RecursiveFeatureMachine{.ridge = ridge, .rounds = 0}.fit(t).scores(rows(inputs_of(t)));
    const Matrix b = KernelRidge{.ridge = ridge}.fit(t).scores(rows(inputs_of(t)));
    expect_near(a, b, 0);
  }
  // What has no lengths is as it was given, and says so.
  for (const char* const kernel : {"linear() + 1", "exponential(ell=fixed(2))", "matern(nu=1.5, ell=1)"}) {
    const Training other = toy(60, 3, kernel);
    const Model m = RecursiveFeatureMachine{}.fit(other);
    expect_near(m.scores(rows(inputs_of(t))), KernelRidge{.ridge = std::nullopt}.fit(other).scores(rows(inputs_of(t))),
                0);
    EXPECT_EQ(m.report().table("relevance"), nullptr);
    EXPECT_NE(m.report().notes.back().find("no lengths of columns"), std::string::npos);
  }
}

// In other units of a column the lengths are in those units, and f is the same.
TEST(Rfm, UnitsOfColumnsDoNotMatter) {
  const Training t = toy(60, 3, "exponential(ell=[2, 2, 2])");
  const Matrix x = inputs_of(t);
  Matrix scaled = x;
  for (Index i = 0; i < x.rows(); ++i) scaled(i, 1) *= 64;
  const Training other{.K = lazy(parse("exponential(ell=[2, 128, 2])"), rows(scaled)), .y = t.y};
  const RecursiveFeatureMachine config{.rounds = 2};
  const Model a = config.fit(t), b = config.fit(other);
  EXPECT_NEAR(relevance(b)(1, 0), 64 * relevance(a)(1, 0), 1e-6 * relevance(b)(1, 0));
  EXPECT_NEAR(relevance(b)(1, 2), relevance(a)(1, 2), 1e-9);
  expect_near(a.scores(rows(x)), b.scores(rows(scaled)), 1e-7);
}

// A round keeps the mean squared distance, up to the powers of 2 that leave-one-out chose.
TEST(Rfm, LengthsAreInverseToTheSlopesBefore) {
  const Training t = toy(60, 3, "exponential(ell=2)");
  const Model m = RecursiveFeatureMachine{.ridge = 0.1, .rounds = 1}.fit(t);
  const Model before = KernelRidge{.ridge = 0.1}.fit(t);
  const Matrix x = inputs_of(t);
  constexpr double kStep = 1e-5;
  Vector slope, variance;
  for (Index c = 0; c < 3; ++c) {
    Matrix up = x, down = x;
    double mean = 0, square = 0, sum = 0;
    for (Index i = 0; i < 60; ++i) {
      up(i, c) += kStep;
      down(i, c) -= kStep;
      mean += x(i, c) / 60;
    }
    const Vector above = before.predict(rows(up)), below = before.predict(rows(down));
    for (Index i = 0; i < 60; ++i) {
      square += std::pow(x(i, c) - mean, 2) / 60;
      sum += std::pow((above[pos(i)] - below[pos(i)]) / (2 * kStep), 2) / 60;
    }
    slope.push_back(sum);
    variance.push_back(square);
  }
  double is = 0, was = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    is += slope[c] * variance[c];
    was += variance[c] / 4;
  }
  for (Index c = 0; c < 3; ++c) {
    const double steps = std::log2(relevance(m)(c, 0) / std::sqrt(is / was / slope[pos(c)]));
    EXPECT_NEAR(steps, std::round(steps), 1e-3) << c;
    EXPECT_NEAR(steps, std::log2(relevance(m)(0, 0) / std::sqrt(is / was / slope[0])), 1e-3);
  }
}

TEST(Rfm, RoundsAreThoseWithTheSmallestErrorHeldOut) {
  for (const unsigned seed : {1U, 4U, 9U}) {
    // In the order of the points' contents, in which it deals them to folds.
    Matrix x = random_matrix(50, 3, seed, -1.5, 1.5);
    Vector first;
    for (Index i = 0; i < 50; ++i) first.push_back(x(i, 0));
    std::sort(first.begin(), first.end());
    for (Index i = 0; i < 50; ++i) x(i, 0) = first[pos(i)];
    Training t{.K = lazy(exponential(2), rows(x)), .y = product_of_two(x)};
    const Matrix noise = random_matrix(50, 1, seed + 50);
    for (Index i = 0; i < 50; ++i) t.y(i, 0) += (seed == 1 ? 0.1 : 1.5) * noise(i, 0);
    Vector errors;
    for (Index rounds = 0; rounds <= RecursiveFeatureMachine::kMostRounds; ++rounds) {
      const Candidate found =
          cross_validate("rfm", {{"rounds", fmt::format("{}", rounds)}}, t, divide(t, 5).folds, "rmse");
      double sum = 0;
      for (const double score : found.scores) sum += score * score;
      errors.push_back(sum);
    }
    const auto best = std::min_element(errors.begin(), errors.end()) - errors.begin();
    EXPECT_EQ(*RecursiveFeatureMachine{}.fit(t).report().figure("rounds"), static_cast<double>(best)) << seed;
  }
}

TEST(Rfm, ClassesAreItsCodes) {
  const Training t = toy(60, 3, "exponential(ell=2)");
  std::vector<std::string> names;
  Matrix codes(60, 1);
  for (Index i = 0; i < 60; ++i) {
    names.emplace_back(t.y(i, 0) > 0 ? "b" : "a");
    codes(i, 0) = t.y(i, 0) > 0 ? 1 : -1;
  }
  const Model m = RecursiveFeatureClassifier{{.rounds = 2}}.fit(t.K, Labels::from(names));
  const Model f = RecursiveFeatureMachine{.rounds = 2}.fit({.K = t.K, .y = codes});
  expect_near(m.scores(rows(inputs_of(t))), f.scores(rows(inputs_of(t))), 0);
  EXPECT_EQ(m.parts().machine, "rfm_classifier");
  EXPECT_TRUE(m.is_classifier());
}

TEST(Rfm, SaysWhatCannotBe) {
  const Training t = toy(30, 3, "exponential(ell=2)");
  expect_error([&] { fit("rfm", {{"rounds", "-1"}}, t); }, "UsageError", {"rounds"});
  expect_error([&] { fit("rfm", {{"rounds", "1.5"}}, t); }, "UsageError", {"rounds"});
  expect_error([&] { fit("rfm", {{"ridge", "0"}}, t); }, "UsageError", {"ridge"});
  // Where nothing changes there is nothing to learn.
  Training flat = t;
  flat.y = Matrix(30, 1, 0.0);
  EXPECT_EQ(*fit("rfm", {{"ridge", "0.1"}, {"rounds", "2"}}, flat).report().figure("rounds"), 0);
}

}  // namespace
}  // namespace mercer::rfm_test
