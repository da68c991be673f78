// What ridge suggests when K + ridge I has no Cholesky factor.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::ridge_advice_test {
namespace {

TEST(RidgeAdvice, IsEnoughWhereRoundingIsTheFault) {
  Matrix values(50, 50);  // of rank 1; rows that are equal would be one point
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < 50; ++j) {
      values(i, j) = 1e6 * (1 + 1e-3 * static_cast<double>(i)) * (1 + 1e-3 * static_cast<double>(j));
    }
  }
  const Gram K = precomputed(values);
  const Vector y(50, 1.0);
  const std::string text = test::error_of([&] { KernelRidge{.ridge = 1e-12}.fit(K, y); });
  const std::string before = "use a ridge of at least ";
  ASSERT_NE(text.find(before), std::string::npos) << text;
  const double advised = std::stod(text.substr(text.find(before) + before.size()));
  EXPECT_GT(advised, 1e-12);
  EXPECT_NO_THROW(KernelRidge{.ridge = advised}.fit(K, y));
}

TEST(RidgeAdvice, IsNotGivenForTheMatrixOfNoKernel) {
  const Vector y(2, 1.0);
  for (const Matrix& k : {Matrix{{-1, 0}, {0, -1}}, Matrix{{1, 5}, {5, 1}}}) {
    const std::string text = test::error_of([&] { KernelRidge{.ridge = 1e-3}.fit(precomputed(k), y); });
    EXPECT_NE(text.find("no kernel"), std::string::npos) << text;
    EXPECT_EQ(text.find("at least"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mercer::ridge_advice_test
