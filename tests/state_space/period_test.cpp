#include "state_space/period.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "support.hpp"

namespace mercer::state_space::period_test {
namespace {

using test::random_vector;

// A walk, noise, and a cycle of three waves at times in no order.
Vector series(const Vector& t, double period, double height) {
  std::vector<std::size_t> order(t.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return t[a] < t[b]; });
  const Vector e = random_vector(static_cast<Index>(t.size()), 2, -1, 1);
  const Vector steps = random_vector(static_cast<Index>(t.size()), 3, -1, 1);
  Vector y(t.size());
  double walk = 0;
  for (const std::size_t i : order) {
    const double angle = 2 * std::numbers::pi * t[i] / period;
    walk += 0.05 * steps[i];
    y[i] = walk + 0.3 * e[i] + 0.1 * t[i] + height * (std::sin(angle) + 0.5 * std::cos(2 * angle));
  }
  return y;
}

TEST(Period, OfACycleInAWalk) {
  const Vector t = random_vector(20000, 1, 100, 500);
  for (const double period : {1.0, 3.0, 7.77, 20.0}) {
    const std::optional<double> found = period_of(t, series(t, period, 1));
    ASSERT_TRUE(found) << period;
    // Out of step by less than a tenth of a cycle from one end to the other.
    EXPECT_NEAR(*found / period, 1, 0.1 * period / 400) << period;
  }
}

TEST(Period, NoneWhereThereIsNone) {
  const Vector t = random_vector(20000, 1, 100, 500);
  EXPECT_FALSE(period_of(t, series(t, 3, 0)));
  EXPECT_FALSE(period_of(t, random_vector(20000, 7)));
  EXPECT_FALSE(period_of(t, Vector(20000, 2.5)));
  EXPECT_FALSE(period_of(t, series(t, 300, 5))) << "fewer than three of it";
  EXPECT_FALSE(period_of(Vector(20000, 1.0), random_vector(20000, 7)));
  EXPECT_FALSE(period_of(Vector{1, 2, 3}, Vector{1, 2, 1}));
}

}  // namespace
}  // namespace mercer::state_space::period_test
