// Rows that are not in memory give what the same rows in memory do, whatever is asked of them and in which pieces.
#include "points/streamed.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "mercer/scaling.hpp"
#include "points/distinct.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::streamed_test {
namespace {

Points as_streamed(const Points& x, std::atomic<Index>* most = nullptr) {
  return streamed(x.size(), x.slice({0, std::min<Index>(3, x.size())}), [x, most](Range rows) {
    if (most != nullptr && rows.size() > *most) *most = rows.size();
    return x.slice(rows);
  });
}

Matrix numbers(const Points& x) { return Matrix(dense_rows(x).values); }

void expect_same(const Points& got, const Points& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_EQ(got.domain(), wanted.domain());
  EXPECT_EQ(got.column_names(), wanted.column_names());
  const Matrix a = numbers(got), b = numbers(wanted);
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.rows() * a.cols(), b.data()));
}

Points some_rows(Index n, Index d) {
  std::vector<std::string> names;
  for (Index j = 0; j < d; ++j) names.push_back("c" + std::to_string(j));
  return named(rows(test::random_matrix(n, d, 7, -2, 3)), names);
}

// Few numbers, so that many rows are equal; 0 and -0 are.
Points repeated(Index n) {
  Matrix x(n, 2);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = static_cast<double>(i * i % 7) - 3;
    x(i, 1) = i % 3 == 0 ? -0.0 : 0.0;
  }
  return rows(std::move(x));
}

TEST(Streamed, PartsAreThoseInMemory) {
  const Points x = some_rows(1025, 3), far = as_streamed(x);
  EXPECT_TRUE(is_streamed(far));
  EXPECT_FALSE(is_streamed(x));
  EXPECT_EQ(far.size(), 1025);
  expect_same(far, x);
  for (const Range range : {Range{0, 0}, Range{0, 1}, Range{1023, 1025}, Range{0, 1025}}) {
    EXPECT_FALSE(is_streamed(far.slice(range)));
    expect_same(far.slice(range), x.slice(range));
  }
  for (const std::vector<Index>& which : {std::vector<Index>{}, {5}, {0, 1, 1024}, {1024, 3, 3, 0}, {7, 6}, {2, 2}}) {
    expect_same(far.select(which), x.select(which));
  }
  expect_same(far.columns("c2, c0"), x.columns("c2, c0"));
  expect_same(named(far, {"a", "b", "c"}), named(x, {"a", "b", "c"}));
  expect_same(far.columns("c1").slice({1000, 1025}), x.columns("c1").slice({1000, 1025}));
  EXPECT_EQ(far.rep().compare(3, 900), x.rep().compare(3, 900));
  EXPECT_EQ(far.rep().compare(900, 3), x.rep().compare(900, 3));
  EXPECT_EQ(far.rep().compare(9, 9), 0);
}

TEST(Streamed, SparseRowsStaySparse) {
  SparseMatrix m;
  m.rows = 300;
  m.cols = 1000;
  for (Index i = 0; i < m.rows; ++i) {
    if (i % 4 != 0) {
      m.columns.push_back(static_cast<std::int32_t>(i % 5));
      m.values.push_back(static_cast<double>(1 + i % 3));
    }
    m.offsets.push_back(static_cast<Index>(m.columns.size()));
  }
  const Points x = rows(m), far = as_streamed(x);
  EXPECT_TRUE(is_sparse(far.slice({10, 200})));
  EXPECT_TRUE(is_sparse(head_of(far)));
  expect_same(far.select(std::vector<Index>{299, 0, 17}), x.select(std::vector<Index>{299, 0, 17}));
  EXPECT_EQ(first_equal(far), first_equal(x));
}

TEST(Streamed, KnowsWhichRowsAreEqual) {
  for (const Index n : {1, 2, 100, 16385}) {
    const Points x = repeated(n), far = as_streamed(x);
    EXPECT_EQ(first_equal(far), first_equal(x)) << n;
    expect_same(distinct(far), distinct(x));
  }
  const Points x = some_rows(2000, 2), far = as_streamed(x);
  EXPECT_EQ(first_equal(far), first_equal(x));
}

TEST(Streamed, ScalesAreTheSameBits) {
  const Points x = some_rows(40000, 4), far = as_streamed(x);
  for (const Scaling::Kind kind :
       {Scaling::Kind::none, Scaling::Kind::centred, Scaling::Kind::standard, Scaling::Kind::minmax}) {
    const Scaling near = Scaling::of(kind, x), there = Scaling::of(kind, far);
    EXPECT_EQ(near.shift, there.shift);
    EXPECT_EQ(near.factor, there.factor);
    EXPECT_TRUE(is_streamed(near.apply(far)));
    expect_same(near.apply(far).slice({16383, 16386}), near.apply(x).slice({16383, 16386}));
  }
}

// Far from 0 as near it: against long double arithmetic in two passes.
TEST(Streamed, MeansAndDeviationsHaveTheirDigits) {
  for (const double offset : {0.0, 1e6, -1e9}) {
    Matrix x = test::random_matrix(5000, 2, 3, -1, 1);
    for (Index i = 0; i < x.rows(); ++i) x(i, 0) += offset;
    for (Index j = 0; j < 2; ++j) {
      long double mean = 0, square = 0;
      for (Index i = 0; i < x.rows(); ++i) mean += x(i, j);
      mean /= static_cast<long double>(x.rows());
      for (Index i = 0; i < x.rows(); ++i) square += (x(i, j) - mean) * (x(i, j) - mean);
      const auto deviation = static_cast<double>(std::sqrt(square / static_cast<long double>(x.rows())));
      const Scaling found = Scaling::of(Scaling::Kind::standard, rows(x.view()));
      EXPECT_NEAR(found.shift[static_cast<std::size_t>(j)], static_cast<double>(mean), 1e-13 * (1 + std::abs(offset)));
      EXPECT_NEAR(found.factor[static_cast<std::size_t>(j)] * deviation, 1, 1e-13 * (1 + std::abs(offset)));
    }
  }
}

TEST(Streamed, WhatDoesNotFitIsNeverBroughtIntoMemory) {
  const Index n = kHeld + 5000;
  Matrix values(n, 1);
  for (Index i = 0; i < n; ++i) values(i, 0) = static_cast<double>(i / 2);
  const Points x = rows(std::move(values));
  std::atomic<Index> most = 0;
  const Points far = as_streamed(x, &most);
  try {
    (void)dense_rows(far);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rows are read in pieces"), std::string::npos) << error.what();
  }
  std::vector<Index> all(static_cast<std::size_t>(n - 1));
  std::iota(all.begin(), all.end(), Index{1});
  const Points rest = far.select(all);
  EXPECT_TRUE(is_streamed(rest));
  EXPECT_EQ(rest.size(), n - 1);
  expect_same(rest.slice({0, 3}), x.slice({1, 4}));
  expect_same(rest.slice({n - 4, n - 1}), x.slice({n - 3, n}));
  EXPECT_TRUE(is_streamed(far.slice({1, n})));
  expect_same(far.slice({1, n}).slice({5, 9}), x.slice({6, 10}));
  const std::vector<Index> equal = first_equal(rest);
  EXPECT_EQ(equal[0], 0);  // its twin was left out
  EXPECT_EQ(equal[1], 1);
  EXPECT_EQ(equal[2], 1);
  EXPECT_EQ(static_cast<Index>(equal.size()), n - 1);
  expect_same(distinct(far).slice({2, 5}), x.select(std::vector<Index>{4, 6, 8}));
  EXPECT_LE(most, Index{1} << 15);  // whatever was asked for
  std::reverse(all.begin(), all.end());
  EXPECT_THROW((void)far.select(all), Error);
}

}  // namespace
}  // namespace mercer::streamed_test
