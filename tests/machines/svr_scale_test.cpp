// scale_target: the problem of a target in other units is the same problem.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "model/target_scale.hpp"
#include "support.hpp"

namespace mercer::svr_scale_test {
namespace {

Training two_targets(Index n) {
  const Matrix x = test::random_matrix(n, 2, 5);
  Matrix y(n, 2);
  for (Index i = 0; i < n; ++i) {
    y(i, 0) = 1e4 + 500 * std::sin(2 * x(i, 0));
    y(i, 1) = 0.01 * x(i, 0) * x(i, 1);
  }
  Training out{.K = lazy(rbf(0.8), rows(x)), .y = std::move(y)};
  for (Index i = 0; i < n; ++i) out.weights.push_back(1 + static_cast<double>(i % 2));
  return out;
}

// min 1/2 |f|^2 + C sum loss(y - f) is s^2 times the same of f/s, with C/s and epsilon/s.
TEST(SvrScaleTest, IsTheProblemInOtherUnits) {
  const Training both = two_targets(50);
  const auto scales = detail::target_scales(both.y, both.weights);
  const Model scaled = Svr{.C = 10, .epsilon = 0.05, .scale_target = true, .tolerance = 1e-7}.fit(both);
  const Points x = rows(test::random_matrix(15, 2, 8));
  const Matrix got = scaled.scores(x);
  for (Index t = 0; t < 2; ++t) {
    Training one = both;
    one.y = Matrix(50, 1);
    for (Index i = 0; i < 50; ++i) one.y(i, 0) = both.y(i, t);
    const double s = scales[at(t)].deviation;
    const Model plain = Svr{.C = 10 * s, .epsilon = 0.05 * s, .tolerance = 1e-7 * s}.fit(one);
    const Matrix expected = plain.scores(x);
    for (Index i = 0; i < 15; ++i) EXPECT_NEAR(got(i, t), expected(i, 0), 1e-5 * s) << t << " " << i;
    EXPECT_NEAR(scaled.report().tables.front().rows(t, 1), *plain.report().figure("objective_primal"),
                1e-4 * std::abs(*plain.report().figure("objective_primal")));
  }
}

TEST(SvrScaleTest, AStartIsUsedUp) {
  Training data = two_targets(50);
  const Svr svr{.C = 10, .epsilon = 0.05, .scale_target = true};
  const Model first = svr.fit(data);
  data.start = first;
  EXPECT_EQ(svr.fit(data).report().iterations, 0);
}

TEST(SvrScaleTest, TheTubeOfNuSvrIsInUnitsOfTheTarget) {
  Training data = two_targets(60);
  Matrix one(60, 1);
  for (Index i = 0; i < 60; ++i) one(i, 0) = data.y(i, 0);
  data.y = one;
  const double s = detail::target_scales(data.y, data.weights).front().deviation;
  const Model scaled = NuSvr{.C = 1, .nu = 0.3, .scale_target = true, .tolerance = 1e-6}.fit(data);
  const Model plain = NuSvr{.C = s, .nu = 0.3, .tolerance = 1e-6 * s}.fit(data);
  EXPECT_NEAR(*scaled.report().figure("epsilon"), *plain.report().figure("epsilon"), 1e-3 * s);
}

TEST(SvrScaleTest, AConstantTargetIsPredicted) {
  Training data = two_targets(10);
  data.y = Matrix(10, 1, 1234.5);
  EXPECT_NEAR((Svr{.scale_target = true}.fit(data).predict(rows(test::random_matrix(3, 2, 1)))[0]), 1234.5, 0.11);
}

}  // namespace
}  // namespace mercer::svr_scale_test
