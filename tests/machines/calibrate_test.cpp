#include "machines/svm/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "machines/golden_classifiers.hpp"
#include "model/probabilities.hpp"
#include "support.hpp"

namespace mercer::detail::calibrate_test {
namespace {

using test::expect_error;

// Finite, monotone, and a probability at every score.
void expect_sane(const Sigmoid& s, VectorView scores) {
  EXPECT_TRUE(std::isfinite(s.slope) && std::isfinite(s.offset)) << s.slope << " " << s.offset;
  EXPECT_LE(s.slope, 0);
  for (const double f : scores) {
    const double p = sigmoid(s, f);
    EXPECT_TRUE(p >= 0 && p <= 1) << p;
  }
}

TEST(Calibrate, AgreesWithAGeneralMinimiser) {
  for (const auto& golden : test::golden_classifiers().at("calibration")) {
    const auto scores = golden.at("scores").get<Vector>(), signs = golden.at("signs").get<Vector>(),
               weights = golden.at("weights").get<Vector>();
    const Sigmoid plain = fit_sigmoid(scores, signs), weighted = fit_sigmoid(scores, signs, weights);
    EXPECT_NEAR(plain.slope, golden.at("plain").at(0).get<double>(), 1e-7);
    EXPECT_NEAR(plain.offset, golden.at("plain").at(1).get<double>(), 1e-7);
    EXPECT_NEAR(weighted.slope, golden.at("weighted").at(0).get<double>(), 1e-7);
    EXPECT_NEAR(weighted.offset, golden.at("weighted").at(1).get<double>(), 1e-7);
  }
}

TEST(Calibrate, RecoversAKnownSigmoid) {
  const Index n = 20000;
  const Sigmoid truth{-1.7, 0.6};
  const Vector scores = test::random_vector(n, 1, -3, 3), luck = test::random_vector(n, 2, 0, 1);
  Vector signs;
  for (std::size_t i = 0; i < scores.size(); ++i) signs.push_back(luck[i] < sigmoid(truth, scores[i]) ? 1 : -1);
  const Sigmoid found = fit_sigmoid(scores, signs);
  EXPECT_NEAR(found.slope, truth.slope, 0.06);
  EXPECT_NEAR(found.offset, truth.offset, 0.06);
}

TEST(Calibrate, ScoresOfAnySizeGiveTheSameProbabilities) {
  const Vector scores = test::random_vector(40, 3);
  Vector signs;
  for (std::size_t i = 0; i < scores.size(); ++i) signs.push_back(scores[i] + (i % 3 == 0 ? -0.8 : 0.8) > 0 ? 1 : -1);
  const Sigmoid reference = fit_sigmoid(scores, signs);
  for (const double factor : {1e-250, 1e-20, 1e20, 8e307}) {
    Vector scaled = scores;
    for (double& f : scaled) f *= factor;
    const Sigmoid found = fit_sigmoid(scaled, signs);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(sigmoid(found, scaled[i]), sigmoid(reference, scores[i]), 1e-9) << factor;
    }
  }
  Vector shifted = scores;
  for (double& f : shifted) f += 1e6;
  const Sigmoid found = fit_sigmoid(shifted, signs);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(sigmoid(found, shifted[i]), sigmoid(reference, scores[i]), 1e-7);
  }
}

TEST(Calibrate, ASampleOfWeightTwoCountsAsTwo) {
  const Vector scores{-1, -0.2, 0.1, 0.4, 1.5}, signs{-1, 1, -1, 1, 1};
  const Sigmoid weighted = fit_sigmoid(scores, signs, Vector{1, 2, 1, 1, 0});
  const Sigmoid repeated = fit_sigmoid(Vector{-1, -0.2, -0.2, 0.1, 0.4}, Vector{-1, 1, 1, -1, 1});
  EXPECT_NEAR(weighted.slope, repeated.slope, 1e-9);
  EXPECT_NEAR(weighted.offset, repeated.offset, 1e-9);
}

TEST(Calibrate, SeparatedScoresAndOneClassStayFinite) {
  const Vector separated{-3, -2, 2, 3}, signs{-1, -1, 1, 1};
  const Sigmoid s = fit_sigmoid(separated, signs);
  expect_sane(s, separated);
  EXPECT_NEAR(sigmoid(s, 3), 0.75, 0.05);  // the target of two positives
  // All positive: p = (N + 1) / (N + 2) everywhere.
  const Sigmoid one = fit_sigmoid(Vector{1, 2, 3}, Vector{1, 1, 1});
  EXPECT_EQ(one.slope, 0);
  EXPECT_NEAR(sigmoid(one, 17), 0.8, 1e-12);
  EXPECT_NEAR(sigmoid(fit_sigmoid(Vector{1, 2, 3}, Vector{-1, -1, -1}), 17), 0.2, 1e-12);
  expect_sane(fit_sigmoid(Vector{5}, Vector{1}), Vector{5});
}

TEST(Calibrate, ScoresThatTellNothingOrTheWrongWayGiveAConstant) {
  const Sigmoid same = fit_sigmoid(Vector{2, 2, 2, 2}, Vector{1, 1, 1, -1});
  EXPECT_EQ(same.slope, 0);
  const double p = (3 * 0.8 + 1.0 / 3) / 4;
  EXPECT_NEAR(sigmoid(same, 2), p, 1e-12);
  const Sigmoid reversed = fit_sigmoid(Vector{-2, -1, 1, 2}, Vector{1, 1, -1, -1});
  EXPECT_EQ(reversed.slope, 0);
  EXPECT_NEAR(sigmoid(reversed, 0), 0.5, 1e-12);
}

TEST(Calibrate, NeverNaN) {
  const double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const Vector& scores : {Vector{-largest, largest, largest, 0}, Vector{least, -least, 0, least},
                               Vector{1e300, 1e300, 1e300, -1}, Vector{0, 0, 0, 1e-300}, Vector{1, 1 + 1e-16, 1, 1},
                               Vector{1e15, 1e15 + 1, 1e15 + 2, 1e15}, Vector{1e9, -1e-9, 1e-9, 0}}) {
    for (const Vector& signs : {Vector{-1, 1, 1, -1}, Vector{1, -1, -1, 1}, Vector{1, 1, 1, 1}}) {
      for (const Vector& weights : {Vector{}, Vector{1e-12, 1e12, 1, 1}, Vector{0, 1, 0, 0}}) {
        expect_sane(fit_sigmoid(scores, signs, weights), scores);
      }
    }
  }
}

TEST(Calibrate, BadInput) {
  expect_error([] { fit_sigmoid(Vector{1, 2}, Vector{1}); }, "ShapeError", {"2 scores, 1 signs"});
  expect_error([] { fit_sigmoid(Vector{1, NAN}, Vector{1, -1}); }, "DataError", {"score 2"});
  expect_error([] { fit_sigmoid(Vector{1, 2}, Vector{1, 0}); }, "DataError", {"sign 2"});
  expect_error([] { fit_sigmoid(Vector{1, 2}, Vector{1, -1}, Vector{1, -1}); }, "DataError", {"weight 2"});
  expect_error([] { fit_sigmoid(Vector{1, 2}, Vector{1, -1}, Vector{0, 0}); }, "DataError", {"no score has a weight"});
  expect_error([] { fit_sigmoid(Vector{}, Vector{}); }, "DataError", {"no score"});
}

}  // namespace
}  // namespace mercer::detail::calibrate_test
