#include "simd/outer.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "simd/targets.hpp"

namespace mercer::outer_test {
namespace {

// Every size up to beyond two vectors of the widest kind: rows by four and those that are left, columns with and
// without a remainder. Beyond the matrix nothing is touched.
TEST(Outer, ProductsAreThoseOfPlainLoops) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  for (std::size_t n = 1; n <= 19; ++n) {
    std::vector<double> x(n), y(n), start(n * n + 16);
    for (auto* const numbers : {&x, &y, &start}) {
      for (double& v : *numbers) v = normal(engine);
    }
    test::for_each_target([&] {
      std::vector<double> square = start, both = start;
      simd::add_square(-0.7, x.data(), n, square.data());
      simd::add_both(1.3, x.data(), y.data(), n, both.data());
      for (std::size_t i = 0; i < start.size(); ++i) {
        const std::size_t row = i / n, column = i % n;
        const bool inside = row < n;
        const double one = inside ? -0.7 * x[row] * x[column] : 0;
        const double two = inside ? 1.3 * (x[row] * y[column] + y[row] * x[column]) : 0;
        const double rounding = inside ? 1e-13 : 0;
        EXPECT_NEAR(square[i], start[i] + one, rounding) << n << ", " << i;
        EXPECT_NEAR(both[i], start[i] + two, rounding) << n << ", " << i;
      }
    });
  }
}

}  // namespace
}  // namespace mercer::outer_test
