#include "mercer/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "machines/golden_classifiers.hpp"
#include "support.hpp"

namespace mercer::metrics_test {
namespace {

using test::expect_error;
using Classes = std::vector<Index>;
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Metrics, ClassificationAgreesWithScikitLearn) {
  for (const auto& golden : test::golden_classifiers().at("classification")) {
    const auto truth = golden.at("truth").get<Classes>(), predicted = golden.at("predicted").get<Classes>();
    const Matrix scores = test::matrix_in(golden.at("scores")), p = test::matrix_in(golden.at("probabilities"));
    const auto classes = golden.at("classes").get<Index>();
    EXPECT_EQ(confusion(truth, predicted, classes), test::matrix_in(golden.at("confusion")));
    EXPECT_NEAR(accuracy(truth, predicted), golden.at("accuracy").get<double>(), 1e-14);
    EXPECT_NEAR(balanced_accuracy(truth, predicted), golden.at("balanced_accuracy").get<double>(), 1e-14);
    EXPECT_NEAR(f1(truth, predicted, classes), golden.at("f1").get<double>(), 1e-14);
    EXPECT_NEAR(auc(truth, scores), golden.at("auc").get<double>(), 1e-14);
    EXPECT_NEAR(log_loss(truth, p), golden.at("log_loss").get<double>(), 1e-13);
    EXPECT_NEAR(brier(truth, p), golden.at("brier").get<double>(), 1e-14);
  }
}

TEST(Metrics, RegressionAgreesWithScikitLearn) {
  for (const auto& golden : test::golden_classifiers().at("regression")) {
    const auto truth = golden.at("truth").get<Vector>(), predicted = golden.at("predicted").get<Vector>();
    EXPECT_NEAR(rmse(truth, predicted), golden.at("rmse").get<double>(), 1e-14);
    EXPECT_NEAR(mae(truth, predicted), golden.at("mae").get<double>(), 1e-14);
    EXPECT_NEAR(r2(truth, predicted), golden.at("r2").get<double>(), 1e-14);
  }
}

TEST(Metrics, AucIsTheFractionOfPairsInOrder) {
  std::mt19937_64 engine(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Index n = 30;
    Matrix scores(n, 1);
    Classes truth(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      truth[static_cast<std::size_t>(i)] = i < 2 ? i : static_cast<Index>(engine() % 2);
      scores(i, 0) = static_cast<double>(engine() % 6);
    }
    double wins = 0, pairs = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        if (truth[static_cast<std::size_t>(i)] != 1 || truth[static_cast<std::size_t>(j)] != 0) continue;
        wins += scores(i, 0) > scores(j, 0) ? 1 : scores(i, 0) == scores(j, 0) ? 0.5 : 0;
        pairs += 1;
      }
    }
    EXPECT_NEAR(auc(truth, scores), wins / pairs, 1e-14);
    // Two columns that mirror each other say the same.
    Matrix both(n, 2);
    for (Index i = 0; i < n; ++i) both(i, 1) = -(both(i, 0) = -scores(i, 0));
    EXPECT_NEAR(auc(truth, both), wins / pairs, 1e-14);
  }
}

TEST(Metrics, EdgesOfClassification) {
  // Class 2 occurs nowhere and class 1 is never predicted: neither makes a NaN.
  const Classes truth{0, 0, 1, 3}, predicted{0, 0, 0, 3};
  EXPECT_DOUBLE_EQ(balanced_accuracy(truth, predicted), 2.0 / 3);
  EXPECT_DOUBLE_EQ(f1(truth, predicted, 4), (0.8 + 0 + 1) / 3);
  EXPECT_DOUBLE_EQ(f1(Classes{0, 0}, Classes{0, 0}), 0);  // nothing positive to find
  EXPECT_EQ(confusion(truth, predicted, 6).rows(), 6);
  // A class that the model does not know (number 2 of two): missed, at the least probability.
  const Matrix p{{1, 0}, {0.5, 0.5}, {0.25, 0.75}};
  const Classes strange{0, 1, 2};
  EXPECT_NEAR(log_loss(strange, p), (std::log(2.0) - std::log(2.220446049250313e-16)) / 3, 1e-12);
  EXPECT_NEAR(brier(strange, p), (0 + 0.5 + 0.0625 + 0.5625 + 1) / 3, 1e-15);
  EXPECT_DOUBLE_EQ(accuracy(strange, Classes{0, 1, 1}), 2.0 / 3);
  // A certain prediction that fails costs much and not infinity.
  EXPECT_NEAR(log_loss(Classes{1}, Matrix{{1, 0}}), 36.04365338911715, 1e-12);
}

TEST(Metrics, ConstantTargets) {
  EXPECT_EQ(r2(Vector{2, 2, 2}, Vector{2, 2, 2}), 1);
  EXPECT_EQ(r2(Vector{2, 2, 2}, Vector{2, 2, 3}), 0);
  EXPECT_EQ(r2(Vector{0.1, 0.1, 0.1}, Vector{0.1, 0.1, 0.2}), 0);
  EXPECT_EQ(r2(Vector{5}, Vector{5}), 1);
  // Constant is what counts.
  EXPECT_EQ(r2(Vector{2, 7, 2}, Vector{2, 9, 2}, Vector{1, 0, 3}), 1);
  EXPECT_EQ(r2(Vector{7, 2, 2}, Vector{9, 2, 3}, Vector{0, 1, 3}), 0);
}

TEST(Metrics, VotesAsScoresKeepTheWinner) {
  const Matrix pairs = test::random_matrix(50, 6, 8, -30, 30);  // four classes
  const Matrix scores = class_scores(Reading::votes, pairs, 4);
  ASSERT_EQ(scores.cols(), 4);
  for (Index i = 0; i < pairs.rows(); ++i) {
    std::vector<int> votes(4);
    Index column = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) ++votes[pairs(i, column++) > 0 ? a : b];
    }
    const auto winner = static_cast<std::size_t>(std::max_element(scores.row(i), scores.row(i) + 4) - scores.row(i));
    EXPECT_EQ(votes[winner], *std::max_element(votes.begin(), votes.end()));
  }
  EXPECT_EQ(class_scores(Reading::largest, pairs, 6), pairs);
  expect_error([&] { class_scores(Reading::votes, pairs, 3); }, "ShapeError", {"6 columns", "3 classes"});
}

TEST(Metrics, BadInput) {
  expect_error([] { accuracy(Classes{0, 1}, Classes{0}); }, "ShapeError", {"accuracy", "2", "1"});
  expect_error([] { accuracy(Classes{}, Classes{}); }, "DataError", {"nothing to compare"});
  expect_error([] { confusion(Classes{-1}, Classes{0}); }, "DataError", {"-1"});
  expect_error([] { auc(Classes{1, 1}, Matrix{{1}, {2}}); }, "DataError", {"auc", "class 1"});
  expect_error([] { auc(Classes{0, 1, 2}, Matrix{{1}, {2}, {3}}); }, "ShapeError", {"one per class"});
  expect_error([] { auc(Classes{0, 1}, Matrix{{kNan}, {2}}); }, "DataError", {"row 1"});
  expect_error([] { log_loss(Classes{0, 1}, Matrix{{1}, {1}}); }, "ShapeError", {"one per class"});
  expect_error([] { brier(Classes{0}, Matrix{{kNan, 1}}); }, "DataError", {"row 1, column 1"});
  expect_error([] { rmse(Vector{1}, Vector{1, 2}); }, "ShapeError", {"rmse"});
  expect_error([] { r2(Vector{}, Vector{}); }, "DataError", {"r2"});
  expect_error([] { mae(Vector{1, 2}, Vector{1, kNan}); }, "DataError", {"row 2"});
}

}  // namespace
}  // namespace mercer::metrics_test
