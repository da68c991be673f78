// Formulas that are kernels by their form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "mercer/check.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"

namespace mercer::derive_test {
namespace {

std::string derived(const std::string& text) {
  const auto found = derive(Formula::parse(text));
  return found ? found->kernel : "none";
}

TEST(Derive, ReadsTheFormOff) {
  const std::pair<const char*, const char*> cases[] = {
      {"x*y", "linear()"},
      {"dot(x,y)", "linear()"},
      {"sum(x*y)/2", "0.5*linear()"},
      {"3", "const(c=3)"},
      {"(1+x*y)^2", "(const(c=1) + linear())^2"},
      {"2*(1 + dot(x,y))^3 + dot(y,x)", "2*(const(c=1) + linear())^3 + linear()"},
      {"exp(-norm(x-y)^2/2)", "rbf(ell=1)"},
      {"exp(-dot(x-y,x-y)/8)", "rbf(ell=2)"},
      {"exp(-(x-y)^2/2)", "rbf(ell=1)"},
      {"e^(-sum((y-x)^2)/2)", "rbf(ell=1)"},
      {"exp(-norm(x-y)/3)", "exponential(ell=3)"},
      {"exp(-norm1(x-y))", "laplace(ell=1)"},
      {"exp(-2*abs(x-y))", "laplace(ell=0.5)"},
      {"1/(1+norm(x-y)^2/2)", "rq(ell=1, alpha=1)"},
      {"(1+(x-y)^2)^(-0.5)", "rq(ell=1, alpha=0.5)"},
      {"exp(-2*sin(pi*(x-y))^2)", "periodic(period=1, ell=1)"},
      {"exp(dot(x,y))", "exp(linear())"},
      {"min(x,y)", "min()"},
      {"exp(-(x-y)^2/2)*(x*y + 2)", "rbf(ell=1)*(linear() + const(c=2))"},
  };
  for (const auto& [text, kernel] : cases) EXPECT_EQ(derived(text), kernel) << text;
  EXPECT_EQ(derive(Formula::parse("min(x,y) + x*y"))->inputs, Inputs::nonnegative);
  EXPECT_EQ(derive(Formula::parse("x*y"))->inputs, Inputs::reals);
}

// Some of these are kernels: nothing is claimed where the form does not tell.
TEST(Derive, ClaimsNothingElse) {
  for (const char* const text : {"-x*y",
                                 "x*y - 1",
                                 "x*y - 1e-15",
                                 "exp(-(x-y)^2/2) - 1e-14",
                                 "x",
                                 "x+y",
                                 "sin(x)*cos(y)",
                                 "(1+x*y)^0.5",
                                 "(1+x*y)^-1",
                                 "exp(-abs(x-y)^3)",
                                 "exp((x-y)^2)",
                                 "exp(-x*y)",
                                 "1/(1-(x-y)^2)",
                                 "(1+(x-y)^2)^2",
                                 "sum(exp(-(x-y)^2))",
                                 "norm(x)*norm(y)",
                                 "sin(abs(x-y))*sin(x-y)",
                                 "exp(-2*sin(pi*norm(x-y))^2)",
                                 "max(x,y)",
                                 "x[1]*y[1]",
                                 "exp(-(x-y)^2*1e-320)",
                                 "exp(-(x-y)^2/0)",
                                 "x*x",
                                 "0*x*y",
                                 "(x*y)^30",
                                 "exp(-norm1(x-y)^2)",
                                 "exp(-(2*x-y)^2)",
                                 "min(2*x,y)",
                                 "x*(-y)"}) {
    EXPECT_EQ(derived(text), "none") << text;
  }
}

// The kernel that is proved has the values of the formula.
TEST(Derive, GivesAKernelOfTheSameValues) {
  Random random(5);
  for (const char* const text :
       {"(1+x*y)^2", "exp(-(x-y)^2/3)*(2+x*y)^3 + 4", "2^(x*y/4)", "0.5^((x-y)^2)", "(3+2*(x-y)^2)^(-1.5)*2",
        "7/(2+(x-y)^2/5)", "exp(1-(x-y)^2)", "exp(-sin(0.7*(x-y))^2/3)", "exp(-sin(2*abs(y-x))^2)",
        "exp(-abs(x-y)/2)*exp(-(y-x)^2) + x*y*(x*y)", "exp(exp(-norm(x-y))) + sum(x*y)", "1e-200*x*y", "pi*x*y/e",
        "(x*y)*(x*y)*sqrt(2)", "exp(-(2*x-2*y)^2)", "3*x*(y/2)", "(-x)*(-y)",
        "exp(-norm(2*(x-y))^2) + norm(x-y)*0 + 1"}) {
    const Formula formula = Formula::parse(text);
    const auto found = derive(formula);
    if (std::string(text).find("norm(x-y)*0") != std::string::npos) {
      EXPECT_FALSE(found);  // 0 times a distance is no kernel by its form
      continue;
    }
    ASSERT_TRUE(found) << text;
    const Kernel k = parse(found->kernel);
    for (int i = 0; i < 20; ++i) {
      const double a = 2 * random.normal(), b = 2 * random.normal();
      const double value = gram(k, rows(Matrix{{a}, {b}}))(0, 1);
      EXPECT_NEAR(value, formula(Vector{a}, Vector{b}), 1e-12 * std::max(1.0, std::abs(value))) << text;
    }
  }
}

TEST(Derive, IsTheVerdictOfACheck) {
  const CheckResult proved = check(Formula::parse("(1+x*y)^2"));
  ASSERT_TRUE(proved.derived);
  EXPECT_TRUE(proved.str().starts_with("a kernel: by its form it is (const(c=1) + linear())^2")) << proved.str();
  EXPECT_TRUE(check(Formula::parse("min(x,y)")).str().starts_with("a kernel: by its form it is min() on nonnegative"));
  EXPECT_FALSE(check(Formula::parse("min(x,y)"), {.inputs = Inputs::reals}).derived);
  EXPECT_FALSE(check(Formula::parse("exp(-abs(x-y)^1.9)")).derived);
}

}  // namespace
}  // namespace mercer::derive_test
