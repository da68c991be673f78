// `auto`: 0.6 of the median distance, wherever in an expression it stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::resolve_test {
namespace {

using test::expect_error;
using test::random_matrix;
using Distance = std::function<double(const double*, const double*, Index)>;

double euclidean(const double* a, const double* b, Index d) {
  double total = 0;
  for (Index k = 0; k < d; ++k) total += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(total);
}

double absolute(const double* a, const double* b, Index d) {
  double total = 0;
  for (Index k = 0; k < d; ++k) total += std::abs(a[k] - b[k]);
  return total;
}

// 0.6 of the upper median of the distances of all pairs that differ.
double naive_scale(const Matrix& x, const Distance& distance) {
  Vector all;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (const double d = distance(x.row(i), x.row(j), x.cols()); d > 0) all.push_back(d);
    }
  }
  std::sort(all.begin(), all.end());
  return 0.6 * all[all.size() / 2];
}

Matrix column(const Matrix& x, Index k) { return Matrix(x.view().block({0, x.rows()}, {k, k + 1})); }

double ell_of(const Kernel& k) { return k.params()[k.params().find("ell")].value; }

TEST(Resolve, TakesAShareOfTheMedianDistance) {
  const Matrix x = random_matrix(31, 3, 1);
  for (const char* text : {"rbf(ell=auto)", "exponential(ell=auto)", "matern(nu=2.5, ell=auto)", "rq(ell=auto)"}) {
    EXPECT_NEAR(ell_of(parse(text).resolve(rows(x))), naive_scale(x, euclidean), 1e-14) << text;
  }
  EXPECT_NEAR(ell_of(parse("laplace(ell=auto)").resolve(rows(x))), naive_scale(x, absolute), 1e-14);
}

TEST(Resolve, IgnoresDuplicates) {
  const Points x = rows(Matrix{{0.0}, {0.0}, {0.0}, {0.0}, {3.0}});
  EXPECT_DOUBLE_EQ(ell_of(parse("rbf(ell=auto)").resolve(x)), 0.6 * 3);
  // How often a point is there does not matter: the distances are 1, 9 and 10.
  const Matrix repeated{{0.0}, {0.0}, {0.0}, {1.0}, {1.0}, {10.0}};
  EXPECT_DOUBLE_EQ(ell_of(parse("rbf(ell=auto)").resolve(rows(repeated))), 0.6 * 9);
  EXPECT_DOUBLE_EQ(ell_of(parse("rbf(ell=auto)").resolve(rows(test::to_sparse(repeated)))), 0.6 * 9);
}

TEST(Resolve, ListTakesOneScalePerColumn) {
  const Matrix x = random_matrix(31, 3, 2);
  const Params euclid = parse("rbf(ell=[auto])").resolve(rows(x)).params();
  const Params taxi = parse("laplace(ell=[auto])").resolve(rows(x)).params();
  ASSERT_EQ(euclid.size(), 3);
  ASSERT_EQ(taxi.size(), 3);
  for (Index k = 0; k < 3; ++k) {
    const double scale = naive_scale(column(x, k), absolute);
    EXPECT_NEAR(euclid[k].value, scale * std::sqrt(3.0), 1e-13);
    EXPECT_NEAR(taxi[k].value, scale * 3, 1e-13);
  }
}

TEST(Resolve, ConstantColumnsOfAListGetOne) {
  const Params p = parse("rbf(ell=[auto])").resolve(rows(Matrix{{1, 5}, {2, 5}, {4, 5}})).params();
  EXPECT_GT(p[0].value, 0);
  EXPECT_EQ(p[1].value, 1);
}

TEST(Resolve, SeesTheColumnsOfOn) {
  const Matrix x = random_matrix(20, 3, 3);
  const Kernel k = parse("on(2, rbf(ell=auto))*on([1, 3], matern(nu=1.5, ell=auto))").resolve(rows(x));
  const Params p = k.params();
  EXPECT_NEAR(p[p.find("rbf.ell")].value, naive_scale(column(x, 1), euclidean), 1e-14);
  Matrix outer(20, 2);
  for (Index i = 0; i < 20; ++i) {
    outer(i, 0) = x(i, 0);
    outer(i, 1) = x(i, 2);
  }
  EXPECT_NEAR(p[p.find("matern.ell")].value, naive_scale(outer, euclidean), 1e-14);
}

TEST(Resolve, SeesTheImageOfWarp) {
  const Matrix x = random_matrix(20, 2, 4);
  Matrix mapped = x;
  for (Index i = 0; i < 40; ++i) mapped.data()[i] = std::tanh(mapped.data()[i]);
  EXPECT_NEAR(ell_of(parse("warp(tanh, rbf(ell=auto))").resolve(rows(x))), naive_scale(mapped, euclidean), 1e-14);
  const FeatureMap sum{"sum", [](VectorView v) { return Vector{v[0] + v[1]}; }, nullptr};
  Matrix sums(20, 1);
  for (Index i = 0; i < 20; ++i) sums(i, 0) = x(i, 0) + x(i, 1);
  EXPECT_NEAR(ell_of(warp(sum, parse("rbf(ell=auto)")).resolve(rows(x))), naive_scale(sums, euclidean), 1e-14);
}

TEST(Resolve, SeesThroughTablesOfSeveralKinds) {
  const Points t = table({{"age", rows(Matrix{{1}, {6}})}, {"doc", strings({"ab", "abc"})}});
  const Kernel k = parse("on(age, rbf(ell=auto))*on(doc, spectrum(k=2))").resolve(t);
  EXPECT_EQ(k.str(), "on(age, rbf(ell=3))*on(doc, spectrum(k=2))");
}

TEST(Resolve, KeepsTheRange) {
  const Points x = rows(Matrix{{0.0}, {100.0}});
  EXPECT_EQ(parse("rbf(ell=auto in [0.1, 10])").resolve(x).str(), "rbf(ell=10 in [0.1, 10])");
  EXPECT_EQ(parse("rbf(ell=fixed(auto))").resolve(x).str(), "rbf(ell=fixed(60))");
}

TEST(Resolve, LeavesTheRestAlone) {
  const Points x = rows(Matrix{{0.0}, {5.0}});
  const Kernel plain = parse("2*rbf(ell=1) + linear()");
  EXPECT_EQ(plain.resolve(x), plain);
  EXPECT_EQ(parse("3*(rbf(ell=auto) + linear())^2").resolve(x).str(), "3*(rbf(ell=3) + linear())^2");
}

TEST(Resolve, IsTheSameInEveryStorage) {
  Matrix x(12, 2);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = static_cast<double>(i * i) / 8;
    x(i, 1) = i % 3 == 0 ? 0 : 1.5;
  }
  const Kernel k = parse("rbf(ell=auto)*laplace(ell=[auto])");
  const std::vector<float> numbers = test::to_float(x);
  EXPECT_EQ(k.resolve(rows(test::to_sparse(x))), k.resolve(rows(x)));
  EXPECT_EQ(k.resolve(rows(FloatMatrixView(numbers.data(), 12, 2))), k.resolve(rows(x)));
}

TEST(Resolve, SamplesLargeSetsTheSameWayEachTime) {
  const Matrix x = random_matrix(5000, 1, 5);
  const Kernel k = parse("rbf(ell=auto)");
  EXPECT_EQ(k.resolve(rows(x)), k.resolve(rows(x)));
  EXPECT_NEAR(ell_of(k.resolve(rows(x))), 0.6 * 4 * (1 - std::sqrt(0.5)), 0.1);  // of uniform numbers in [-2, 2]
}

TEST(Resolve, EqualInputsHaveNoScaleAndNeedNone) {
  const Points equal = rows(Matrix{{1, 2}, {1, 2}, {1, 2}});
  EXPECT_EQ(parse("rbf(ell=auto)").resolve(equal), parse("rbf(ell=1)"));
  EXPECT_EQ(parse("laplace(ell=[auto])").resolve(equal), parse("laplace(ell=[1, 1])"));
  EXPECT_EQ(parse("rbf(ell=auto in [2, 5])").resolve(equal), parse("rbf(ell=2 in [2, 5])"));
}

// Neither sorted data nor data whose classes take turns mislead it: uniform numbers have one median distance.
TEST(Resolve, TheOrderOfManyPointsHardlyMatters) {
  constexpr Index n = 6000;
  Matrix sorted(n, 1), alternating(n, 1);
  for (Index i = 0; i < n; ++i) {
    sorted(i, 0) = static_cast<double>(i) / n;
    alternating(i, 0) = static_cast<double>(i / 6 + i % 6 * (n / 6)) / n;  // every sixth is from the same stretch
  }
  const double expected = 0.6 * (1 - std::sqrt(0.5));
  EXPECT_NEAR(ell_of(parse("rbf(ell=auto)").resolve(rows(sorted))), expected, 0.005);
  EXPECT_NEAR(ell_of(parse("rbf(ell=auto)").resolve(rows(alternating))), expected, 0.03);
}

TEST(Resolve, RefusesInputsWithoutDistances) {
  const Kernel k = parse("rbf(ell=auto)");
  expect_error(
      [&] {
        k.resolve(rows(Matrix{{1, 2}}));
      },
      "NumericError", {"rbf(): ell=auto", "fewer than two inputs", "give ell a number"});
  expect_error([&] { k.resolve(rows(Matrix(0, 2))); }, "NumericError", {"ell=auto"});
  expect_error([&] { k.resolve(strings({"a", "b"})); }, "DomainError", {"rbf()", "needs numbers", "holds text"});
  expect_error([&] { k.resolve(rows(Matrix{{1}, {std::nan("")}})); }, "DataError", {"row 2, column 1"});
}

TEST(Resolve, EvaluationResolvesOnTheFirstSet) {
  const Points x = rows(Matrix{{0.0}, {2.0}}), y = rows(Matrix{{0.0}, {50.0}});
  const Kernel k = parse("rbf(ell=auto)"), at = rbf(1.2);
  EXPECT_EQ(gram(k, x), gram(at, x));
  EXPECT_EQ(cross(k, x, y), cross(at, x, y));
  EXPECT_EQ(diagonal(k, x), diagonal(at, x));
  EXPECT_EQ(multiply(k, x, y, Matrix(2, 1, 1.0)), multiply(at, x, y, Matrix(2, 1, 1.0)));
  EXPECT_EQ(gradient(k, x, Matrix(2, 2, 1.0)), gradient(at, x, Matrix(2, 2, 1.0)));
  EXPECT_EQ(exact(k, x).kernel(), at);
  EXPECT_EQ(lazy(k, x).kernel(), at);
}

// A Gram's numbers at new inputs belong to the kernel resolved on its own points.
TEST(Resolve, GramKeepsItsKernelAtNewInputs) {
  const Points x = rows(Matrix{{0.0}, {2.0}}), fresh = rows(Matrix{{0.0}, {50.0}, {9.0}});
  const Matrix v(2, 1, 1.0);
  const Matrix expected = multiply(rbf(1.2), fresh, x, v);
  test::expect_near(exact(parse("rbf(ell=auto)"), x).expansion(v)(fresh), expected, 1e-15);
  test::expect_near(lazy(parse("rbf(ell=auto)"), x).expansion(v)(fresh), expected, 1e-15);
}

}  // namespace
}  // namespace mercer::resolve_test
