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

}  // namespace
}  // namespace mercer::class_look_test
