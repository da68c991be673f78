// K v through few features is K v, whatever the threads.
#include <gtest/gtest.h>

#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::feature_products_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

const std::vector<std::string> kKernels = {"linear()", "2*linear() + 1", "poly(degree=2, c=0.5)",
                                           "on(2:3, linear())*linear()",
                                           "random_features(matern(nu=1.5, ell=2), count=8, seed=5) + on(1, linear())"};

TEST(FeatureProducts, AreProductsWithTheMatrix) {
  const Matrix x = random_matrix(97, 3, 1), v = random_matrix(97, 4, 2);
  for (const std::string& text : kKernels) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    const Matrix K = gram(k, rows(x.view()));
    expect_near(lazy(k, rows(x.view())).multiply(v), test::product(K, v), 1e-11);
  }
}

// More points than a block of features has.
TEST(FeatureProducts, DoNotDependOnTheThreads) {
  const Matrix x = random_matrix(5000, 60, 3), v = random_matrix(5000, 3, 4);
  for (const char* const text : {"linear()", "linear() + 1", "random_features(rbf(ell=5), count=200, seed=1)"}) {
    const Gram K = lazy(parse(text), rows(x.view()));
    const Matrix one = K.multiply(v, {.threads = 1});
    expect_near(one, multiply(parse(text), rows(x.view()), rows(x.view()), v), 1e-8);
    for (const int threads : {2, 5})
      EXPECT_EQ(lazy(parse(text), rows(x.view())).multiply(v, {.threads = threads}), one);
  }
}

TEST(FeatureProducts, OfSparseRows) {
  SparseMatrix sparse{.rows = 6000, .cols = 9000};
  Matrix dense(6000, 9000);
  for (Index i = 0; i < 6000; ++i) {
    for (const Index k : {i % 7, 100 + i % 1000, 3000 + i}) {
      sparse.columns.push_back(static_cast<std::int32_t>(k));
      sparse.values.push_back(1 + 0.1 * static_cast<double>((i + k) % 10));
      dense(i, k) = sparse.values.back();
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.values.size()));
  }
  const Matrix v = random_matrix(6000, 2, 5);
  const Points x = rows(sparse);
  const Matrix one = lazy(linear(), x).multiply(v, {.threads = 1});
  expect_near(one, multiply(linear(), x, x, v), 1e-9);
  EXPECT_EQ(lazy(linear(), x).multiply(v, {.threads = 4}), one);
}

// Pairs say which points are too large.
TEST(FeatureProducts, AreNotMadeOfWhatOverflows) {
  Matrix x = random_matrix(50, 2, 6);
  x(17, 0) = 1e120;
  const Matrix v(50, 1, 1.0);
  expect_error([&] { (void)lazy(poly(3, 1), rows(x.view())).multiply(v); }, "NumericError", {"18"});
}

}  // namespace
}  // namespace mercer::feature_products_test
