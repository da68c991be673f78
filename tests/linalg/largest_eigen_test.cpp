// The largest eigenvalues by products against all of them by LAPACK, and the cases in which the products run dry.
#include "linalg/largest_eigen.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "mercer/error.hpp"

namespace mercer::linalg::largest_eigen_test {
namespace {

Symmetric by_products(const Matrix& a) {
  return {a.rows(), [&a](MatrixView v, MatrixRef out) { multiply(1, a, v, 0, out); }};
}

// Q diag(values) Q' with Q orthogonal.
Matrix with_eigenvalues(const Vector& values, std::uint64_t seed) {
  const auto n = static_cast<Index>(values.size());
  Random random(seed);
  Matrix any(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) any(i, j) = random.normal();
  }
  const Matrix q = eigen(any).vectors;
  Matrix scaled = q, out(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) scaled(i, j) *= values[at(i)];
  }
  multiply_left_transposed(1, q, scaled, 0, out);
  return out;
}

Vector values_of(Index n, double (*value)(double i)) {
  Vector out;
  for (Index i = 0; i < n; ++i) out.push_back(value(static_cast<double>(i)));
  return out;
}

void expect_eigenpairs(const Matrix& a, const LargestEigen& found, const Vector& values, double tolerance) {
  ASSERT_EQ(found.values.size(), values.size());
  const double largest = std::max(std::abs(values.front()), 1e-300);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(found.values[i], values[i], tolerance * largest) << i;
    const double* v = found.vectors.row(static_cast<Index>(i));
    double residual = 0;
    for (Index r = 0; r < a.rows(); ++r) {
      double sum = -found.values[i] * v[r];
      for (Index c = 0; c < a.cols(); ++c) sum += a(r, c) * v[c];
      residual += sum * sum;
    }
    EXPECT_LE(std::sqrt(residual), tolerance * largest) << i;
  }
  Matrix products(found.vectors.rows(), found.vectors.rows());
  multiply_transposed(1, found.vectors, found.vectors, 0, products);
  for (Index i = 0; i < products.rows(); ++i) {
    for (Index j = 0; j < products.cols(); ++j) EXPECT_NEAR(products(i, j), i == j ? 1 : 0, 1e-12);
  }
}

Vector first(Vector values, Index count) {
  values.resize(at(count));
  return values;
}

TEST(LargestEigen, ByProductsAreThoseOfTheMatrix) {
  for (const auto value : {+[](double i) { return std::exp(-0.2 * i); }, +[](double i) { return 1 / (1 + i); },
                           +[](double i) { return 2 - 0.01 * i; }}) {
    const Vector values = values_of(300, value);
    const Matrix a = with_eigenvalues(values, 5);
    const LargestEigen found = largest_eigen(by_products(a), 10);
    EXPECT_TRUE(found.converged);
    EXPECT_LE(found.residual, 1e-9);
    expect_eigenpairs(a, found, first(values, 10), 2e-9);
    expect_eigenpairs(a, largest_eigen(a, 10), first(values, 10), 1e-12);
  }
}

// A block of 2 keeps 8 + 36 vectors: what a flat spectrum needs does not fit without beginning anew.
TEST(LargestEigen, GoesOnFromTheBestWhereTheBasisIsFull) {
  const Vector values = values_of(600, [](double i) { return 2 - 0.002 * i; });
  const Matrix a = with_eigenvalues(values, 6);
  const LargestEigen found = largest_eigen(by_products(a), 4, {.block = 2});
  EXPECT_TRUE(found.converged);
  EXPECT_GT(found.products, 22);
  expect_eigenpairs(a, found, first(values, 4), 2e-9);
}

TEST(LargestEigen, LargestMeansOfSignAndNotOfSize) {
  Vector values = values_of(200, [](double i) { return 1 - 0.02 * i; });
  const Matrix a = with_eigenvalues(values, 7);
  expect_eigenpairs(a, largest_eigen(by_products(a), 5), first(values, 5), 5e-9);
}

TEST(LargestEigen, OfLowRankEndsWithZeros) {
  Vector values(100);
  values[0] = 3, values[1] = 2, values[2] = 1;
  const Matrix a = with_eigenvalues(values, 8);
  const LargestEigen found = largest_eigen(by_products(a), 5);
  EXPECT_LE(found.products, 2);
  expect_eigenpairs(a, found, first(values, 5), 1e-12);
}

TEST(LargestEigen, BeginsAnewWhereProductsLeadNowhere) {
  Matrix identity(100, 100);
  for (Index i = 0; i < 100; ++i) identity(i, i) = 1;
  expect_eigenpairs(identity, largest_eigen(by_products(identity), 40), Vector(40, 1.0), 1e-12);
  const Matrix zero(30, 30);
  expect_eigenpairs(zero, largest_eigen(by_products(zero), 25), Vector(25, 0.0), 1e-12);
}

TEST(LargestEigen, OfFewerThanAskedForAreAll) {
  const Vector values{5, 4, 1};
  const Matrix a = with_eigenvalues(values, 9);
  expect_eigenpairs(a, largest_eigen(by_products(a), 7), values, 1e-12);
  expect_eigenpairs(a, largest_eigen(a, 7), values, 1e-12);
  EXPECT_TRUE(largest_eigen(by_products(Matrix()), 3).values.empty());
}

TEST(LargestEigen, AsManyAsTheEstimatesSay) {
  const Vector values = values_of(300, [](double i) { return std::exp(-0.1 * i); });
  const Matrix a = with_eigenvalues(values, 10);
  const Wanted above_a_tenth = [](VectorView estimates) {
    Index count = 0;
    for (const double value : estimates) count += value > 0.1;
    return count < static_cast<Index>(estimates.size()) ? count : count + 1;
  };
  expect_eigenpairs(a, largest_eigen(by_products(a), above_a_tenth), first(values, 24), 2e-9);
  expect_eigenpairs(a, largest_eigen(a, above_a_tenth), first(values, 24), 1e-12);
}

TEST(LargestEigen, HoldsFarFromOne) {
  for (const double size : {1e-200, 1e200}) {
    Vector values = values_of(100, [](double i) { return std::exp(-0.3 * i); });
    for (double& value : values) value *= size;
    const Matrix a = with_eigenvalues(values, 11);
    const LargestEigen found = largest_eigen(by_products(a), 3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.values[i] / values[i], 1, 1e-9);
  }
}

TEST(LargestEigen, ThreadsDoNotShow) {
  const Matrix a = with_eigenvalues(values_of(700, [](double i) { return 1 / (1 + i); }), 12);
  const auto with_threads = [&](int threads) {
    const Threads so_many(threads);
    return largest_eigen(by_products(a), 10);
  };
  const LargestEigen one = with_threads(1), three = with_threads(3);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.vectors, three.vectors);
}

TEST(LargestEigen, SaysWhenItDidNotConverge) {
  const Matrix a = with_eigenvalues(values_of(300, [](double i) { return 2 - 0.001 * i; }), 13);
  const LargestEigen found = largest_eigen(by_products(a), 10, {.most = 2});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.products, 2);
  EXPECT_GT(found.residual, 1e-9);
}

TEST(LargestEigen, StopsWhenTold) {
  const Matrix a = with_eigenvalues(values_of(300, [](double i) { return 2 - 0.001 * i; }), 14);
  int calls = 0;
  const Monitor stop([&](const Progress&) { return ++calls < 3; });
  EXPECT_THROW(largest_eigen(by_products(a), 10, {}, stop), Error);
  EXPECT_EQ(calls, 3);
}

TEST(LargestEigen, RefusesWhatIsNotFinite) {
  Matrix a(20, 20);
  a(3, 4) = a(4, 3) = std::nan("");
  EXPECT_THROW(largest_eigen(by_products(a), 2), Error);
}

TEST(FixSigns, MakesTheLargestEntryPositive) {
  Matrix rows{{1, -3, 2}, {2, -2, 1}, {0, 0, 0}};
  fix_signs(rows);
  EXPECT_EQ(rows, (Matrix{{-1, 3, -2}, {2, -2, 1}, {0, 0, 0}}));
}

}  // namespace
}  // namespace mercer::linalg::largest_eigen_test
