// Data that cannot mean what was asked for: one line that says what, where and what to do.
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

TEST_F(BadDataTest, TextAmongNumbersIsNamed) {
  const std::string rbf = "rbf(ell=1)";
  const std::string share = files_.file("share.csv", "q,share,y\n1,5,a\n2,10%,b\n3,20%,a\n");
  expect_fit_error({"svc", share}, 2, "column \"share\" holds text (\"10%\" in row 2: write plain numbers");
  expect_fit_error({"svc", share, "--kernel", rbf}, 1, "rbf() needs numbers, and column \"share\" holds text (\"10%\"");
  const std::string thousands = files_.file("thousands.csv", "n,y\n\"1,000\",a\n\"2,000\",b\n");
  expect_fit_error({"svc", thousands, "--kernel", rbf}, 1, "column \"n\" holds text (\"1,000\" in row 1");
  const std::string dates = files_.file("dates.csv", "day,n,y\n2020-01-31,1,a\n2020-02-28,2,b\n");
  expect_fit_error({"svc", dates, "--kernel", rbf}, 1, "column \"day\" holds text (\"2020-01-31\" in row 1");
  const std::string hex = files_.file("hex.csv", "n,y\n1,a\n0x1F,b\n3,a\n4,b\n");
  expect_fit_error({"svc", hex, "--kernel", rbf}, 1, "column \"n\" holds text (\"0x1F\" in row 2)");
  const std::string commas = files_.file("commas.csv", "u;v;y\n1,5;2,3;a\n2,5;3,25;b\n");
  expect_fit_error({"svc", commas}, 2, "column \"u\" holds text (\"1,5\" in row 1: write plain numbers");
  expect_fit_error({"ridge", files_.file("target.csv", "u;v\n1;2,3\n2;3,25\n")}, 1,
                   "the target \"v\" holds text (\"2,3\" in row 1)");
  expect_error(run({"gram", rbf, share}), 1, "column \"share\" holds text (\"10%\" in row 2");
}

TEST_F(BadDataTest, ClassesThatLookAlikeAreRefused) {
  const auto with = [&](const std::string& label) {
    return Words{"svc", files_.file("d.csv", "x,y\n1,a\n2,b\n3," + label + "\n4,b\n"), "--kernel", "rbf(ell=1)"};
  };
  expect_fit_error(with(" a"), 1, "the classes \" a\" and \"a\" look like one");
  expect_fit_error(with("NA"), 1, "row 3 (line 4), column \"y\": the value is missing (\"NA\")");
  expect_fit_error(with("?"), 1, "row 3 (line 4), column \"y\": the value is missing (\"?\")");
  expect_fit_error(with(""), 1, "row 3 (line 4), column \"y\": the value is missing (\"\")");
  const std::string large = files_.file("large.csv", "x,y\n1,9007199254740993\n2,9007199254740992\n3,1\n");
  expect_fit_error({"svc", large, "--kernel", "rbf(ell=1)"}, 1, "too large to be told from its neighbours");
  expect_fit_error({"svc", files_.file("zero.csv", "x,y\n1,0\n2,-0\n3,1\n"), "--kernel", "rbf(ell=1)"}, 1,
                   "look like one");
  // The truth of a score as well.
  ASSERT_EQ(fit(with("a")).code, 0);
  const std::string model = results_.path("m.mercer");
  expect_error(run({"score", model, files_.file("s.csv", "x,y\n1,a \n2,b\n")}), 1, "look like one");
  expect_error(run({"score", model, files_.file("s.csv", "x,y\n1,NA\n2,b\n")}), 1,
               "row 1 (line 2), column \"y\": the value is missing");
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
  const Outcome got = fit({"svc", files_.file("n.csv", numbers), "--kernel", "rbf(ell=1)"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.err, "40 classes in 40 rows")) << got;
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
