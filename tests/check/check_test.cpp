#include "mercer/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "base/json.hpp"
#include "base/text.hpp"
#include "mercer/error.hpp"

namespace mercer::check_test {
namespace {

using Kind = Counterexample::Kind;

CheckResult check_text(const std::string& text, const CheckOptions& options = {}) {
  return check(Formula::parse(text), options);
}

std::vector<std::string> lines_of(const std::string& text) { return split(text, '\n'); }

std::vector<double> numbers_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<double> out;
  std::string word;
  while (in >> word) out.push_back(parse_number(word).value());
  return out;
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

Vector point_of(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  Vector out;
  for (const std::string& piece : split(text, ',')) out.push_back(parse_number(piece).value());
  return out;
}

// Believes nothing but the printed text: reads points and weights back and computes in long double.
void verify_printed(const std::string& formula, const CheckResult& result) {
  const Formula k = Formula::parse(formula);
  const std::string text = result.str();
  ASSERT_TRUE(text.starts_with("not a kernel: ")) << text;
  const std::vector<std::string> lines = lines_of(text);
  if (result.counterexample->kind == Kind::asymmetric) {
    const Vector x = point_of(between(text, "x = ", ", y = ")), y = point_of(between(text, "y = ", ", k("));
    EXPECT_NEAR(k(x, y), parse_number(between(text, "k(x, y) = ", " but")).value(), 1e-5 * std::abs(k(x, y)));
    EXPECT_GT(std::abs(k.precise(x, y) - k.precise(y, x)), 1e-9);
    return;
  }
  ASSERT_EQ(result.counterexample->kind, Kind::indefinite) << text;
  if (lines[0].find("at x = ") != std::string::npos) {
    const Vector x = point_of(between(text, "at x = ", ", k("));
    const double value = parse_number(between(text, "k(x, x) = ", " < 0")).value();
    EXPECT_LT(value, 0);
    EXPECT_NEAR(static_cast<double>(k.precise(x, x)), value, 1e-3 * std::abs(value));
    return;
  }
  const double value = parse_number(between(text, "k(x_i, x_j) = ", " < 0")).value();
  std::vector<Vector> points;
  Vector weights;
  std::size_t at = 2;
  for (; at < lines.size() && !lines[at].starts_with("k(x_i"); ++at) {
    points.push_back(numbers_of(lines[at]));
    weights.push_back(points.back().back());
    points.back().pop_back();
  }
  const std::size_t n = points.size();
  ASSERT_EQ(n, static_cast<std::size_t>(result.counterexample->points.rows()));
  long double sum = 0, from_matrix = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      sum += static_cast<long double>(weights[i] * weights[j]) * k.precise(points[i], points[j]);
      if (n <= 12) from_matrix += weights[i] * weights[j] * numbers_of(lines[at + 1 + i])[j];
    }
  }
  EXPECT_LT(value, 0);
  EXPECT_NEAR(static_cast<double>(sum), value, 1e-3 * std::abs(value)) << text;
  if (n <= 12) {
    EXPECT_NEAR(static_cast<double>(from_matrix), value, 2e-2 * std::abs(value)) << text;
  }
  for (const double c : weights) EXPECT_NE(c, 0);
}

class NotAKernel : public ::testing::TestWithParam<const char*> {};

TEST_P(NotAKernel, IsDisprovedByPrintedNumbers) {
  const CheckResult result = check_text(GetParam());
  ASSERT_TRUE(result.counterexample) << result.str();
  verify_printed(GetParam(), result);
  EXPECT_FALSE(result.match);
  EXPECT_EQ(result.str(), check_text(GetParam()).str());
}

INSTANTIATE_TEST_SUITE_P(Formulas, NotAKernel,
                         ::testing::Values("sin(x)*cos(y)", "-dot(x,y)/(norm(x)*norm(y))", "tanh(dot(x,y)-1)",
                                           "tanh(0.1*dot(x,y)+1)", "tanh(dot(x,y))", "exp(-abs(x-y)^3)",
                                           "exp(-abs(x-y)^2.1)", "exp(-norm(x-y)^2.01)", "(1+dot(x,y))^0.5",
                                           "max(0,1-(x-y)^2)", "abs(x-y)<0.05", "exp(-2*sin(pi*norm(x-y))^2)",
                                           "(1+sqrt(3)*norm1(x-y))*exp(-sqrt(3)*norm1(x-y))",
                                           "(1+sqrt(5)*norm1(x-y)+5/3*norm1(x-y)^2)*exp(-sqrt(5)*norm1(x-y))",
                                           "max(x,y)", "x+y", "-x*y", "cos(x+y)", "abs(x-y)", "x*y-1", "x[1]*y[2]",
                                           "max(0, 1-norm(x-y))", "norm(x-y)", "exp(-norm(x-y))-0.1", "floor(x)*y",
                                           "x*y*(x*y<100) - 1e-6", "1 + x^2*y^2 - 1e-8*x*y"));

class MaybeAKernel : public ::testing::TestWithParam<const char*> {};

TEST_P(MaybeAKernel, IsLeftStanding) {
  for (const std::uint64_t seed : {1, 2}) {
    CheckOptions options;
    options.seed = seed;
    const CheckResult result = check_text(GetParam(), options);
    EXPECT_FALSE(result.counterexample) << result.str();
    EXPECT_GT(result.tries, 1000);
    const std::string open = "no counterexample in " + std::to_string(result.tries) + " tries, not a proof";
    EXPECT_TRUE(result.str().starts_with(result.derived ? "a kernel: by its form it is " : open)) << result.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Formulas, MaybeAKernel,
                         ::testing::Values("min(x,y)", "exp(-abs(x-y))", "exp(-norm(x-y)^2/2)", "exp(-norm1(x-y))",
                                           "(1+dot(x,y))^2", "cos(x-y)", "x*y", "dot(x,y)/(norm(x)*norm(y))",
                                           "1/(1+norm(x-y)^2)", "exp(dot(x,y))", "exp(-abs(x-y)^1.9)",
                                           "max(0,1-abs(x-y))", "sin(pi*x)*sin(pi*y)", "1/(x*y)", "floor(x)*floor(y)",
                                           "exp(-norm(x-y)^2/2e-6)", "(x+1e6)*(y+1e6)", "1e-200*x*y", "1e200*x*y",
                                           "(x+y)^2-(x-y)^2", "cosh(dot(x,y))", "exp(-2*sin(pi*(x-y))^2)", "0",
                                           "(1+norm(x)^2+norm(y)^2+norm(x)^2*norm(y)^2)*exp(-norm(x-y)^2)",
                                           "log(1+norm(x))*log(1+norm(y))"));

TEST(Check, MinIsForNonnegativeInputs) {
  const CheckResult result = check_text("min(x,y)");
  EXPECT_EQ(result.inputs, Inputs::nonnegative);
  ASSERT_TRUE(result.match);
  EXPECT_EQ(result.match->kernel, "min()");
  ASSERT_TRUE(result.outside);
  EXPECT_NE(result.str().find("for negative inputs it fails: at x = -1, k(x, x) = -1 < 0"), std::string::npos);
  CheckOptions everywhere;
  everywhere.inputs = Inputs::reals;
  const CheckResult refuted = check_text("min(x,y)", everywhere);
  EXPECT_TRUE(refuted.counterexample);
  EXPECT_FALSE(refuted.match);  // a kernel of the catalog, but not on these inputs
  EXPECT_EQ(refuted.str().find("min()"), std::string::npos) << refuted.str();
}

TEST(Check, NarrowsTheInputsToWhereTheFormulaIsDefined) {
  const CheckResult root = check_text("sqrt(x)*sqrt(y)");
  EXPECT_FALSE(root.counterexample);
  EXPECT_EQ(root.inputs, Inputs::nonnegative);
  EXPECT_EQ(root.outside->kind, Kind::undefined);
  EXPECT_NE(root.str().find("for negative inputs it is not defined: at x = y = -1, k(x, y) = nan"), std::string::npos);
  EXPECT_EQ(check_text("-log(1-x*y)").inputs, Inputs::unit_ball);
  CheckOptions reals;
  reals.inputs = Inputs::reals;
  EXPECT_EQ(check_text("sqrt(x)*sqrt(y)", reals).counterexample->kind, Kind::undefined);
}

TEST(Check, UndefinedEverywhereIsNotAKernel) {
  for (const char* text : {"log(x-y)", "1/abs(x-y)", "sqrt(-1)", "log(-norm(x))"}) {
    const CheckResult result = check_text(text);
    ASSERT_TRUE(result.counterexample) << text;
    EXPECT_EQ(result.counterexample->kind, Kind::undefined) << text;
  }
}

TEST(Check, IsolatedUndefinedPointsAreLeftOutAndMentioned) {
  const CheckResult result = check_text("dot(x,y)/(norm(x)*norm(y))");
  ASSERT_TRUE(result.skipped);
  EXPECT_NE(result.str().find("isolated points where it is not defined: at x = y = 0, k(x, y) = nan"),
            std::string::npos);
}

TEST(Check, DimensionCanBeChosen) {
  CheckOptions line;
  line.dimension = 1;
  EXPECT_FALSE(check_text("exp(-2*sin(pi*norm(x-y))^2)", line).counterexample);
  EXPECT_EQ(check_text("exp(-2*sin(pi*norm(x-y))^2)", line).match->kernel, "periodic(period=1, ell=1)");
  CheckOptions plane;
  plane.dimension = 2;
  EXPECT_EQ(check_text("exp(-2*sin(pi*norm(x-y))^2)", plane).counterexample->points.cols(), 2);
  EXPECT_THROW((void)check_text("min(x,y)", plane), Error);
  EXPECT_THROW((void)check_text("x[2]*y[2]", line), Error);
  EXPECT_EQ(check_text("x[2]*y[2]").dimensions, (std::vector<Index>{2}));
}

TEST(Check, CounterexamplesAreSmall) {
  for (const char* text : {"exp(-abs(x-y)^3)", "max(0,1-(x-y)^2)", "abs(x-y)<0.05", "exp(-2*sin(pi*norm(x-y))^2)"}) {
    const CheckResult result = check_text(text);
    EXPECT_LE(result.counterexample->points.rows(), 3) << result.str();
    for (const double c : result.counterexample->weights) EXPECT_EQ(c, std::round(c)) << result.str();
  }
}

TEST(Check, Text) {
  EXPECT_EQ(check_text("x+y").str(), "not a kernel: at x = -1, k(x, x) = -2 < 0");
  EXPECT_EQ(check_text("x[1]*y[2]").str(),
            "not a kernel: not symmetric: at x = (1, 0), y = (0, 1), k(x, y) = 1 but k(y, x) = 0");
  EXPECT_EQ(check_text("max(0,1-(x-y)^2)").str(),
            "not a kernel: with these 3 points and weights c, sum_ij c_i c_j k(x_i, x_j) = -1 < 0\n"
            "     x   c\n"
            "     0   2\n"
            "   0.5  -3\n"
            "     1   2\n"
            "   k(x_i, x_j):\n"
            "      1  0.75     0\n"
            "   0.75     1  0.75\n"
            "      0  0.75     1");
}

TEST(Check, Json) {
  const auto bad = Json::parse(check_text("max(0,1-(x-y)^2)").json());
  EXPECT_EQ(bad["kernel"], false);
  EXPECT_EQ(bad["counterexample"]["kind"], "indefinite");
  EXPECT_EQ(bad["counterexample"]["points"], Json::parse("[[0.0],[0.5],[1.0]]"));
  EXPECT_EQ(bad["counterexample"]["value"], -1.0);
  const auto open = Json::parse(check_text("exp(-abs(x-y)^1.9)").json());
  EXPECT_TRUE(open["kernel"].is_null());
  EXPECT_TRUE(open["derived"].is_null());
  const auto good = Json::parse(check_text("min(x,y)").json());
  EXPECT_EQ(good["kernel"], true);
  EXPECT_EQ(good["inputs"], "nonnegative");
  EXPECT_EQ(good["derived"]["kernel"], "min()");
  EXPECT_EQ(good["match"]["kernel"], "min()");
  const auto undefined = Json::parse(check_text("log(x-y)").json());
  EXPECT_EQ(undefined["counterexample"]["value"], "-inf");
}

TEST(Search, TakesAnyFunction) {
  const std::vector<Index> dimensions{1};
  const auto bad = search_counterexample([](VectorView x, VectorView y) { return std::max(x[0], y[0]); }, dimensions);
  EXPECT_TRUE(bad.counterexample);
  // A kernel whose diagonal may come out as a tiny negative number.
  const auto noisy = [](VectorView x, VectorView y) {
    const double a = std::sin(x[0]) * std::sin(y[0]), b = std::cos(x[0]) * std::cos(y[0]);
    return (a + b) * (a + b) - b * (b + 2 * a) - a * a + a * b;
  };
  EXPECT_FALSE(search_counterexample(noisy, dimensions).counterexample);
  EXPECT_THROW((void)search_counterexample({}, dimensions), Error);
  EXPECT_THROW((void)search_counterexample(noisy, {}), Error);
  EXPECT_THROW((void)search_counterexample(noisy, std::vector<Index>{0}), Error);
}

TEST(Search, RoundingIsNotACounterexample) {
  // All of the value is rounding error at large points: 1 + cancelled noise.
  for (const char* text : {"(x*y+1e15)-1e15-x*y+1e-3*x*y", "x^2+y^2-(x-y)^2+(x-y)^2-x^2-y^2+x*y",
                           "(1+1e12*x*y)-1e12*x*y", "sin(pi*x)*sin(pi*y) + 0*x"}) {
    const CheckResult result = check_text(text);
    EXPECT_FALSE(result.counterexample) << text << "\n" << result.str();
  }
}

}  // namespace
}  // namespace mercer::check_test
