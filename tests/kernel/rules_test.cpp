// The closure rules: what each computes, from what its premises compute.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::rules_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

const Matrix& inputs() {
  static const Matrix m = random_matrix(17, 3, 1, 0.1, 2);
  return m;
}

Matrix values(const Kernel& k) { return gram(k, rows(inputs())); }

Matrix entrywise(const Matrix& a, const Matrix& b, const std::function<double(double, double)>& f) {
  Matrix out(a.rows(), a.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(i, j) = f(a(i, j), b(i, j));
  }
  return out;
}

Matrix entrywise(const Matrix& a, const std::function<double(double)>& f) {
  return entrywise(a, a, [&](double v, double) { return f(v); });
}

TEST(Rules, SumProductScale) {
  const Kernel a = rbf(0.8), b = poly(2, 0.5);
  expect_near(values(a + b), entrywise(values(a), values(b), std::plus<>()), 1e-14);
  expect_near(values(a * b), entrywise(values(a), values(b), std::multiplies<>()), 1e-14);
  expect_near(values(2.5 * a), entrywise(values(a), [](double v) { return 2.5 * v; }), 1e-14);
  expect_near(values(a * 2.5), values(2.5 * a), 0);
  expect_near(values(3.0 + b), entrywise(values(b), [](double v) { return v + 3; }), 1e-14);
  expect_near(values(0.0 * b), Matrix(17, 17), 0);
}

TEST(Rules, SharedPartsDoNotDisturbEachOther) {
  const Kernel a = rbf(0.8), b = matern(1.5, 0.4), c = linear();
  const Kernel k = a * a + 2.0 * a * b + (a + b) * (c + b) + rbf(Vector{1, 2, 3}) * rbf(Vector{3, 2, 1}) * a;
  const auto one = [](const Kernel& leaf, Index i, Index j) { return values(leaf)(i, j); };
  const Matrix g = values(k);
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 5}, {3, 3}, {16, 2}}) {
    const double ka = one(a, i, j), kb = one(b, i, j), kc = one(c, i, j);
    const double product = one(rbf(Vector{1, 2, 3}), i, j) * one(rbf(Vector{3, 2, 1}), i, j) * ka;
    EXPECT_NEAR(g(i, j), ka * ka + 2 * ka * kb + (ka + kb) * (kc + kb) + product, 1e-13);
  }
}

TEST(Rules, PowerExpPolynomial) {
  const Kernel a = rbf(0.8), b = 0.5 * linear() + 0.25;
  for (const int degree : {1, 2, 5, 64}) {
    expect_near(values(pow(a, degree)), entrywise(values(a), [&](double v) { return std::pow(v, degree); }), 1e-12);
  }
  expect_near(values(pow(b, 3)), entrywise(values(b), [](double v) { return v * v * v; }), 1e-13);
  expect_near(values(pow(2.0 * a, 2)), entrywise(values(a), [](double v) { return 4 * v * v; }), 1e-14);
  expect_near(values(exp(b)), entrywise(values(b), [](double v) { return std::exp(v); }), 1e-13);
  expect_near(values(exp(a) * exp(b)),
              entrywise(values(a), values(b), [](double u, double v) { return std::exp(u + v); }), 1e-13);
  expect_near(values(polynomial({1, 0, 2}, b)), entrywise(values(b), [](double v) { return 1 + 2 * v * v; }), 1e-13);
  expect_near(values(polynomial({3}, b)), Matrix(17, 17, 3.0), 0);
}

TEST(Rules, NormalizeHasOnesOnTheDiagonal) {
  for (const Kernel& k : {poly(3, 1), linear() + 2.0 * rbf(0.3), exp(0.1 * linear()), ntk(2), min()}) {
    const Matrix plain = values(k), unit = values(normalize(k));
    for (Index i = 0; i < 17; ++i) {
      EXPECT_NEAR(unit(i, i), 1, 1e-14) << k.str();
      for (Index j = 0; j < i; ++j) {
        EXPECT_NEAR(unit(i, j), plain(i, j) / std::sqrt(plain(i, i) * plain(j, j)), 1e-14) << k.str();
      }
    }
  }
}

TEST(Rules, NormalizeGivesZeroWhereTheDiagonalIsZero) {
  const Points x = rows(Matrix{{0, 0}, {1, 2}});
  EXPECT_EQ(gram(normalize(linear()), x)(0, 0), 0);
  EXPECT_EQ(gram(normalize(linear()), x)(0, 1), 0);
  EXPECT_NEAR(gram(normalize(linear()), x)(1, 1), 1, 1e-15);
  EXPECT_EQ(gram(normalize(0.0 * rbf(1.0)), x), Matrix(2, 2));
}

TEST(Rules, NormalizeRefusesAnInfiniteDiagonal) {
  expect_error(
      [] {
        gram(normalize(1 + exp(linear())), rows(Matrix{{1.0}, {100.0}}));
      },
      "NumericError", {"normalize(): k(x,x) is inf at row 2"});
}

TEST(Rules, OnReadsItsColumns) {
  const Points x = named(rows(inputs()), {"a", "b", "c"});
  Matrix column(17, 1);
  for (Index i = 0; i < 17; ++i) column(i, 0) = inputs()(i, 1);
  expect_near(gram(on(2, rbf(0.5)), x), gram(rbf(0.5), rows(column)), 1e-15);
  expect_near(gram(on("b", rbf(0.5)), x), gram(rbf(0.5), rows(column)), 1e-15);
  expect_near(gram(on("a:c", rbf(0.5)), x), gram(rbf(0.5), x), 1e-15);
  expect_near(gram(on("c, a", rbf(Vector{0.5, 2})), x), gram(on("a, c", rbf(Vector{2, 0.5})), x), 1e-15);
  expect_near(gram(on("b:c", on(2, linear())), x), gram(on("c", linear()), x), 1e-15);
  expect_near(gram(on("b:c", on("c", linear())), x), gram(on("c", linear()), x), 1e-15);
}

TEST(Rules, OnJoinsKindsInATable) {
  const Points t = table({{"age", rows(Matrix{{1}, {2}, {4}})}, {"doc", strings({"aab", "aab", "ba"})}});
  const Kernel k = parse("on(doc, normalize(spectrum(k=2)))*on(age, rbf(ell=10)) + on(age, linear())");
  const Matrix g = gram(k, t);
  const Matrix text = gram(normalize(spectrum(2)), t.columns("doc")), ages = gram(rbf(10.0), t.columns("age"));
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const double xi = i == 2 ? 4 : static_cast<double>(i + 1), xj = j == 2 ? 4 : static_cast<double>(j + 1);
      EXPECT_NEAR(g(i, j), text(i, j) * ages(i, j) + xi * xj, 1e-14);
    }
  }
  expect_near(cross(k, t.slice({0, 1}), t), Matrix(g.view().block({0, 1}, {0, 3})), 1e-14);
}

TEST(Rules, OnKeepsTheOrderOfColumnsInATable) {
  const Points t = table({{"x", rows(Matrix{{1, 5}, {2, 9}})}, {"doc", strings({"a", "b"})}});
  const double expected = std::exp(-0.5 * (4.0 * 4 / (1 * 1) + 1.0 * 1 / (3 * 3)));
  EXPECT_NEAR(gram(parse("on([2, 1], rbf(ell=[1, 3]))"), t)(0, 1), expected, 1e-15);
}

TEST(Rules, InputGradientsReachTheColumnsOfANamedPart) {
  const Matrix x{{1, 2}, {0.5, -1}, {3, 1}};
  const Points named_parts = table({{"p", rows(Matrix{{7}, {8}, {9}})}, {"x", rows(x)}});
  const Matrix w{{1, 2, 3}, {-1, 0.5, 2}, {0, 1, -2}};
  const Matrix g = input_gradient(on("x", rbf(1.5)), named_parts, named_parts, w);
  const Matrix expected = input_gradient(rbf(1.5), rows(x), rows(x), w);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(g(i, 0), 0);
    EXPECT_NEAR(g(i, 1), expected(i, 0), 1e-15);
    EXPECT_NEAR(g(i, 2), expected(i, 1), 1e-15);
  }
}

TEST(Rules, AColumnListMustNotBeEmpty) {
  EXPECT_NE(test::error_of([] {
              gram(on(Columns(std::vector<Columns::Item>{}), linear()), rows(Matrix{{1, 2}}));
            }),
            "no error");
}

TEST(Rules, DistributivityHolds) {
  const Kernel a = rbf(0.8), b = linear(), c = matern(2.5, 0.6);
  expect_near(values(a * (b + c)), values(a * b + a * c), 1e-13);
  expect_near(values(2.0 * (b + c)), values(2.0 * b + 2.0 * c), 1e-13);
  expect_near(values(pow(1.0 + b, 2)), values(poly(2, 1)), 1e-13);
  expect_near(values(exponential(0.7)), values(matern(0.5, 0.7)), 1e-15);
  expect_near(values(normalize(linear())), values(cosine()), 1e-14);
  expect_near(values(quadratic(Matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), values(linear()), 1e-13);
  expect_near(values(rbf(Vector{0.7, 0.7, 0.7})), values(rbf(0.7)), 1e-13);
}

}  // namespace
}  // namespace mercer::rules_test
