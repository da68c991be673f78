#include "mercer/rkhs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::rkhs::rkhs_test {
namespace {

using test::expect_error;
using test::random_matrix;
using test::random_vector;

Points one(std::initializer_list<double> row) { return rows(Matrix{row}); }
Function random_function(const Kernel& k, Index centres, unsigned seed) {
  return Function(k, rows(random_matrix(centres, 2, seed)), random_vector(centres, seed + 100));
}

class Rkhs : public ::testing::TestWithParam<const char*> {
 protected:
  const Kernel k = parse(GetParam());
  const Function f = random_function(k, 7, 1), g = random_function(k, 5, 2);
  const double scale = f.norm() * g.norm();
};

TEST_P(Rkhs, EvaluationIsTheInnerProductWithASection) {
  const Points z = rows(random_matrix(6, 2, 3));
  const Vector values = f(z);
  for (Index i = 0; i < 6; ++i) {
    const Function at = section(k, z.slice({i, i + 1}));
    EXPECT_NEAR(inner(f, at), values[static_cast<std::size_t>(i)], 1e-12 * (1 + scale));
    EXPECT_LE(std::abs(inner(f, at)), f.norm() * at.norm() * (1 + 1e-12));  // |f(x)| <= |f| sqrt(k(x,x))
  }
}

TEST_P(Rkhs, InnerProductsAreThoseOfAHilbertSpace) {
  EXPECT_NEAR(inner(f, g), inner(g, f), 1e-13 * scale);
  EXPECT_NEAR(inner(2.0 * f + g, g), 2 * inner(f, g) + inner(g, g), 1e-12 * (scale + inner(g, g)));
  EXPECT_LE(std::abs(inner(f, g)), scale);
  EXPECT_NEAR(f.norm() * f.norm(), inner(f, f), 1e-12 * inner(f, f));
  const double sum = (f + g).norm(), difference = distance(f, g);
  EXPECT_NEAR(sum * sum + difference * difference, 2 * (inner(f, f) + inner(g, g)),
              1e-12 * (inner(f, f) + inner(g, g)));
}

TEST_P(Rkhs, NormsOfLargeAndSmallFunctionsNeitherOverflowNorVanish) {
  for (const double c : {0x1p600, 0x1p-600}) EXPECT_EQ((c * f).norm(), c * f.norm());
}

TEST_P(Rkhs, SectionsAreAsFarApartAsTheirPoints) {
  const Points x = one({0.3, 1}), y = one({-0.2, 0.5}), near = one({0.3 + 1e-7, 1});
  EXPECT_NEAR(distance(section(k, x), section(k, y)), distances(k, x, y)(0, 0), 1e-13);
  const double d = distances(k, x, near)(0, 0);
  EXPECT_NEAR(distance(section(k, x), section(k, near)) / d, 1, 1e-6);
}

TEST_P(Rkhs, ProjectionsAreIdempotentAndLeaveAnOrthogonalRest) {
  const Points z = rows(random_matrix(4, 2, 5));
  const Projection p = project(f, z);
  EXPECT_GE(p.condition, 1);
  EXPECT_LE(p.rank, 4);
  const Function rest = f - p.value;
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(inner(rest, section(k, z.slice({i, i + 1}))), 0, 1e-10 * (1 + f.norm()));
  }
  EXPECT_NEAR(distance(project(p.value, z).value, p.value), 0, 1e-6 * (1 + f.norm()));
  EXPECT_NEAR(p.value.norm() * p.value.norm() + rest.norm() * rest.norm(), inner(f, f), 1e-9 * inner(f, f));
  // What is in the span is its own projection, also where points come twice and K has not full rank.
  const Function inside = Function(k, z, Vector{1, -2, 0.5, 3});
  EXPECT_NEAR(distance(project(inside, rows(Matrix(random_matrix(4, 2, 5)))).value, inside), 0, 1e-6 * inside.norm());
}

INSTANTIATE_TEST_SUITE_P(Kernels, Rkhs,
                         ::testing::Values("rbf(ell=1)", "linear()", "2*rbf(ell=0.5) + linear() + 1",
                                           "poly(degree=3, c=1)", "matern(nu=1.5, ell=1)"));

TEST(Function, SumsGoOverTheUnionOfCentres) {
  const Kernel k = rbf(1);
  const Function a = section(k, one({1, 2})), b = section(k, one({0, 0}));
  const Function f = a + b - a;
  EXPECT_EQ(f.size(), 1);
  EXPECT_EQ((f - b).size(), 0);
  EXPECT_EQ((f - b).norm(), 0);
  EXPECT_EQ((f - b)(one({1, 1})), Vector{0});
  EXPECT_EQ((a + a).coefficients()[0], 2);
  EXPECT_EQ((0.0 * a + b).size(), 1);
}

TEST(Function, OfTextsAndMeans) {
  const Kernel k = parse("spectrum(k=2)");
  const Function f = mean(k, strings({"abab", "baba"})), g = mean(k, strings({"abab", "bb"}), Vector{3, 1});
  EXPECT_EQ(f(strings({"ab"})), Vector{1.5});
  const Vector p = {0.5 - 0.75, 0.5, -0.25};
  const Matrix K = gram(k, strings({"abab", "baba", "bb"}));
  double square = 0;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) square += p[static_cast<std::size_t>(i)] * p[static_cast<std::size_t>(j)] * K(i, j);
  }
  EXPECT_NEAR(distance(f, g), std::sqrt(square), 1e-14);
}

TEST(Function, OfAModel) {
  const Points x = rows(random_matrix(20, 2, 1));
  const Vector y = random_vector(20, 2);
  const Model m = KernelRidge{.ridge = 0.1}.fit(lazy(rbf(1), x), y);
  const Function f = function_of(m);
  EXPECT_NEAR(f.norm(), m.rkhs_norm(), 1e-12);
  EXPECT_NEAR(f(x)[3], m.predict(x)[3], 1e-14);
  expect_error([&] { function_of(m, 1); }, "UsageError", {"1 outputs", "no 1"});
  expect_error([&] { function_of(KernelRidge{.ridge = 1}.fit(precomputed(gram(rbf(1), x)), y)); }, "UsageError",
               {"knows no kernel"});
}

TEST(Function, RefusesWhatCannotBe) {
  const Function f = section(rbf(1), one({1}));
  expect_error([&] { f + section(rbf(2), one({1})); }, "KernelError", {"rbf(ell=1)", "rbf(ell=2)", "different spaces"});
  expect_error([&] { inner(f, section(linear(), one({1}))); }, "KernelError", {"linear()"});
  expect_error([&] { section(parse("rbf(ell=auto)"), one({1})); }, "UsageError", {"auto", "resolve"});
  expect_error([&] { section(rbf(1), rows(Matrix{{1}, {2}})); }, "ShapeError", {"one point"});
  expect_error([&] { Function(rbf(1), one({1}), Vector{1, 2}); }, "ShapeError", {"2 coefficients for 1 centres"});
  expect_error([&] { f + section(rbf(1), one({1, 2})); }, "DomainError", {});
  for (const double bad : {NAN, INFINITY, -INFINITY}) {
    expect_error(
        [&] {
          Function(rbf(1), rows(Matrix{{1}, {2}}), Vector{1, bad});
        },
        "DataError", {"coefficient 2", "finite"});
  }
  expect_error([&] { 1e308 * section(rbf(1), one({1})) + 1e308 * section(rbf(1), one({1})); }, "DataError", {"inf"});
  expect_error([&] { mean(rbf(1), one({1}), Vector{0}); }, "DataError", {"add up to 0"});
}

}  // namespace
}  // namespace mercer::rkhs::rkhs_test
