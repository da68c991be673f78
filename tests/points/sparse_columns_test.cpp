// Columns of sparse rows chosen in another order than that of the file.
#include <gtest/gtest.h>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::sparse_columns_test {
namespace {

Matrix with_holes(Index n, Index d, unsigned seed) {
  Matrix out = test::random_matrix(n, d, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) out(i, j) = (i + 2 * j) % 3 == 0 ? 0 : out(i, j);
  }
  return out;
}

// Distances of near points are taken entry by entry, along both rows at once, which goes wrong without a word where
// entries are out of order.
TEST(SparseColumns, InAnyOrderAreTheDenseOnes) {
  const Matrix x = with_holes(11, 6, 1);
  Matrix y = x;
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < y.cols(); ++j) y(i, j) += y(i, j) == 0 && (i + j) % 2 == 0 ? 1e-3 : 0;
  }
  for (const char* columns : {"3, 1", "6, 5, 4, 3, 2, 1", "4:6, 1:2", "2:5"}) {
    SCOPED_TRACE(columns);
    for (const char* kernel : {"linear()", "rbf(ell=0.7)", "laplace(ell=2)"}) {
      const Kernel k = parse(kernel);
      const auto dense = [&](const Matrix& m) { return rows(m).columns(columns); };
      const auto sparse = [&](const Matrix& m) { return rows(test::to_sparse(m)).columns(columns); };
      test::expect_near(gram(k, sparse(x)), gram(k, dense(x)), 1e-12);
      test::expect_near(cross(k, sparse(x), sparse(y)), cross(k, dense(x), dense(y)), 1e-12);
      test::expect_near(cross(k, sparse(x), dense(y)), cross(k, dense(x), dense(y)), 1e-12);
    }
  }
}

}  // namespace
}  // namespace mercer::sparse_columns_test
