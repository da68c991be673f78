#include "mercer/prior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support.hpp"

namespace mercer::prior_test {
namespace {

using test::expect_error;

const std::vector<Prior>& examples() {
  static const std::vector<Prior> all = {
      Prior::log_normal(0, 1), Prior::log_normal(-1.5, 0.3), Prior::gamma(2, 0.15),    Prior::gamma(0.5, 3),
      Prior::gamma(1, 2),      Prior::half_normal(1),        Prior::half_normal(0.02), Prior::log_normal(0.1, 2.0 / 3)};
  return all;
}

TEST(Prior, DensitiesIntegrateToOne) {
  for (const Prior& prior : examples()) {
    // In u = log v the integrand is smooth and falls off on both sides, so plain sums converge at once.
    double sum = 0;
    const double step = 0.005;
    for (double u = -60; u < 12; u += step) sum += step * std::exp(prior.log_density(std::exp(u)) + u);
    EXPECT_NEAR(sum, 1, 1e-10) << prior.str();
  }
}

TEST(Prior, ValuesOfThirtyDigitArithmetic) {
  EXPECT_NEAR(Prior::log_normal(0, 1).log_density(2), -1.85231222072371876, 1e-14);
  EXPECT_NEAR(Prior::gamma(2, 0.15).log_density(3), -3.14562768110365291, 1e-14);
  EXPECT_NEAR(Prior::half_normal(2).log_density(1), -1.04393853320467274, 1e-14);
}

TEST(Prior, SlopesAreDerivatives) {
  for (const Prior& prior : examples()) {
    for (const double v : {0.01, 0.3, 1.0, 7.0}) {
      const double h = 1e-5 * v;
      const double difference = (prior.log_density(v + h) - prior.log_density(v - h)) / (2 * h);
      EXPECT_NEAR(prior.slope(v), difference, 1e-6 * std::max(1.0, std::abs(difference))) << prior.str() << " at " << v;
    }
  }
}

TEST(Prior, NormalIsOfAnySign) {
  const Prior prior = Prior::normal(-1, 0.5);
  EXPECT_TRUE(prior.of_any_sign());
  EXPECT_NEAR(prior.log_density(-2), -2.22579135264472744, 1e-14);
  EXPECT_EQ(prior.slope(-2), 4);
  EXPECT_EQ(Prior::parse(prior.str()), prior);
  EXPECT_EQ(prior.str(), "normal(-1, 0.5)");
  expect_error([] { Prior::parse("normal(1)"); }, "UsageError", {"two numbers"});
  expect_error([] { Prior::parse("normal(0, 0)"); }, "UsageError", {"sigma of normal"});
  for (const Prior& other : examples()) EXPECT_FALSE(other.of_any_sign()) << other.str();
}

TEST(Prior, NothingBelowZero) {
  for (const Prior& prior : examples()) {
    for (const double v : {0.0, -1.0}) EXPECT_EQ(prior.log_density(v), -std::numeric_limits<double>::infinity());
  }
}

TEST(Prior, TextsReadBack) {
  for (const Prior& prior : examples()) EXPECT_EQ(Prior::parse(prior.str()), prior) << prior.str();
  EXPECT_EQ(Prior::parse("  lognormal ( 0 ,1 ) "), Prior::log_normal(0, 1));
  EXPECT_EQ(Prior::parse("gamma(2, 0.15)").str(), "gamma(2, 0.15)");
  EXPECT_EQ(Prior::parse("halfnormal(1)").str(), "halfnormal(1)");
  EXPECT_FALSE(Prior::log_normal(1, 1) == Prior::gamma(1, 1));
}

TEST(Prior, BadTextsAreRefused) {
  expect_error([] { Prior::parse("lognorml(0, 1)"); }, "UsageError", {"lognorml", "did you mean lognormal?"});
  expect_error([] { Prior::parse(""); }, "UsageError", {"halfnormal(sigma)"});
  for (const char* text : {"gamma", "gamma(", "gamma(2)", "gamma(2, 1, 1)", "gamma(2, x)", "gamma(2, 1",
                           "gamma(2, 1) x", "gamma(, 2, 1)", "halfnormal()", "halfnormal(1, 2)"}) {
    expect_error([&] { Prior::parse(text); }, "UsageError", {"number", text});
  }
  expect_error([] { Prior::parse("gamma(0, 1)"); }, "UsageError", {"shape of gamma", "above 0, not 0"});
  expect_error([] { Prior::parse("lognormal(0, -1)"); }, "UsageError", {"sigma of lognormal"});
  expect_error([] { Prior::parse("lognormal(inf, 1)"); }, "UsageError", {"mu of lognormal"});
  expect_error([] { Prior::half_normal(NAN); }, "UsageError", {"sigma of halfnormal"});
}

TEST(Learnable, ReadsWhatTheKernelLanguageWrites) {
  const Learnable plain = Learnable::parse("noise", " 0.1 ");
  EXPECT_EQ(plain.value, 0.1);
  EXPECT_FALSE(plain.fixed);
  EXPECT_EQ(plain.lower, 0);
  EXPECT_TRUE(std::isinf(plain.upper));

  for (const char* text : {"fixed(0.1)", "fixed ( 0.1 )"}) {
    const Learnable fixed = Learnable::parse("noise", text);
    EXPECT_EQ(fixed.value, 0.1);
    EXPECT_TRUE(fixed.fixed);
  }
  for (const char* text : {"0.3 in [0.01, 10]", "0.3 in[ 0.01,10 ]", "bounded(0.3, 0.01, 10)"}) {
    const Learnable ranged = Learnable::parse("noise", text);
    EXPECT_EQ(ranged.value, 0.3);
    EXPECT_EQ(ranged.lower, 0.01);
    EXPECT_EQ(ranged.upper, 10);
    EXPECT_FALSE(ranged.fixed);
  }
  EXPECT_TRUE(std::isinf(Learnable::parse("noise", "2 in [1, inf]").upper));
  EXPECT_FALSE(Learnable::parse("noise", "auto").value);
  EXPECT_FALSE(Learnable::parse("noise", "auto in [1, 2]").value);
  EXPECT_EQ(Learnable::parse("noise", "auto in [1, 2]").upper, 2);
  EXPECT_TRUE(Learnable::parse("noise", "0").fixed);
}

TEST(Learnable, BadTextsAreRefusedByName) {
  for (const char* text :
       {"", "x", "fixed", "fixed()", "fixed(auto)", "fixed(0.1", "fixed(0.1) in [0, 1]", "bounded(1)", "bounded(1, 2)",
        "bounded(1, 0, 2", "0.3 of [0, 1]", "0.3in [0, 1]", "[0, 1]", "in [0, 1]", "autos", "nan in [0, 1] 2"}) {
    expect_error([&] { Learnable::parse("noise", text); }, "UsageError", {"noise: "});
  }
  expect_error([] { Learnable::parse("noise", "-1"); }, "UsageError", {"noise: ", "not -1"});
  expect_error([] { Learnable::parse("noise", "inf"); }, "UsageError", {"noise: ", "not inf"});
  expect_error([] { Learnable::parse("noise", "nan"); }, "UsageError", {"noise: ", "not nan"});
  expect_error([] { Learnable::parse("signal", "20 in [0.01, 10]"); }, "UsageError", {"signal: ", "20", "[0.01, 10]"});
  expect_error([] { Learnable::parse("noise", "1 in [2, 1]"); }, "UsageError", {"[2, 1]"});
  expect_error([] { Learnable::parse("noise", "1 in [-1, 1]"); }, "UsageError", {"[-1, 1]"});
  expect_error([] { Learnable::parse("noise", "1 in [0.1]"); }, "UsageError", {"in [0.01, 10]"});
  expect_error([] { Learnable::parse("noise", "1 in [0.1, 1"); }, "UsageError", {"in [0.1, 1"});
}

}  // namespace
}  // namespace mercer::prior_test
