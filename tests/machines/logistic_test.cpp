#include "mercer/machines/logistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "machines/golden_classifiers.hpp"
#include "machines/sectors.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::logistic_test {
namespace {

using test::Data;
using test::expect_error;
using test::expect_near;
using test::names_of;
using test::random_matrix;
using test::sectors;

// Scores of several classes are given up to a number common to all: here they add to 0.
Matrix centred_rows(Matrix f) {
  if (f.cols() == 1) return f;
  for (Index i = 0; i < f.rows(); ++i) {
    const double mean = std::accumulate(f.row(i), f.row(i) + f.cols(), 0.0) / static_cast<double>(f.cols());
    for (Index c = 0; c < f.cols(); ++c) f(i, c) -= mean;
  }
  return f;
}

TEST(Logistic, AgreesWithScikitLearnOnExplicitFeatures) {
  for (const auto& golden : test::golden_classifiers().at("logistic")) {
    SCOPED_TRACE(golden.at("name").get<std::string>());
    const Matrix x = test::matrix_in(golden.at("x")), test = test::matrix_in(golden.at("test"));
    const KernelLogistic machine{.lambda = golden.at("lambda").get<double>(), .bias = golden.at("bias").get<bool>()};
    const Model m = machine.fit({.K = lazy(parse("linear()"), rows(x)),
                                 .labels = Labels::from(names_of(golden.at("labels").get<std::vector<Index>>())),
                                 .weights = golden.at("weights").get<Vector>()});
    EXPECT_TRUE(m.report().converged) << m.report().stopped;
    expect_near(centred_rows(m.scores(rows(test))), test::matrix_in(golden.at("scores")), 2e-6);
    expect_near(m.probabilities(rows(test)), test::matrix_in(golden.at("probabilities")), 1e-6);
  }
}

// lambda alpha_i = w_i (1[y_i = c] - p_c(x_i)), and alpha adds to 0 with a bias: recomputed from the model's own
// outputs.
void expect_optimal(const Model& m, const Data& data, const Vector& weights, double lambda, bool bias,
                    double tolerance) {
  const Matrix p = m.probabilities(rows(data.x));
  const Expansion::Parts& f = m.expansion().parts();
  Matrix alpha(data.x.rows(), f.alpha.cols());
  for (std::size_t s = 0; s < f.support.size(); ++s) {
    std::copy_n(f.alpha.row(static_cast<Index>(s)), alpha.cols(), alpha.row(f.support[s]));
  }
  for (Index c = 0; c < alpha.cols(); ++c) {
    const Index column = alpha.cols() == 1 ? 1 : c;
    double sum = 0;
    for (Index i = 0; i < alpha.rows(); ++i) {
      const double residual = weights[at(i)] * ((data.classes[at(i)] == column ? 1 : 0) - p(i, column));
      EXPECT_NEAR(lambda * alpha(i, c), residual, tolerance);
      sum += lambda * alpha(i, c);
    }
    if (bias) {
      EXPECT_NEAR(sum, 0, tolerance * static_cast<double>(alpha.rows()));
    }
  }
}

TEST(Logistic, TheGradientVanishesAtTheSolution) {
  for (const Index count : {2, 3, 6}) {
    const Data data = sectors(90, count, 1);
    const Vector weights = test::random_vector(90, 2, 0.1, 2);
    for (const double lambda : {1e-6, 1e-3, 1.0, 100.0}) {
      for (const bool bias : {true, false}) {
        const Gram K = lazy(parse("2*rbf(ell=0.7)"), rows(data.x));
        const Model m =
            KernelLogistic{.lambda = lambda, .bias = bias}.fit({.K = K, .labels = data.labels(), .weights = weights});
        SCOPED_TRACE(std::to_string(count) + " classes, lambda " + std::to_string(lambda) + ": " + m.report().str());
        EXPECT_TRUE(m.report().converged);
        expect_optimal(m, data, weights, lambda, bias, 1e-6);
      }
    }
  }
}

TEST(Logistic, SeparableDataWithHardlyAnyPenalty) {
  for (const Index count : {2, 3}) {
    const Data data = sectors(60, count, 3, 0);
    for (const double lambda : {1e-4, 1e-8, 1e-12}) {
      const Model m = KernelLogistic{.lambda = lambda}.fit(lazy(parse("rbf(ell=0.3)"), rows(data.x)), data.labels());
      SCOPED_TRACE(m.report().str());
      EXPECT_TRUE(m.report().converged);
      EXPECT_EQ(m.predict_labels(rows(data.x)), names_of(data.classes));
      const Matrix p = m.probabilities(rows(data.x));
      for (Index i = 0; i < p.rows(); ++i) EXPECT_GT(p(i, data.classes[at(i)]), 0.9);
    }
  }
}

TEST(Logistic, AClassOfHardlyAnyWeight) {
  Data data = sectors(60, 2, 4);
  Vector weights(60, 1.0);
  data.classes[7] = 2;
  weights[7] = 1e-9;
  const Gram K = exact(parse("rbf(ell=1)"), rows(data.x));
  const Model m = KernelLogistic{.lambda = 1e-3}.fit({.K = K, .labels = data.labels(), .weights = weights});
  EXPECT_TRUE(m.report().converged) << m.report().str();
  expect_optimal(m, data, weights, 1e-3, true, 1e-7);
  const Matrix p = m.probabilities(rows(data.x));
  for (Index i = 0; i < 60; ++i) EXPECT_LT(p(i, 2), 1e-4);
}

TEST(Logistic, Limits) {
  const Data data = sectors(50, 3, 9);
  const Training training{.K = lazy(parse("rbf(ell=0.5)"), rows(data.x)), .labels = data.labels()};
  const Model limited = KernelLogistic{.lambda = 1e-3, .max_iterations = 2}.fit(training);
  EXPECT_FALSE(limited.report().converged);
  EXPECT_EQ(limited.report().stopped, "iteration limit");
  EXPECT_EQ(limited.report().iterations, 2);
}

TEST(Logistic, ByNameAndBadInput) {
  const Data data = sectors(20, 2, 10);
  const Training training{.K = lazy(parse("rbf(ell=1)"), rows(data.x)), .labels = data.labels()};
  const Model m = fit("logistic", {{"lambda", "0.3"}, {"no_bias", "true"}}, training);
  EXPECT_EQ(m.expansion().parts().alpha,
            (KernelLogistic{.lambda = 0.3, .bias = false}.fit(training).expansion().parts().alpha));
  expect_error([&] { fit("logistic", {{"lambda", "0"}}, training); }, "UsageError", {"lambda"});
  expect_error([&] { fit("logistic", {{"lambda", "inf"}}, training); }, "UsageError", {"lambda"});
  expect_error([&] { fit("logistic", {{"max_iterations", "0"}}, training); }, "UsageError", {"max_iterations"});
  Training bad = training;
  bad.memory = 100;
  expect_error([&] { KernelLogistic{}.fit(bad); }, "UsageError", {"memory", "20 points"});
}

}  // namespace
}  // namespace mercer::logistic_test
