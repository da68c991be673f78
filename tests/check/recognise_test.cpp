#include <gtest/gtest.h>

#include <string>

#include "mercer/check.hpp"

namespace mercer::recognise_test {
namespace {

std::string name(const std::string& text, Index dimension = 0) {
  const auto match = recognise(Formula::parse(text), dimension);
  return match ? match->kernel : "none";
}

TEST(Recognise, Products) {
  EXPECT_EQ(name("x*y"), "linear()");
  EXPECT_EQ(name("dot(x,y)"), "linear()");
  EXPECT_EQ(name("3*sum(x*y)"), "3*linear()");
  EXPECT_EQ(name("0.25*dot(x,y)"), "0.25*linear()");
  EXPECT_EQ(name("(dot(x,y)+1)^3"), "poly(degree=3, c=1)");
  EXPECT_EQ(name("(2*dot(x,y)+3)^2"), "4*poly(degree=2, c=1.5)");
  EXPECT_EQ(name("dot(x,y)^2"), "poly(degree=2, c=0)");
  EXPECT_EQ(name("1+x*y"), "poly(degree=1, c=1)");
  EXPECT_EQ(name("prod(1+x*y)"), "multilinear()");
  EXPECT_EQ(name("exp(dot(x,y)/2)"), "exp(0.5*linear())");
  EXPECT_EQ(name("2*exp(x*y)"), "2*exp(linear())");
  EXPECT_EQ(name("dot(x,y)/(norm(x)*norm(y))"), "cosine()");
  EXPECT_EQ(name("dot(x/norm(x), y/norm(y))"), "cosine()");
  EXPECT_EQ(name("7"), "const(c=7)");
  EXPECT_EQ(name("2+0*x"), "const(c=2)");
}

TEST(Recognise, Distances) {
  EXPECT_EQ(name("exp(-norm(x-y)^2/2)"), "rbf(ell=1)");
  EXPECT_EQ(name("2*exp(-norm(x-y)^2/2)"), "2*rbf(ell=1)");
  EXPECT_EQ(name("exp(-abs(x-y)^2)"), "rbf(ell=0.70710678119)");
  EXPECT_EQ(name("exp(-norm(x-y)^2/(2*0.003^2))"), "rbf(ell=0.003)");
  EXPECT_EQ(name("exp(-norm(x-y)^2/(2*40^2))"), "rbf(ell=40)");
  EXPECT_EQ(name("exp(-norm1(x-y)/2)"), "laplace(ell=2)");
  EXPECT_EQ(name("exp(-norm(x-y))"), "exponential(ell=1)");
  EXPECT_EQ(name("0.5*exp(-norm(x-y)/0.7)"), "0.5*exponential(ell=0.7)");
  EXPECT_EQ(name("(1+sqrt(3)*norm(x-y)/2)*exp(-sqrt(3)*norm(x-y)/2)"), "matern(nu=1.5, ell=2)");
  EXPECT_EQ(name("3*(1+sqrt(5)*norm(x-y)+5/3*norm(x-y)^2)*exp(-sqrt(5)*norm(x-y))"), "3*matern(nu=2.5, ell=1)");
  EXPECT_EQ(name("(1+norm(x-y)^2/(2*0.8*1.2^2))^-0.8"), "rq(ell=1.2, alpha=0.8)");
  EXPECT_EQ(name("1/(1+norm(x-y)^2/2)"), "rq(ell=1, alpha=1)");
  EXPECT_EQ(name("exp(-2*sin(pi*abs(x-y)/3)^2/0.5^2)"), "periodic(period=3, ell=0.5)");
  EXPECT_EQ(name("exp(-2*sum(sin(pi*(x-y))^2)/1.3^2)"), "periodic(period=1, ell=1.3)");
  EXPECT_EQ(name("exp(cos(2*pi*(x-y))-1)"), "periodic(period=1, ell=1)");
}

TEST(Recognise, MinimumOnNonnegativeInputs) {
  const auto match = recognise(Formula::parse("min(x,y)"));
  ASSERT_TRUE(match);
  EXPECT_EQ(*match, (CatalogMatch{"min()", Inputs::nonnegative}));
  EXPECT_EQ(name("(x+y-abs(x-y))/2"), "min()");
  EXPECT_EQ(name("2*prod(min(x,y))"), "2*min()");
  EXPECT_EQ(recognise(Formula::parse("x*y"))->inputs, Inputs::reals);
}

TEST(Recognise, OtherFunctionsAreNone) {
  for (const char* text :
       {"max(x,y)", "-x*y", "exp(-abs(x-y)^1.9)", "exp(-norm(x-y)^2/2)+1e-8", "sin(x)*cos(y)", "log(x-y)", "-1",
        "exp(-2*sin(pi*norm(x-y))^2)", "(1+sqrt(3)*norm1(x-y))*exp(-sqrt(3)*norm1(x-y))", "cos(x-y)", "sqrt(-1)",
        "abs(x-y)<0.05", "(dot(x,y)-1)^2", "exp(-dot(x,y))", "x[1]*y[2]", "exp(norm(x-y))", "(1+dot(x,y))^0.5"}) {
    EXPECT_EQ(name(text), "none") << text;
  }
}

TEST(Recognise, DimensionMatters) {
  EXPECT_EQ(name("exp(-2*sin(pi*norm(x-y))^2)", 1), "periodic(period=1, ell=1)");
  EXPECT_EQ(name("exp(-2*sin(pi*norm(x-y))^2)", 2), "none");
  EXPECT_EQ(name("x[1]*y[1]+x[2]*y[2]"), "linear()");
  EXPECT_EQ(name("x[1]*y[1]+x[2]*y[2]", 3), "none");
  EXPECT_EQ(name("x*y", 2), "none");
}

}  // namespace
}  // namespace mercer::recognise_test
