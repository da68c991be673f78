#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::coregion_test {
namespace {

using test::expect_error;

Points tasks(const std::vector<double>& of) {
  Matrix x(static_cast<Index>(of.size()), 1);
  for (std::size_t i = 0; i < of.size(); ++i) x(static_cast<Index>(i), 0) = of[i];
  return rows(std::move(x));
}

TEST(Coregion, IsTheMatrixOfItsTasks) {
  const Kernel k = coregion({2, -1, 0.5}, {0.25, 0, 3});
  EXPECT_EQ(k, parse("coregion(a=[2, -1, 0.5], v=[0.25, 0, 3])"));
  EXPECT_EQ(gram(k, tasks({1, 2, 3})), (Matrix{{4.25, -2, 1}, {-2, 1, -0.5}, {1, -0.5, 3.25}}));
  EXPECT_EQ(cross(k, tasks({3, 3}), tasks({1, 3, 2})), (Matrix{{1, 3.25, -0.5}, {1, 3.25, -0.5}}));
  EXPECT_EQ(diagonal(k, tasks({2, 1})), (Vector{1, 4.25}));
  EXPECT_EQ(gram(k, rows(test::to_sparse(Matrix{{1}, {2}}))), (Matrix{{4.25, -2}, {-2, 1}}));
}

TEST(Coregion, LevelsAreKnown) {
  const Kernel k = coregion({1, 1}, {1, 1});
  for (const double bad : {0.0, 3.0, 1.5, -1.0}) {
    expect_error([&] { gram(k, tasks({1, bad})); }, "DomainError", {"whole numbers from 1 to 2", "row 2"});
  }
  expect_error([&] { gram(k, rows(Matrix{{1, 2}})); }, "DomainError", {"one column", "there are 2"});
  expect_error([&] { gram(k, strings({"1", "2"})); }, "DomainError", {"needs numbers"});
}

TEST(Coregion, ArgumentsAreChecked) {
  expect_error([] { coregion({1, 2}, {1}); }, "KernelError", {"a has 2 numbers and v 1"});
  expect_error([] { coregion({1, 2}, {1, -1}); }, "KernelError", {"v must be a finite number >= 0, not -1"});
  expect_error([] { coregion({1, std::nan("")}, {1, 1}); }, "KernelError", {"a must be a finite number, not nan"});
  expect_error([] { parse("coregion(a=1, v=[1])"); }, "GrammarError", {"a list for a"});
  expect_error([] { parse("coregion(a=[1, 2], v=[1, 1]) + coregion(a=[1], v=[auto])"); }, "KernelError", {"auto"});
  expect_error([] { parse("coregion(a=[1, -2] in [-1, 1], v=[1, 1])"); }, "KernelError",
               {"-2 lies outside", "[-1, 1]"});
  expect_error([] { parse("coregion(a=[1] in [1, 0], v=[1])"); }, "KernelError", {"[1, 0]"});
}

TEST(Coregion, RangesOfSignedNumbersReadBack) {
  for (const char* text : {"coregion(a=[1, -0.5] in [-2, 2], v=[0.1, 0.3])", "coregion(a=[-3] in [-inf, 0], v=[1])",
                           "coregion(a=[-3] in [-5, inf], v=[1])", "coregion(a=fixed([-3, 1]), v=[1, 0])"}) {
    EXPECT_EQ(parse(text).str(), text);
  }
  EXPECT_EQ(parse("coregion(a=bounded([1, -1], -2, 2), v=[1, 1])"), parse("coregion(a=[1, -1] in [-2, 2], v=[1, 1])"));
}

// Two leaves of one expression have matrices of their own, and a that is 0 is learnt like any other.
TEST(Coregion, GradientsAgreeWithCentralDifferences) {
  Matrix x(12, 2);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = 1 + static_cast<double>(i % 3);
    x(i, 1) = std::sin(static_cast<double>(i));
  }
  const Kernel k = parse(
      "on(1, coregion(a=[0.8, -1.5, 0], v=[0.2, 0.1, 0.4]))*on(2, rbf(ell=0.7)) + "
      "on(1, coregion(a=[-0.3, 0.2, 1] in [-2, 2], v=[0, 1, 0.5]))*on(2, linear())");
  EXPECT_EQ(testing::broken_laws(k, rows(x), {.input_gradient = false}), std::vector<std::string>{});
  EXPECT_EQ(testing::broken_laws(normalize(k), rows(x), {.input_gradient = false}), std::vector<std::string>{});
  EXPECT_EQ(k.params().theta().size(), 12u);  // all but v[1] = 0 of the second
}

void learns_a_negative_correlation(double unit) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 6);
  Matrix x(80, 2);
  Vector y;
  for (Index i = 0; i < 80; ++i) {
    const bool second = i >= 40;
    do x(i, 0) = uniform(engine);
    while (second && x(i, 0) > 2 && x(i, 0) < 4);
    x(i, 1) = second ? 2 : 1;
    y.push_back(unit * ((second ? -0.7 : 1) * std::sin(2 * x(i, 0)) + 0.05 * normal(engine)));
  }
  const Kernel k = parse("on(1, rbf(ell=1))*on(2, coregion(a=[1, 1], v=[0.1, 0.1]))");
  const Model m = GaussianProcess{.mean = Trend::none}.fit(lazy(k, rows(x)), y);
  const Params learnt = m.expansion().parts().kernel->params();
  const auto value = [&](const char* path) { return learnt[learnt.find(path)].value; };
  const double a1 = value("a[1]"), a2 = value("a[2]"), v1 = value("v[1]"), v2 = value("v[2]");
  EXPECT_LT(a1 * a2 / std::sqrt((a1 * a1 + v1) * (a2 * a2 + v2)), -0.95);
  EXPECT_NEAR(a2 / a1, -0.7, 0.1);
  for (const double t : {2.3, 3.0, 3.7}) {
    EXPECT_NEAR(m.scores(rows(Matrix{{t, 2}}))(0, 0) / unit, -0.7 * std::sin(2 * t), 0.1) << t;
  }
}

// One series goes down where the other goes up, and has a gap that only the other has seen; in any units.
TEST(Coregion, LearnsANegativeCorrelation) {
  for (const double unit : {1.0, 1e4}) learns_a_negative_correlation(unit);
}

// A belief in a positive correlation, of the right density.
TEST(Coregion, TakesPriorsOfAnySign) {
  const Matrix x{{1}, {2}, {1}, {2}};
  const Vector y{1, -1, 1.1, -0.9};
  const Kernel k = coregion({1, 1}, {0.1, 0.1});
  const auto fitted = [&](const Prior& prior) {
    const GaussianProcess gp{.priors = {{"coregion.a", prior}}, .starts = 1};
    return gp.fit(lazy(k, rows(x)), y).expansion().parts().kernel->params()[1].value;
  };
  EXPECT_NEAR(fitted(Prior::normal(1, 1e-3)), 1, 1e-2);
  expect_error([&] { fitted(Prior::gamma(2, 1)); }, "UsageError", {"gamma(2, 1)", "coregion.a[1]", "may be below"});
}

}  // namespace
}  // namespace mercer::coregion_test
