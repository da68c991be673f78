#include <gtest/gtest.h>

#include <cmath>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::wendland_test {
namespace {

double value(int k, Index columns, double r) {
  Matrix x(2, columns);
  x(1, columns - 1) = 2 * r;
  return gram(parse("wendland(k=" + std::to_string(k) + ", ell=2)"), rows(x))(0, 1);
}

// The polynomials of Wendland's table for one and for three columns.
TEST(Wendland, IsThatOfTheTable) {
  for (const double r : {0.0, 1e-9, 0.2, 0.7, 0.999, 1.0, 1.5}) {
    const double t = std::max(0.0, 1 - r);
    EXPECT_NEAR(value(0, 1, r), t, 1e-15);
    EXPECT_NEAR(value(1, 1, r), std::pow(t, 3) * (3 * r + 1), 1e-15);
    EXPECT_NEAR(value(2, 1, r), std::pow(t, 5) * (8 * r * r + 5 * r + 1), 1e-15);
    EXPECT_NEAR(value(0, 3, r), std::pow(t, 2), 1e-15);
    EXPECT_NEAR(value(1, 3, r), std::pow(t, 4) * (4 * r + 1), 1e-15);
    EXPECT_NEAR(value(2, 3, r), std::pow(t, 6) * (35 * r * r + 18 * r + 3) / 3, 1e-15);
    EXPECT_NEAR(value(3, 3, r), std::pow(t, 8) * (32 * r * r * r + 25 * r * r + 8 * r + 1), 1e-15);
  }
  for (const double r : {1.0, 1.0000001, 7.0, 1e140}) {
    for (const int k : {0, 1, 2, 3}) EXPECT_EQ(value(k, 2, r), 0) << k << " " << r;
  }
}

TEST(Wendland, LengthsOfEachColumn) {
  const Points x = rows(Matrix{{0, 0}, {1, 2}, {3, 1}});
  const Points scaled = rows(Matrix{{0, 0}, {0.5, 0.4}, {1.5, 0.2}});
  test::expect_near(gram(parse("wendland(k=2, ell=[2, 5])"), x), gram(parse("wendland(k=2, ell=1)"), scaled), 1e-15);
}

}  // namespace
}  // namespace mercer::wendland_test
