// The grammar: what each form means, and what is said about texts outside it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernels.hpp"
#include "mercer/similarity.hpp"
#include "support.hpp"

namespace mercer::parse_test {
namespace {

void expect_refused(const std::string& text, const std::string& kind, const std::vector<std::string>& pieces) {
  SCOPED_TRACE(text);
  test::expect_error([&] { parse(text); }, kind, pieces);
}

// ---- meaning: what is parsed equals what C++ builds ----

TEST(Parse, LeavesEqualThoseBuiltInCpp) {
  EXPECT_EQ(parse("linear()"), linear());
  EXPECT_EQ(parse("const(c=2)"), constant(2));
  EXPECT_EQ(parse("const()"), constant(1));
  EXPECT_EQ(parse("poly(degree=3, c=0.5)"), poly(3, 0.5));
  EXPECT_EQ(parse("poly()"), poly(2, 1));
  EXPECT_EQ(parse("rbf(ell=0.5)"), rbf(0.5));
  EXPECT_EQ(parse("rbf(ell=[1, 2, 4])"), rbf(Vector{1, 2, 4}));
  EXPECT_EQ(parse("rbf(ell=[3])"), rbf(Vector{3}));
  EXPECT_EQ(parse("laplace(ell=2)"), laplace(2));
  EXPECT_EQ(parse("exponential(ell=2)"), exponential(2));
  EXPECT_EQ(parse("matern(nu=2.5, ell=0.3)"), matern(2.5, 0.3));
  EXPECT_EQ(parse("matern(nu=1.5, ell=[1, 2])"), matern(1.5, Vector{1, 2}));
  EXPECT_EQ(parse("rq(ell=1.2, alpha=0.8)"), rq(1.2, 0.8));
  EXPECT_EQ(parse("periodic(period=2, ell=1.3)"), periodic(2, 1.3));
  EXPECT_EQ(parse("min()"), min());
  EXPECT_EQ(parse("multilinear()"), multilinear());
  EXPECT_EQ(parse("quadratic(A=[[2, 1], [1, 2]])"), quadratic(Matrix{{2, 1}, {1, 2}}));
  EXPECT_EQ(parse("cosine()"), cosine());
  EXPECT_EQ(parse("arccos(order=0)"), arccos(0));
  EXPECT_EQ(parse("ntk(depth=3)"), ntk(3));
  EXPECT_EQ(parse("spectrum(k=4)"), spectrum(4));
  EXPECT_EQ(parse("assume_psd(tanh(dot(x,y)), \"because\")"),
            assume_psd(Similarity::formula("tanh(dot(x,y))"), "because"));
}

TEST(Parse, RulesEqualThoseBuiltInCpp) {
  EXPECT_EQ(parse("rbf(ell=1) + linear()"), rbf(1.0) + linear());
  EXPECT_EQ(parse("rbf(ell=1)*linear()"), rbf(1.0) * linear());
  EXPECT_EQ(parse("2*rbf(ell=1)"), 2.0 * rbf(1.0));
  EXPECT_EQ(parse("rbf(ell=1)*2"), rbf(1.0) * 2.0);
  EXPECT_EQ(parse("1 + linear()"), 1.0 + linear());
  EXPECT_EQ(parse("linear() + 1"), linear() + 1.0);
  EXPECT_EQ(parse("(1 + linear())^3"), pow(1.0 + linear(), 3));
  EXPECT_EQ(parse("exp(0.5*linear())"), exp(0.5 * linear()));
  EXPECT_EQ(parse("polynomial([1, 0, 2], linear())"), polynomial({1, 0, 2}, linear()));
  EXPECT_EQ(parse("normalize(poly(degree=3, c=1))"), normalize(poly(3, 1)));
  EXPECT_EQ(parse("on(x1:x5, rbf(ell=1))"), on("x1:x5", rbf(1.0)));
  EXPECT_EQ(parse("on([a, 2, \"my column\"], linear())"),
            on(Columns(std::vector<Columns::Item>{{std::string("a"), std::string("a")},
                                                  {Index{2}, Index{2}},
                                                  {std::string("my column"), std::string("my column")}}),
               linear()));
  EXPECT_EQ(parse("warp(log, rbf(ell=1))"), warp("log", rbf(1.0)));
  EXPECT_EQ(parse("scaled(norm, rbf(ell=1))"), scaled("norm", rbf(1.0)));
}

TEST(Parse, ArgumentsByPositionNameAndAlias) {
  EXPECT_EQ(parse("rbf(0.5)"), rbf(0.5));
  EXPECT_EQ(parse("rbf()"), rbf(1.0));
  EXPECT_EQ(parse("matern(1.5, 0.3)"), matern(1.5, 0.3));
  EXPECT_EQ(parse("matern(ell=0.3, nu=2.5)"), matern(2.5, 0.3));
  EXPECT_EQ(parse("matern(ell=0.3, 2.5)"), matern(2.5, 0.3));
  EXPECT_EQ(parse("rbf(gamma=0.02)"), parse("rbf(ell=5)"));
  EXPECT_EQ(parse("rbf(sigma=3)"), rbf(3.0));
  EXPECT_EQ(parse("rbf(gamma=[0.5, 0.125])"), rbf(Vector{1, 2}));
  EXPECT_EQ(parse("rbf(gamma=0.5 in [0.125, 2])"), parse("rbf(ell=1 in [0.5, 2])"));
  EXPECT_EQ(parse("rbf(gamma=fixed(0.125))"), parse("rbf(ell=fixed(2))"));
  EXPECT_EQ(parse("rbf(gamma=auto)"), parse("rbf(ell=auto)"));
  EXPECT_EQ(parse("on(columns=a, k=linear())"), on("a", linear()));
  EXPECT_EQ(parse("on(k=linear(), columns=a)"), on("a", linear()));
}

TEST(Parse, NumbersAreConstantsAndScales) {
  EXPECT_EQ(parse("2"), constant(2));
  EXPECT_EQ(parse("2*3"), constant(6));
  EXPECT_EQ(parse("2 + 3"), constant(2) + constant(3));
  EXPECT_EQ(parse("2^3"), constant(8));
  EXPECT_EQ(parse("2^3*linear()"), 8.0 * linear());
  EXPECT_EQ(parse(".5*linear()"), 0.5 * linear());
  EXPECT_EQ(parse("1e-3*linear()"), 1e-3 * linear());
  EXPECT_EQ(parse("0*linear()"), 0.0 * linear());
  EXPECT_EQ(parse("2*linear()*3"), 6.0 * linear());
}

TEST(Parse, OperatorsBindAsInAlgebra) {
  EXPECT_EQ(parse("linear() + 2*rbf()*cosine()^2"), linear() + 2.0 * (rbf(1.0) * pow(cosine(), 2)));
  EXPECT_EQ(parse("(linear() + rbf())*cosine()"), (linear() + rbf(1.0)) * cosine());
  EXPECT_EQ(parse("2*rbf()^2"), 2.0 * pow(rbf(1.0), 2));
  EXPECT_EQ(parse("(2*rbf())^2"), pow(2.0 * rbf(1.0), 2));
  EXPECT_EQ(parse("((linear()))"), linear());
  EXPECT_NE(parse("2*rbf()^2"), parse("(2*rbf())^2"));
}

TEST(Parse, SpaceMeansNothing) {
  EXPECT_EQ(parse(" \t2 *rbf( ell = 0.5 )\n+linear ( ) "), 2.0 * rbf(0.5) + linear());
  EXPECT_EQ(parse("rbf(ell=1 in[0.5,2])"), parse("rbf(ell = 1 in [0.5, 2])"));
}

TEST(Parse, TextNeedNotEndWithNul) {
  const std::string text = "rbf(ell=0.5) + linear()";
  EXPECT_EQ(parse(std::string_view(text).substr(0, 12)), rbf(0.5));
  for (const std::string& whole : {std::string("rbf(ell=+"), std::string("rbf(ell=-"), std::string("rbf(ell=1.")}) {
    const std::vector<char> exact(whole.begin(), whole.end());  // a sanitizer sees a step behind its end
    EXPECT_NE(test::error_of([&] { parse(std::string_view(exact.data(), exact.size())); }), "no error");
  }
}

TEST(Parse, FixedRangesAndAutoReachTheParameters) {
  EXPECT_TRUE(parse("rbf(ell=fixed(2))").params()[0].fixed);
  EXPECT_EQ(parse("rbf(ell=fixed(2))").params()[0].value, 2);
  const Parameter ranged = parse("rbf(ell=0.3 in [0.01, 10])").params()[0];
  EXPECT_EQ(ranged.value, 0.3);
  EXPECT_EQ(ranged.lower, 0.01);
  EXPECT_EQ(ranged.upper, 10);
  EXPECT_TRUE(parse("rbf(ell=auto)").params()[0].automatic);
  EXPECT_TRUE(parse("rbf(ell=[auto])").params()[0].automatic);
  EXPECT_TRUE(parse("rbf(ell=fixed(auto))").params()[0].automatic);
  EXPECT_TRUE(parse("fixed(2)*rbf()").params()[0].fixed);
  EXPECT_EQ(parse("(2 in [1, 3])*rbf()").params()[0].upper, 3);
  EXPECT_TRUE(parse("fixed(1) + linear()").params()[0].fixed);
  EXPECT_EQ(parse("rbf(ell=2 in [1, inf])").params()[0].lower, 1);
}

TEST(Parse, BoundedIsAnotherSpellingOfARange) {
  for (const auto& [call, range] : std::vector<std::pair<const char*, const char*>>{
           {"rbf(ell=bounded(0.3, 0.01, 10))", "rbf(ell=0.3 in [0.01, 10])"},
           {"rbf(ell=bounded([1, 2], 0.5, inf))", "rbf(ell=[1, 2] in [0.5, inf])"},
           {"rbf(gamma=bounded(0.5, 0.125, 2))", "rbf(gamma=0.5 in [0.125, 2])"},
           {"bounded(2, 1, 4)*linear() + 1", "(2 in [1, 4])*linear() + 1"},
           {"rbf(ell=[bounded(1, 0.5, 4), bounded(2, 0.5, 4)])", "rbf(ell=[1, 2] in [0.5, 4])"},
           {"rbf(gamma=[bounded(0.5, 0.125, 2)])", "rbf(gamma=[0.5] in [0.125, 2])"},
           {"rbf(ell=bounded(auto, 1, 2))", "rbf(ell=auto in [1, 2])"}}) {
    EXPECT_EQ(parse(call), parse(range)) << call;
    EXPECT_EQ(parse(call).str(), parse(range).str()) << call;
  }
  expect_refused("rbf(ell=bounded(1, 2))", "GrammarError", {","});
  expect_refused("rbf(ell=bounded(1, 2, 3)", "GrammarError", {")"});
  expect_refused("bounded(1)*rbf()", "GrammarError", {","});
  // A list has one pair of ends, and says so at the number that has others.
  expect_refused("rbf(ell=[bounded(0.3, 0.01, 10), 1])", "GrammarError",
                 {"have one pair of ends", "ell=bounded([0.3, 1], 0.01, 10)"});
  expect_refused("rbf(ell=[1, bounded(0.3, 0.01, 10)])", "GrammarError", {"have one pair of ends"});
  expect_refused("rbf(ell=[bounded(1, 0.5, 2), bounded(1, 0.5, 3)])", "GrammarError", {"have one pair of ends"});
}

TEST(Parse, EveryExampleOfTheCatalogParses) {
  for (const CatalogRow& row : catalog()) {
    if (row.example.empty()) continue;
    const Kernel k = parse(row.example);
    EXPECT_EQ(parse(k.str()), k);
    EXPECT_EQ(k.proof().rule, row.name);
  }
}

// ---- errors: each with its column ----

TEST(ParseErrors, EmptyText) {
  expect_refused("", "GrammarError", {"empty text"});
  expect_refused("  \n ", "GrammarError", {"empty text"});
}

TEST(ParseErrors, UnknownNamesGetASuggestion) {
  expect_refused("rfb(ell=1)", "GrammarError", {"column 1: ", "\"rfb\"", "did you mean rbf?"});
  expect_refused("linear() + matren(ell=1)", "GrammarError", {"column 12: ", "\"matren\"", "did you mean matern?"});
  expect_refused("2*perodic()", "GrammarError", {"column 3: ", "did you mean periodic?"});
  expect_refused("zzzzzzzzz()", "GrammarError", {"column 1: ", "no kernel or rule is called \"zzzzzzzzz\""});
  expect_refused("sum(linear(), linear())", "GrammarError", {"column 1: ", "\"sum\""});
  expect_refused("x*y", "GrammarError", {"column 1: ", "mercer check"});
}

TEST(ParseErrors, Parentheses) {
  expect_refused("rbf", "GrammarError", {"column 4: expected (", "found the end"});
  expect_refused("rbf(ell=1", "GrammarError", {"column 10: expected )", "found the end"});
  expect_refused("(linear()", "GrammarError", {"column 10: expected ) to close the parenthesis, found the end"});
  expect_refused("linear())", "GrammarError", {"column 9: expected +, *, ^ or the end, found \")\""});
  expect_refused("rbf(ell=[1, 2", "GrammarError", {"column 14: expected ] to close the list"});
  expect_refused("()", "GrammarError", {"column 2: expected a kernel"});
}

TEST(ParseErrors, TrailingGarbage) {
  expect_refused("linear() linear()", "GrammarError", {"column 10: expected +, *, ^ or the end", "\"linear()\""});
  expect_refused("linear()]", "GrammarError", {"column 9: "});
  expect_refused("2 linear()", "GrammarError", {"column 3: "});
  expect_refused("2rbf()", "GrammarError", {"column 2: "});
  expect_refused("linear() +", "GrammarError", {"column 11: expected a kernel", "found the end"});
  expect_refused("linear() + * rbf()", "GrammarError", {"column 12: expected a kernel"});
}

TEST(ParseErrors, Arguments) {
  expect_refused("rbf(ell=1, ell=2)", "GrammarError", {"column 12: rbf() has its ell already"});
  expect_refused("rbf(ell=1, gamma=2)", "GrammarError", {"column 12: rbf() has its ell already"});
  expect_refused("rbf(1, 2)", "GrammarError", {"column 8: rbf() takes no more arguments", "rbf(ell=1)"});
  expect_refused("linear(1)", "GrammarError", {"column 8: linear() takes no more arguments", "linear()"});
  expect_refused("rbf(el=1)", "GrammarError", {"column 5: rbf() has no argument \"el\"", "did you mean ell?"});
  expect_refused("rbf(ell=)", "GrammarError", {"column 9: expected a number for ell of rbf()", "found \")\""});
  expect_refused("rbf(ell=one)", "GrammarError", {"column 9: expected a number for ell of rbf(), found \"one)\""});
  expect_refused("rbf(ell=nan)", "GrammarError", {"column 9: expected a number"});
  expect_refused("rbf(ell=inf)", "GrammarError", {"column 9: expected a number"});
  expect_refused("rbf(ell=-inf)", "GrammarError", {"column 9: expected a number"});
  expect_refused("rbf(ell=1e999)", "GrammarError", {"column 9: a number too large or too small"});
  expect_refused("rbf(ell=1,)", "GrammarError", {"column 11: "});
  expect_refused("quadratic()", "GrammarError", {"column 1: quadratic() needs A"});
  expect_refused("exp()", "GrammarError", {"column 1: exp() needs a kernel"});
  expect_refused("warp(log)", "GrammarError", {"column 1: warp() needs a kernel"});
}

TEST(ParseErrors, ListsWhereOneNumberBelongs) {
  expect_refused("rq(alpha=[1, 2])", "GrammarError", {"column 10: rq() takes one number for alpha, not a list"});
  expect_refused("periodic(period=[1, 2])", "GrammarError", {"column 17: periodic() takes one number for period"});
  expect_refused("polynomial(2, linear())", "GrammarError", {"column 12: polynomial() takes a list"});
  expect_refused("rbf(ell=[])", "KernelError", {"ell is an empty list"});
}

TEST(ParseErrors, SideConditions) {
  expect_refused("rbf(ell=-1)", "KernelError", {"column 1: rbf(): ell must be a finite number > 0, not -1"});
  expect_refused("linear() + rbf(ell=0)", "KernelError", {"column 12: ", "not 0"});
  expect_refused("rbf(ell=[1, -2])", "KernelError", {"ell must be", "not -2"});
  expect_refused("rbf(gamma=-1)", "GrammarError", {"column 11: rbf(): -1 must be > 0"});
  expect_refused("poly(degree=2.5)", "KernelError", {"column 1: poly(): degree must be a whole number", "not 2.5"});
  expect_refused("poly(degree=0)", "KernelError", {"degree must be a whole number from 1"});
  expect_refused("poly(degree=2, c=-1)", "KernelError", {"c must be a finite number >= 0, not -1"});
  expect_refused("matern(nu=0)", "KernelError", {"nu must be a number > 0 and at most 10000, not 0"});
  expect_refused("matern(nu=20000)", "KernelError", {"nu must be a number > 0 and at most 10000, not 20000"});
  expect_refused("arccos(order=2)", "KernelError", {"order must be one of 0, 1, not 2"});
  expect_refused("ntk(depth=0)", "KernelError", {"depth must be a whole number"});
  expect_refused("spectrum(k=0)", "KernelError", {"k must be a whole number"});
  expect_refused("polynomial([1, -1], linear())", "KernelError", {"coefficients must be", "not -1"});
  expect_refused("warp(lgo, linear())", "KernelError",
                 {"column 1: warp(): no map is called \"lgo\"", "did you mean log?"});
  expect_refused("scaled(nrom, linear())", "KernelError", {"no weight is called \"nrom\"", "did you mean norm?"});
  expect_refused("1e300*1e300*linear()", "KernelError", {"finite"});
}

TEST(ParseErrors, Matrices) {
  expect_refused("quadratic(A=[[1, 2], [2, 1]])", "KernelError",
                 {"not positive semi-definite", "smallest eigenvalue is -1"});
  expect_refused("quadratic(A=[[1, 2], [0, 1]])", "KernelError", {"not symmetric", "A(1, 2) = 2", "A(2, 1) = 0"});
  expect_refused("quadratic(A=[[1, 2]])", "KernelError", {"1 x 2", "square"});
  expect_refused("quadratic(A=[[1, 2], [1]])", "GrammarError", {"a row of 1 numbers after one of 2"});
  expect_refused("quadratic(A=[1, 2])", "GrammarError", {"column 14: expected [ to start a row"});
  expect_refused("quadratic(A=2)", "GrammarError", {"column 13: expected [ to start a matrix"});
}

TEST(ParseErrors, Ranges) {
  expect_refused("rbf(ell=5 in [1, 2])", "KernelError", {"column 1: rbf(): ell = 5 lies outside its range [1, 2]"});
  expect_refused("rbf(ell=1 in [2, 0.5])", "KernelError", {"range"});
  expect_refused("rbf(ell=1 in [-1, 2])", "KernelError", {"range [-1, 2] of ell"});
  expect_refused("rbf(ell=1 in 2)", "GrammarError", {"column 14: expected [ to start the range"});
  expect_refused("rbf(ell=1 in [1 2])", "GrammarError", {"column 17: expected , between the ends"});
  expect_refused("(5 in [1, 2])*linear()", "KernelError", {"lies outside its range [1, 2]"});
}

TEST(ParseErrors, DeepNestingIsRefusedNotACrash) {
  const auto nested = [](int depth) { return std::string(depth, '(') + "linear()" + std::string(depth, ')'); };
  EXPECT_EQ(parse(nested(150)), linear());
  expect_refused(nested(201), "GrammarError", {"more than 200 levels of parentheses"});
  expect_refused(std::string(100000, '('), "GrammarError", {"more than 200 levels"});
  std::string calls;
  for (int i = 0; i < 100000; ++i) calls += "exp(";
  expect_refused(calls, "GrammarError", {"more than 200 levels"});
}

TEST(ParseErrors, NothingIsSubtracted) {
  expect_refused("-linear()", "GrammarError", {"column 1: a minus sign", "not a kernel"});
  expect_refused("linear() - rbf()", "GrammarError", {"column 10: a difference of kernels need not be a kernel"});
  expect_refused("exp(linear() - rbf())", "GrammarError", {"column 14: a difference"});
  expect_refused("2*-1*linear()", "GrammarError", {"column 3: a minus sign"});
  expect_refused("linear() + -2*rbf()", "GrammarError", {"column 12: a minus sign"});
  expect_refused("fixed(-2)*rbf()", "KernelError", {"scale", "not -2"});
}

TEST(ParseErrors, Powers) {
  expect_refused("rbf()^0.5", "GrammarError", {"column 7: 0.5 is not a power that keeps a kernel one"});
  expect_refused("rbf()^-1", "GrammarError", {"column 7: -1 is not a power"});
  expect_refused("rbf()^0", "GrammarError", {"column 7: 0 is not a power"});
  expect_refused("rbf()^linear()", "GrammarError", {"column 7: expected a whole number"});
  expect_refused("linear()^100", "KernelError", {"degree must be a whole number from 1 to 64, not 100"});
}

TEST(ParseErrors, Domains) {
  expect_refused("rbf() + spectrum(k=3)", "KernelError", {"reals", "strings", "on(NAME, ...)"});
  expect_refused("rbf()*spectrum(k=3)", "KernelError", {"reals", "strings"});
  expect_refused("rbf(ell=[1, 2]) + rbf(ell=[1, 2, 3])", "KernelError", {"2 columns", "3", "on(COLUMNS, ...)"});
  expect_refused("rbf(ell=[1, 2, 3])*quadratic(A=[[1, 0], [0, 1]])", "KernelError", {"3 columns", "2"});
  expect_refused("warp(log, spectrum(k=2))", "KernelError", {"strings"});
  expect_refused("scaled(norm, spectrum(k=2))", "KernelError", {"strings"});
  EXPECT_EQ(test::error_of([] { parse("1 + spectrum(k=3)"); }), "no error");
  EXPECT_EQ(test::error_of([] { parse("on(a, rbf()) + on(b, spectrum(k=3))"); }), "no error");
}

TEST(ParseErrors, Columns) {
  expect_refused("on(0, linear())", "GrammarError", {"column 4: there is no column 0", "counted from 1"});
  expect_refused("on(1.5, linear())", "GrammarError", {"column 4: there is no column 1.5"});
  expect_refused("on([], linear())", "GrammarError", {"column 5: expected a column name or number"});
  expect_refused("on([a, b, linear())", "GrammarError", {"expected ] to close the list of columns"});
  expect_refused("on(\"a, linear())", "GrammarError", {"does not end"});
}

TEST(ParseErrors, WhatTextCannotHold) {
  expect_refused("features(phi)", "GrammarError", {"column 10: features(phi) comes from C++ or Python"});
  expect_refused("assume_psd(dot(x,y))", "GrammarError", {"column 1: assume_psd() needs because"});
  expect_refused("assume_psd(dot(x,y), because)", "GrammarError", {"column 22: expected a reason in quotes"});
  expect_refused("assume_psd(dot(x,y), \"\")", "KernelError", {"say why"});
  expect_refused("assume_psd(dot(x,), \"sure\")", "GrammarError", {"column 12, inside: column "});
}

TEST(ParseErrors, BytesThatAreNoText) {
  expect_refused(std::string("rbf(\0)", 6), "GrammarError", {"column 5: "});
  expect_refused(std::string("\0", 1), "GrammarError", {"column 1: "});
  expect_refused(std::string("linear()\0", 9), "GrammarError", {"column 9: "});
  expect_refused("\xFF\xFE", "GrammarError", {"column 1: "});
  expect_refused("rbf(ell=\xC2\xBD)", "GrammarError", {"column 9: "});
}

TEST(ParseErrors, OnlyOrdinaryParametersCanBeAuto) {
  expect_refused("poly(c=auto)", "KernelError", {"c cannot be auto"});
  expect_refused("auto*linear()", "GrammarError", {"column 1: "});
  expect_refused("periodic(period=auto)", "KernelError", {"period cannot be auto"});
  expect_refused("polynomial([auto], linear())", "KernelError", {"cannot be auto"});
  // The median distance of the inputs is a length, and alpha is none.
  expect_refused("rq(ell=1, alpha=auto)", "KernelError", {"alpha cannot be auto"});
}

// ---- errors of the C++ functions: the same, without a column ----

TEST(KernelErrors, SideConditionsHoldInCppToo) {
  using test::expect_error;
  expect_error([] { rbf(-1.0); }, "KernelError", {"rbf(): ell must be a finite number > 0, not -1"});
  expect_error([] { rbf(std::nan("")); }, "KernelError", {"not nan"});
  expect_error([] { rbf(Vector{}); }, "KernelError", {"empty list"});
  expect_error([] { constant(-0.5); }, "KernelError", {"const(): c must be"});
  expect_error([] { -2.0 * linear(); }, "KernelError", {"scale(): scale must be a finite number >= 0, not -2"});
  expect_error([] { pow(linear(), 0); }, "KernelError", {"power(): degree must be a whole number"});
  expect_error([] { pow(linear(), -3); }, "KernelError", {"not -3"});
  expect_error([] { polynomial({1, -2}, linear()); }, "KernelError", {"not -2"});
  expect_error([] { polynomial({}, linear()); }, "KernelError", {"empty list"});
  expect_error([] { quadratic(Matrix{{1, 2}, {2, 1}}); }, "KernelError", {"smallest eigenvalue is -1"});
  expect_error([] { quadratic(Matrix{{1, 2}, {3, 1}}); }, "KernelError", {"not symmetric"});
  expect_error([] { quadratic(Matrix(2, 3)); }, "KernelError", {"2 x 3"});
  expect_error([] { quadratic(Matrix()); }, "KernelError", {"0 x 0"});
  expect_error([] { quadratic(Matrix{{std::nan("")}}); }, "KernelError", {"A(1, 1) is nan"});
  expect_error([] { matern(-1.0); }, "KernelError", {"nu must be a number > 0"});
  expect_error([] { arccos(3); }, "KernelError", {"order must be one of"});
  expect_error([] { ntk(0); }, "KernelError", {"depth"});
  expect_error([] { spectrum(0); }, "KernelError", {"k must be a whole number"});
  expect_error([] { warp("nothing", linear()); }, "KernelError", {"no map is called \"nothing\""});
  expect_error([] { scaled("nothing", linear()); }, "KernelError", {"no weight is called \"nothing\""});
  expect_error([] { linear() + spectrum(2); }, "KernelError", {"reals", "strings"});
  expect_error([] { assume_psd(Similarity::formula("x*y"), ""); }, "KernelError", {"say why it is"});
}

TEST(KernelErrors, QuadraticTakesSemidefiniteMatrices) {
  EXPECT_NO_THROW(quadratic(Matrix{{1, 1}, {1, 1}}));
  EXPECT_NO_THROW(quadratic(Matrix{{0, 0}, {0, 0}}));
  EXPECT_NO_THROW(quadratic(Matrix{{1, 0, 0}, {0, 0, 0}, {0, 0, 1e-9}}));
  EXPECT_THROW(quadratic(Matrix{{1, 0}, {0, -1e-9}}), Error);
}

}  // namespace
}  // namespace mercer::parse_test
