// mercer fit with as little as one can type.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/command.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::choose_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

class ChooseCliTest : public cli_test::CommandTest {
 protected:
  std::string toy(const std::string& name) { return std::string(MERCER_TEST_DATA) + "/toys/" + name; }
  std::string model() { return results_.path("m.mercer"); }
  Json fitted(std::vector<std::string> words) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"-o", model()});
    return json_of(words);
  }
};

TEST_F(ChooseCliTest, WhatIsChosenIsSaidOnceAndKept) {
  const Outcome got = run({"fit", "svc", toy("two_moons.csv"), "-o", model()});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.err, "(ell=")) << got;
  EXPECT_TRUE(has(got.err, "--plain")) << got;
  EXPECT_FALSE(has(got.err, "auto is")) << got;  // which is no longer true
  const Model kept = load(model());
  EXPECT_TRUE(has(got.err, "chosen: " + kept.report().chosen)) << kept.report().chosen;
  EXPECT_NE(kept.report().table("choice"), nullptr);
}

TEST_F(ChooseCliTest, PlainIsTheTextbook) {
  const Json summary = fitted({"svc", toy("two_moons.csv"), "--plain"});
  EXPECT_EQ(summary["settings"]["C"], "1");
  EXPECT_TRUE(summary["report"]["chosen"].is_null());
  const Json automatic = fitted({"svc", toy("two_moons.csv"), "--plain", "--kernel", "rbf(ell=auto)"});
  EXPECT_EQ(summary["kernel"], automatic["kernel"]);
  EXPECT_EQ(fitted({"ridge", toy("sinc.csv"), "--plain"})["settings"]["ridge"], "0.001");
  const Json svr = fitted({"svr", toy("sinc.csv"), "--plain"})["settings"];
  EXPECT_EQ(svr["C"], "1");
  EXPECT_EQ(svr["epsilon"], "0.1");
  EXPECT_EQ(svr["scale_target"], "none");
}

TEST_F(ChooseCliTest, AKernelThatIsGivenStaysAndItsAutoIsThePlainRule) {
  const Json given = fitted({"svc", toy("two_moons.csv"), "--kernel", "rbf(ell=auto)"});
  const Json plain = fitted({"svc", toy("two_moons.csv"), "--kernel", "rbf(ell=auto)", "--plain"});
  EXPECT_EQ(given["kernel"], plain["kernel"]);
  EXPECT_TRUE(has(given["report"]["chosen"].text(), "C="));
  EXPECT_EQ(fitted({"svc", toy("two_moons.csv"), "--C", "3"})["settings"]["C"], "3");
}

TEST_F(ChooseCliTest, TablesWithTextChooseTheRest) {
  const Json summary = fitted({"svc", toy("mixed.csv"), "--kernel", "on(age, rbf(ell=auto))"});
  EXPECT_TRUE(has(summary["report"]["chosen"].text(), "C=")) << summary["report"];
}

// Every row three times: chosen and scored as if each were there once, and said.
TEST_F(ChooseCliTest, EqualRowsAreSaid) {
  std::ifstream in(toy("two_moons.csv"));
  std::string header, all;
  std::getline(in, header);
  for (std::string line; std::getline(in, line);) all += line + "\n";
  const std::string thrice = results_.path("thrice.csv");
  std::ofstream(thrice) << header << "\n" << all << all << all;
  const Json once = fitted({"svc", toy("two_moons.csv")}), repeated = fitted({"svc", thrice});
  EXPECT_TRUE(has(repeated["report"]["chosen"].text(), "on the 200 different points of 600"))
      << repeated["report"]["chosen"];
  EXPECT_FALSE(has(once["report"]["chosen"].text(), "different")) << once["report"]["chosen"];
  const Outcome tuned = run({"tune", "svc", thrice, "--kernel", "rbf(ell=0.3)", "--grid", "C=1,10", "-o", model()});
  EXPECT_EQ(tuned.code, 0) << tuned;
  EXPECT_TRUE(has(tuned.err, "of 600 points 200 are different")) << tuned;
}

// The usual number of folds goes down to what there is, and it is said; a number that is given is refused.
TEST_F(ChooseCliTest, FewDifferentRowsAreFewFolds) {
  const std::string few = results_.path("few.csv");
  std::ofstream(few) << "x,y\n1,1\n2,3\n3,2\n1,1.5\n2,3\n3,2.5\n1,1\n";
  const std::vector<std::string> words = {"tune", "ridge", few, "--kernel", "rbf(ell=1)", "--grid", "ridge=0.1,1"};
  const Outcome tuned = run(words);
  EXPECT_EQ(tuned.code, 0) << tuned;
  EXPECT_TRUE(has(tuned.err, "3 folds instead of 5: there are no more different points")) << tuned;
  const Json chosen = fitted({"svr", few});
  EXPECT_TRUE(has(chosen["report"]["chosen"].text(), "3-fold")) << chosen["report"]["chosen"];
  std::vector<std::string> given = words;
  given.insert(given.end(), {"--cv", "5"});
  expect_error(run(given), 2, "5 folds of 7 points, of which 3 are different");
}

TEST_F(ChooseCliTest, ThreadsChangeNothing) {
  const auto without_time = [](Json summary) {
    summary["report"].erase("seconds");
    summary["report"].erase("stages");
    summary["report"].erase("notes");
    return summary;
  };
  for (const char* const machine : {"svr", "ridge"}) {
    const Json one = fitted({machine, toy("sinc.csv"), "--threads", "1"});
    EXPECT_EQ(without_time(one), without_time(fitted({machine, toy("sinc.csv"), "--threads", "2"})));
    EXPECT_FALSE(one["report"]["chosen"].is_null());
  }
}

TEST_F(ChooseCliTest, TheCatalogSaysWhatIsTried) {
  const Outcome got = run({"machines", "svc"});
  EXPECT_TRUE(has(got.out, "times auto")) << got;
  EXPECT_TRUE(has(got.out, "accuracy")) << got;
}

}  // namespace
}  // namespace mercer::choose_test
