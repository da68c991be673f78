// The size of a symmetric matrix and its condition, against their definitions.
#include "linalg/cholesky.hpp"
#include "support.hpp"

namespace mercer::norm_test {
namespace {

// What is above the diagonal must not be read.
Matrix lower_only(Matrix a) {
  for (Index i = 0; i < a.rows(); ++i) std::fill(a.row(i) + i + 1, a.row(i) + a.cols(), std::nan(""));
  return a;
}

double largest_row(const Matrix& a) {
  double out = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (Index j = 0; j < a.cols(); ++j) sum += std::abs(a(i, j));
    out = std::max(out, sum);
  }
  return out;
}

TEST(SymmetricNorm, IsTheLargestSumOfAWholeRow) {
  EXPECT_EQ(linalg::symmetric_norm(Matrix(0, 0)), 0);
  EXPECT_EQ(linalg::symmetric_norm(Matrix{{-3}}), 3);
  // The first row is the largest, and all of it but the diagonal is in the mirrored half.
  EXPECT_EQ(linalg::symmetric_norm(lower_only(Matrix{{1, -5, 6}, {-5, 2, 0}, {6, 0, -3}})), 12);
  Matrix a = test::random_matrix(40, 40, 1);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  EXPECT_NEAR(linalg::symmetric_norm(lower_only(a)), largest_row(a), 1e-13);
}

TEST(Condition, OfAMatrixWhoseInverseIsKnown) {
  // A = I + c e e' has the inverse I - c / (1 + n c) e e'.
  const Index n = 30;
  const double c = 7, inverse = c / (1 + c * static_cast<double>(n));
  Matrix a(n, n, c);
  for (Index i = 0; i < n; ++i) a(i, i) += 1;
  const double norm = linalg::symmetric_norm(a);
  EXPECT_DOUBLE_EQ(norm, 1 + c * static_cast<double>(n));
  ASSERT_EQ(linalg::cholesky(a), 0);
  EXPECT_NEAR(linalg::condition(a, norm), norm * (1 - inverse + static_cast<double>(n - 1) * inverse), 1e-9 * norm);
}

}  // namespace
}  // namespace mercer::norm_test
