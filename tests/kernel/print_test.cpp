// The printer: one spelling per kernel, which parses back to it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mercer/kernels.hpp"
#include "mercer/similarity.hpp"
#include "support.hpp"

namespace mercer::print_test {
namespace {

TEST(Print, RoundTripsEveryForm) {
  const std::vector<std::string> texts{
      "2*rbf(ell=0.5) + periodic(period=1, ell=1.3)*rbf(ell=90) + 0.3*rq(ell=1.2, alpha=0.8)",
      "(1 + linear())^3",
      "exp(0.5*linear())",
      "normalize(poly(degree=3, c=1))",
      "on(x1:x5, rbf(ell=[1, 2, 1, 1, 4]))*on(text, spectrum(k=3))",
      "rbf(ell=5)",
      "rbf(ell=auto)",
      "rbf(ell=[auto])",
      "rbf(ell=fixed(2))",
      "rbf(ell=fixed(auto))",
      "rbf(ell=fixed([1, 2]))",
      "rbf(ell=[1, 2] in [0.5, 4])",
      "rbf(ell=auto in [0.1, 10])",
      "rbf(ell=[auto] in [0.1, 10])",
      "matern(nu=1.5, ell=0.3 in [0.01, 10])",
      "rbf(ell=2 in [1, inf])",
      "rbf(ell=2 in [0, 10])",
      "linear()",
      "const(c=2)",
      "const(c=fixed(2))",
      "const(c=2 in [1, 3])",
      "1 + linear()",
      "linear() + 1",
      "const(c=fixed(1)) + linear()",
      "const(c=1)*linear()",
      "2*const(c=3)",
      "const(c=2)^2",
      "fixed(2)*rbf(ell=1)",
      "(2 in [1, 3])*rbf(ell=1)",
      "fixed(2)*3*rbf(ell=1)",
      "3*fixed(2)*rbf(ell=1)",
      "2*(linear() + rbf(ell=1))",
      "(2*rbf(ell=1))^2",
      "(rbf(ell=1)*linear())^2",
      "(rbf(ell=1)^2)^3",
      "rbf(ell=1)^2*linear()",
      "(linear() + rbf(ell=1))*(1 + cosine())",
      "1e-300*linear()",
      "1e+300*linear()",
      "0*linear()",
      "0.1*linear()",
      "poly(degree=2, c=0)",
      "laplace(ell=[1, 2])",
      "exponential(ell=2)",
      "min()",
      "multilinear()",
      "quadratic(A=[[2, 1], [1, 2]])",
      "quadratic(A=[[0.1]])",
      "cosine()",
      "arccos(order=0)",
      "ntk(depth=2)",
      "spectrum(k=3)",
      "polynomial([1, 0, 2], linear())",
      "polynomial(fixed([1, 0, 2]), linear() + rbf(ell=1))",
      "scaled(norm, rbf(ell=1))",
      "scaled(log, on(1, linear()))",
      "warp(tanh, warp(log1p, rbf(ell=1)))",
      "on(1, rbf(ell=1))",
      "on(1:2, rbf(ell=1))",
      "on([1, x3:x5, \"my column\"], rbf(ell=1))",
      "on(\"say \\\"hi\\\" \\\\\", rbf(ell=1))",
      "on(\"1\", rbf(ell=1))",
      "on(\"a, b\", rbf(ell=1))",
      "on(\"a b\":\"c d\", rbf(ell=1))",
      "on(\"\xC3\xA4ge\", rbf(ell=1))",
      "normalize(exp(normalize(2 + linear()*rbf(ell=1))))",
      "assume_psd(tanh(dot(x, y)), \"a \\\"good\\\" reason\")",
      "2*assume_psd(x[1]*y[1], \"rank one\") + rbf(ell=1)",
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    EXPECT_EQ(k.str(), text);
    EXPECT_EQ(parse(k.str()), k);
  }
}

TEST(Print, CanonicalForms) {
  const auto printed = [](const std::string& text) { return parse(text).str(); };
  EXPECT_EQ(printed("2*(3*rbf(ell=1))"), "6*rbf(ell=1)");
  EXPECT_EQ(printed("(2*rbf(ell=1))*linear()"), "2*rbf(ell=1)*linear()");
  EXPECT_EQ(printed("rbf(ell=1)*(2*linear())"), "2*rbf(ell=1)*linear()");
  EXPECT_EQ(printed("(2*rbf(ell=1))*(3*linear())"), "6*rbf(ell=1)*linear()");
  EXPECT_EQ(printed("rbf(ell=1)*2*linear()*3"), "6*rbf(ell=1)*linear()");
  EXPECT_EQ(printed("linear() + (rbf(ell=1) + cosine())"), "linear() + rbf(ell=1) + cosine()");
  EXPECT_EQ(printed("linear()*(rbf(ell=1)*cosine())"), "linear()*rbf(ell=1)*cosine()");
  EXPECT_EQ(printed("2"), "const(c=2)");
  EXPECT_EQ(printed("1+linear( )"), "1 + linear()");
  EXPECT_EQ(printed("rbf(gamma=0.02)"), "rbf(ell=5)");
  EXPECT_EQ(printed("rbf()"), "rbf(ell=1)");
  EXPECT_EQ(printed("poly()"), "poly(degree=2, c=1)");
  EXPECT_EQ(printed("rbf(ell=2 in [0, inf])"), "rbf(ell=2)");
  EXPECT_EQ(printed("fixed(1) + linear()"), "const(c=fixed(1)) + linear()");
  EXPECT_EQ(printed("on([a], linear())"), "on(a, linear())");
  EXPECT_EQ(printed("on(\"a\", linear())"), "on(a, linear())");
}

TEST(Print, EquallyCanonicalWhenBuiltInCpp) {
  EXPECT_EQ((2.0 * (3.0 * rbf(1.0))).str(), "6*rbf(ell=1)");
  EXPECT_EQ(((2.0 * rbf(1.0)) * linear()).str(), "2*rbf(ell=1)*linear()");
  EXPECT_EQ((rbf(1.0) * (2.0 * linear())).str(), "2*rbf(ell=1)*linear()");
  EXPECT_EQ((linear() + (rbf(1.0) + cosine())).str(), "linear() + rbf(ell=1) + cosine()");
  EXPECT_EQ((1.0 + linear()).str(), "1 + linear()");
  EXPECT_EQ((2.0 * rbf(0.5) + matern(1.5) * linear()).str(), "2*rbf(ell=0.5) + matern(nu=1.5, ell=1)*linear()");
  EXPECT_EQ(rbf(1.0 / 3).str(), "rbf(ell=0.3333333333333333)");
}

TEST(Print, OrderMatters) {
  EXPECT_NE(linear() + rbf(1.0), rbf(1.0) + linear());
  EXPECT_NE(rbf(1.0), rbf(Vector{1}));
  EXPECT_NE(rbf(1.0), parse("rbf(ell=fixed(1))"));
  EXPECT_NE(rbf(1.0), parse("rbf(ell=1 in [0.5, 2])"));
  EXPECT_NE(rbf(1.0), rbf(1.0 + 1e-15));
}

TEST(Print, SurvivesManyTerms) {
  Kernel k = linear();
  for (int i = 1; i <= 500; ++i) k = k + 0.5 * rbf(i);
  EXPECT_EQ(parse(k.str()), k);
  EXPECT_EQ(k.proof().premises.size(), 501u);
}

TEST(Print, CustomFunctionsGoByTheirName) {
  const FeatureMap phi{"halves", [](VectorView x) { return Vector{x[0] / 2}; }, nullptr};
  const WeightFunction f{"density", [](VectorView) { return 1.0; }, nullptr};
  EXPECT_EQ(features(phi).str(), "features(halves)");
  EXPECT_EQ(warp(phi, rbf(1.0)).str(), "warp(halves, rbf(ell=1))");
  EXPECT_EQ(scaled(f, rbf(1.0)).str(), "scaled(density, rbf(ell=1))");
  const Similarity s = Similarity::function("mine", [](VectorView, VectorView) { return 1.0; });
  EXPECT_EQ(assume_psd(s, "so").str(), "assume_psd(mine, \"so\")");
}

TEST(Print, CatalogHasTheNamesOfTheDesign) {
  std::vector<std::string> names;
  for (const CatalogRow& row : catalog()) {
    names.push_back(row.name);
    EXPECT_FALSE(row.because.empty()) << row.name;
    EXPECT_FALSE(row.formula.empty()) << row.name;
    EXPECT_FALSE(row.signature.empty()) << row.name;
  }
  for (const char* name : {"linear", "const",      "poly",      "rbf",         "laplace",   "exponential", "matern",
                           "rq",     "periodic",   "min",       "multilinear", "quadratic", "cosine",      "arccos",
                           "ntk",    "features",   "spectrum",  "sum",         "product",   "scale",       "power",
                           "exp",    "polynomial", "normalize", "scaled",      "warp",      "on"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

}  // namespace
}  // namespace mercer::print_test
