// Data that cannot mean what was asked for: one line that says what, where and what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace mercer::bad_data_test {
namespace {

using cli_test::has;
using cli_test::Outcome;
using Words = std::vector<std::string>;

class BadDataTest : public cli_test::CommandTest {
 protected:
  Outcome fit(Words words) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"-o", results_.path("m.mercer")});
    return run(words);
  }
  void expect_fit_error(const Words& words, int code, const std::string& text) { expect_error(fit(words), code, text); }
};

TEST_F(BadDataTest, NumbersAsPeopleWriteThemAreRead) {
  const auto said = [&](const std::string& machine, const std::string& header, const auto& row) {
    std::string text = header + "\n";
    for (int i = 0; i < 12; ++i) text += row(i) + "\n";
    const Outcome got = fit({machine, files_.file("d.csv", text), "--plain"});
    EXPECT_EQ(got.code, 0) << got;
    return got.err;
  };
  const auto kind = [](int i) { return std::string(i % 2 == 0 ? ",a" : ",b"); };
  const std::string share = said("svc", "q,share,y", [&](int i) { return fmt::format("{},{}%", i, 5 * i) + kind(i); });
  EXPECT_TRUE(has(share, "column share: count (whole numbers, 0 to 55, written as 55%)")) << share;
  const std::string thousands = said("svc", "n,y", [&](int i) { return fmt::format("\"{},500\"", i + 1) + kind(i); });
  EXPECT_TRUE(has(thousands, "comma between thousands")) << thousands;
  const std::string dates =
      said("svc", "day,n,y", [&](int i) { return fmt::format("2020-01-{:02},{}", i + 9, i) + kind(i); });
  EXPECT_TRUE(has(dates, "column day: date (y-m-d, such as 2020-01-09)")) << dates;
  const std::string commas = said("ridge", "u;v", [](int i) { return fmt::format("{},5;{},25", i, i * i); });
  EXPECT_TRUE(has(commas, "column u: number (numbers, 0.5 to 11.5, written as 9,5, decimal comma)")) << commas;
  expect_error(run({"gram", "rbf(ell=1)", files_.file("g.csv", "q,share,y\n1,5,a\n2,10%,b\n3,20%,a\n")}), 1,
               "column \"share\" holds text (\"10%\" in row 2");
}

// One line for each table that no reading makes sense of.
TEST_F(BadDataTest, TablesThatCannotBeReadAreOneLine) {
  std::string slip = "n,town,y\n", days = "day,y\n", names = "n,town,name\n", same = "n,town,y\n", none = same;
  for (int i = 0; i < 24; ++i) {
    const std::string town = i % 3 == 0 ? "Oslo" : i % 3 == 1 ? "Bodo" : "";
    slip += fmt::format("{},{},{}\n", i == 5 ? "oops" : std::to_string(i * i), town, i % 2);
    days += fmt::format("{},{}\n", i % 3 == 0 ? "2020-01-31" : i % 3 == 1 ? "31.01.2020" : "01/31/2020", i % 2);
    names += fmt::format("{},{},Mr {} of somewhere\n", i, town, i);
    same += fmt::format("{},{},7\n", i, town);
    none += fmt::format("{},{},\n", i, town);
  }
  expect_fit_error(
      {"svc", files_.file("slip.csv", slip)}, 1,
      "column \"n\": row 6: \"oops\" is not a number, though 23 of the column's 24 values are; correct it, or "
      "say --missing oops or --types n=category");
  EXPECT_EQ(fit({"svc", files_.path("slip.csv"), "--missing", "oops", "--plain"}).code, 0);
  expect_fit_error({"svc", files_.file("days.csv", days)}, 1, "column \"day\": dates written in 3 ways");
  EXPECT_EQ(fit({"svc", files_.path("days.csv"), "--types", "day=category", "--plain"}).code, 0);
  expect_fit_error({"svc", files_.file("names.csv", names), "--target", "name"}, 1, "24 texts, all different");
  expect_fit_error({"ridge", files_.path("names.csv"), "--target", "name"}, 1, "the target \"name\" holds text");
  expect_fit_error({"svc", files_.file("same.csv", same)}, 1, "two classes are needed");
  EXPECT_TRUE(has(fit({"ridge", files_.path("same.csv"), "--plain"}).err, "the target y is 7 in all rows"));
  expect_fit_error({"ridge", files_.file("none.csv", none)}, 1, "the target \"y\" has no value in any row");
  expect_fit_error({"ridge", files_.file("twice.csv", "n,n,y\n1,a,2\n2,,3\n")}, 1, "are both named \"n\"");
  expect_fit_error({"ridge", files_.file("one.csv", "n,town,y\n1,Oslo,2\n")}, 1, "one row");
  expect_fit_error({"ridge", files_.path("same.csv"), "--drop", "nn"}, 2, "--drop: no input column is called \"nn\"");
  expect_fit_error({"ridge", files_.path("same.csv"), "--types", "n=numbr"}, 2, "did you mean number?");
  expect_fit_error({"ridge", files_.path("same.csv"), "--columns", "town", "--drop", "town"}, 1, "no column is left");
}

TEST_F(BadDataTest, ClassesThatLookAlikeAreRefused) {
  const auto with = [&](const std::string& label) {
    return Words{"svc", files_.file("d.csv", "x,y\n1,a\n2,b\n3," + label + "\n4,b\n"), "--kernel", "rbf(ell=1)"};
  };
  expect_fit_error(with(" a"), 1, "the classes \" a\" and \"a\" look like one");
  for (const char* const gap : {"NA", "?", ""}) {
    const Outcome got = fit(with(gap));
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_TRUE(has(got.err, "1 of 4 rows left out, without a value of y")) << got;
  }
  const std::string large = files_.file("large.csv", "x,y\n1,9007199254740993\n2,9007199254740992\n3,1\n");
  expect_fit_error({"svc", large, "--kernel", "rbf(ell=1)"}, 1, "too large to be told from its neighbours");
  expect_fit_error({"svc", files_.file("zero.csv", "x,y\n1,0\n2,-0\n3,1\n"), "--kernel", "rbf(ell=1)"}, 1,
                   "look like one");
  // The truth of a score as well.
  ASSERT_EQ(fit(with("a")).code, 0);
  const std::string model = results_.path("m.mercer");
  expect_error(run({"score", model, files_.file("s.csv", "x,y\n1,a \n2,b\n")}), 1, "look like one");
  const Outcome scored = run({"score", model, files_.file("s.csv", "x,y\n1,NA\n2,b\n")});
  EXPECT_EQ(scored.code, 0) << scored;
  EXPECT_TRUE(has(scored.err, "1 of 2 rows left out, without the truth")) << scored;
  // What is said stays on one line.
  const Outcome got = fit({"svc", files_.file("n.csv", "x,y\n1,\"a\nb\"\n2,c\n3,c\n"), "--kernel", "rbf(ell=1)"});
  EXPECT_TRUE(has(got.err, "(a b, c)")) << got;
}

TEST_F(BadDataTest, ColumnsThatAreTakenOut) {
  const std::string data = files_.file("d.csv", "x,w,y\n1,1,1\n2,2,3\n3,1,2\n");
  expect_fit_error({"ridge", data, "--target", "z"}, 1, "--target: no column \"z\" among x, w, y");
  expect_fit_error({"ridge", data, "--target", "9"}, 1, "no column 9; there are 3, counted from 1");
  expect_fit_error({"ridge", data, "--target", "0"}, 1, "no column 0");
  expect_fit_error({"ridge", data, "--target", "x,x"}, 2, "names a column twice");
  expect_fit_error({"ridge", data, "--target", "x,3,y"}, 2, "names a column twice");
  expect_fit_error({"ridge", data, "--target", "x,"}, 1, "no column \"\"");
  expect_fit_error({"ridge", data, "--weights", "y"}, 2, "\"y\" is the target");
  expect_fit_error({"ridge", data, "--target", "x,y", "--weights", "w"}, 1,
                   "its only columns are the target and the weights");
  expect_fit_error({"ridge", files_.file("only.csv", "y\n1\n2\n")}, 1, "no column is left for the points");
}

TEST_F(BadDataTest, NamesWithBlanksWantQuotes) {
  const std::string data = files_.file("d.csv", "my col,size (cm),y\n1,2,a\n2,3,b\n4,1,a\n3,3,b\n");
  expect_fit_error({"svc", data, "--kernel", "on(my col, rbf(ell=1))"}, 2, "put it in quotes: on(\"my col\", ...)");
  expect_fit_error({"svc", data, "--kernel", "on(size (cm), rbf(ell=1))"}, 2, "on(\"size (cm)\", ...)");
  expect_fit_error({"svc", data, "--kernel", "on(2nd, rbf(ell=1))"}, 2, "on(\"2nd\", ...)");
  expect_fit_error({"svc", data, "--kernel", "on(größe, rbf(ell=1))"}, 2, "in quotes");
  EXPECT_EQ(fit({"svc", data, "--kernel", "on(\"my col\", rbf(ell=1)) + on(\"size (cm)\", linear())"}).code, 0);
}

TEST_F(BadDataTest, AQuantityIsNoClass) {
  std::string content = "x,y\n", ratings = "x,y\n", numbers = "x,y\n";
  for (int i = 0; i < 40; ++i) {
    content += std::to_string(i % 7) + "," + std::to_string(0.37 * i + 1) + "\n";
    ratings += std::to_string(i % 10) + "," + std::to_string(0.5 * (i % 10)) + "\n";
    numbers += std::to_string(i % 7) + "," + std::to_string(i * 3) + "\n";
  }
  expect_fit_error({"svc", files_.file("c.csv", content)}, 1,
                   "the target \"y\" looks like a quantity (40 different numbers with fractions in 40 rows)");
  EXPECT_EQ(fit({"svc", files_.file("r.csv", ratings), "--kernel", "rbf(ell=1)"}).code, 0);
  expect_fit_error({"svc", files_.file("n.csv", numbers), "--kernel", "rbf(ell=1)"}, 1,
                   "the target \"y\" looks like a quantity (40 different whole numbers in 40 rows), and svc tells "
                   "classes apart; ridge, svr and gp predict quantities. If they are classes, give them names");
}

TEST_F(BadDataTest, WhatTellsRowsApartIsNoClass) {
  std::string ids = "x,id\n";
  for (int i = 0; i < 40; ++i) {
    ids += fmt::format("{},{}\n", i % 7, i + 1);
  }
  const std::string file = files_.file("ids.csv", ids);
  expect_fit_error({"svc", file, "--target", "id"}, 1,
                   "the target \"id\" holds 40 numbers, all different, which are no classes; --target");
  expect_fit_error({"svc", file}, 1,
                   "the target is the last column, \"id\", where --target names none, and its 40 numbers are all");
}

// Whoever takes the wrong kind of machine hears of the other kind.
TEST_F(BadDataTest, NamesAreNoNumbers) {
  std::string content = "x,y\n", slip = content;
  for (int i = 0; i < 40; ++i) {
    content += fmt::format("{},{}\n", i % 7, i % 2 == 0 ? "died" : "alive");
    slip += fmt::format("{},{}\n", i % 7, i == 3 ? "12a" : std::to_string(i));
  }
  expect_fit_error({"ridge", files_.file("n.csv", content)}, 1,
                   "holds text (\"died\" in row 1), and ridge predicts numbers; ridge_classifier, svc and gpc tell "
                   "classes apart");
  expect_fit_error({"ridge", files_.file("s.csv", slip)}, 1,
                   "holds text (\"12a\" in row 4), and ridge predicts numbers; correct it, or let --missing name it");
  for (const char* const name : {"ridge", "svr", "gp"}) EXPECT_TRUE(machine(name).task == Task::regression) << name;
  for (const char* const name : {"ridge_classifier", "svc", "gpc"}) {
    EXPECT_TRUE(machine(name).task == Task::classification) << name;
  }
}

TEST_F(BadDataTest, OptionsOfAutoWantAuto) {
  const std::string data = files_.file("d.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  for (const char* const option : {"--path", "--path-size", "--path-from", "--criterion"}) {
    const std::string value = option == std::string("--criterion") ? "gcv" : "1";
    expect_fit_error({"ridge", data, "--kernel", "rbf(ell=1)", "--ridge", "0.1", option, value}, 2, "auto");
  }
  EXPECT_EQ(fit({"ridge", data, "--kernel", "rbf(ell=1)", "--ridge", "auto", "--path", "0.1,1"}).code, 0);
}

TEST_F(BadDataTest, LongNamesAreCutInMessages) {
  const std::string name(100000, 'n');
  const std::string data = files_.file("d.csv", name + ",y\n1,2\n2,3\nx,4\n3,4\n");
  for (const Outcome& got :
       {fit({"ridge", data}), fit({"ridge", data, "--target", name + "z"}),
        fit({"svc", files_.file("t.csv", "x,y\n1," + name + "\n2," + name + "\n"), "--kernel", "rbf(ell=1)"}),
        run({"explain", "on(" + name + " z, linear())"}), run({"fit", name})}) {
    EXPECT_NE(got.code, 0);
    EXPECT_LT(got.err.size(), 2200u);
    EXPECT_EQ(got.err.find('\n'), got.err.size() - 1);
  }
  const Outcome fitted = fit({"ridge", files_.file("long.csv", "x," + name + "\n1,2\n2,3\n3,3\n")});
  EXPECT_EQ(fitted.code, 0);
  EXPECT_LT(fitted.err.size(), 2200u);
  // Data are not cut.
  EXPECT_TRUE(run({"predict", results_.path("m.mercer"), files_.path("long.csv")}).out.starts_with(name + "\n"));
}

}  // namespace
}  // namespace mercer::bad_data_test
