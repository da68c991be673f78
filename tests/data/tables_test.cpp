// Raw tables: what each column is taken for and why, and what its cells become.
#include "mercer/tables.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "base/text.hpp"
#include "data/cells.hpp"
#include "data/columns.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::data::tables_test {
namespace {

using Words = std::vector<std::string>;

Words repeated(const Words& words, std::size_t times) {
  Words out;
  for (std::size_t i = 0; i < times; ++i) out.insert(out.end(), words.begin(), words.end());
  return out;
}

ColumnRecipe recipe_of(const std::string& name, const Words& words, const std::string& told = "") {
  TableWishes wishes;
  if (!told.empty()) wishes.types[name] = told;
  // Beside it a column of numbers, so that there is one.
  const Index n = std::ssize(words);
  return recipe_for(table({{name, strings(words)}, {"beside", rows(Matrix(n, 1))}}), wishes, "t.csv").columns[0];
}
ColumnType type_of(const std::string& name, const Words& words, const std::string& told = "") {
  return recipe_of(name, words, told).type;
}

Words counted(int from, int to) {
  Words out;
  for (int i = from; i < to; ++i) out.push_back(std::to_string(i));
  return out;
}

TEST(ColumnTypes, AreFoundOut) {
  EXPECT_EQ(type_of("height", {"1.5", "", "2.25", "1"}), ColumnType::number);
  EXPECT_EQ(type_of("rooms", {"3", "NA", "2", "7"}), ColumnType::count);
  EXPECT_EQ(type_of("sex", {"male", "female", "?", "male"}), ColumnType::yes_no);
  EXPECT_EQ(type_of("town", {"Oslo", "Bergen", "Oslo", "Bodo"}), ColumnType::category);
  EXPECT_EQ(type_of("safety", {"med", "low", "high", "low"}), ColumnType::ordered);
  EXPECT_EQ(type_of("when", {"2013/06/14", "2013/10/19", "2014/01/02"}), ColumnType::date);
  EXPECT_EQ(type_of("alley", {"Pave", "", "Pave"}), ColumnType::category);
  EXPECT_EQ(type_of("state", {"on", "on", "on"}), ColumnType::constant);
  EXPECT_EQ(type_of("none", {"", "NA", "?"}), ColumnType::empty);
  EXPECT_EQ(type_of("zip", repeated({"02139", "02140", "10001"}, 10)), ColumnType::category);
  Words notes, codes;
  for (int i = 0; i < 40; ++i) {
    notes.push_back(fmt::format("house number {} in town", i));
    codes.push_back(fmt::format("PC-{}", i));
  }
  EXPECT_EQ(type_of("notes", notes), ColumnType::text);
  EXPECT_EQ(type_of("ticket", codes), ColumnType::id);
}

// Whole numbers that are all different: by what they are called, and by whether they count rows.
TEST(ColumnTypes, IdsAreNoQuantities) {
  Words far;
  for (int i = 0; i < 40; ++i) far.push_back(std::to_string(526350000 + 977 * i));
  EXPECT_EQ(type_of("PID", far), ColumnType::id);
  EXPECT_EQ(type_of("passengerId", far), ColumnType::id);
  EXPECT_EQ(type_of("population", far), ColumnType::count);
  EXPECT_EQ(type_of("position", counted(5, 45)), ColumnType::id);
  EXPECT_EQ(type_of("year", counted(1950, 1990)), ColumnType::count);
  EXPECT_EQ(type_of("position", counted(5, 45), "count"), ColumnType::count);
}

TEST(ColumnTypes, NumbersAsPeopleWriteThem) {
  const auto style = [](const Words& words) { return recipe_of("n", words).style; };
  EXPECT_EQ(style({"$1,862", "$900", "$12,000,000"}), (NumberStyle{'.', ',', "$", ""}));
  EXPECT_EQ(style({"12 %", "3.5 %", "7%"}), (NumberStyle{'.', '\0', "", "%"}));
  EXPECT_EQ(style({"1,5", "-2,25", "0,125"}), (NumberStyle{',', '\0', "", ""}));
  EXPECT_EQ(style({"1.234,5", "2,25", "7"}), (NumberStyle{',', '.', "", ""}));
  EXPECT_EQ(style({"1 234,5", "2,25", "7"}), (NumberStyle{',', ' ', "", ""}));
  EXPECT_EQ(style({"1'234", "25", "7"}), (NumberStyle{'.', '\'', "", ""}));
  EXPECT_EQ(styled_number("-$1,862.50", {'.', ',', "$", ""}), -1862.5);
  EXPECT_EQ(styled_number("1.234,5", {',', '.', "", ""}), 1234.5);
  EXPECT_EQ(styled_number("12,34", {'.', ',', "", ""}), std::nullopt) << "two digits are no thousands";
  EXPECT_EQ(styled_number("0,123", {'.', ',', "", ""}), std::nullopt) << "no thousand begins with 0";
  EXPECT_EQ(styled_number("$5", {}), std::nullopt);
  EXPECT_NE(recipe_of("n", {"1,862", "900", "2,000"}).why.find("comma between thousands"), std::string::npos);
}

TEST(ColumnTypes, DatesAreDays) {
  EXPECT_EQ(date_of("1970-01-02", "y-m-d"), 1);
  EXPECT_EQ(date_of("31.12.1969", "d.m.y"), -1);
  EXPECT_EQ(date_of("2000-03-01", "y-m-d").value() - date_of("2000-02-28", "y-m-d").value(), 2);
  EXPECT_EQ(date_of("1900-03-01", "y-m-d").value() - date_of("1900-02-28", "y-m-d").value(), 1);
  EXPECT_EQ(date_of("2024-01-01T06:00:00Z", "y-m-d").value() - date_of("20240101", "ymd").value(), 0.25);
  for (const char* const none :
       {"2023-02-29", "2023-13-01", "2023-1-1x", "23-01-01", "2023-01-01 25:00", "2023-01-01 10:60"}) {
    EXPECT_EQ(date_of(none, "y-m-d"), std::nullopt) << none;
  }
  Words years;
  for (int i = 0; i < 60; ++i) years.push_back(fmt::format("{}-{:02}-{:02}", 2010 + i / 24, i % 12 + 1, i % 28 + 1));
  EXPECT_EQ(recipe_of("d", years).cycles, (Words{"year", "week"}));
  EXPECT_EQ(recipe_of("d", {"2010-01-01 10:00", "2010-01-04 11:30", "2010-01-02 23:00"}).cycles, (Words{"day"}));
  // Two days of the week are no week, three are.
  Words weekly = {"2024-01-01", "2024-01-05", "2024-01-08", "2024-01-19", "2024-02-02"};
  EXPECT_TRUE(recipe_of("d", weekly).cycles.empty());
  weekly.push_back("2024-01-10");
  EXPECT_EQ(recipe_of("d", weekly).cycles, (Words{"week"}));
  // The reading that the data allow beside the one taken is said, and can be told.
  const ColumnRecipe open = recipe_of("d", {"01/02/2020", "03/04/2020", "05/06/2020"});
  EXPECT_EQ(open.date, "m/d/y");
  EXPECT_NE(open.why.find("d=date(d/m/y)"), std::string::npos) << open.why;
  EXPECT_EQ(recipe_of("d", {"01/02/2020", "03/04/2020"}, "date(d/m/y)").date, "d/m/y");
}

TEST(ColumnTypes, DatesAsPeopleWriteThem) {
  const double day = *date_of("2013-06-14", "y-m-d");
  for (const auto& [text, format] : std::vector<std::pair<std::string, std::string>>{{"Jun 14, 2013", "b d y"},
                                                                                     {"June 14 2013", "b d y"},
                                                                                     {"14 jun. 2013", "d b y"},
                                                                                     {"14-JUN-2013", "d-b-y"},
                                                                                     {"14-Jun-13", "d-b-yy"},
                                                                                     {"06/14/13", "m/d/yy"},
                                                                                     {"14/6/13", "d/m/yy"},
                                                                                     {"14.06.13", "d.m.yy"}}) {
    EXPECT_EQ(date_of(text, format), day) << text;
    EXPECT_EQ(recipe_of("d", {text, text, "?", text + " 12:00"}).date, format) << text;
  }
  EXPECT_EQ(date_of("06/14/69", "m/d/yy"), *date_of("1969-06-14", "y-m-d"));
  EXPECT_EQ(date_of("06/14/68", "m/d/yy"), *date_of("2068-06-14", "y-m-d"));
  EXPECT_EQ(date_of("06/14/2013", "m/d/yy"), std::nullopt);
  EXPECT_EQ(date_of("Juni 14, 2013", "b d y"), std::nullopt);
  EXPECT_EQ(date_of("2013Q2", "yQq"), date_of("2013-04-01", "y-m-d"));
  EXPECT_EQ(date_of("Q2 2013", "Qq y"), date_of("Apr 2013", "b y"));
  EXPECT_EQ(date_of("2013Q5", "yQq"), std::nullopt);
  EXPECT_EQ(recipe_of("q", {"2013Q1", "2013Q4", "2012Q2"}).date, "yQq");
  EXPECT_EQ(recipe_of("m", {"2013-01", "2013-04", "2012-12"}).date, "y-m");
  // A time of day is a place on a circle.
  const ColumnRecipe time = recipe_of("at", {"10:30", "9:15", "23:59"});
  EXPECT_EQ(time.date, "h:m");
  EXPECT_EQ(time.cycles, Words{"day"});
  EXPECT_EQ(date_of("18:00", "h:m"), 0.75);
  // What else might be meant is said.
  const ColumnRecipe open = recipe_of("d", {"01/02/20", "03/04/21", "05/06/22"});
  EXPECT_NE(open.why.find("years 1969 to 2068 (d/m/yy would fit, too"), std::string::npos) << open.why;
  // Neither are dates.
  EXPECT_EQ(type_of("version", {"1.2.3", "1.2.4", "2.0.1"}), ColumnType::category);
  EXPECT_EQ(type_of("score", {"2:1", "0:0", "1:3"}), ColumnType::category);
}

// Where a form is not known, what becomes of the column is not passed over.
TEST(ColumnTypes, DatesOfAnUnknownFormAreSaid) {
  Words two, three;
  for (int i = 0; i < 30; ++i) {
    const std::string date = fmt::format("2013-{:02}-{:02}", 1 + i % 12, 1 + i % 28),
                      other = fmt::format("day {:03} of 13", i);
    two.push_back(i % 3 > 0 ? other : date);
    three.push_back(i % 3 == 0 ? other : i % 3 == 1 ? date : fmt::format("{}.{}.2013", 1 + i % 28, 1 + i % 12));
  }
  EXPECT_EQ(type_of("d", two), ColumnType::text);
  EXPECT_NE(recipe_of("d", two).why.find("10 of them could be dates"), std::string::npos) << recipe_of("d", two).why;
  test::expect_error([&] { (void)recipe_of("d", three); }, "DataError",
                     {"dates written in 2 ways", "and such as \"day 000 of 13\""});
}

// Nine of ten texts that are dates make a slip of the last; eight of ten make no column of dates.
TEST(ColumnTypes, MostDatesMakeTheOthersSlips) {
  Words nine;
  for (int i = 1; i <= 9; ++i) nine.push_back(fmt::format("2013-05-{:02}", i));
  Words eight(nine.begin(), nine.end() - 1);
  nine.emplace_back("2013-soon");
  eight.insert(eight.end(), {"2013-soon", "2013-late"});
  test::expect_error([&] { (void)recipe_of("d", nine); }, "DataError", {"\"2013-soon\" is no date as the others are"});
  EXPECT_EQ(type_of("d", eight), ColumnType::category);
}

TEST(ColumnTypes, AMissingTargetIsNamedByItsRow) {
  test::expect_error(
      [] {
        data::require_present({"y", {}, {"a", "b", "NA"}}, "t.csv");
      },
      "DataError", {"t.csv: row 3: the target \"y\" is missing (\"NA\")"});
}

TEST(ColumnTypes, AnInfiniteColumnIsNoConstant) {
  test::expect_error(
      [] {
        (void)recipe_of("n", {"inf", "inf", "inf"});
      },
      "DataError", {"column \"n\": inf in all rows", "`drop=n`"});
}

TEST(ColumnTypes, WhatCannotBeDecidedIsOneLine) {
  const auto refused = [](const std::string& name, const Words& words, const Words& pieces,
                          const std::string& told = "") {
    test::expect_error([&] { (void)recipe_of(name, words, told); }, "DataError", pieces);
  };
  Words slip = counted(0, 20);
  slip[6] = "oops";
  refused(
      "n", slip,
      {"t.csv: column \"n\": row 7: \"oops\" is not a number, though 19 of", "`missing=oops`", "`types=n=category`"});
  refused("day", {"2020-01-31", "31.01.2020", "01/31/2020"}, {"dates written in 3 ways", "`types=day=category`"});
  refused("size", {"S", "M", "XXL"}, {"the level \"XXL\" is not among S<M<L"}, "S<M<L");
  refused("n", {"a", "b", "c"}, {"not all of its values are numbers"}, "number");
  refused("n", {"a", "b", "c"}, {"a yes/no has 2"}, "yes/no");
  const Points x = table({{"a", strings({"u", "v"})}, {"b", rows(Matrix(2, 1))}});
  test::expect_error([&] { (void)recipe_for(x, {.drop = {"c"}}, "t.csv"); }, "UsageError", {"`drop`", "\"c\""});
  test::expect_error([] { (void)type_wishes("age"); }, "UsageError", {"COLUMN=TYPE"});
  test::expect_error([] { (void)type_wishes("age=numbr"); }, "UsageError", {"did you mean number?"});
  EXPECT_EQ(type_wishes("age=number, a=b=low<high").at("a=b"), "low<high");
}

// ---- what becomes of cells ----

Points raw() {
  return table({{"town", strings({"Oslo", "", "Bodo", "Rom"})},
                {"sex", strings({"m", "f", "m", "?"})},
                {"size", strings({"low", "high", "med", "low"})},
                {"age", strings({"10", "30", "NA", "20"})}});
}

double distance(const Points& x, Index i, Index j) {
  const DenseRows values = dense_rows(x);
  double out = 0;
  for (Index k = 0; k < values.values.cols(); ++k) out += std::pow(values.values(i, k) - values.values(j, k), 2);
  return std::sqrt(out);
}

TEST(Recipes, MakeNumbersOfCells) {
  const Recipe recipe = recipe_for(raw(), {}, "t.csv");
  const Points x = apply(recipe, raw(), "t.csv").points;
  EXPECT_EQ(x.column_names(), (Words{"town=Bodo", "town=Oslo", "town=Rom", "town missing", "sex", "sex missing", "size",
                                     "age", "age missing"}));
  const DenseRows values = dense_rows(x);
  EXPECT_EQ(values.values(2, 7), 20) << "a gap is the mean";
  EXPECT_EQ(values.values(2, 8), 1);
  EXPECT_EQ(values.values(1, 6), 2) << "the place of the level";
  // Any two levels of a category are as far apart as yes and no.
  const Points town = x.columns("town");
  EXPECT_EQ(town.domain().dimension, 4);
  EXPECT_NEAR(distance(town, 0, 1), 1, 1e-15);
  EXPECT_NEAR(distance(town, 0, 2), 1, 1e-15);
  EXPECT_NEAR(distance(x.columns("sex"), 0, 1), 1, 1e-15);
  EXPECT_EQ(coded_columns(recipe),
            (Words{"town=Bodo", "town=Oslo", "town=Rom", "town missing", "sex", "sex missing", "age missing"}));
}

TEST(Recipes, TakeOtherTables) {
  const Recipe recipe = recipe_for(raw(), {}, "t.csv");
  const Points same = table({{"age", strings({"10", "30", "", "20"})},
                             {"more", strings({"1", "2", "3", "4"})},
                             {"size", strings({" low", "high", "med", "low"})},
                             {"town", strings({"Oslo", "NA", "Bodo", "Rom"})},
                             {"sex", strings({"m", "f", "m", ""})}});
  const Cooked cooked = apply(recipe, same, "s.csv");
  EXPECT_EQ(dense_rows(cooked.points).values(1, 2), dense_rows(apply(recipe, raw(), "t").points).values(1, 2));
  EXPECT_EQ(distance(apply(recipe, raw(), "t").points, 0, 3), distance(cooked.points, 0, 3));
  EXPECT_EQ(cooked.extra, Words{"more"});
  EXPECT_EQ(cooked.filled.at("age").count, 1);
  const Points other = table({{"town", strings({"Paris", "Rome"})},
                              {"sex", strings({"x", "m"})},
                              {"size", strings({"huge", "low"})},
                              {"age", rows([] {
                                 Matrix age(2, 1);
                                 age(0, 0) = std::numeric_limits<double>::quiet_NaN();
                                 age(1, 0) = 30;
                                 return age;
                               }())}});
  const Cooked news = apply(recipe, other, "o.csv");
  EXPECT_EQ(news.unseen.at("town").count, 2);
  EXPECT_EQ(news.unseen.at("sex").first, "x");
  EXPECT_EQ(news.unseen.at("size").count, 1);
  const DenseRows values = dense_rows(news.points);
  EXPECT_EQ(values.values(0, 0) + values.values(0, 1) + values.values(0, 2), 0) << "none of the levels";
  EXPECT_EQ(values.values(0, 4), 0.5) << "in the middle of yes and no";
  EXPECT_EQ(values.values(0, 7), 20);
  const Words remarks = remarks_of(news);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_NE(remarks[0].find("1 gap filled from the training data, of numbers by the mean: 1 in age"), std::string::npos)
      << remarks[0];
  EXPECT_NE(remarks[1].find("2 in town (such as \"Paris\")"), std::string::npos) << remarks[1];
  test::expect_error([&] { (void)apply(recipe, other.columns("town, sex, size"), "o.csv"); }, "DataError",
                     {"o.csv: column \"age\" is missing"});
  const Points text = table(
      {{"town", strings({"Oslo"})}, {"sex", strings({"m"})}, {"size", strings({"low"})}, {"age", strings({"old"})}});
  test::expect_error([&] { (void)apply(recipe, text, "o.csv"); }, "DataError",
                     {"row 1, column \"age\": \"old\" is no finite number"});
}

// A level that nobody has seen says as little as a gap: neither is the lowest of all.
TEST(Recipes, AnUnknownOrderedLevelIsAsAGap) {
  const auto sizes = [](const Words& words) {
    return table({{"size", strings(words)}, {"beside", rows(Matrix(std::ssize(words), 1))}});
  };
  TableWishes wishes;
  wishes.types["size"] = "small<mid<large";
  const Recipe recipe = recipe_for(sizes({"small", "mid", "large", "large"}), wishes, "t.csv");
  const Cooked cooked = apply(recipe, sizes({"huge", "", "small"}), "o.csv");
  const DenseRows values = dense_rows(cooked.points);
  EXPECT_EQ(cooked.unseen.at("size").count, 1);
  EXPECT_EQ(values.values(0, 0), values.values(1, 0));
  EXPECT_NE(values.values(0, 0), values.values(2, 0));
}

TEST(Recipes, OfManyLevelsKnowTheMostFrequent) {
  Words towns;
  for (int i = 0; i < 10000; ++i) {
    towns.push_back(fmt::format("town{}", i));
    if (i < 150) towns.push_back(towns.back());
  }
  for (int i = 0; i < 12000; ++i) towns.push_back(fmt::format("town{}", i % 60));
  const ColumnRecipe recipe = recipe_of("town", towns);
  EXPECT_EQ(recipe.type, ColumnType::category);
  EXPECT_EQ(recipe.levels.size(), 100u);
  EXPECT_EQ(std::ranges::count(recipe.levels, "town59"), 1);
  EXPECT_NE(recipe.why.find("9900 others as one"), std::string::npos) << recipe.why;
}

TEST(Recipes, SkewedNumbersAreTakenByTheirLogarithms) {
  Words words;
  for (int i = 0; i < 60; ++i) words.push_back(number(std::exp(0.25 * i)));
  words.emplace_back("");
  const Points x = table({{"income", strings(words)}, {"beside", rows(Matrix(61, 1))}});
  const Recipe recipe = recipe_for(x, {}, "t.csv");
  EXPECT_GT(recipe.columns[0].unit, 0);
  const DenseRows values = dense_rows(apply(recipe, x, "t.csv").points);
  EXPECT_NEAR(values.values(59, 0), std::log1p(std::exp(0.25 * 59) / recipe.columns[0].unit), 1e-12);
  double mean = 0;
  for (Index i = 0; i < 60; ++i) mean += values.values(i, 0) / 60;
  EXPECT_NEAR(values.values(60, 0), mean, 1e-12) << "a gap is filled by the mean of the logarithms";
  EXPECT_EQ(recipe_for(x, {.types = {{"income", "number"}}}, "t.csv").columns[0].unit, 0) << "told, they stay";
}

// A gap among dates is the mean of all rows; a week is a circle, on which a day is a seventh of the way.
TEST(Recipes, DatesHaveAMeanAndAPlaceInTheWeek) {
  Words dates = {"2024-01-01", "2024-01-01", "2024-01-01", "2024-01-03", "2024-01-04", "2024-01-30", " NA "};
  const Points x = table({{"d", strings(dates)}, {"beside", rows(Matrix(7, 1))}});
  const Recipe recipe = recipe_for(x, {}, "t.csv");
  EXPECT_EQ(recipe.columns[0].cycles, (Words{"week"}));
  const DenseRows found = dense_rows(apply(recipe, x, "t.csv").points);
  const MatrixView at = found.values;
  const double first = *date_of("2024-01-01", "y-m-d");
  EXPECT_NEAR(at(6, 0), first + (2 + 3 + 29) / 6.0, 1e-9);
  const double radius = at(0, 1) * at(0, 1) + at(0, 2) * at(0, 2);
  for (Index i = 0; i < 6; ++i) {
    const double turned = at(0, 1) * at(i, 1) + at(0, 2) * at(i, 2);
    EXPECT_NEAR(turned / radius, std::cos(2 * std::numbers::pi * (at(i, 0) - first) / 7), 1e-9) << i;
  }
}

TEST(Recipes, FewerThanTwentyNumbersAreNotCalledSkewed) {
  const auto unit = [](int count) {
    Words words;
    for (int i = 0; i < count; ++i) words.push_back(number(std::exp(2.0 * i)));
    return recipe_of("income", words).unit;
  };
  EXPECT_EQ(unit(19), 0);
  EXPECT_GT(unit(20), 0);
}

TEST(Recipes, MarksOfGapsCanBeTold) {
  const Points x = table({{"age", rows([] {
                             Matrix age(4, 1);
                             age(0, 0) = 1;
                             age(1, 0) = -999;
                             age(2, 0) = 3;
                             age(3, 0) = 8;
                             return age;
                           }())},
                          {"job", strings({"none", "cook", "smith", "cook"})}});
  const Recipe recipe = recipe_for(x, {.missing = {"-999", "none"}}, "t.csv");
  EXPECT_EQ(recipe.columns[0].fill, 4);
  EXPECT_EQ(recipe.columns[1].levels, (Words{"cook", "smith"}));
  EXPECT_TRUE(recipe.columns[1].gaps);
  const Cooked cooked = apply(recipe, x, "t.csv");
  EXPECT_EQ(cooked.filled.at("age").first, "-999");
  EXPECT_EQ(cooked.filled.at("job").count, 1);
}

}  // namespace
}  // namespace mercer::data::tables_test
