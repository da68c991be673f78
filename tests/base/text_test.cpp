#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::text_test {
namespace {

using Words = std::vector<std::string>;

TEST(Text, TrimTakesSpaceOffBothEnds) {
  EXPECT_EQ(trim("  a b\t\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(std::string_view("\0 ", 2)), std::string_view("\0", 1));
}

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a, b ,,c", ','), (Words{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (Words{""}));
  EXPECT_EQ(split(",", ','), (Words{"", ""}));
}

TEST(Text, IdentifiersStartWithALetterOrUnderscore) {
  for (const char* good : {"x", "x1", "_x", "a.b", "x_1.y"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const char* bad : {"", "1x", ".x", "a b", "a-b", "x:y", "\xC3\xA4"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(Text, QuotedEscapesQuotesAndBackslashes) {
  EXPECT_EQ(quoted("a b"), "\"a b\"");
  EXPECT_EQ(quoted("a\"b\\"), "\"a\\\"b\\\\\"");
}

TEST(Text, ShortenedKeepsBothEndsOfWhatIsLong) {
  const std::string plain = "column \"a\" of file.csv is text; write numbers";
  EXPECT_EQ(shortened(plain), plain);
  EXPECT_EQ(shortened("two\nlines\tand a tab"), "two lines and a tab");
  EXPECT_EQ(shortened("gr\xC3\xB6\xC3\x9F"
                      "e"),
            "gr\xC3\xB6\xC3\x9F"
            "e");
  EXPECT_EQ(shortened("gr\xF6\xDF"
                      "e"),
            "gr\\xF6\\xDFe")
      << "Latin-1 is no UTF-8";
  const std::string cut = shortened("column " + std::string(100000, 'n') + " is unknown; rename it");
  EXPECT_LT(cut.size(), 200u);
  EXPECT_TRUE(cut.starts_with("column nnn")) << cut;
  EXPECT_TRUE(cut.ends_with("nnn is unknown; rename it")) << cut;
  std::string blanks;
  for (int i = 0; i < 50000; ++i) blanks += "n ";
  EXPECT_LT(shortened(blanks).size(), 2000u);
  // Not in the middle of a character.
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "\u00E4";
  for (const std::string& text : {umlauts, "x" + umlauts, umlauts + "x"}) {
    const std::string kept = shortened(text);
    const std::size_t dots = kept.find("...");
    ASSERT_NE(dots, std::string::npos);
    EXPECT_EQ(kept.substr(dots - 2, 2), "\u00E4");
    EXPECT_EQ(kept.substr(dots + 3, 2), "\u00E4");
  }
}

TEST(Text, NumbersInOtherDress) {
  for (const char* const text : {"1", "-2.5", "1,5", "1,000", "1 000", "1'000.5", "10%", "$5", "5\u20AC", "2020-01-31",
                                 "31.1.2020", "12:30", "1\u00A0000"}) {
    EXPECT_TRUE(looks_like_number(text)) << text;
  }
  for (const char* const text : {"", "-", "%", "a1", "1e5x", "x", "5 apples", "\u00E45", "\"5\""}) {
    EXPECT_FALSE(looks_like_number(text)) << text;
  }
}

TEST(Text, NumbersReadBackExactly) {
  for (const double v : {0.1, 1.0 / 3, 1e-300, 1.7976931348623157e308, 5e-324, 123456789.125, -2.5, 0.0}) {
    EXPECT_EQ(parse_number(number(v)), v) << number(v);
  }
  EXPECT_EQ(number(2), "2");
  EXPECT_EQ(number(0.5), "0.5");
}

TEST(Text, ParseNumberTakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number(" 1.5e3 "), 1500);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_EQ(parse_number("-.5"), -0.5);
  EXPECT_TRUE(std::isinf(parse_number("inf").value()));
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  for (const char* bad : {"", " ", "1x", "1 2", "0x10", "1e999", "e5", "--1", "+", "1,5"}) {
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
  }
}

TEST(Text, NearestFindsSlipsOfThePenOnly) {
  const Words names{"rbf", "matern", "periodic", "linear"};
  EXPECT_EQ(nearest("rfb", names), "rbf");
  EXPECT_EQ(nearest("mattern", names), "matern");
  EXPECT_EQ(nearest("perodic", names), "periodic");
  EXPECT_EQ(nearest("linear", names), "linear");
  EXPECT_EQ(nearest("zzzzzzzzzz", names), std::nullopt);
  // Case makes no difference: columns are Class, kernels are rbf.
  EXPECT_EQ(nearest("RBF", names), "rbf");
  EXPECT_EQ(nearest("CLASS", Words{"Width", "Class"}), "Class");
  EXPECT_EQ(nearest("x", Words{"w", "X"}), "X");
  EXPECT_EQ(nearest("x", Words{"w", "z"}), std::nullopt);
  EXPECT_EQ(nearest("MATTERN", names), "matern");
  EXPECT_EQ(nearest("rbf", Words{}), std::nullopt);
  EXPECT_EQ(did_you_mean("lineer", names), "; did you mean linear?");
  EXPECT_EQ(did_you_mean("qqqqqqqqqqqqqq", names), "");
}

}  // namespace
}  // namespace mercer::text_test
