// Gaussian processes of several targets, each with a signal of its own, and of points that do not count.
#include <numbers>

#include "machines/gp_problem.hpp"
#include "mercer/kernels.hpp"

namespace mercer::gp_several_test {
namespace {

// The second target is the first in other units.
TEST(GpSeveralTargets, LeaveOneOutIsInTheUnitsOfEach) {
  const Matrix x = test::random_matrix(20, 2, 1), noise = test::random_matrix(20, 1, 2, -0.3, 0.3);
  Matrix y(20, 2);
  for (Index i = 0; i < 20; ++i) {
    y(i, 0) = std::sin(x(i, 0)) + x(i, 1) + noise(i, 0);
    y(i, 1) = 10 * y(i, 0);
  }
  const Model m = GaussianProcess{.starts = 1}.fit({.K = lazy(rbf(1), rows(x)), .y = y});
  ASSERT_NEAR(m.posterior().signal[1], 100 * m.posterior().signal[0], 1e-6 * m.posterior().signal[1]);
  const LeaveOneOut out = leave_one_out(m, y);
  double density = 0;
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(out.mean(i, 1), 10 * out.mean(i, 0), 1e-8);
    EXPECT_NEAR(out.variance(i, 1), 100 * out.variance(i, 0), 1e-8 * out.variance(i, 1));
    for (Index t = 0; t < 2; ++t) {
      const double error = y(i, t) - out.mean(i, t), variance = out.variance(i, t);
      density -= 0.5 * (error * error / variance + std::log(2 * std::numbers::pi * variance));
    }
  }
  EXPECT_NEAR(out.log_density, density, 1e-9);
}

// Points of weight 0 are no centres, and yet they are counted: new points are numbered after all of them.
TEST(GpCondition, NumbersNewPointsAfterAllOfTheOldOnes) {
  test::Problem p;
  p.weights[3] = p.weights[10] = 0;
  const Model old = p.fit();
  ASSERT_EQ(old.expansion().size(), 22);
  const Model grown = condition(old, rows(p.fresh), test::random_matrix(7, 2, 5));
  const Expansion::Parts& f = grown.expansion().parts();
  EXPECT_EQ(f.training_size, 31);
  ASSERT_EQ(f.support.size(), 29u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(f.support[22 + i], static_cast<Index>(24 + i));
  // Rows of kernel values, one for each point there was, say the same as the points.
  Matrix all(31, 2);
  for (Index i = 0; i < 31; ++i) std::copy_n(i < 24 ? p.x.row(i) : p.fresh.row(i - 24), 2, all.row(i));
  const Points test = rows(test::random_matrix(5, 2, 6));
  test::expect_near(grown.expansion().from_rows(cross(p.k, test, rows(all))), grown.scores(test), 1e-9);
}

}  // namespace
}  // namespace mercer::gp_several_test
