// Values beyond double precision are refused, and the error names the pair of rows.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/gram.hpp"
#include "simd/loops.hpp"
#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::overflow_test {
namespace {

using test::expect_error;

Kernel steep() { return parse("exp(linear())"); }

// k(x_2, x_4) = e^800 alone is beyond double precision among x; x_2 with itself is not.
Points some() { return rows(Matrix{{1, 0}, {20, 0}, {0, 1}, {40, -20}}); }

TEST(Overflow, NamesThePairOfASymmetricMatrix) {
  expect_error([] { gram(steep(), some()); }, "NumericError", {"exp(linear()) is inf", "row"});
  const Points two = rows(Matrix{{40, 0}, {0, 1}, {20, 0}});  // e^1600, e^800
  expect_error([&] { gram(steep(), two); }, "NumericError", {"row 1 with itself"});
  expect_error([] { diagonal(steep(), rows(Matrix{{1}, {2}, {30}})); }, "NumericError", {"row 3 with itself"});
}

TEST(Overflow, NamesRowsOfTwoSets) {
  const Points x = rows(Matrix{{1}, {20}}), y = rows(Matrix{{1}, {2}, {40}});
  for (const Index tile : {1, 256}) {
    expect_error([&] { cross(steep(), x, y, {.tile = tile}); }, "NumericError",
                 {"is inf at row 2 and row 3 of the points it is compared with"});
  }
  expect_error([&] { multiply(steep(), x, y, Matrix(3, 1, 1.0)); }, "NumericError", {"row 2 and row 3"});
}

TEST(Overflow, NamesRowsOfPartsByTheirPlaceInTheWhole) {
  const Points x = rows(Matrix{{1}, {2}, {1}, {26.6}});  // e^707 with itself
  const Gram K = lazy(parse("exp(1.1*linear())"), x);
  const std::vector<Index> which = {1, 3};
  expect_error([&] { K.rows(which); }, "NumericError", {"row 4 with itself"});
  constexpr Index n = 20000;  // single precision is prepared in parts
  std::vector<float> many(n, 1.0F);
  many[n - 1] = 30;
  const Points floats = rows(FloatMatrixView(many.data(), n, 1));
  expect_error([&] { diagonal(steep(), floats); }, "NumericError", {"row 20000 with itself"});
  expect_error([&] { multiply(steep(), floats, rows(Matrix{{30}}), Matrix(1, 1, 1.0)); }, "NumericError",
               {"row 20000 and row 1"});
}

TEST(Overflow, GradientsNameThePairOrTheParameter) {
  const Matrix w(3, 3, 1.0);
  const Points x = rows(Matrix{{0}, {1}, {30}});
  expect_error([&] { gradient(steep(), x, w); }, "NumericError", {"row 3 with itself"});
  expect_error([&] { input_gradient(steep(), x, x, w); }, "NumericError", {"row 3 with itself"});
  // The kernel is finite, its derivative in the period is not.
  expect_error([&] { gradient(parse("periodic(period=1e-200, ell=1)"), x, w); }, "NumericError", {"periodic.period"});
}

TEST(Overflow, AllFiniteOnEveryInstructionSet) {
  test::for_each_target([] {
    for (std::size_t n = 0; n < 80; ++n) {
      std::vector<double> a(n, 1e308);
      EXPECT_TRUE(simd::all_finite(a.data(), n));
      for (std::size_t bad = 0; bad < n; ++bad) {
        for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
          a[bad] = value;
          EXPECT_FALSE(simd::all_finite(a.data(), n)) << n << " " << bad;
        }
        a[bad] = -1e308;
      }
    }
  });
}

}  // namespace
}  // namespace mercer::overflow_test
