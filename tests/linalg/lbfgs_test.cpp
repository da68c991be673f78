#include "linalg/lbfgs.hpp"

#include "base/random.hpp"
#include "support.hpp"

namespace mercer::lbfgs_test {

namespace {

using linalg::Descent;
using linalg::minimise;
using linalg::Minimum;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double rosenbrock(VectorView x, VectorRef g) {
  std::fill(g.begin(), g.end(), 0.0);
  double value = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double valley = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
    value += 100 * valley * valley + rest * rest;
    g[i] += -400 * x[i] * valley - 2 * rest;
    g[i + 1] += 200 * valley;
  }
  return value;
}

Minimum from(const linalg::Objective& f, const Vector& start, double lower, double upper, Descent how = {}) {
  return minimise(f, start, Vector(start.size(), lower), Vector(start.size(), upper), how);
}

TEST(LbfgsTest, FindsTheBottomOfACurvedValley) {
  const Minimum m = from(rosenbrock, {-1.2, 1, -0.5, 2}, -10, 10, {.max_iterations = 500, .tolerance = 1e-14});
  EXPECT_TRUE(m.converged) << m.stopped;
  for (const double x : m.x) EXPECT_NEAR(x, 1, 1e-5);
}

TEST(LbfgsTest, StopsAtABoundWhereTheGradientPushesOutwards) {
  const Minimum m = from(rosenbrock, {-1.2, 0.2}, -2, 0.5, {.tolerance = 1e-14});
  EXPECT_TRUE(m.converged) << m.stopped;
  // With x1 <= 0.5 the best is x1 = 0.5, x2 = 0.25.
  EXPECT_DOUBLE_EQ(m.x[0], 0.5);
  EXPECT_NEAR(m.x[1], 0.25, 1e-6);
  EXPECT_LT(m.gradient[0], 0);
}

TEST(LbfgsTest, LeavesABoundAgain) {
  // The first coordinate starts at a bound that holds it only while the second is far away.
  const auto f = [](VectorView x, VectorRef g) {
    g[0] = 2 * (x[0] - x[1]);
    g[1] = -2 * (x[0] - x[1]) + 2 * (x[1] - 3);
    return (x[0] - x[1]) * (x[0] - x[1]) + (x[1] - 3) * (x[1] - 3);
  };
  const Minimum m = minimise(f, {0, -5}, Vector{0, -10}, Vector{10, 10}, {.tolerance = 1e-14});
  EXPECT_NEAR(m.x[0], 3, 1e-5);
  EXPECT_NEAR(m.x[1], 3, 1e-5);
}

TEST(LbfgsTest, WhatABoundHoldsCountsForNothing) {
  // The first coordinate is pushed against its bound a million times harder than the second wants to move.
  for (const double side : {-1.0, 1.0}) {
    const auto f = [side](VectorView x, VectorRef g) {
      g[0] = -1e6 * side;
      g[1] = 2 * (x[1] - 3);
      return -1e6 * (side * x[0] - 1) + (x[1] - 3) * (x[1] - 3);
    };
    const Minimum m = minimise(f, {side, 0}, Vector{-1, -10}, Vector{1, 10}, {.tolerance = 1e-12});
    EXPECT_EQ(m.x[0], side);
    EXPECT_NEAR(m.x[1], 3, 1e-4);
    EXPECT_TRUE(m.converged);
    const Minimum done = minimise(f, {side, 3}, Vector{-1, -10}, Vector{1, 10}, {});
    EXPECT_EQ(done.stopped, "the gradient is zero");
    EXPECT_EQ(done.evaluations, 1);
  }
}

TEST(LbfgsTest, MovesAStartBetweenTheBounds) {
  const auto f = [](VectorView x, VectorRef g) {
    EXPECT_GE(x[0], 1);
    EXPECT_LE(x[0], 2);
    g[0] = 2 * x[0];
    return x[0] * x[0];
  };
  const Minimum m = from(f, {50}, 1, 2);
  EXPECT_DOUBLE_EQ(m.x[0], 1);
  EXPECT_TRUE(m.converged);
}

TEST(LbfgsTest, StepsBackFromWhereTheObjectiveDoesNotExist) {
  // x - log x, which does not exist for x <= 0; the first step from far right overshoots.
  const auto f = [](VectorView x, VectorRef g) {
    if (x[0] <= 0) return std::nan("");
    g[0] = 100 * (1 - 1 / x[0]);
    return 100 * (x[0] - std::log(x[0]));
  };
  const Minimum m = from(f, {0.01}, -1e9, 1e9, {.tolerance = 1e-14});
  EXPECT_NEAR(m.x[0], 1, 1e-6);
}

TEST(LbfgsTest, ManyShortStepsWhereLongOnesAreNotAllowed) {
  // From the second iteration on the curvature is known, and one step would reach the bottom.
  double last = 0, longest = 0;
  const auto f = [&](VectorView x, VectorRef g) {
    longest = std::max(longest, std::abs(x[0] - last));
    last = x[0];
    g[0] = x[0] - 1000;
    return 0.5 * (x[0] - 1000) * (x[0] - 1000);
  };
  const Minimum m = from(f, {0}, -1e9, 1e9, {.longest_step = 2});
  EXPECT_NEAR(m.x[0], 1000, 1e-3);
  EXPECT_LE(longest, 2 * std::pow(2.5, 3));  // a step is lengthened three times at most
  EXPECT_GT(m.iterations, 1000 / (2 * std::pow(2.5, 3)));
}

// What one search has found out of the curvature, in units of another function of the same form, saves the next its
// way.
TEST(LbfgsTest, GoesOnWithTheCurvatureOfASimilarFunction) {
  const auto bowl = [](double times, double middle) {
    return [=](VectorView x, VectorRef g) {
      double value = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double scale = times * std::pow(10, static_cast<double>(i)), off = x[i] - middle;
        g[i] = scale * off;
        value += 0.5 * scale * off * off;
      }
      return value;
    };
  };
  Descent how{.tolerance = 1e-12};
  const Minimum first = from(bowl(1, 1), Vector(5), -10, 10, how);
  const Minimum anew = from(bowl(5, 1.1), first.x, -10, 10, how);
  how.known = first.known;
  for (linalg::Secant& secant : how.known) {
    for (double& change : secant.change) change *= 5;
  }
  const Minimum on = from(bowl(5, 1.1), first.x, -10, 10, how);
  for (const double x : on.x) EXPECT_NEAR(x, 1.1, 1e-5);
  EXPECT_GE(anew.evaluations, 2 * on.evaluations);
}

// With the curvature known, a step to the bottom promises nothing more: no second evaluation there. A curvature that is
// said to be a hundred times what it is makes promises as much too small, which one step shows.
TEST(LbfgsTest, PromisesAreBelievedFromModelsThatKeepThem) {
  const auto parabola = [](VectorView x, VectorRef g) {
    g[0] = x[0];
    return 0.5 * x[0] * x[0];
  };
  Descent how{.tolerance = 1e-2, .promises = true};
  how.known = {{{1}, {1}}};
  EXPECT_EQ(from(parabola, {1}, -10, 10, how).evaluations, 2);
  how.known = {{{1}, {100}}};
  EXPECT_LE(from(parabola, {1}, -10, 10, how).value, how.tolerance);
  // The first promise is believed where the curvature is said to be that of this function, and not otherwise.
  how.known = {{{1}, {1}}};
  EXPECT_EQ(from(parabola, {0.1}, -10, 10, how).evaluations, 2);
  how.known_well = true;
  EXPECT_EQ(from(parabola, {0.1}, -10, 10, how).evaluations, 1);
  EXPECT_EQ(from(parabola, {1}, -10, 10, how).evaluations, 2);
}

TEST(LbfgsTest, AStartThatIsKnownIsNotEvaluatedAgain) {
  const Vector start = {-1.2, 1};
  std::vector<Vector> seen;
  const auto watched = [&](VectorView x, VectorRef g) {
    seen.emplace_back(x.begin(), x.end());
    return rosenbrock(x, g);
  };
  Descent how{.max_iterations = 7, .tolerance = 1e-14};
  const Minimum once = from(watched, start, -10, 10, how);
  how.gradient = Vector(2);
  how.value = rosenbrock(start, how.gradient);
  ASSERT_EQ(seen.front(), start);
  seen.clear();
  const Minimum told = from(watched, start, -10, 10, how);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), start), 0);
  EXPECT_EQ(told.x, once.x);
  EXPECT_EQ(told.value, once.value);
  EXPECT_EQ(told.evaluations, once.evaluations - 1);
}

TEST(LbfgsTest, SaysWhyItEnds) {
  EXPECT_EQ(from(rosenbrock, {-1.2, 1}, -10, 10, {.max_iterations = 3}).stopped, "iteration limit");
  EXPECT_FALSE(from(rosenbrock, {-1.2, 1}, -10, 10, {.max_iterations = 3}).converged);
  // One step that gains little may be bad luck; two in a row are the end.
  const Minimum easy = from(rosenbrock, {-1.2, 1}, -10, 10, {.tolerance = 1e9});
  EXPECT_EQ(easy.stopped, "the objective no longer changes");
  EXPECT_EQ(easy.iterations, 2);
  EXPECT_EQ(from(rosenbrock, {1, 1}, -10, 10).stopped, "the gradient is zero");
  Descent impatient;
  impatient.proceed = [](Index iteration, double) { return iteration < 2; };
  EXPECT_EQ(from(rosenbrock, {-1.2, 1}, -10, 10, impatient).iterations, 2);
  const auto nowhere = [](VectorView, VectorRef) { return kInfinity; };
  const Minimum m = from(nowhere, {1}, -10, 10);
  EXPECT_FALSE(m.converged);
  EXPECT_NE(m.stopped.find("cannot be computed"), std::string::npos);
}

TEST(LbfgsTest, RoundingIsNoReasonToGoOn) {
  // A parabola with noise of 1e-12 of its value: its bottom cannot be found exactly.
  int calls = 0;
  const auto f = [&](VectorView x, VectorRef g) {
    g[0] = 2 * x[0] + 1e-9 * (++calls % 2 == 0 ? 1 : -1);
    return 1000 + x[0] * x[0] + 1e-9 * (calls % 3);
  };
  const Minimum m = from(f, {5}, -10, 10, {.tolerance = 0});
  EXPECT_TRUE(m.converged) << m.stopped;
  EXPECT_NEAR(m.x[0], 0, 1e-3);
}

TEST(LbfgsTest, SlopesLeadWhereValuesCannotBeToldApart) {
  // Exact gradients, and values that are off by 1e-11, now up, now down: the bottom is found as closely as the
  // gradients tell it, where values alone leave a gradient of 1e-5.
  for (int start = 0; start < 50; ++start) {
    Random random(static_cast<std::uint64_t>(start));
    const auto f = [&](VectorView x, VectorRef g) {
      g[0] = std::sinh(x[0]) + 0.5 * x[1];
      g[1] = 0.5 * x[0] + 20 * x[1];
      return std::cosh(x[0]) + 0.5 * x[0] * x[1] + 10 * x[1] * x[1] + 1e-11 * random.normal();
    };
    const Minimum m = from(f, {0.1 * start, -1}, -10, 10, {.tolerance = 1e-10});
    EXPECT_TRUE(m.converged) << m.stopped;
    EXPECT_LT(std::hypot(m.gradient[0], m.gradient[1]), 1e-6) << start;
  }
}

TEST(LbfgsTest, ASlopeOfRoundingErrorsWhereNothingChangesIsTheEnd) {
  // A valley whose floor is level to the last bit, and a gradient there that is noise: of a kernel so narrow that all
  // its numbers are 0 or 1.
  Random random(3);
  const auto level = [&](VectorView x, VectorRef g) {
    const double out = std::max(0.0, std::abs(x[0]) - 1);
    g[0] = out > 0 ? std::copysign(1.0, x[0]) : 10 * random.normal();
    return out - 36;
  };
  const Minimum m = from(level, {5}, -10, 10);
  EXPECT_TRUE(m.converged) << m.stopped;
  EXPECT_LE(std::abs(m.x[0]), 1);
  // A gradient that is wrong where values do change is no end.
  const auto wrong = [](VectorView x, VectorRef g) {
    g[0] = -1;
    return x[0];
  };
  EXPECT_FALSE(from(wrong, {0}, -10, 10).converged);
  // Nor is one beside which nothing can be computed.
  const auto alone = [](VectorView x, VectorRef g) {
    g[0] = -1;
    return x[0] == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_FALSE(from(alone, {0}, -10, 10).converged);
}

}  // namespace

}  // namespace mercer::lbfgs_test
