// Factors, solves and inverses against their definitions, on both sides of where work is shared between threads.
#include "linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.hpp"
#include "linalg/lapack.hpp"

namespace mercer::linalg {
namespace {

// exp(-|i-j|/3) + 1e-2 I, whose inverse and factor have no zeros.
Matrix positive(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a(i, j) = std::exp(-std::abs(static_cast<double>(i - j)) / 3) + (i == j ? 1e-2 : 0);
  }
  return a;
}

Matrix lower(const Matrix& a) {
  Matrix out(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) out(i, j) = a(i, j);
  }
  return out;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double out = 0;
  for (Index i = 0; i < a.rows() * a.cols(); ++i) out = std::max(out, std::abs(a.data()[i] - b.data()[i]));
  return out;
}

Matrix identity(Index n) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

class CholeskySizes : public testing::TestWithParam<Index> {};

TEST_P(CholeskySizes, FactorSolvesAndInverseAreWhatTheySay) {
  const Index n = GetParam();
  const Matrix a = positive(n);
  Matrix factor(a);
  ASSERT_EQ(cholesky(factor), 0);
  const Matrix l = lower(factor);
  Matrix product(n, n);
  multiply_transposed(1, l, l, 0, product);
  EXPECT_LT(largest_difference(product, a), 1e-13);

  Matrix solved = identity(n);
  cholesky_solve(factor, solved);
  multiply(1, a, solved, 0, product);
  EXPECT_LT(largest_difference(product, identity(n)), 1e-11);
  Matrix by_rows = identity(n), by_columns = identity(n);
  solve_lower_rows(factor, by_rows);
  solve_lower(factor, by_columns);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) ASSERT_NEAR(by_rows(i, j), by_columns(j, i), 1e-12);
  }

  Matrix inverted(factor), turned(factor);
  inverse(inverted);
  const Vector diagonal = inverse_diagonal(turned);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) ASSERT_NEAR(inverted(i, j), solved(i, j), 1e-11) << i << ", " << j;
    EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], solved(i, i), 1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CholeskySizes, testing::Values(1, 5, 127, 229, 256, 300, 517));

TEST(Cholesky, SaysWhichPivotFails) {
  for (const Index n : {10, 400}) {
    for (const Index bad : {Index{0}, n / 2 + 3, n - 1}) {
      Matrix a = positive(n);
      a(bad, bad) = -1;
      EXPECT_EQ(cholesky(a), bad + 1);
    }
  }
}

TEST(Cholesky, TheNumberOfThreadsChangesNoBit) {
  const Index n = 500;
  std::vector<Matrix> all;
  for (const int threads : {1, 2, 3, 8}) {
    const Threads limit(threads);
    Matrix a = positive(n), b(n, 70, 1.0);
    ASSERT_EQ(cholesky(a), 0);
    cholesky_solve(a, b);
    solve_lower_rows(a, MatrixRef(b.data(), 70, n));
    inverse(a);
    Matrix out(n + 70, n);
    for (Index i = 0; i < n; ++i) std::copy_n(a.row(i), i + 1, out.row(i));
    std::copy_n(b.data(), 70 * n, out.row(n));
    all.push_back(std::move(out));
  }
  for (const Matrix& other : all) EXPECT_TRUE(other == all.front());
}

}  // namespace
}  // namespace mercer::linalg
