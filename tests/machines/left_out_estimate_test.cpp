// The leave-one-out error by some of the points, beside that of all in closed form.
#include "machines/least_squares/left_out_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/plan.hpp"
#include "support.hpp"

namespace mercer::left_out_estimate_test {
namespace {

struct Problem {
  Training training;
  solve::Equations equations;
  Matrix z;
  double exact = 0;  // sum of squares left out
};

Problem problem(Index n, Index d, double ridge, Index targets) {
  const Matrix x = test::random_matrix(n, d, 1, -2, 2), noise = test::random_matrix(n, targets, 2, -0.5, 0.5);
  Problem out{{.K = lazy(parse("rbf(ell=1)"), rows(x)), .y = Matrix(n, targets)},
              {.K = lazy(parse("rbf(ell=1)"), rows(x)), .shift = {ridge}},
              {},
              0};
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < targets; ++t) out.training.y(i, t) = std::sin(2 * x(i, t % d)) + noise(i, t);
  }
  const Matrix residuals = leave_one_out(KernelRidge{.ridge = ridge}, out.training);
  for (Index i = 0; i < n * targets; ++i) out.exact += residuals.data()[i] * residuals.data()[i];
  const solve::Made made = solve::system_for(out.equations, {.method = Method::dense}, {});
  out.z = out.training.y;
  made.system->solve(out.z);
  return out;
}

std::unique_ptr<solve::System> by_steps(const Problem& p) {
  return solve::system_for(p.equations, {.method = Method::iterative, .to_tolerance = true, .tolerance = 1e-8}, {})
      .system;
}

TEST(LeftOutEstimate, AllPointsAreExact) {
  const Problem p = problem(60, 3, 0.1, 2);
  const detail::LeftOutEstimate found = detail::estimate_left_out(*by_steps(p), p.z, 64);
  EXPECT_EQ(found.points, 60);
  EXPECT_EQ(found.error, 0);
  EXPECT_NEAR(found.squares, p.exact, 1e-6 * p.exact);
}

// Within its error, three of which it hardly ever passes; and that is small where points are much alike.
TEST(LeftOutEstimate, SomePointsAreWithinTheErrorThatIsStated) {
  struct Case {
    Index n, d;
    double ridge, most;  // standard error over the sum
  };
  for (const Case& c :
       {Case{500, 2, 0.1, 0.1}, Case{700, 5, 0.1, 0.2}, Case{500, 5, 1e-3, 0.4}, Case{700, 9, 0.01, 0.1}}) {
    const Problem p = problem(c.n, c.d, c.ridge, 1);
    const detail::LeftOutEstimate found = detail::estimate_left_out(*by_steps(p), p.z, 64);
    EXPECT_LE(found.points, 64);
    EXPECT_GT(found.error, 0);
    EXPECT_LT(found.error, c.most * found.squares) << c.n << " " << c.d << " " << c.ridge;
    EXPECT_NEAR(found.squares, p.exact, 3.5 * found.error) << c.n << " " << c.d << " " << c.ridge;
  }
}

TEST(LeftOutEstimate, TargetsOfZeroLeaveNothing) {
  Problem p = problem(80, 2, 0.1, 1);
  for (Index i = 0; i < 80; ++i) p.z(i, 0) = 0;
  EXPECT_EQ(detail::estimate_left_out(*by_steps(p), p.z, 64).squares, 0);
}

// Up to 4,000 points pcg leaves out each in closed form, as it did; beyond, it says that it estimates.
TEST(LeftOutEstimate, RidgeSaysWhatIsEstimated) {
  const Index n = 4100;
  const Matrix x = test::random_matrix(n, 1, 5, -3, 3), noise = test::random_matrix(n, 1, 6, -0.5, 0.5);
  Training training{.K = lazy(parse("rbf(ell=2)"), rows(x)), .y = Matrix(n, 1)};
  for (Index i = 0; i < n; ++i) training.y(i, 0) = std::sin(x(i, 0)) + noise(i, 0);
  const KernelRidge config{.ridge = 1, .loo = true, .solver = KernelRidge::Solver::pcg, .tolerance = 1e-4};
  const Report report = config.fit(training).report();
  const double error = report.figure("leave_one_out_standard_error").value();
  // Few degrees of freedom: what is left out is what was added, of deviation 1 / sqrt(12).
  EXPECT_NEAR(report.figure("leave_one_out_rmse").value(), std::sqrt(1.0 / 12), 4 * error + 0.01);
  EXPECT_LT(error, 0.02);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes.back().find("is an estimate"), std::string::npos) << report.notes.back();
  Training few = training;
  few.K = lazy(parse("rbf(ell=2)"), rows(x).slice({0, 300}));
  few.y = Matrix(training.y.view().block({0, 300}, {0, 1}));
  EXPECT_FALSE(config.fit(few).report().figure("leave_one_out_standard_error").has_value());
  EXPECT_TRUE(config.fit(few).report().figure("leave_one_out_rmse").has_value());
}

TEST(LeftOutEstimate, ThePlanCountsTheColumns) {
  Extent extent = extent_of(parse("rbf(ell=1)"), rows(Matrix(1, 3)));
  extent.points = extent.weighted = 50'000;
  extent.memory = std::size_t{8} << 30U;
  const Plan without = plan_for(machine("ridge"), {{"ridge", "0.1"}, {"solver", "pcg"}}, extent);
  const Plan with = plan_for(machine("ridge"), {{"ridge", "0.1"}, {"solver", "pcg"}, {"loo", "true"}}, extent);
  EXPECT_GT(with.bytes, without.bytes + 50'000.0 * 64 * 8);
}

}  // namespace
}  // namespace mercer::left_out_estimate_test
