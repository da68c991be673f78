// Some of a Gram's points, in any order and as often as asked for; and the diagonal of rows that are computed anew.
#include <gtest/gtest.h>

#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::select_test {
namespace {

using test::expect_near;

TEST(SelectedGram, APointMayComeTwice) {
  const Points x = rows(test::random_matrix(9, 2, 1)), fresh = rows(test::random_matrix(4, 2, 2));
  const Kernel k = rbf(0.8) + linear();
  const std::vector<Index> which = {7, 2, 7, 0, 2, 7};
  const Points chosen = x.select(which);
  const Matrix v = test::random_matrix(6, 2, 3);
  for (const Gram& all : {exact(k, x), lazy(k, x), cached(lazy(k, x), 1000)}) {
    const Gram some = select(all, which);
    const Matrix expected = gram(k, chosen);
    expect_near(some.multiply(v), test::product(expected, v), 1e-12);
    expect_near(some.expansion(v)(fresh), test::product(cross(k, fresh, chosen), v), 1e-12);
    expect_near(some.rows(std::vector<Index>{0, 1, 2, 3, 4, 5}), expected, 1e-12);
  }
}

// Rows of a Gram that is not in memory come some at a time.
TEST(SelectedGram, ManyRowsAtOnce) {
  const Points x = rows(test::random_matrix(100, 2, 5));
  std::vector<Index> which, all;
  for (Index i = 0; i < 80; ++i) which.push_back(i * 37 % 100);
  for (Index i = 0; i < 80; ++i) all.push_back(i);
  expect_near(select(lazy(rbf(1), x), which).rows(all), gram(rbf(1), x.select(which)), 1e-12);
}

TEST(SelectedGram, RefusesPointsThatAreNotThere) {
  const Points x = rows(test::random_matrix(9, 2, 1));
  for (const Gram& all : {lazy(linear(), x), precomputed(gram(linear(), x))}) {
    EXPECT_EQ(select(all, {8, 0}).size(), 2);
    for (const Index bad : {9, -1}) {
      test::expect_error([&] { select(all, {0, bad}); }, "ShapeError", {"no point " + std::to_string(bad), "9"});
    }
  }
}

// A product over the columns of a tile and one of a single point round differently; k(x,x) is not left to the tile.
TEST(LazyGram, RowsHaveTheDiagonalToTheLastBit) {
  const Points x = rows(test::random_matrix(30, 5, 4));
  std::vector<Index> which;
  for (Index i = 29; i >= 0; --i) which.push_back(i);
  for (const char* text : {"multilinear()", "matern(nu=0.5, ell=0.1)", "normalize((1 + linear())^3)"}) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    const Vector own = diagonal(k, x);
    const Matrix out = lazy(k, x).rows(which);
    for (Index i = 0; i < 30; ++i) EXPECT_EQ(out(i, 29 - i), own[static_cast<std::size_t>(29 - i)]);
  }
}

}  // namespace
}  // namespace mercer::select_test
