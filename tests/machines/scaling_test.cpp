#include "mercer/scaling.hpp"

#include "mercer/bags.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "mercer/row_maps.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::scaling_test {
namespace {

using test::expect_error;
using Kind = Scaling::Kind;

TEST(Scaling, StandardHasMeanZeroAndDeviationOne) {
  const Matrix x = test::random_matrix(50, 3, 1, 5, 9);
  const Scaling s = Scaling::of(Kind::standard, rows(x.view()));
  const Points scaled = s.apply(rows(x.view()));
  const MatrixView z = dense_rows(scaled).values;
  for (Index k = 0; k < 3; ++k) {
    double mean = 0, square = 0;
    for (Index i = 0; i < 50; ++i) {
      mean += z(i, k) / 50;
      square += z(i, k) * z(i, k) / 50;
    }
    EXPECT_NEAR(mean, 0, 1e-14);
    EXPECT_NEAR(square, 1, 1e-13);
  }
}

// Rows are gone through in blocks of 16,384.
TEST(Scaling, ManyRowsAreMeasuredAsAWhole) {
  const Index n = 40000;
  Matrix x = test::random_matrix(n, 2, 2, -1, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) += 1e6 + static_cast<double>(i / 10000);  // blocks differ
  long double mean = 0, square = 0;
  for (Index i = 0; i < n; ++i) mean += static_cast<long double>(x(i, 0)) / n;
  for (Index i = 0; i < n; ++i) square += (x(i, 0) - mean) * (x(i, 0) - mean) / n;
  const Scaling standard = Scaling::of(Kind::standard, rows(x.view()));
  EXPECT_NEAR(standard.shift[0], static_cast<double>(mean), 1e-9);
  EXPECT_NEAR(standard.factor[0] * std::sqrt(static_cast<double>(square)), 1, 1e-12);
  const Scaling minmax = Scaling::of(Kind::minmax, rows(x.view()));
  double low = x(0, 1), high = low;
  for (Index i = 0; i < n; ++i) {
    low = std::min(low, x(i, 1));
    high = std::max(high, x(i, 1));
  }
  EXPECT_EQ(minmax.shift[1], low);
  EXPECT_EQ(minmax.factor[1], 1 / (high - low));
}

TEST(Scaling, MinmaxGoesFromZeroToOneAndBeyondForNewPoints) {
  const Scaling s = Scaling::of(Kind::minmax, rows(Matrix{{2, -1}, {4, 0}, {3, 7}}));
  const Points scaled = s.apply(rows(Matrix{{2, -1}, {4, 7}, {8, 3}}));
  EXPECT_EQ(Matrix(dense_rows(scaled).values), (Matrix{{0, 0}, {1, 1}, {3, 0.5}}));
}

TEST(Scaling, ConstantColumnsBecomeZeroAndStillShowNewValues) {
  // 0.1 summed many times is no multiple of 0.1: the mean must not be computed here.
  Matrix x(37, 2, 0.1);
  for (Index i = 0; i < 37; ++i) x(i, 1) = static_cast<double>(i);
  for (const Kind kind : {Kind::standard, Kind::minmax}) {
    const Scaling s = Scaling::of(kind, rows(x.view()));
    const Points old = s.apply(rows(x.view())), fresh = s.apply(rows(Matrix{{2.1, 0}}));
    for (Index i = 0; i < 37; ++i) EXPECT_EQ(dense_rows(old).values(i, 0), 0);
    EXPECT_EQ(dense_rows(fresh).values(0, 0), 2);
  }
}

TEST(Scaling, NoneGivesTheSamePoints) {
  const Points x = rows(Matrix{{1, 2}});
  const Scaling none = Scaling::of(Kind::none, x);
  EXPECT_EQ(none, Scaling{});
  EXPECT_EQ(none.apply(x).share(), x.share());
}

TEST(Scaling, FloatAndDoubleAgreeAndNamesAreKept) {
  const Matrix x{{1, 2}, {3, 8}, {2, 4}};
  const std::vector<float> f = test::to_float(x);
  const Points named_float = named(rows(FloatMatrixView(f.data(), 3, 2)), {"age", "dose"});
  const Scaling s = Scaling::of(Kind::standard, named_float);
  EXPECT_EQ(s, Scaling::of(Kind::standard, rows(x.view())));
  const Points scaled = s.apply(named_float);
  EXPECT_EQ(scaled.column_names(), (std::vector<std::string>{"age", "dose"}));
  EXPECT_EQ(Matrix(dense_rows(scaled).values), Matrix(dense_rows(s.apply(rows(x.view()))).values));
}

TEST(Scaling, MixedTablesKeepTextGroupsAndNames) {
  const Points x =
      table({{"u", rows(Matrix{{1, 10}, {3, 30}})}, {"doc", strings({"aab", "abb"})}, {"v", rows(Matrix{{5}, {9}})}});
  const Scaling s = Scaling::of(Kind::minmax, x);
  EXPECT_EQ(s.shift, (Vector{1, 10, 5}));
  const Points scaled = s.apply(x);
  EXPECT_EQ(scaled.column_names(), x.column_names());
  EXPECT_EQ(Matrix(dense_rows(scaled.columns("v")).values), (Matrix{{0}, {1}}));
  const Kernel k = on("u", linear()) + on("doc", spectrum(2)) + on("v", linear());
  EXPECT_NEAR(gram(k, scaled)(1, 1), 2 + 2 + 1, 1e-12);
  // A table of numbers only is real vectors, and still knows its parts by name.
  const Points reals = table({{"u", rows(Matrix{{1, 10}, {3, 30}})}, {"v", rows(Matrix{{5}, {9}})}});
  const Points done = Scaling::of(Kind::minmax, reals).apply(reals);
  EXPECT_NEAR(gram(on("u", linear()), done)(1, 1), 2, 1e-12);
}

TEST(Scaling, RefusesWhatItCannotScale) {
  const Points sparse = rows(test::to_sparse(Matrix{{1, 0}, {0, 2}}));
  expect_error([&] { Scaling::of(Kind::standard, sparse); }, "UsageError", {"sparse", "none"});
  EXPECT_EQ(Scaling::of(Kind::none, sparse), Scaling{});
  const Scaling s = Scaling::of(Kind::standard, rows(Matrix{{1, 2}, {3, 4}}));
  expect_error([&] { s.apply(rows(Matrix{{1}})); }, "DomainError", {"2 real columns", "have 1"});
  expect_error([&] { s.apply(sparse); }, "UsageError", {"sparse"});
  expect_error([&] { Scaling::of(Kind::standard, rows(Matrix(0, 2))); }, "DataError", {"no points"});
  expect_error([&] { Scaling::of(Kind::standard, rows(Matrix{{1}, {std::nan("")}})); }, "DataError", {"row 2"});
  expect_error([&] { scaling_kind("standart"); }, "UsageError", {"did you mean standard"});
  for (const Kind kind : {Kind::none, Kind::standard, Kind::minmax}) EXPECT_EQ(scaling_kind(name_of(kind)), kind);
}

// Bags and series are scaled by the columns of what they hold, beside others of a table or alone.
TEST(Scaling, ElementsOfGroupsAreScaled) {
  const Matrix x = test::random_matrix(9, 2, 3, 5, 9), z = test::random_matrix(3, 1, 4, -3, 8);
  const std::vector<Index> offsets = {0, 2, 3, 9};
  const Points scaled = Scaling::of(Kind::standard, rows(x.view())).apply(rows(x.view()));
  for (const bool as_series : {false, true}) {
    const auto grouped = [&](const Points& elements) {
      return as_series ? series(elements, offsets) : bags(elements, offsets);
    };
    const Kernel k = as_series ? gak(1) : mean_embedding(rbf(1));
    const Points groups = grouped(rows(x.view()));
    const Matrix expected = gram(k, grouped(scaled));
    EXPECT_EQ(gram(k, Scaling::of(Kind::standard, groups).apply(groups)), expected);
    const Points mixed = table({{"z", rows(z.view())}, {"groups", groups}});
    const Scaling both = Scaling::of(Kind::standard, mixed);
    EXPECT_EQ(both.shift.size(), 3u);
    EXPECT_EQ(gram(on("groups", k), both.apply(mixed)), expected);
  }
}

// One after the other is one.
TEST(Scaling, ThenIsTheOtherOfWhatCameOut) {
  const Points x = rows(test::random_matrix(20, 3, 4, 5, 9));
  const Scaling first = Scaling::of(Kind::minmax, x), second = Scaling::of(Kind::standard, first.apply(x));
  const DenseRows both = dense_rows(first.then(second).apply(x)), each = dense_rows(second.apply(first.apply(x)));
  test::expect_near(Matrix(both.values), Matrix(each.values), 1e-13);
}

// What prepares the inputs stays, whatever comes behind it.
TEST(Scaling, ThenKeepsTheMaps) {
  const Points x = rows(test::random_matrix(20, 3, 4, 5, 9));
  for (const Scaling::Kind kind : {Scaling::Kind::none, Scaling::Kind::standard}) {
    Scaling first;
    first.maps = row_map_list("unit_norm");
    const Points mapped = first.apply(x);
    if (kind != Scaling::Kind::none) {
      first = Scaling::of(kind, mapped);
      first.maps = row_map_list("unit_norm");
    }
    const Scaling second = Scaling::of(Scaling::Kind::minmax, first.apply(x));
    const DenseRows both = dense_rows(first.then(second).apply(x)), each = dense_rows(second.apply(first.apply(x)));
    test::expect_near(Matrix(both.values), Matrix(each.values), 1e-13);
  }
}

// Rows are gone through some thousands at a time: all of them, to the last.
TEST(Scaling, OfManyRowsIsThatOfAll) {
  const Index n = 20000;
  Matrix x(n, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) = static_cast<double>(i);
  const Scaling range = Scaling::of(Kind::minmax, rows(x.view())), usual = Scaling::of(Kind::standard, rows(x.view()));
  EXPECT_EQ(range.factor[0], 1 / 19999.0);
  EXPECT_NEAR(usual.shift[0], 19999 / 2.0, 1e-8);
  EXPECT_NEAR(usual.factor[0], std::sqrt(12 / (4e8 - 1)), 1e-12);
}

}  // namespace
}  // namespace mercer::scaling_test
