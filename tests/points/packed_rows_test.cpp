// Rows that went to another process as bytes are the rows.
#include "points/packed_rows.hpp"

#include <gtest/gtest.h>

#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::packed_rows_test {
namespace {

void expect_same(const Points& x) {
  const Points got = unpacked_rows(packed_rows(x), x);
  ASSERT_EQ(got.size(), x.size());
  EXPECT_EQ(got.domain(), x.domain());
  EXPECT_EQ(got.column_names(), x.column_names());
  EXPECT_EQ(is_sparse(got), is_sparse(x));
  EXPECT_EQ(find_reals(got)->is_single(), find_reals(x)->is_single());
  EXPECT_EQ(Matrix(dense_rows(got).values), Matrix(dense_rows(x).values));
}

TEST(PackedRows, KeepTheirNumbersStorageAndNames) {
  const Points dense = named(rows(test::random_matrix(7, 3, 1)), {"a", "b", ""});
  expect_same(dense);
  expect_same(dense.slice({2, 5}));
  expect_same(dense.columns("2:3"));  // a view of wider rows
  expect_same(dense.slice({0, 0}));
  const std::vector<float> numbers = {1.5F, -2, 0.1F, 3, 4, 5};
  const Points single = rows(FloatMatrixView(numbers.data(), 3, 2));
  expect_same(single);
  expect_same(single.slice({1, 2}));
  const Points sparse =
      rows(SparseMatrix{.rows = 3, .cols = 9, .offsets = {0, 2, 2, 3}, .columns = {1, 8, 0}, .values = {2, -3, 0.5}});
  expect_same(sparse);
  expect_same(sparse.slice({1, 3}));
}

}  // namespace
}  // namespace mercer::packed_rows_test
