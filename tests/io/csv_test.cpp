#include <fmt/format.h>

#include "io/files.hpp"
#include "io/readers.hpp"

namespace mercer::csv_test {
namespace {

using namespace io_test;
using Names = std::vector<std::string>;

Dataset csv(const std::string& text, ReadOptions options = {}) {
  if (options.format == Format::automatic) options.format = Format::csv;
  return parse_csv(text, "d.csv", options);
}

std::string csv_error(const std::string& text, const ReadOptions& options = {}) {
  return error_of([&] { csv(text, options); });
}

TEST(Csv, NumbersWithAndWithoutHeader) {
  const Dataset named = csv("age,dose\n30,0.5\n40,-1e-3\n");
  EXPECT_EQ(named.points.column_names(), (Names{"age", "dose"}));
  EXPECT_EQ(numbers(named.points), (Matrix{{30, 0.5}, {40, -1e-3}}));
  EXPECT_TRUE(named.target().empty());
  EXPECT_TRUE(named.target_name.empty());

  const Dataset bare = csv("30,0.5\n40,-1e-3");
  EXPECT_EQ(bare.points.column_names(), (Names{"x1", "x2"}));
  EXPECT_EQ(numbers(bare.points), numbers(named.points));
  EXPECT_EQ(numbers(csv("1.5\n").points), (Matrix{{1.5}}));
}

TEST(Csv, NumbersInEveryDress) {
  const Dataset d =
      csv("\xEF\xBB\xBF"
          "a;b;c\r\n+1; 2 ;\"3\"\r\n.5;1E2;-0\r\n\r\n\n");
  EXPECT_EQ(d.points.column_names(), (Names{"a", "b", "c"}));
  EXPECT_EQ(numbers(d.points), (Matrix{{1, 2, 3}, {0.5, 100, 0}}));
  EXPECT_EQ(numbers(csv("1,1e-400\n2,3\n").points)(0, 1), 0);  // too small for a double, but a number
}

TEST(Csv, SeparatorIsTheCommonestOfTheFirstLine) {
  EXPECT_EQ(csv("a\tb,c\td\n1\t2\t3\n").points.column_names(), (Names{"a", "b,c", "d"}));
  EXPECT_EQ(csv("\"a,b,c\";d\n1;2\n").points.column_names(), (Names{"a,b,c", "d"}));
}

TEST(Csv, QuotedFieldsFollowRfc4180) {
  const Dataset d =
      csv("name,note,size\n\"Bob, \"\"B\"\"\",\"two\r\nlines\",1\nAl \"x\",\"\",2\n", {.texts = {"note"}});
  EXPECT_EQ(texts(d.points.columns("name")), (Names{"Bob, \"B\"", "Al \"x\""}));
  EXPECT_EQ(texts(d.points.columns("note")), (Names{"two\r\nlines", ""}));
  EXPECT_EQ(numbers(d.points.columns("size")), (Matrix{{1}, {2}}));
}

TEST(Csv, BadQuotesAreErrors) {
  EXPECT_EQ(csv_error("a,b\n1,\"x\n2,3\n"),
            "DataError: d.csv: line 2: a quoted field has no closing quote; close it, or double quotes inside it");
  EXPECT_EQ(csv_error("a,b\n\"u\nv\",1\n\"x\"y,3\n"),
            "DataError: d.csv: line 4: text after the closing quote of \"x\"; double the quotes inside a quoted field");
}

TEST(Csv, QuotesOfTsvAreHonouredOnlyIfAllAreWellFormed) {
  const ReadOptions tsv{.format = Format::tsv, .header = false};
  EXPECT_EQ(texts(csv("a\t\"x\"\"\ty\"\nb\tz\n", tsv).points.columns(2)), (Names{"x\"\ty", "z"}));
  EXPECT_EQ(texts(csv("a\t\"hi\" you\nb\t\"no\"\n", tsv).points.columns(2)), (Names{"\"hi\" you", "\"no\""}));
}

TEST(Csv, TablesKeepFileOrderAndJoinNeighbouringNumbers) {
  const Dataset d = csv("a,b,text,c,word,t\n1,2,x,3,u,0\n4,5,y,6,v,1\n", {.target = "t"});
  EXPECT_EQ(d.points.domain().kind, "table");
  EXPECT_EQ(d.points.column_names(), (Names{"a", "b", "text", "c", "word"}));
  const auto& parts = dynamic_cast<const Table&>(d.points.rep()).parts;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(numbers(parts[0].second), (Matrix{{1, 2}, {4, 5}}));
  EXPECT_EQ(texts(parts[1].second), (Names{"x", "y"}));
  EXPECT_EQ(numbers(parts[2].second), (Matrix{{3}, {6}}));
  EXPECT_EQ(d.target(), (Names{"0", "1"}));
}

TEST(Csv, TargetByNameAndNumber) {
  const std::string text = "a,b,c\n1,2,3\n4,5.0,6\n";
  for (const char* which : {"b", "2"}) {
    const Dataset d = csv(text, {.target = which});
    EXPECT_EQ(numbers(d.points), (Matrix{{1, 3}, {4, 6}}));  // the neighbours are one block
    EXPECT_EQ(d.points.column_names(), (Names{"a", "c"}));
    EXPECT_EQ(d.target(), (Names{"2", "5"}));
    EXPECT_EQ(d.target_numbers, (Vector{2, 5}));
    EXPECT_EQ(d.target_name, "b");
  }
  const Dataset words = csv("1,yes\n2,no\n", {.target = "2"});
  EXPECT_EQ(words.target(), (Names{"yes", "no"}));
  EXPECT_TRUE(words.target_numbers.empty());
  EXPECT_EQ(words.target_name, "x2");
  // A name wins over a number.
  EXPECT_EQ(csv("a,1\n2,3\n4,5\n", {.header = true, .target = "1"}).target(), (Names{"3", "5"}));
}

// The rows are as long as those of the file: nothing was copied to take the target out.
TEST(Csv, PointsAreAViewOfWhatWasRead) {
  for (const auto& [target, x] : std::vector<std::pair<std::string, Matrix>>{{"", {{1, 2, 3, 4}, {5, 6, 7, 8}}},
                                                                             {"a", {{2, 3, 4}, {6, 7, 8}}},
                                                                             {"b", {{1, 3, 4}, {5, 7, 8}}},
                                                                             {"c", {{1, 2, 4}, {5, 6, 8}}},
                                                                             {"d", {{1, 2, 3}, {5, 6, 7}}}}) {
    for (const std::string header : {"a,b,c,d\n", ""}) {
      const std::string place = target.empty() ? "" : std::to_string(target[0] - 'a' + 1);
      const Dataset d = csv(header + "1,2,3,4\n5,6,7,8\n", {.target = header.empty() ? place : target});
      EXPECT_EQ(numbers(d.points), x) << target;
      EXPECT_EQ(dense_rows(d.points).values.stride(), 4) << target;
    }
  }
  const Dataset mixed = csv("a,word,b,y,c\n1,u,2,3,4\n5,v,6,7,8\n", {.target = "y"});
  const auto& parts = dynamic_cast<const Table&>(mixed.points.rep()).parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(numbers(parts[2].second), (Matrix{{2, 4}, {6, 8}}));
  EXPECT_EQ(dense_rows(parts[2].second).values.stride(), 5);
  EXPECT_EQ(mixed.target_numbers, (Vector{3, 7}));
}

TEST(Csv, BadTargets) {
  const std::string text = "length,dose\n1,2\n3,4\n";
  EXPECT_EQ(csv_error(text, {.target = "doze"}),
            "DataError: d.csv: no column \"doze\" to be the target; the columns are length, dose; did you mean dose?");
  EXPECT_EQ(csv_error(text, {.target = "3"}),
            "DataError: d.csv: no column 3 to be the target; there are 2, counted from 1");
  EXPECT_EQ(csv_error("a\n1\n", {.target = "a"}),
            "DataError: d.csv: its only column is the target; no column is left for the points");
  EXPECT_NE(csv_error("a,b\n1,x\n2,\n", {.target = "b"}).find("row 2 (line 3), column \"b\": the value is missing"),
            std::string::npos);
}

TEST(Csv, HeaderIsDetected) {
  // Texts above numbers; unnamed columns (an index written by pandas) get a name.
  EXPECT_EQ(csv(",a\n0,5\n1,6\n").points.column_names(), (Names{"x1", "a"}));
  EXPECT_EQ(csv("name,x\nBob,1\n").points.column_names(), (Names{"name", "x"}));
  // The same line twice is data; so is a line with a number and a text above texts.
  EXPECT_EQ(csv("5.1,setosa\n4.9,virginica\n").points.size(), 2);
}

TEST(Csv, HeaderOfTextsOnly) {
  // It stands apart from a column of values that come again.
  EXPECT_EQ(csv("label,text\nham,a\nspam,b\nham,c\nspam,d\n").points.column_names(), (Names{"label", "text"}));
  std::string rare = "label\n";
  for (int i = 0; i < 40; ++i) rare += i % 20 == 7 ? fmt::format("one of a kind {}\n", i) : "ham\n";
  EXPECT_EQ(csv(rare).points.size(), 40);
  // Values: one comes again below, two are the same, one cannot be a name.
  for (const std::string& first : Names{"ham,a", "a,b", "b,b", "+,tata", "p," + std::string(41, 'g')}) {
    const Dataset data = csv(first + "\nspam,b\nham,c\na,d\n");
    EXPECT_TRUE(data.counted) << first;
    EXPECT_EQ(data.points.size(), 4) << first;
  }
  // Neither: nobody can tell.
  for (const std::string text :
       {"name,kind\nRex,dog\nTom,cat\nKit,cat\n", "acgt,tgca\nccgt,aaaa\n", "name\nRex\nTom\n"}) {
    const std::string line = text.substr(0, text.find('\n'));
    EXPECT_EQ(csv_error(text), fmt::format("DataError: d.csv: all columns hold text, and nothing tells whether line 1 "
                                           "(\"{}\") names them; say `header=yes` or `header=no`",
                                           line));
    EXPECT_TRUE(csv(text, {.header_if_unclear = false}).counted);
    EXPECT_FALSE(csv(text, {.header_if_unclear = true}).counted);
    EXPECT_TRUE(csv(text, {.header = false}).counted);
  }
  // Both: "dog" comes again, "Rex" stands apart.
  EXPECT_NE(csv_error("Rex,dog\nTom,dog\nTom,cat\n").find("nothing tells"), std::string::npos);
}

TEST(Csv, ANameThatIsKnownTellsAHeader) {
  const std::string pets = "name,kind\nRex,dog\nTom,cat\nKit,cat\n";
  const Dataset data = csv(pets, {.target = "kind"});
  EXPECT_EQ(data.target_texts, (Names{"dog", "cat", "cat"}));
  EXPECT_EQ(csv(pets, {.expected = {"name", "kind"}}).points.size(), 3);
  // All of those expected, or nothing is known.
  EXPECT_NE(csv_error(pets, {.expected = {"name", "owner"}}).find("nothing tells"), std::string::npos);
  // A number is no name, and who says so is believed.
  EXPECT_NE(csv_error(pets, {.target = "2"}).find("nothing tells"), std::string::npos);
  EXPECT_EQ(csv(pets, {.header = false, .expected = {"name"}}).points.size(), 4);
  EXPECT_EQ(csv("id,2019\n1,5\n2,6\n", {.expected = {"2019"}}).points.size(), 2);
  // Where no line holds names, a name is a slip, or there is a header after all.
  EXPECT_EQ(csv_error("Rex,dog\nTom,cat\nRex,dog\n", {.target = "y"}),
            "DataError: d.csv: no column \"y\" to be the target; the columns are x1, x2; line 1 was read as values: if "
            "it holds names, say `header=yes`");
}

TEST(Csv, ColumnsToldToBeText) {
  const std::string text = "zip,kind,n\n01234,a,1\n1234,b,2\n,NA,3\n";
  const Dataset data = csv(text, {.texts = {"zip", "2"}});
  EXPECT_EQ(texts(data.points.columns("zip")), (Names{"01234", "1234", ""}));
  EXPECT_EQ(texts(data.points.columns("kind")), (Names{"a", "b", "NA"}));
  EXPECT_EQ(numbers(data.points.columns("n"))(2, 0), 3);
  // As a target, and where it only may be there.
  EXPECT_EQ(csv(text, {.expected_texts = {"zip", "colour"}, .texts = {"kind"}, .target = "zip"}).target_texts[0],
            "01234");
  EXPECT_EQ(csv(text, {.expected_texts = {"1"}, .texts = {"kind"}, .target = "zip"}).target_texts[0], "01234");
  EXPECT_EQ(csv_error(text, {.texts = {"zpi"}}),
            "DataError: d.csv: no column \"zpi\" to be text; the columns are zip, kind, n; did you mean zip?");
  EXPECT_EQ(csv_error(text, {.texts = {"4"}}), "DataError: d.csv: no column 4 to be text; there are 3, counted from 1");
  // Infinite numbers and slips among numbers are texts then.
  std::string slips = "code\n";
  for (int i = 0; i < 20; ++i) slips += i == 3 ? "inf\n" : i == 7 ? "x7\n" : "1\n";
  EXPECT_EQ(texts(csv(slips, {.texts = {"code"}}).points)[3], "inf");
}

TEST(Csv, HeaderAsTold) {
  EXPECT_EQ(csv("1,2\n3,4\n", {.header = true}).points.column_names(), (Names{"1", "2"}));
  EXPECT_EQ(texts(csv("a,b\n3,4\n", {.header = false}).points.columns(1)), (Names{"a", "3"}));
  EXPECT_EQ(
      csv_error("id,2019\n1,5\n2,6\n"),
      "DataError: d.csv: line 1 has text (\"id\") and numbers (\"2019\") above columns of numbers; say `header=yes` or "
      "`header=no`");
  EXPECT_EQ(csv_error("a,b,a\n1,2,3\n"), "DataError: d.csv: columns 1 and 3 are both named \"a\"; rename one");
}

TEST(Csv, EmptyFiles) {
  for (const char* text : {"", "\n\r\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(csv_error(text), "DataError: d.csv: the file is empty; it needs at least one line of values");
  }
  EXPECT_EQ(csv_error("a,b\n"),
            "DataError: d.csv: there is one line of texts only, a header without data; add the rows (or say `header="
            "no`)");
  EXPECT_EQ(csv_error("1,2\n", {.header = true}), "DataError: d.csv: there is a header line but no data; add the rows");
}

TEST(Csv, RaggedRows) {
  EXPECT_EQ(csv_error("a,b\n1,2\n3\n"),
            "DataError: d.csv: line 3 has 1 field, the first line has 2; give every line the same number");
  EXPECT_EQ(csv_error("a,b\n\"1\n\",2\n3,4,5,6\n"),
            "DataError: d.csv: line 4 has 4 fields, the first line has 2; give every line the same number");
  EXPECT_EQ(csv_error("a,b\n1,2\n\n3,4\n"), "DataError: d.csv: line 3 is empty; remove it");
  // More lines than fields could fill.
  EXPECT_EQ(csv_error("a,b,c,d\n1,2,3,4\n" + std::string(50, '\n') + "1,2,3,4\n"),
            "DataError: d.csv: line 3 is empty; remove it");
}

TEST(Csv, MissingValues) {
  for (const char* missing : {"", "NA", "NaN", "nan", "null", "?", " "}) {
    EXPECT_EQ(csv_error(fmt::format("a,dose\n1,2\n3,{0}\n{0},{0}\n5,6\n", missing)),
              fmt::format("DataError: d.csv: row 2 (line 3), column \"dose\": the value is missing (\"{}\"); in all, 3 "
                          "values are missing from 2 columns; fill in or remove those rows",
                          missing));
  }
  EXPECT_EQ(csv_error("1,2\n,4\n"),
            "DataError: d.csv: row 2 (line 2), column \"x1\": the value is missing (\"\"); in all, 1 value is missing "
            "from 1 column; fill in or remove those rows");
  EXPECT_EQ(csv_error("a,b\n1,\n2,\n"), "DataError: d.csv: column \"b\" has no values; fill it in or remove it");
  // The same of texts.
  for (const char* missing : {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", " "}) {
    const std::string text = fmt::format("a,b,c\n1,x,u\n2,{0},v\n3,{0},w\n4,y,{0}\n", missing);
    EXPECT_EQ(
        csv_error(text),
        fmt::format("DataError: d.csv: row 2 (line 3), column \"b\": the value is missing (\"{}\"); in all, 3 "
                    "values are missing from 2 columns; fill in or remove those rows; where it is a text like the "
                    "others, say `text=b`",
                    missing));
    EXPECT_EQ(csv_error(text, {.target = "b"}), csv_error(text));
    EXPECT_EQ(texts(csv(text, {.texts = {"b", "c"}}).points.columns("b"))[1], missing);
  }
}

TEST(Csv, AFewTextsAmongNumbersAreSlips) {
  std::string text = "dose\n";
  for (int i = 1; i <= 20; ++i) text += i == 17 ? "abc\n" : "1.5\n";
  EXPECT_EQ(
      csv_error(text),
      "DataError: d.csv: row 17 (line 18), column \"dose\": \"abc\" is not a number, though 19 of the column's 20 "
      "values are; correct it");
  // One in ten or more makes a text column.
  EXPECT_EQ(csv("1\n2\n3\n4\n5\nx\n7\n").points.domain().kind, "strings");
}

TEST(Csv, InfiniteValues) {
  for (const char* value : {"inf", "-Infinity", "1e999", "+inf"}) {
    EXPECT_EQ(
        csv_error(fmt::format("a,b\n1,2\n3,{}\n", value)),
        fmt::format("DataError: d.csv: row 2 (line 3), column \"b\": \"{}\" is not a finite number; correct it or "
                    "remove the row",
                    value));
  }
}

TEST(Csv, NotText) {
  EXPECT_EQ(csv_error(std::string("a\0b\0", 4)),
            "DataError: d.csv: not a text file (byte 2 is zero); save it as UTF-8 text, or name its format");
  EXPECT_EQ(csv_error("1,2\r3,4\r"),
            "DataError: d.csv: lines end in a carriage return alone; convert them to newlines");
  EXPECT_EQ(
      csv_error("1 2.5 3\n4 5 6\n"),
      "DataError: d.csv: line 1 holds numbers separated by blanks (\"1 2.5 3\"); separate them by commas or tabs");
}

TEST(Csv, MessagesStayShortAndOnOneLine) {
  const std::string error = csv_error("a\n1\n\"" + std::string(1000, 'x') + "\ny\"z\n");
  EXPECT_LT(error.size(), 200u);
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

// A value that is cut to be shown is cut between characters.
TEST(Csv, ShownValuesEndWithAWholeCharacter) {
  for (std::size_t letters = 36; letters <= 40; ++letters) {
    for (const std::string sign : {"é", "€", "𝄞"}) {
      const std::string begin(letters, 'a'), kept = letters + sign.size() <= 40 ? begin + sign : begin;
      EXPECT_EQ(shown(begin + sign + "bbbbbb"),
                "\"" + kept + std::string(letters + sign.size() <= 40 ? 40 - kept.size() : 0, 'b') + "...\"")
          << letters << sign;
    }
  }
}

// Large enough to be read in several pieces.
TEST(Csv, PiecesJoinSeamlessly) {
  const Index n = 400000;
  std::string text = "i,square,word\n";
  for (Index i = 0; i < n; ++i)
    fmt::format_to(std::back_inserter(text), "{},{},w{}{}", i, i * i, i % 7, i % 2 ? "\r\n" : "\n");
  ASSERT_GT(text.size(), std::size_t{8} << 20);
  const Dataset d = csv(text);
  ASSERT_EQ(d.points.size(), n);
  const Matrix x = numbers(d.points.columns("i:square"));
  const auto& words = texts(d.points.columns("word"));
  for (Index i = 0; i < n; ++i) {
    ASSERT_EQ(x(i, 0), static_cast<double>(i));
    ASSERT_EQ(x(i, 1), static_cast<double>(i * i));
    ASSERT_EQ(words[static_cast<std::size_t>(i)], fmt::format("w{}", i % 7));
  }
  // Rows and lines are counted across pieces, and the first of several errors is reported.
  EXPECT_EQ(csv_error(text + "1,NA,w\n1,2\n"),
            "DataError: d.csv: line 400003 has 2 fields, the first line has 3; give every line the same number");
  EXPECT_NE(csv_error(text + "1,NA,w\n").find("row 400001 (line 400002), column \"square\""), std::string::npos);
}

// Faults in several pieces, whichever thread comes first.
TEST(Csv, OfSeveralFaultyPiecesTheFirstIsReported) {
  std::string good;
  while (good.size() < (std::size_t{5} << 20)) good += "1.25,2.5\n";
  const auto line = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n') + 1; };
  const std::string ragged = "a,b\n" + good + "1,2,3\n" + good + "1\n" + good + "1,2,3,4\n";
  EXPECT_NE(csv_error(ragged).find(fmt::format("line {} has 3 fields", line("a,b\n" + good))), std::string::npos);
  const std::string texts = "a,b\n" + good + "1,x\n" + good + "1,y\n" + good + "1,NA\n";
  EXPECT_NE(csv_error(texts).find(fmt::format("(line {}), column \"b\": \"x\"", line("a,b\n" + good))),
            std::string::npos);
}

// Columns that are not plain numbers, but no names either.
TEST(Csv, NamesAboveDressedNumbersAreNames) {
  for (const char* const text :
       {"a;b\n1,5;2,3\n2,5;3,25\n", "a;b\n10%;5\n20%;6\n", "a;b\n$5;2020-01-31\n$6;2020-02-28\n"}) {
    const Dataset d = csv(text);
    EXPECT_EQ(d.points.column_names(), (Names{"a", "b"})) << text;
    EXPECT_EQ(d.points.size(), 2) << text;
    EXPECT_FALSE(d.counted);
  }
  const Dataset bare = csv("1,5;2,3\n2,5;3,25\n");
  EXPECT_EQ(bare.points.size(), 2);
  EXPECT_TRUE(bare.counted);
  // A slip in the first row is no name.
  EXPECT_EQ(csv("\"1,000\";2\n3;4\n5;6\n").points.size(), 3);
  // A line of dates above numbers is one of names.
  EXPECT_EQ(csv("2020-01;2020-02\n3;4\n5;6\n").points.column_names(), (Names{"2020-01", "2020-02"}));
}

}  // namespace
}  // namespace mercer::csv_test
