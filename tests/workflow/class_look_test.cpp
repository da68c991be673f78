// Which columns hold classes.
#include "data/class_look.hpp"

#include <gtest/gtest.h>

#include "workflow/columns.hpp"

namespace mercer::class_look_test {
namespace {

using data::ClassLook;
using data::Column;
using test::numbers;
using test::texts;
using As = ClassLook::As;

TEST(ClassLook, FewValuesThatComeOftenAreClasses) {
  EXPECT_EQ(look_for_classes(numbers(8, 2, -1)).as, As::classes);  // -1 and 0
  EXPECT_EQ(look_for_classes(numbers(150, 3)).different, 3U);
  EXPECT_EQ(look_for_classes(numbers(80, 20)).as, As::classes);
  EXPECT_EQ(look_for_classes(numbers(1000, 21)).as, As::unclear);  // ages, counts
  EXPECT_EQ(look_for_classes(numbers(7, 2)).as, As::unclear);
  EXPECT_EQ(look_for_classes(numbers(50, 1)).as, As::unclear);  // nothing to tell apart
  EXPECT_EQ(look_for_classes(texts(120, 30)).as, As::classes);
  EXPECT_EQ(look_for_classes(texts(1000, 31)).as, As::unclear);
  EXPECT_EQ(look_for_classes(Column{}).as, As::unclear);
}

TEST(ClassLook, ValuesThatHardlyComeAgainAreRare) {
  EXPECT_EQ(look_for_classes(texts(24, 24)).as, As::rare);
  EXPECT_EQ(look_for_classes(texts(24, 12)).as, As::unclear);
  EXPECT_EQ(look_for_classes(numbers(100, 100)).as, As::rare);
  EXPECT_EQ(look_for_classes(texts(10, 10)).as, As::unclear);  // few rows say little
}

TEST(ClassLook, ManyFractionsAreAQuantity) {
  EXPECT_EQ(look_for_classes(numbers(40, 40, 0.5)).as, As::quantity);
  EXPECT_EQ(look_for_classes(numbers(1000, 33, 0.5)).as, As::quantity);
  EXPECT_EQ(look_for_classes(numbers(1000, 31, 0.5)).as, As::unclear);  // 31^2 < 1000: versions, marks
  EXPECT_EQ(look_for_classes(numbers(40, 3, 0.5)).as, As::unclear);
}

// `rows` numbers that are `different` multiples of `step`.
Column prices(std::size_t rows, std::size_t different, double step) {
  Column out = numbers(rows, different, 100);
  for (double& value : out.numbers) value *= step;
  return out;
}

TEST(ClassLook, ManyWholeNumbersAreAQuantity) {
  EXPECT_EQ(look_for_classes(prices(2051, 823, 500)).as, As::quantity);
  EXPECT_EQ(look_for_classes(prices(60, 30, 500)).as, As::quantity);
  EXPECT_EQ(look_for_classes(prices(100000, 101, 500)).as, As::quantity);  // that come often, of more than 100 values
  EXPECT_EQ(look_for_classes(prices(60, 20, 500)).as, As::unclear);
  EXPECT_EQ(look_for_classes(prices(2051, 100, 500)).as, As::unclear);
  Column written{"price"};
  for (int i = 0; i < 60; ++i) written.words.push_back("$1," + std::to_string(100 + 7 * i));
  EXPECT_EQ(look_for_classes(written).as, As::quantity);
}

// Digits, letters, a hundred people with ten pictures each, and a thousand of them.
TEST(ClassLook, CodesAreNoQuantity) {
  EXPECT_EQ(look_for_classes(numbers(5620, 10)).as, As::classes);
  EXPECT_EQ(look_for_classes(numbers(20000, 26, 1)).as, As::unclear);
  EXPECT_EQ(look_for_classes(numbers(1000, 100)).as, As::unclear);
  EXPECT_EQ(look_for_classes(numbers(10000, 1000)).as, As::unclear);
  EXPECT_EQ(look_for_classes(numbers(120, 40, 1)).as, As::unclear);   // three of each
  EXPECT_EQ(look_for_classes(prices(1000, 100, 7)).as, As::unclear);  // codes with holes
}

}  // namespace
}  // namespace mercer::class_look_test
