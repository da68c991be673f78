#include <gtest/gtest.h>

#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "support.hpp"

namespace mercer::factor_test {
namespace {

Matrix times_transposed(const Matrix& a) {
  Matrix out(a.rows(), a.rows());
  linalg::multiply_transposed(1, a, a, 0, out);
  return out;
}

TEST(FactorOfProduct, HasTheSameProduct) {
  Random random(1);
  for (const auto& [rows, cols] :
       std::vector<std::pair<Index, Index>>{{4, 9}, {9, 4}, {5, 5}, {1, 3}, {3, 1}, {0, 4}}) {
    Matrix a(rows, cols);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) a(i, j) = random.normal();
    }
    const Matrix l = linalg::factor_of_product(a);
    ASSERT_EQ(l.cols(), std::min(rows, cols));
    for (Index j = 0; j < l.cols(); ++j) {
      EXPECT_GE(l(j, j), 0);
      for (Index i = 0; i < j; ++i) EXPECT_EQ(l(i, j), 0);
    }
    test::expect_near(times_transposed(l), times_transposed(a), 1e-13);
  }
}

// The product of these rows has no digit left that tells them apart.
TEST(FactorOfProduct, KeepsWhatTheProductLoses) {
  const Matrix l = linalg::factor_of_product({{1, 0}, {1, 1e-9}});
  EXPECT_NEAR(l(1, 1), 1e-9, 1e-16);
}

}  // namespace
}  // namespace mercer::factor_test
