// The effective dimension against the eigenvalues of the matrix of all points that it is defined by.
#include "centres/effective_dimension.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/lapack.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::centres::effective_dimension_test {
namespace {

double from_eigenvalues(const Centres& z, const Points& x, const Vector& weights) {
  const Vector own = diagonal(z.kernel(), x);
  Matrix F = z.features(x);
  double trace = 0, all = 0;
  for (Index i = 0; i < F.rows(); ++i) {
    const double v = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
    all += v;
    trace += v * own[static_cast<std::size_t>(i)];
    for (Index j = 0; j < F.cols(); ++j) F(i, j) *= std::sqrt(v);
  }
  Matrix A(x.size(), x.size());
  linalg::multiply_transposed(1, F, F, 0, A);
  double out = 0;
  for (const double value : linalg::eigenvalues(A)) out += value / (value + trace / all);
  return out;
}

TEST(EffectiveDimension, IsThatOfTheEigenvalues) {
  for (const char* text : {"rbf(ell=0.5)", "3*matern(nu=0.5, ell=1) + linear()"}) {
    const Points x = rows(test::random_matrix(300, 2, 1));
    const Centres z = choose_centres(parse(text), x, {.count = 40});
    EXPECT_EQ(effective_dimension(z, x, {}, {}).looked_at, 300);
    EXPECT_NEAR(effective_dimension(z, x, {}, {}).value, from_eigenvalues(z, x, {}), 1e-9);
    Vector weights(300, 2);
    for (std::size_t i = 0; i < 100; ++i) weights[i] = i % 4 == 0 ? 0 : 0.3;
    EXPECT_NEAR(effective_dimension(z, x, weights, {}).value, from_eigenvalues(z, x, weights), 1e-9);
  }
}

TEST(EffectiveDimension, OfManyPointsIsNearThatOfAll) {
  const Points x = rows(test::random_matrix(4000, 2, 2));
  const Centres z = choose_centres(parse("rbf(ell=0.5)"), x, {.count = 150});
  const EffectiveDimension found = effective_dimension(z, x, {}, {});
  EXPECT_LT(found.looked_at, 4000);
  const double all = from_eigenvalues(z, x, {});
  EXPECT_NEAR(found.value, all, 0.05 * all);
}

TEST(EffectiveDimension, OfAKernelOfOneFeatureIsAtMostOne) {
  const Points x = rows(test::random_matrix(500, 1, 3, 1, 2));
  const Centres z = choose_centres(parse("linear()"), x, {.count = 10});
  EXPECT_NEAR(effective_dimension(z, x, {}, {}).value, 500.0 / 501, 1e-9);
}

}  // namespace
}  // namespace mercer::centres::effective_dimension_test
