#include "mercer/grouping.hpp"

#include <gtest/gtest.h>

#include "io/readers.hpp"
#include "mercer/mercer.hpp"
#include "support.hpp"

namespace mercer::grouping_test {
namespace {

using test::expect_error;

Dataset read(const std::string& text, const std::string& target = "") {
  return parse_csv(text, "test.csv", {.format = Format::csv, .target = target});
}

const std::string kText = "bag,x,y,class\nb,1,2,yes\na,3,4,no\nb,5,6,yes\nc,7,8,yes\na,9,10,no\n";

TEST(Grouping, RowsOfOneValueAreOnePoint) {
  const Dataset data = grouped(read(kText, "class"), "bag", Grouping::bags);
  EXPECT_EQ(data.points.domain().str(), "bags of reals");
  EXPECT_EQ(data.points.size(), 3);
  EXPECT_EQ(data.target(), (std::vector<std::string>{"yes", "no", "yes"}));  // b, a, c
  const Matrix K = gram(mean_embedding(linear()), data.points);
  EXPECT_EQ(K(0, 0), 25);  // the mean of (1, 2) and (5, 6) is (3, 4)
  EXPECT_EQ(K(1, 2), 6 * 7 + 7 * 8);
}

TEST(Grouping, SeriesKeepTheOrderOfTheFile) {
  const Dataset data = grouped(read("1,0\n2,5\n1,3\n1,1\n"), "1", Grouping::series);
  EXPECT_EQ(data.points.domain().str(), "series");
  const Matrix K = gram(gak(1), data.points);
  const Points same = series(rows(Matrix{{0}, {3}, {1}, {5}}), {0, 3, 4});
  EXPECT_EQ(K, gram(gak(1), same));
}

TEST(Grouping, TextsAndNumbersMayBeElements) {
  const Dataset data = grouped(read("id,word,n\n1,abc,1\n1,bcd,2\n2,abc,3\n"), "id", Grouping::bags);
  EXPECT_EQ(data.points.domain().str(), "bags of table");
  EXPECT_EQ(gram(mean_embedding(on("word", spectrum(2))), data.points)(0, 1), 1.5);
  EXPECT_FALSE(data.counted);
  EXPECT_TRUE(grouped(read("1,abc\n2,bcd\n"), "1", Grouping::bags).counted);  // names that only count the columns
}

TEST(Grouping, BadInput) {
  expect_error([] { grouped(read("bag,x,c\na,1,1\na,2,0\n", "c"), "bag", Grouping::bags); }, "DataError",
               {"group \"a\"", "target \"c\"", "row 1", "row 2"});
  expect_error([] { grouped(read(kText), "bog", Grouping::bags); }, "DataError", {"\"bog\"", "bag"});
  for (const std::string none : {"0", "5", "1.5", "nan", "inf"}) {
    expect_error([&] { grouped(read(kText), none, Grouping::bags); }, "DataError", {"\"" + none + "\""});
  }
  expect_error([] { grouped(read("1\n2\n"), "1", Grouping::bags); }, "DataError", {"only column"});
  expect_error([] { grouped(read("id,word\n1,abc\n2,b\n"), "id", Grouping::series); }, "DomainError",
               {"row of numbers"});
}

}  // namespace
}  // namespace mercer::grouping_test
