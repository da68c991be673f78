// Which kernels have a form that single precision computes fast, and which have not.
#include "kernel/float_form.hpp"

#include <gtest/gtest.h>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::float_form_test {
namespace {

using test::random_matrix;
using test::to_sparse;

TEST(FloatForm, RecognisesMultiplesOfRbfLinearAndPoly) {
  using Kind = simd::FloatProfile::Kind;
  const Points x = rows(random_matrix(5, 4, 50)), wide = rows(random_matrix(5, 20, 51));
  const auto plain = detail::float_form(rbf(0.5), x);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->profile.kind, Kind::exponential);
  EXPECT_EQ(plain->factor, 2);
  EXPECT_EQ(plain->scale, 1);
  EXPECT_TRUE(plain->profile.differences);
  EXPECT_TRUE(plain->shift_free);
  EXPECT_FALSE(detail::float_form(rbf(0.5), wide)->profile.differences);

  const auto columns = detail::float_form(3 * on("2:3", 0.5 * rbf({2, 4})), x);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->scale, 1.5);
  EXPECT_EQ(columns->inputs.domain().dimension, 2);
  EXPECT_EQ(columns->column_factors, (Vector{0.5, 0.25}));
  EXPECT_EQ(columns->factor, 0.5);

  const auto power = detail::float_form(2 * poly(3, 0.25), x);
  ASSERT_TRUE(power);
  EXPECT_EQ(power->profile.kind, Kind::power);
  EXPECT_EQ(power->profile.degree, 3);
  EXPECT_EQ(power->shift, 0.25);
  EXPECT_EQ(power->scale, 2);
  EXPECT_FALSE(power->shift_free);

  const auto line = detail::float_form(linear(), x);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->profile.kind, Kind::linear);
  EXPECT_FALSE(line->shift_free);
}

TEST(FloatForm, RefusesEverythingElse) {
  const Points x = rows(random_matrix(5, 4, 52, 0.1, 1));
  for (const Kernel& k : {rbf(1) + linear(), rbf(1) * linear(), matern(1.5, 1), laplace(1), normalize(poly(2)),
                          exp(linear()), 2 * (rbf(1) + rbf(2)), on("1", rbf(1)) * on("2", rbf(1)), constant(2),
                          cosine(), parse("warp(log, rbf(ell=1))")}) {
    EXPECT_FALSE(detail::float_form(k, x)) << k.str();
  }
  EXPECT_FALSE(detail::float_form(spectrum(2), strings({"ab", "abc"})));
  const Points mixed = table({{"x", rows(random_matrix(2, 2, 53))}, {"word", strings({"ab", "abc"})}});
  EXPECT_FALSE(detail::float_form(on("word", spectrum(2)), mixed));
  EXPECT_TRUE(detail::float_form(on("x", rbf(1)), mixed));
}

TEST(FloatForm, LeavesVerySparseRowsSparse) {
  Matrix m(10, 200);
  for (Index i = 0; i < 10; ++i) m(i, 17 * i) = 1;
  EXPECT_FALSE(detail::float_form(rbf(1), rows(to_sparse(m))));
  for (Index i = 0; i < 10; ++i) m(i, 3 * i) = m(i, 100 + i) = m(i, 120 + i) = 1;
  EXPECT_TRUE(detail::float_form(rbf(1), rows(to_sparse(m))));
  EXPECT_TRUE(detail::float_form(rbf(1), rows(m)));
}

}  // namespace
}  // namespace mercer::float_form_test
