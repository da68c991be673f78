#include "mercer/points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::points_test {
namespace {

using test::expect_error;
using Names = std::vector<std::string>;

const Matrix& sample() {
  static const Matrix m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  return m;
}

Matrix numbers_of(const Points& x) { return Matrix(dense_rows(x).values); }

// The same numbers in each storage.
std::vector<Points> every_storage(const Matrix& m) {
  auto numbers = std::make_shared<std::vector<float>>(test::to_float(m));
  return {rows(Matrix(m)), rows(m.view(), std::make_shared<int>(0)),
          rows(FloatMatrixView(numbers->data(), m.rows(), m.cols()), numbers), rows(test::to_sparse(m))};
}

// ---- making ----

TEST(Points, EveryStorageHasSizeDomainAndNumbers) {
  for (const Points& x : every_storage(sample())) {
    EXPECT_EQ(x.size(), 4);
    EXPECT_EQ(x.domain(), (Domain{"reals", 3}));
    EXPECT_TRUE(x.column_names().empty());
    EXPECT_EQ(numbers_of(x), sample());
  }
}

TEST(Points, OwnedRowsOutliveTheirMatrix) {
  Points x = strings({});
  {
    Matrix m = sample();
    x = rows(std::move(m));
  }
  EXPECT_EQ(numbers_of(x), sample());
}

TEST(Points, BorrowedRowsSeeTheCallersNumbers) {
  Matrix m = sample();
  const Points x = rows(m.view());
  m(0, 0) = 99;
  EXPECT_EQ(numbers_of(x)(0, 0), 99);
}

TEST(Points, BorrowedRowsKeepTheirOwnerAlive) {
  auto owner = std::make_shared<Matrix>(sample());
  const std::weak_ptr<Matrix> watch = owner;
  {
    const Points x = rows(owner->view(), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    const Points column = x.columns(2);
    const Points head = column.slice({1, 2});
    EXPECT_EQ(numbers_of(head)(0, 0), 5);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Points, BorrowedBlocksRespectTheirStride) {
  const Matrix m = sample();
  const Points x = rows(m.view().block({1, 3}, {1, 3}), nullptr);
  EXPECT_EQ(numbers_of(x), (Matrix{{5, 6}, {8, 9}}));
  EXPECT_EQ(gram(linear(), x), (Matrix{{61, 94}, {94, 145}}));
}

TEST(Points, EmptySetsHaveSizeZero) {
  EXPECT_EQ(rows(Matrix(0, 3)).size(), 0);
  EXPECT_EQ(rows(Matrix(0, 3)).domain(), (Domain{"reals", 3}));
  EXPECT_EQ(strings({}).size(), 0);
  EXPECT_EQ(rows(SparseMatrix{}).size(), 0);
}

TEST(Points, StringsAreStrings) {
  const Points x = strings({"a", "", "c"});
  EXPECT_EQ(x.size(), 3);
  EXPECT_EQ(x.domain(), (Domain{"strings"}));
  EXPECT_EQ(io_test::texts(x.slice({1, 3})), (Names{"", "c"}));
  const std::vector<Index> twice{2, 0, 2};
  EXPECT_EQ(io_test::texts(x.select(twice)), (Names{"c", "a", "c"}));
}

TEST(Points, DomainsPrint) {
  EXPECT_EQ((Domain{"reals", 3}).str(), "reals(3)");
  EXPECT_EQ((Domain{"reals"}).str(), "reals");
  EXPECT_EQ((Domain{"strings"}).str(), "strings");
  EXPECT_EQ(Domain{}.str(), "any inputs");
}

TEST(Points, SparseRowsAreChecked) {
  const auto make = [](std::vector<Index> offsets, std::vector<std::int32_t> columns, Vector values) {
    return [=] { rows(SparseMatrix{2, 3, offsets, columns, values}); };
  };
  EXPECT_EQ(test::error_of(make({0, 1, 2}, {0, 2}, {1, 2})), "no error");
  expect_error(make({0, 1}, {0}, {1}), "ShapeError", {"do not fit 2 rows"});
  expect_error(make({0, 1, 3}, {0, 2}, {1, 2}), "ShapeError", {"do not fit 2 rows"});
  expect_error(make({0, 2, 1}, {0, 2}, {1, 2}), "ShapeError", {"do not fit"});
  expect_error(make({1, 1, 2}, {0, 2}, {1, 2}), "ShapeError", {"do not fit"});
  expect_error(make({0, 1, 2}, {0, 2}, {1}), "ShapeError", {"do not fit"});
  expect_error(make({0, 1, 2}, {0, 3}, {1, 2}), "ShapeError", {"row 2: column 3 must be below 3"});
  expect_error(make({0, 1, 2}, {-1, 2}, {1, 2}), "ShapeError", {"row 1: column -1"});
  expect_error(make({0, 2, 2}, {1, 1}, {1, 2}), "ShapeError", {"row 1: column 1", "increase within the row"});
  expect_error(make({0, 2, 2}, {2, 0}, {1, 2}), "ShapeError", {"row 1: column 0", "increase within the row"});
  expect_error([] { rows(SparseMatrix{0, 3, {}, {}, {}}); }, "ShapeError", {"do not fit 0 rows"});
}

// ---- select and slice ----

TEST(Points, SelectTakesPointsInOrderWithRepeats) {
  const std::vector<Index> which{3, 0, 3};
  for (const Points& x : every_storage(sample())) {
    EXPECT_EQ(numbers_of(x.select(which)), (Matrix{{10, 11, 12}, {1, 2, 3}, {10, 11, 12}}));
    EXPECT_EQ(x.select({}).size(), 0);
  }
}

TEST(Points, SliceTakesARange) {
  for (const Points& x : every_storage(sample())) {
    EXPECT_EQ(numbers_of(x.slice({1, 3})), (Matrix{{4, 5, 6}, {7, 8, 9}}));
    EXPECT_EQ(x.slice({2, 2}).size(), 0);
    EXPECT_EQ(x.slice({0, 4}).size(), 4);
  }
}

TEST(Points, SelectAndSliceKeepColumnNames) {
  for (const Points& plain : every_storage(sample())) {
    const Points x = named(plain, {"a", "b", "c"});
    const std::vector<Index> which{1};
    EXPECT_EQ(x.select(which).column_names(), (Names{"a", "b", "c"}));
    EXPECT_EQ(x.slice({0, 2}).column_names(), (Names{"a", "b", "c"}));
  }
}

TEST(Points, SelectAndSliceRefuseWhatIsNotThere) {
  const Points x = rows(Matrix(sample()));
  const std::vector<Index> high{0, 4}, low{-1};
  expect_error([&] { x.select(high); }, "ShapeError", {"no point 4 among 4"});
  expect_error([&] { x.select(low); }, "ShapeError", {"no point -1 among 4"});
  expect_error([&] { x.slice({0, 5}); }, "ShapeError", {"[0, 5) is not within the 4 points"});
  expect_error([&] { x.slice({-1, 2}); }, "ShapeError", {"[-1, 2)"});
  expect_error([&] { x.slice({3, 2}); }, "ShapeError", {"[3, 2)"});
}

// ---- columns ----

TEST(Columns, TextNumbersAndListsMeanTheSame) {
  EXPECT_EQ(Columns("3"), Columns(3));
  EXPECT_EQ(Columns("a, b"), (Columns{"a", "b"}));
  EXPECT_EQ(Columns(" x1 : x5 "), Columns("x1:x5"));
  EXPECT_EQ(Columns("\"my column\""), (Columns{"my column"}));
  EXPECT_NE(Columns("1"), (Columns{"1"}));  // a number, and a column whose name is a digit
  EXPECT_EQ(Columns(std::string("2:4")), Columns("2:4"));
}

TEST(Columns, Print) {
  EXPECT_EQ(Columns("3").str(), "3");
  EXPECT_EQ(Columns("a").str(), "a");
  EXPECT_EQ(Columns("x1:x5").str(), "x1:x5");
  EXPECT_EQ(Columns("a,b:c").str(), "[a, b:c]");
  EXPECT_EQ((Columns{"my column"}).str(), "\"my column\"");
  EXPECT_EQ((Columns{"say \"hi\""}).str(), "\"say \\\"hi\\\"\"");
  EXPECT_EQ((Columns{"1"}).str(), "\"1\"");
}

TEST(Columns, QuotesProtectCommasAndColons) {
  EXPECT_EQ(Columns("\"a, b\""), (Columns{"a, b"}));
  EXPECT_EQ(Columns("\"a:b\""), (Columns{"a:b"}));
  EXPECT_EQ(Columns("\"a b\":\"c d\""), Columns(std::vector<Columns::Item>{{std::string("a b"), std::string("c d")}}));
}

TEST(Columns, RefuseNonsense) {
  expect_error([] { Columns(""); }, "GrammarError", {"empty name"});
  expect_error([] { Columns("a,,b"); }, "GrammarError", {"empty name"});
  expect_error([] { Columns("a:"); }, "GrammarError", {"empty name"});
  expect_error([] { Columns("0"); }, "GrammarError", {"no column 0", "counted from 1"});
  expect_error([] { Columns(0); }, "GrammarError", {"no column 0", "counted from 1"});
  expect_error([] { Columns("99999999999999999999"); }, "GrammarError", {"no column 99999999999999999999"});
}

TEST(Columns, NegativeNumberIsNoColumn) {
  const Points x = rows(Matrix(sample()));
  EXPECT_NE(test::error_of([&] { x.columns(-1); }), "no error");
}

TEST(Points, ColumnsByNumberNameRangeAndList) {
  for (const Points& plain : every_storage(sample())) {
    const Points x = named(plain, {"a", "b", "c"});
    EXPECT_EQ(numbers_of(x.columns(2)), (Matrix{{2}, {5}, {8}, {11}}));
    EXPECT_EQ(numbers_of(x.columns("b")), (Matrix{{2}, {5}, {8}, {11}}));
    EXPECT_EQ(numbers_of(x.columns("a:b")), (Matrix{{1, 2}, {4, 5}, {7, 8}, {10, 11}}));
    EXPECT_EQ(numbers_of(x.columns("2:c")), (Matrix{{2, 3}, {5, 6}, {8, 9}, {11, 12}}));
    EXPECT_EQ(numbers_of(x.columns("c, a")), (Matrix{{3, 1}, {6, 4}, {9, 7}, {12, 10}}));
    EXPECT_EQ(x.columns("c, a").column_names(), (Names{"c", "a"}));
    EXPECT_EQ(x.columns("c, a").domain(), (Domain{"reals", 2}));
    EXPECT_EQ(numbers_of(x.columns("1:3")), sample());
  }
}

TEST(Points, ColumnsOfColumns) {
  const Points x = named(rows(Matrix(sample())), {"a", "b", "c"});
  EXPECT_EQ(numbers_of(x.columns("b:c").columns("c")), (Matrix{{3}, {6}, {9}, {12}}));
  EXPECT_EQ(numbers_of(x.columns("b:c").columns(1)), (Matrix{{2}, {5}, {8}, {11}}));
}

TEST(Points, ColumnsRefuseWhatIsNotThere) {
  for (const Points& plain : every_storage(sample())) {
    const Points x = named(plain, {"age", "dose", "weight"});
    expect_error([&] { x.columns("dosis"); }, "DomainError", {"no column \"dosis\"", "did you mean dose?"});
    expect_error([&] { x.columns(4); }, "DomainError", {"on(4)", "3 columns, counted from 1"});
    expect_error([&] { x.columns("weight:age"); }, "DomainError", {"on(weight:age)", "runs backwards"});
    expect_error([&] { x.columns("3:2"); }, "DomainError", {"runs backwards"});
    expect_error([&] { x.columns("age, 1"); }, "DomainError", {"on([age, 1])", "named twice"});
    expect_error([&] { x.columns("1:2, 2"); }, "DomainError", {"named twice"});
    expect_error([&] { plain.columns("age"); }, "DomainError", {"no column names", "use numbers, 1 to 3"});
  }
  expect_error([] { strings({"a"}).columns(1); }, "DomainError", {"strings", "drop the on()"});
}

TEST(Points, NamedChecksItsArguments) {
  const Points x = rows(Matrix(sample()));
  expect_error([&] { named(x, {"a", "b"}); }, "ShapeError", {"2 names for 3 columns"});
  expect_error([] { named(strings({"a"}), {"a"}); }, "DomainError", {"only real inputs", "strings"});
  EXPECT_EQ(numbers_of(named(x, {"a", "b", "c"})), sample());
}

// ---- tables ----

Points mixed() {
  return table({{"x", rows(Matrix{{1, 2}, {3, 4}, {5, 6}})},
                {"doc", strings({"one", "two", "three"})},
                {"age", rows(Matrix{{10}, {20}, {30}})}});
}

TEST(Table, OfNumbersIsOneMatrix) {
  const Points t = table({{"x", rows(Matrix{{1, 2}, {3, 4}})}, {"y", rows(Matrix{{5}, {6}})}});
  EXPECT_EQ(t.domain(), (Domain{"reals", 3}));
  EXPECT_EQ(numbers_of(t), (Matrix{{1, 2, 5}, {3, 4, 6}}));
  EXPECT_EQ(t.column_names(), (Names{"x", "x", "y"}));
  EXPECT_EQ(numbers_of(t.columns("x")), (Matrix{{1, 2}, {3, 4}}));
  EXPECT_EQ(numbers_of(t.columns("y, x")), (Matrix{{5, 1, 2}, {6, 3, 4}}));
}

TEST(Table, OfNumbersInEveryStorage) {
  for (const Points& part : every_storage(sample())) {
    const Points t = table({{"p", part}, {"q", part}});
    EXPECT_EQ(t.domain(), (Domain{"reals", 6}));
    EXPECT_EQ(numbers_of(t.columns("q")), sample());
  }
}

TEST(Table, MixesKinds) {
  const Points t = mixed();
  EXPECT_EQ(t.size(), 3);
  EXPECT_EQ(t.domain(), (Domain{"table"}));
  EXPECT_EQ(t.column_names(), (Names{"x", "x", "doc", "age"}));
  EXPECT_EQ(numbers_of(t.columns("x")), (Matrix{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(io_test::texts(t.columns("doc")), (Names{"one", "two", "three"}));
  EXPECT_EQ(numbers_of(t.columns(4)), (Matrix{{10}, {20}, {30}}));
  EXPECT_EQ(numbers_of(t.columns("age, x")), (Matrix{{10, 1, 2}, {20, 3, 4}, {30, 5, 6}}));
  EXPECT_EQ(t.columns("x:doc").domain(), (Domain{"table"}));
}

TEST(Table, ColumnsOfOnePartKeepTheOrderAskedFor) {
  EXPECT_EQ(numbers_of(mixed().columns("2, 1")), (Matrix{{2, 1}, {4, 3}, {6, 5}}));
  EXPECT_EQ(numbers_of(mixed().columns("2, age, 1")), (Matrix{{2, 10, 1}, {4, 20, 3}, {6, 30, 5}}));
}

TEST(Table, PartsAreReachedByTheirNameAndByThoseOfTheirColumns) {
  const Points part = named(rows(Matrix{{1, 2}, {3, 4}}), {"a", "b"});
  const Points with_text = table({{"p", part}, {"doc", strings({"s", "t"})}});
  EXPECT_EQ(numbers_of(with_text.columns("p")), (Matrix{{1, 2}, {3, 4}}));
  EXPECT_EQ(numbers_of(with_text.columns("b")), (Matrix{{2}, {4}}));
  const Points all_numbers = table({{"p", part}, {"q", rows(Matrix{{5}, {6}})}});
  EXPECT_EQ(numbers_of(all_numbers.columns("b")), (Matrix{{2}, {4}}));
  EXPECT_EQ(numbers_of(all_numbers.columns("p")), (Matrix{{1, 2}, {3, 4}}));
}

TEST(Table, OfOneTextColumnIsThatColumnAndAnswersToItsName) {
  const Points t = table({{"doc", strings({"ab", "b"})}});
  EXPECT_EQ(t.domain().kind, "strings");
  EXPECT_EQ(io_test::texts(t.columns("doc")), (Names{"ab", "b"}));
  EXPECT_EQ(gram(spectrum(1), t), (Matrix{{2, 1}, {1, 1}}));
  EXPECT_EQ(gram(on("doc", spectrum(1)), t), (Matrix{{2, 1}, {1, 1}}));
}

TEST(Table, SelectAndSliceTakeWholeRows) {
  const std::vector<Index> which{2, 0};
  const Points t = mixed().select(which);
  EXPECT_EQ(io_test::texts(t.columns("doc")), (Names{"three", "one"}));
  EXPECT_EQ(numbers_of(t.columns("age")), (Matrix{{30}, {10}}));
  EXPECT_EQ(io_test::texts(mixed().slice({1, 2}).columns("doc")), (Names{"two"}));
}

TEST(Table, RefusesUnequalLengthsAndNothing) {
  expect_error([] { table({}); }, "ShapeError", {"at least one column"});
  expect_error(
      [] {
        table({{"a", rows(Matrix(2, 1))}, {"b", strings({"x"})}});
      },
      "ShapeError", {"column \"b\" has 1 entries, column \"a\" has 2"});
  expect_error([] { mixed().columns("dog"); }, "DomainError", {"no column \"dog\"", "did you mean doc?"});
}

// ---- values that are no numbers ----

TEST(Points, NotANumberIsReportedByRowAndColumn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf, -inf}) {
    Matrix m = sample();
    m(2, 1) = bad;
    for (const Points& x : every_storage(m)) {
      expect_error([&] { gram(rbf(1.0), x); }, "DataError", {"row 3, column 2 is", "finite"});
      expect_error([&] { gram(linear(), named(x, {"a", "dose", "c"})); }, "DataError", {"row 3, column \"dose\" is"});
      expect_error([&] { diagonal(linear(), x); }, "DataError", {"row 3"});
      expect_error([&] { cross(rbf(1.0), rows(Matrix(sample())), x); }, "DataError", {"row 3, column 2"});
    }
  }
}

TEST(Points, ColumnsThatAKernelDoesNotReadMayBeMissing) {
  Matrix m = sample();
  m(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(gram(on(2, linear()), rows(m))(0, 1), 10);
}

TEST(Points, NotANumberInATable) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Points t = table({{"age", rows(Matrix{{1}, {nan}})}, {"doc", strings({"a", "b"})}});
  expect_error([&] { gram(on("age", rbf(1.0)), t); }, "DataError", {"row 2"});
}

}  // namespace
}  // namespace mercer::points_test
