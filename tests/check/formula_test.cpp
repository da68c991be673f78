#include "mercer/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>

#include "mercer/error.hpp"

namespace mercer::formula_test {
namespace {

double at(const std::string& text, const Vector& x, const Vector& y) { return Formula::parse(text)(x, y); }
double at(const std::string& text, double x, double y) { return at(text, Vector{x}, Vector{y}); }
double value(const std::string& text) { return at(text, 0.0, 0.0); }

std::string error_of(const std::string& text) {
  try {
    (void)Formula::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::grammar);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return std::string(error.what()).substr(std::string("GrammarError: ").size());
  }
  return "no error";
}

TEST(Formula, Precedence) {
  EXPECT_EQ(value("2+3*4"), 14);
  EXPECT_EQ(value("(2+3)*4"), 20);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("(-2)^2"), 4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-1^2"), 0.5);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("8-4-2"), 2);
  EXPECT_EQ(value("3--2"), 5);
  EXPECT_EQ(value("+3*-2"), -6);
  EXPECT_EQ(value("1+1 < 3*1"), 1);
  EXPECT_EQ(value("(1 < 2) + (2 <= 2) + (3 > 4) + (4 >= 4)"), 3);
  EXPECT_EQ(value(".5 + 1e-1 + 2.E0"), 2.6);
}

TEST(Formula, Functions) {
  const double u = 0.3;
  EXPECT_DOUBLE_EQ(at("sin(x)", u, 0), std::sin(u));
  EXPECT_DOUBLE_EQ(at("cos(x)+tan(x)", u, 0), std::cos(u) + std::tan(u));
  EXPECT_DOUBLE_EQ(at("asin(x)+acos(x)", u, 0), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(at("atan(x)", u, 0), std::atan(u));
  EXPECT_DOUBLE_EQ(at("cosh(x)^2 - sinh(x)^2", u, 0), 1);
  EXPECT_DOUBLE_EQ(at("tanh(x)", u, 0), std::tanh(u));
  EXPECT_DOUBLE_EQ(at("log(exp(x))", u, 0), u);
  EXPECT_DOUBLE_EQ(at("log1p(x)", u, 0), std::log1p(u));
  EXPECT_DOUBLE_EQ(at("sqrt(x)", u, 0), std::sqrt(u));
  EXPECT_EQ(value("abs(-3) + sign(-7) + sign(0) + sign(2)"), 3);
  EXPECT_EQ(value("floor(-1.5)"), -2);
  EXPECT_EQ(value("step(-1) + 10*step(0) + 100*step(1)"), 110);
  EXPECT_EQ(value("min(3, 2) + 10*max(3, 2)"), 32);
  EXPECT_EQ(value("pow(2, 10)"), 1024);
  EXPECT_DOUBLE_EQ(value("log(e) + pi"), 1 + std::numbers::pi);
}

TEST(Formula, Vectors) {
  const Vector x{1, -2, 3}, y{4, 5, 6};
  EXPECT_EQ(at("dot(x,y)", x, y), 12);
  EXPECT_DOUBLE_EQ(at("norm(x)", x, y), std::sqrt(14));
  EXPECT_EQ(at("norm1(x-y)", x, y), 13);
  EXPECT_EQ(at("sum(x) + 10*prod(x)", x, y), -58);
  EXPECT_EQ(at("min(x) + 10*max(y)", x, y), 58);
  EXPECT_EQ(at("sum(min(x, y))", x, y), 2);
  EXPECT_EQ(at("sum(max(0, x))", x, y), 4);
  EXPECT_EQ(at("sum(2*x + 1)", x, y), 7);
  EXPECT_EQ(at("sum(1 - x/2)", x, y), 2);
  EXPECT_EQ(at("x[1]*y[2]", x, y), 5);
  EXPECT_EQ(at("prod(1+x*y)", x, y), 5.0 * -9.0 * 19.0);
  EXPECT_EQ(at("sum(x > 0)", x, y), 2);
  EXPECT_EQ(at("norm(-3)", x, y), 3);
}

TEST(Formula, OneDimensionalPointsAreNumbers) {
  EXPECT_EQ(at("dot(x,y)", 2, 3), 6);
  EXPECT_EQ(at("norm(x-y)", 2, 5), 3);
  EXPECT_EQ(at("min(x,y)", 2, 5), 2);
  EXPECT_EQ(at("x[1]", 2, 5), 2);
  EXPECT_EQ(at("abs(x-y) < 0.05", 0.5, 0.52), 1);
  EXPECT_EQ(at("max(0, 1-(x-y)^2)", 0, 0.5), 0.75);
}

TEST(Formula, Properties) {
  EXPECT_FALSE(Formula::parse("sin(x)*cos(y)").needs_vectors());
  EXPECT_TRUE(Formula::parse("sin(x)*cos(y)").one_dimensional());
  EXPECT_TRUE(Formula::parse("dot(x,y)").needs_vectors());
  EXPECT_FALSE(Formula::parse("dot(x,y)").one_dimensional());
  EXPECT_TRUE(Formula::parse("x[3]+1").needs_vectors());
  EXPECT_FALSE(Formula::parse("x[3]+1").has_reductions());
  EXPECT_EQ(Formula::parse("x[3]+y[2]").min_dimension(), 3);
  EXPECT_EQ(Formula::parse("1").min_dimension(), 1);
}

TEST(Formula, WrongShapesAreSaid) {
  const auto what = [](const std::string& text, const Vector& x, const Vector& y) -> std::string {
    try {
      (void)at(text, x, y);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::shape);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(what("min(x,y)", {1, 2}, {3, 4}).find("one-dimensional points only"), std::string::npos);
  EXPECT_NE(what("dot(x,y)", {1, 2}, {3}).find("x has 2 components and y has 1"), std::string::npos);
  EXPECT_NE(what("x[3]", {1, 2}, {3, 4}).find("at least 3 components; got 2"), std::string::npos);
  EXPECT_NE(what("1", {}, {}).find("at least 1 component; got 0"), std::string::npos);
}

TEST(Formula, UndefinedStaysUndefined) {
  EXPECT_TRUE(std::isnan(value("sqrt(-1) < 1")));
  EXPECT_TRUE(std::isnan(value("min(1, sqrt(-1))")));
  EXPECT_TRUE(std::isnan(value("max(sqrt(-1), 1)")));
  EXPECT_TRUE(std::isnan(value("sqrt(-1)^0")));
  EXPECT_TRUE(std::isnan(value("step(0/0)")));
  EXPECT_TRUE(std::isnan(value("sign(0/0)")));
}

TEST(Formula, ManyComponentsAndDeepStacks) {
  const Vector x(1000, 1.0), y(1000, 2.0);
  EXPECT_EQ(at("dot(x,y) + norm1(x-(y-(x-(y-x))))", x, y), 2000 + 1000);
  std::string deep = "1";
  for (int i = 0; i < 90; ++i) deep = "(1+" + deep + ")";
  EXPECT_EQ(value(deep), 91);
  std::string wide = "1";
  for (int i = 0; i < 15000; ++i) wide += "+1";
  EXPECT_EQ(value(wide), 15001);
  EXPECT_EQ(Formula::parse(Formula::parse(wide).str()), Formula::parse(wide));
}

TEST(Formula, CanonicalText) {
  const auto canonical = [](const std::string& text) { return Formula::parse(text).str(); };
  EXPECT_EQ(canonical("  exp( -norm(x-y) ^2/ 2 ) "), "exp(-norm(x - y)^2/2)");
  EXPECT_EQ(canonical("((x))*((y))"), "x*y");
  EXPECT_EQ(canonical("1-(2-3)"), "1 - (2 - 3)");
  EXPECT_EQ(canonical("(1-2)-3"), "1 - 2 - 3");
  EXPECT_EQ(canonical("(2^3)^4"), "(2^3)^4");
  EXPECT_EQ(canonical("2^(3^4)"), "2^3^4");
  EXPECT_EQ(canonical("(-x)^2"), "(-x)^2");
  EXPECT_EQ(canonical("x*-y"), "x*(-y)");
  EXPECT_EQ(canonical("2^-x"), "2^-x");
  EXPECT_EQ(canonical("pow(x,2)"), "x^2");
  EXPECT_EQ(canonical("(x<y)*2"), "(x < y)*2");
  EXPECT_EQ(canonical("sum(max(x,y))+max(x)+x[2]"), "sum(max(x, y)) + max(x) + x[2]");
}

// A random expression as text, with needless spaces and parentheses.
std::string random_text(std::mt19937_64& random, int depth) {
  const auto pick = [&](std::initializer_list<const char*> words) {
    return std::string(*(words.begin() + static_cast<std::ptrdiff_t>(random() % words.size())));
  };
  if (depth == 0) return pick({"x", "y", "2", "0.1", "pi", "e", "1e-05", "3.25e+20", "dot(x, y)", "norm(x)"});
  const auto sub = [&] { return random_text(random, static_cast<int>(random() % static_cast<unsigned>(depth))); };
  switch (random() % 7) {
    case 0: return "(" + sub() + ")";
    case 1: return "-" + sub();
    case 2: return "(" + sub() + ")" + pick({"<", " <= ", ">", ">= "}) + "(" + sub() + ")";
    case 3: return pick({"sin", "exp", "abs", "step", "sum", "max", "norm1"}) + "( " + sub() + ")";
    case 4: return pick({"min", "max", "pow"}) + "(" + sub() + "," + sub() + " )";
    default: return "(" + sub() + ")" + pick({"+", "-", " * ", "/", "^"}) + "(" + sub() + ")";
  }
}

TEST(Formula, RandomExpressionsSurviveTheRoundTrip) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(random, 6);
    std::optional<Formula> parsed;
    try {
      parsed = Formula::parse(text);
    } catch (const Error&) {  // -a < b inside -: comparisons that chain
      continue;
    }
    const std::string canonical = parsed->str();
    const Formula again = Formula::parse(canonical);
    ASSERT_EQ(again, *parsed) << text << "  ->  " << canonical;
    ASSERT_EQ(again.str(), canonical);
    const double a = at(text, 0.7, -1.3), b = at(canonical, 0.7, -1.3);
    ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << text;
  }
}

TEST(Formula, PreciseAgrees) {
  const Formula k = Formula::parse("exp(-norm(x-y)^2/2)*cos(dot(x,y))");
  const Vector x{0.3, 1.1}, y{-0.2, 0.4};
  EXPECT_NEAR(static_cast<double>(k.precise(x, y)), k(x, y), 1e-15);
}

TEST(FormulaErrors, PointAtTheColumn) {
  EXPECT_EQ(error_of("x + tahn(y)"), "column 5: unknown function \"tahn\"; did you mean tanh?");
  EXPECT_EQ(error_of("x + z"), "column 5: unknown name \"z\"; the points are x and y, the constants pi and e");
  EXPECT_EQ(error_of("x1*y1"), "column 1: unknown name \"x1\"; a component is written x[1]");
  EXPECT_EQ(error_of(""), "column 1: expected a number, x, y, a function or \"(\", found the end");
  EXPECT_EQ(error_of("x *"), "column 4: expected a number, x, y, a function or \"(\", found the end");
  EXPECT_EQ(error_of("2x"), "column 2: expected an operator or the end, found \"x\"; for a product write *");
  EXPECT_EQ(error_of("sin(x"), "column 6: expected an operator or \")\", found the end");
  EXPECT_EQ(error_of("sin(x))"), "column 7: expected an operator or the end, found \")\"");
  EXPECT_EQ(error_of("sin"), "column 4: expected \"(\" after the function sin, found the end");
  EXPECT_EQ(error_of("sin(x,y)"), "column 1: expected 1 argument of sin, found 2");
  EXPECT_EQ(error_of("dot(x)"), "column 1: expected 2 arguments of dot, found 1");
  EXPECT_EQ(error_of("max(x,y,1)"), "column 1: expected 1 or 2 arguments of max, found 3");
  EXPECT_EQ(error_of("x**2"), "column 2: expected an operator, found \"**\"; a power is written ^");
  EXPECT_EQ(error_of("1 < x < 2"), "column 7: comparisons do not chain; put one of them in parentheses");
  EXPECT_EQ(error_of("x[0]"), "column 3: expected a component from 1 to 256, found \"0\"");
  EXPECT_EQ(error_of("x[1.5]"), "column 3: expected a whole number and \"]\", found \"1\"");
  EXPECT_EQ(error_of("x[1"), "column 4: expected \"]\", found the end");
  EXPECT_EQ(error_of("dot(2,x)"),
            "column 1: expected two points in dot, found a point and a number; for a multiple write *");
  EXPECT_EQ(error_of("1e999"), "column 1: expected a number between 1e-308 and 1e308, found \"1e999\"");
  EXPECT_NE(error_of("x[2]*x").find("found a point"), std::string::npos);
  EXPECT_EQ(error_of("x²+1"), "column 2: expected an operator or the end, found \"²\"");
  EXPECT_EQ(error_of("\"x\""), "column 1: expected a number, x, y, a function or \"(\", found '\"'");
}

TEST(FormulaErrors, HostileTextIsRefused) {
  EXPECT_EQ(error_of(std::string("x\0+y", 4)), "column 2: expected an operator or the end, found \"\\x00\"");
  EXPECT_EQ(error_of("\xff\xfe"), "column 1: expected a number, x, y, a function or \"(\", found \"\\xff\"");
  for (const std::string piece : {"(", "-", "sin(", "2^", "+", "x[", "min(1,", "1<"}) {
    std::string text;
    while (text.size() < 60000) text += piece;
    EXPECT_NE(error_of(text), "no error");
    EXPECT_LT(error_of(text).size(), 200u);
  }
  EXPECT_NE(error_of(std::string(60000, '(')).find("levels of nesting"), std::string::npos);
  EXPECT_NE(error_of(std::string(70000, '1')).find("at most 65536 characters"), std::string::npos);
  EXPECT_LT(error_of(std::string(60000, 'a') + "(x)").size(), 200u);
  EXPECT_NE(error_of(std::string(60000, '9')), "no error");
}

}  // namespace
}  // namespace mercer::formula_test
