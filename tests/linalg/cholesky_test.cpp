// Factors, solves and inverses against their definitions, on both sides of where work is shared between threads.
#include "linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "support.hpp"

namespace mercer::linalg::cholesky_test {
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

class CholeskySizes : public ::testing::TestWithParam<Index> {};

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

INSTANTIATE_TEST_SUITE_P(All, CholeskySizes,
                         ::testing::Values(1, 5, 64, 65, 127, 191, 192, 229, 256, 300, 383, 384, 385, 577));

TEST(Cholesky, SaysWhichPivotFails) {
  for (const int threads : {1, 2}) {
    const Threads limit(threads);
    for (const Index n : {10, 150, 400, 600}) {
      for (const Index bad : {Index{0}, n / 2 + 3, std::min<Index>(n - 1, 192), n - 1}) {
        Matrix a = positive(n);
        a(bad, bad) = -1;
        EXPECT_EQ(cholesky(a), bad + 1) << n;
      }
    }
  }
}

// The tiles change their size with n. Residuals are looked at in some rows only: the whole would be as long as the
// rest.
TEST(Cholesky, LargeMatricesHaveLargerTiles) {
  for (const Index n : {2399, 2401}) {
    const Matrix a = positive(n);
    Matrix l(a), inverted;
    ASSERT_EQ(cholesky(l), 0);
    inverted = l;
    inverse(inverted);
    for (const Index i : {Index{0}, Index{383}, Index{384}, n / 2, n - 1}) {
      for (Index j = 0; j <= i; j += 7) {
        double sum = 0;
        for (Index k = 0; k <= j; ++k) sum += l(i, k) * l(j, k);
        ASSERT_NEAR(sum, a(i, j), 1e-13) << i << ", " << j;
        double one = 0;  // row i of A^-1 A
        for (Index k = 0; k < n; ++k) one += (k <= i ? inverted(i, k) : inverted(k, i)) * a(k, j);
        ASSERT_NEAR(one, i == j ? 1 : 0, 1e-11) << i << ", " << j;
      }
    }
  }
}

TEST(Cholesky, CanBeCancelledBetweenTiles) {
  for (const int threads : {1, 2}) {
    const Threads limit(threads);
    Matrix a = positive(700);
    int heard = 0;
    const Monitor stop([&](const Progress& p) {
      EXPECT_EQ(p.stage, "solve");
      return ++heard < 3;
    });
    test::expect_error([&] { cholesky(a, stop); }, "Cancelled", {"stopped"});
    EXPECT_EQ(heard, 3);
  }
}

// Nearly singular: residuals of factor and solves stay as small as those of exact arithmetic on rounded numbers.
TEST(Cholesky, StaysBackwardStableOnNearlySingularMatrices) {
  constexpr Index n = 500;
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double d = static_cast<double>(i - j) / 60;
      a(i, j) = std::exp(-0.5 * d * d) + (i == j ? 1e-12 : 0);
    }
  }
  Matrix factor(a);
  ASSERT_EQ(cholesky(factor), 0);
  const Matrix l = lower(factor);
  Matrix product(n, n), rows(50, n, 1.0), back(50, n);
  multiply_transposed(1, l, l, 0, product);
  EXPECT_LT(largest_difference(product, a), 2e-14);
  solve_lower_rows(factor, rows);
  multiply_transposed(1, rows, l, 0, back);
  double size = 0;
  for (Index j = 0; j < n; ++j) size = std::max(size, std::abs(rows(0, j)));
  EXPECT_LT(largest_difference(back, Matrix(50, n, 1.0)), 1e-15 * size * n);
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
}  // namespace mercer::linalg::cholesky_test
