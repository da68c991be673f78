#include "mercer/params.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::params_test {
namespace {

using test::expect_error;

std::vector<std::string> paths_of(const std::string& text) {
  std::vector<std::string> out;
  for (const Parameter& p : parse(text).params()) out.push_back(p.path);
  return out;
}

using Paths = std::vector<std::string>;

TEST(Params, PathsNameTheLeafAndTheArgument) {
  EXPECT_EQ(paths_of("linear()"), Paths{});
  EXPECT_EQ(paths_of("rbf(ell=1)"), Paths{"rbf.ell"});
  EXPECT_EQ(paths_of("rbf(ell=1) + rbf(ell=2)*matern(nu=1.5, ell=3)"), (Paths{"rbf.ell", "rbf2.ell", "matern.ell"}));
  EXPECT_EQ(paths_of("2*rbf(ell=1)"), (Paths{"rbf.scale", "rbf.ell"}));
  EXPECT_EQ(paths_of("2*rbf(ell=1) + 3*rbf(ell=1)"), (Paths{"rbf.scale", "rbf.ell", "rbf2.scale", "rbf2.ell"}));
  EXPECT_EQ(paths_of("2*linear()"), Paths{"linear.scale"});
  EXPECT_EQ(paths_of("rbf(ell=[1, 2, 3])"), (Paths{"rbf.ell[1]", "rbf.ell[2]", "rbf.ell[3]"}));
  EXPECT_EQ(paths_of("rq(ell=1, alpha=2)"), (Paths{"rq.ell", "rq.alpha"}));
  EXPECT_EQ(paths_of("polynomial([1, 2], linear())"), (Paths{"linear.coefficients[1]", "linear.coefficients[2]"}));
  EXPECT_EQ(paths_of("1 + linear()"), Paths{"const.c"});
  EXPECT_EQ(paths_of("fixed(2)*3*rbf(ell=1)"), (Paths{"rbf.scale", "rbf.scale2", "rbf.ell"}));
}

TEST(Params, PathsAreUnique) {
  const auto paths = paths_of("2*(3*rbf() + rbf())*exp(2*rbf(ell=[1, 2])) + polynomial([1, 2], 3*rbf())");
  for (std::size_t a = 0; a < paths.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(paths[a], paths[b]);
  }
}

TEST(Params, ValuesAndRangesAreThoseWritten) {
  const Params p = parse("2*rbf(ell=fixed(0.5)) + matern(nu=1.5, ell=0.3 in [0.01, 10]) + rbf(ell=auto)").params();
  ASSERT_EQ(p.size(), 4);
  EXPECT_EQ(p[0],
            (Parameter{"rbf.scale", 2, 0, std::numeric_limits<double>::infinity(), false, false, {.above = false}}));
  EXPECT_EQ(p[1], (Parameter{"rbf.ell", 0.5, 0, std::numeric_limits<double>::infinity(), true, false}));
  EXPECT_EQ(p[2], (Parameter{"matern.ell", 0.3, 0.01, 10, false, false}));
  EXPECT_TRUE(p[3].automatic);
}

TEST(Params, FindTakesAWholePathOrItsOnlyEnd) {
  const Params p = parse("2*rbf(ell=1) + matern(nu=1.5, ell=3) + rq(ell=2, alpha=1)").params();
  EXPECT_EQ(p.find("rbf.ell"), 1);
  EXPECT_EQ(p.find("scale"), 0);
  EXPECT_EQ(p.find("alpha"), 4);
  expect_error([&] { p.find("ell"); }, "UsageError", {"\"ell\": 3 of them", "rbf.ell", "matern.ell", "rq.ell"});
  expect_error([&] { p.find("matern.el"); }, "UsageError", {"\"matern.el\"", "did you mean matern.ell?"});
  expect_error([&] { p.find("f.ell"); }, "UsageError", {"\"f.ell\""});  // ends of words are no paths
  expect_error([] { linear().params().find("ell"); }, "UsageError", {"no parameters"});
  EXPECT_EQ(parse("rbf(ell=[1, 2])").params().find("ell[2]"), 1);
}

TEST(Params, FreeLeavesOutFixedZeroAndPointRanges) {
  const Params p =
      parse("0*rbf(ell=fixed(2)) + 3*linear() + polynomial([0, 1], matern(nu=1.5, ell=2 in [2, 2]))").params();
  std::vector<std::string> free;
  for (const Index i : p.free()) free.push_back(p[i].path);
  EXPECT_EQ(free, (Paths{"linear.scale", "matern.coefficients[2]"}));
  EXPECT_EQ(p.theta().size(), 2u);
}

TEST(Params, ThetaIsTheLogarithmOrTheLogitInARange) {
  const Params p = parse("2*rbf(ell=1 in [0.01, 100])").params();
  const Vector theta = p.theta();
  EXPECT_DOUBLE_EQ(theta[0], std::log(2.0));
  EXPECT_NEAR(theta[1], 0, 1e-15);  // 1 is the middle of [0.01, 100] on a logarithmic scale
  const Params q = parse("rbf(ell=10 in [0.01, 100])").params();
  EXPECT_NEAR(q.theta()[0], std::log(0.75 / 0.25), 1e-14);
}

TEST(Params, ThetaRoundTrips) {
  const Kernel k =
      parse("2*rbf(ell=[0.5, 3])*rq(ell=0.3 in [0.01, 10], alpha=0.8) + fixed(3)*periodic(period=2, ell=1)");
  const Params p = k.params();
  const Params back = p.with_theta(p.theta());
  ASSERT_EQ(back.size(), p.size());
  for (Index i = 0; i < p.size(); ++i) EXPECT_NEAR(back[i].value / p[i].value, 1, 1e-14) << p[i].path;
  const Vector moved{0.1, -0.2, 0.3, -0.4, 0.5, 0.6, -0.7};
  const Kernel at = k.with(moved);
  const Vector theta = at.params().theta();
  ASSERT_EQ(theta.size(), moved.size());
  for (std::size_t t = 0; t < theta.size(); ++t) EXPECT_NEAR(theta[t], moved[t], 1e-13);
  EXPECT_EQ(at.params()[p.find("periodic.scale")].value, 3);
}

TEST(Params, AnyThetaGivesAKernelInRange) {
  const Kernel k = parse("2*rbf(ell=0.3 in [0.01, 10]) + (2 in [0, 5])*linear()");
  for (const double t : {-700.0, -40.0, 0.0, 40.0, 700.0}) {
    const Params p = k.with(Vector{t, t, t}).params();
    for (Index i = 0; i < p.size(); ++i) {
      EXPECT_GE(p[i].value, p[i].lower);
      EXPECT_LE(p[i].value, p[i].upper);
    }
  }
}

TEST(Params, ValuesAtTheEndsOfARangeHaveAFiniteTheta) {
  for (const char* text : {"rbf(ell=0.5 in [0.5, 2])", "rbf(ell=2 in [0.5, 2])"}) {
    const Params p = parse(text).params();
    EXPECT_TRUE(std::isfinite(p.theta()[0])) << text;
    EXPECT_NEAR(p.with_theta(p.theta())[0].value / p[0].value, 1, 1e-10) << text;
  }
}

// A number of each kind, with and without ends of its own.
Params of_all_kinds() {
  const double inf = std::numeric_limits<double>::infinity();
  const ValueRange share = ValueRange::between(0, 1), angle = ValueRange::from_to(-3, 3);
  return Params({{"a", -0.7, -inf, inf, false, false, ValueRange::any()},
                 {"b", 0.0, -inf, inf, false, false, ValueRange::any()},
                 {"c", 0.25, -1, 2, false, false, ValueRange::any()},
                 {"d", 1.5, 1, inf, false, false, ValueRange::any()},
                 {"e", 0.3, 0, 1, false, false, share},
                 {"f", 0.3, 0.2, 0.9, false, false, share},
                 {"g", -2.5, -3, 3, false, false, angle},
                 {"h", 3.0, -3, 3, false, false, angle},  // at its end: stays there
                 {"i", 0.4, 0, 1, false, false, {.upper = 1}}});
}

TEST(Params, ThetaOfSignedAndBoundedNumbers) {
  const Params p = of_all_kinds();
  EXPECT_EQ(p.free(), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 8}));
  const Vector theta = p.theta();
  EXPECT_EQ(theta[0], -0.7);
  EXPECT_EQ(theta[1], 0);
  EXPECT_NEAR(theta[2], std::log(1.25 / 1.75), 1e-14);
  EXPECT_EQ(theta[3], 1.5);
  EXPECT_NEAR(theta[4], std::log(0.3 / 0.7), 1e-15);
  EXPECT_NEAR(theta[6], std::log(0.5 / 5.5), 1e-14);
  EXPECT_NEAR(theta[7], std::log(0.4), 1e-15);
  const Params back = p.with_theta(theta);
  for (Index i = 0; i < p.size(); ++i) EXPECT_NEAR(back[i].value, p[i].value, 1e-14) << p[i].path;
}

TEST(Params, AnyThetaStaysInTheRange) {
  const Params p = of_all_kinds();
  for (const double t : {-700.0, -40.0, 0.0, 40.0, 700.0}) {
    const Params there = p.with_theta(Vector(8, t));
    for (const Parameter& one : there) {
      EXPECT_TRUE(one.range.holds(one.value)) << one.path << " = " << one.value;
      EXPECT_GE(one.value, one.lower) << one.path;
      EXPECT_LE(one.value, one.upper) << one.path;
    }
  }
}

TEST(Params, ChainOfSignedAndBoundedNumbers) {
  const Params p = of_all_kinds();
  const Vector theta = p.theta(), slope = p.chain(Vector(9, 1.0));
  const std::vector<Index> free = p.free();
  for (std::size_t t = 0; t < theta.size(); ++t) {
    constexpr double h = 1e-5;
    Vector up = theta, down = theta;
    up[t] += h;
    down[t] -= h;
    EXPECT_NEAR(slope[t], (p.with_theta(up)[free[t]].value - p.with_theta(down)[free[t]].value) / (2 * h), 1e-9) << t;
  }
}

TEST(ValueRange, SaysWhatItHolds) {
  EXPECT_EQ(ValueRange{}.str(), "> 0");
  EXPECT_EQ((ValueRange{.upper = 1}.str()), "> 0 and at most 1");
  EXPECT_EQ(ValueRange::any().str(), "");
  EXPECT_EQ(ValueRange::between(0, 1).str(), "> 0 and < 1");
  EXPECT_EQ(ValueRange::from_to(-2, 0.5).str(), ">= -2 and at most 0.5");
  EXPECT_FALSE(ValueRange{}.holds(0));
  EXPECT_TRUE(ValueRange::any().holds(-1e300));
  EXPECT_FALSE(ValueRange::any().holds(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(ValueRange::between(0, 1).holds(1));
  EXPECT_TRUE(ValueRange::from_to(0, 1).holds(1));
  EXPECT_FALSE(ValueRange::from_to(0, 1).holds(std::nan("")));
}

// Far out the place is told from the nearer end, to all digits, and ends that do not belong to it are never reached.
TEST(ValueRange, LogitKeepsItsDigitsAtTheEnds) {
  const ValueRange share = ValueRange::between(0, 1);
  EXPECT_NEAR(share.value(-500) / std::exp(-500.0), 1, 1e-13);
  EXPECT_LT(share.value(500), 1);
  EXPECT_GT(share.value(-5000), 0);
  EXPECT_EQ(ValueRange::from_to(2, 3).value(800), 3);
  for (const double t : {-30.0, -1.0, 0.0, 0.5, 20.0}) EXPECT_NEAR(share.coordinate(share.value(t)), t, 1e-6);
}

TEST(Params, SizesMustFit) {
  const Kernel k = parse("2*rbf(ell=fixed(1))");
  expect_error([&] { k.with(Vector{1, 2}); }, "ShapeError", {"2 numbers", "1 free parameters"});
  expect_error([&] { k.with(Params()); }, "ShapeError", {"0 parameters given, the kernel has 2"});
  expect_error([&] { k.params().chain(Vector{1}); }, "ShapeError", {"1 numbers", "2 parameters"});
}

TEST(Params, ChainMatchesCentralDifferences) {
  const Kernel k = parse(
      "2*rbf(ell=[0.5, 3])*rq(ell=0.3 in [0.01, 10], alpha=0.8) + fixed(3)*periodic(period=2, ell=1 in [0.5, 2])");
  const Points x = rows(test::random_matrix(6, 2, 1));
  const Matrix w = test::random_matrix(6, 6, 2);
  const auto loss = [&](const Vector& theta) {
    const Matrix g = gram(k.with(theta), x);
    double total = 0;
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) total += w(i, j) * g(i, j);
    }
    return total;
  };
  const Vector theta = k.params().theta();
  const Vector slope = k.params().chain(gradient(k, x, w));
  ASSERT_EQ(slope.size(), theta.size());
  for (std::size_t t = 0; t < theta.size(); ++t) {
    constexpr double h = 1e-5;
    Vector up = theta, down = theta;
    up[t] += h;
    down[t] -= h;
    EXPECT_NEAR(slope[t], (loss(up) - loss(down)) / (2 * h), 1e-7) << t;
  }
}

TEST(Params, WithSetsOneParameter) {
  const Kernel k = parse("2*rbf(ell=1) + matern(nu=1.5, ell=0.3 in [0.01, 10])");
  EXPECT_EQ(k.with("rbf.ell", 4).str(), "2*rbf(ell=4) + matern(nu=1.5, ell=0.3 in [0.01, 10])");
  EXPECT_EQ(k.with("scale", 0).str(), "0*rbf(ell=1) + matern(nu=1.5, ell=0.3 in [0.01, 10])");
  EXPECT_EQ(k.str(), "2*rbf(ell=1) + matern(nu=1.5, ell=0.3 in [0.01, 10])");
  EXPECT_EQ(parse("rbf(ell=[1, 2])").with("ell[2]", 5), rbf(Vector{1, 5}));
  EXPECT_EQ(parse("rbf(ell=fixed(1))").with("ell", 2), parse("rbf(ell=fixed(2))"));
}

TEST(Params, WithChecksTheSideConditions) {
  const Kernel k = parse("2*rbf(ell=1) + matern(nu=1.5, ell=0.3 in [0.01, 10])");
  expect_error([&] { k.with("matern.ell", 11); }, "KernelError", {"matern(): ell = 11 lies outside", "[0.01, 10]"});
  expect_error([&] { k.with("rbf.ell", -1); }, "KernelError", {"rbf(): ell must be"});
  expect_error([&] { k.with("scale", -1); }, "KernelError", {"scale must be"});
  expect_error([&] { k.with("rbf.ell", std::nan("")); }, "KernelError", {"not nan"});
  expect_error([&] { k.with("ell", 1); }, "UsageError", {"2 of them"});
}

TEST(Params, WithKeepsTheSameExpression) {
  const Kernel k = parse("2*(rbf(ell=1) + linear())^2*cosine()");
  EXPECT_EQ(k.with(k.params()), k);
}

// A number given to a parameter written `auto` is meant to be used.
TEST(Params, ANumberReplacesAuto) {
  const Kernel k = parse("rbf(ell=auto)").with("ell", 2);
  EXPECT_EQ(k.str(), "rbf(ell=2)");
  EXPECT_EQ(k, rbf(2.0));
  EXPECT_EQ(k.resolve(rows(Matrix{{0.0}, {7.0}})), rbf(2.0));
}

TEST(Params, ThetaReplacesAuto) {
  const Kernel k = parse("2*rbf(ell=auto)").with(Vector{0, std::log(3.0)});
  EXPECT_FALSE(k.params()[1].automatic);
  EXPECT_EQ(parse(k.str()), k);
}

}  // namespace
}  // namespace mercer::params_test
