#include "mercer/matrix.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "support.hpp"

namespace mercer::matrix_test {
namespace {

TEST(Matrix, HoldsRowsOfNumbers) {
  const Matrix m{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(m.rows(), 2);
  EXPECT_EQ(m.cols(), 3);
  EXPECT_EQ(m(1, 0), 4);
  EXPECT_EQ(m.row(1)[2], 6);
  EXPECT_EQ(Matrix(2, 2, 7.0), (Matrix{{7, 7}, {7, 7}}));
}

TEST(Matrix, EmptyOnes) {
  EXPECT_EQ(Matrix().rows(), 0);
  EXPECT_EQ(Matrix(0, 4).cols(), 4);
  EXPECT_EQ(Matrix(std::initializer_list<std::initializer_list<double>>{}).rows(), 0);
  EXPECT_TRUE(Matrix(0, 4).view().empty());
  EXPECT_EQ(Matrix(Matrix(0, 4)).cols(), 4);
}

TEST(Matrix, RefusesRaggedRows) {
  test::expect_error([] { Matrix{{1, 2}, {3}}; }, "ShapeError", {"rows of 2 and 1 numbers"});
}

TEST(Matrix, CopiesDeeplyAndMoves) {
  Matrix a{{1, 2}, {3, 4}};
  Matrix b = a;
  b(0, 0) = 9;
  EXPECT_EQ(a(0, 0), 1);
  const double* where = a.data();
  const Matrix c = std::move(a);
  EXPECT_EQ(c.data(), where);
  a = b;
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(Matrix(1, 4), Matrix(2, 2));
}

TEST(Matrix, ViewsSeeBlocksWithStride) {
  Matrix m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const MatrixView block = m.view().block({1, 3}, {0, 2});
  EXPECT_EQ(block.rows(), 2);
  EXPECT_EQ(block.stride(), 3);
  EXPECT_EQ(block(1, 1), 8);
  EXPECT_EQ(Matrix(block), (Matrix{{4, 5}, {7, 8}}));
  const MatrixRef all = m;
  all(2, 2) = 0;
  EXPECT_EQ(m(2, 2), 0);
  const MatrixView read_only = all;
  EXPECT_EQ(read_only(0, 2), 3);
}

}  // namespace
}  // namespace mercer::matrix_test
