// mercer fit --plan and tune --plan; and that plans hold: the memory a fit takes is the memory it was planned to take.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <map>

#include "cli/command.hpp"
#include "mercer/machines.hpp"
#include "paths.hpp"
#include "sanitized.hpp"

namespace mercer::cli_test::plan_test {
namespace {

class PlanTest : public CommandTest {
 protected:
  std::string data(Index rows, Index columns, bool classes = false, bool scattered = false) {
    return files_.file(classes ? "classes.csv" : "data.csv", made_table(rows, columns, classes, scattered));
  }
  // What the fit is planned to take, and the most it took.
  std::pair<double, double> planned_and_peak(std::vector<std::string> words) {
    std::vector<std::string> only = words;
    only.push_back("--plan");
    const double planned = json_of(only)["bytes"].number();
    words.insert(words.end(), {"-o", results_.path("m.mercer")});
    return {planned, peak_of(words)};
  }
  // Without what the process had before.
  static double taken(const Json& plan) {
    double sum = 0;
    for (const Json& part : plan["parts"]) sum += part["what"] == "in use before" ? 0 : part["bytes"].number();
    return sum;
  }
};

TEST_F(PlanTest, IsPrintedAndNothingIsFitted) {
  const std::string train = data(300, 3);
  const Outcome got = run({"fit", "ridge", train, "--plan"});
  EXPECT_EQ(got.code, 0) << got;
  for (const char* const piece : {"K: exact, all 300 x 300 numbers\n", "because: ", "solver: Cholesky\n",
                                  "memory: ", "time: about ", "approximated: nothing\n"}) {
    EXPECT_TRUE(has(got.out, piece)) << piece << "\n" << got;
  }
  EXPECT_EQ(run({"fit", "ridge", train, "--plan", "-o", results_.path("m.mercer")}).code, 0);
  EXPECT_TRUE(results_.list().empty());
  const Json plan = json_of({"fit", "gp", train, "--plan"});
  EXPECT_EQ(plan["form"], "exact");
  EXPECT_EQ(plan["approximates"], Json());
  EXPECT_GT(plan["seconds"].number(), 0);
  double sum = 0;
  for (const Json& part : plan["parts"]) sum += part["bytes"].get<double>();
  EXPECT_DOUBLE_EQ(plan["bytes"].number(), sum);
}

TEST_F(PlanTest, OfASearchCountsItsFits) {
  const std::string train = data(300, 3);
  const Json plan =
      json_of({"tune", "ridge", train, "--kernel", "rbf(ell=1)", "--grid", "ridge=0.1,1,ell=1,2,3", "--plan"});
  EXPECT_EQ(plan["form"], "exact");
  EXPECT_TRUE(has(plan["solver"].text(), "6 candidates, 31 fits")) << plan.dump();
  EXPECT_GT(taken(plan), taken(json_of({"fit", "ridge", train, "--kernel", "rbf(ell=1)", "--ridge", "1", "--plan"})));
  EXPECT_EQ(run({"tune", "svr", train, "--grid", "C=1,10", "--plan"}).code, 0);
}

TEST_F(PlanTest, WhatDoesNotFitIsRefusedWithWhatWould) {
  const std::string train = data(600, 3);
  for (const std::string verb : {"fit", "tune"}) {
    const Outcome got = run({verb, "gp", train, "--memory", "1MB", "--plan"});
    expect_error(got, 2, "gp: 600 points need ");
    EXPECT_TRUE(has(got.err, " points would fit")) << got;
    EXPECT_TRUE(has(got.err, "svr")) << got;
  }
}

TEST_F(PlanTest, CentresAreSaidInPlanModelAndLine) {
  const std::string train = data(600, 3), model = results_.path("m.mercer");
  const Outcome planned = run({"fit", "ridge", train, "--centres", "50", "--plan"});
  EXPECT_TRUE(has(planned.out, "what 50 centres say of it")) << planned;
  EXPECT_TRUE(has(planned.out, "K(X, Z) K(Z, Z)^-1 K(Z, X)")) << planned;
  const Json fitted = json_of({"fit", "ridge", train, "--centres", "50", "--centres-by", "uniform", "-o", model});
  EXPECT_EQ(fitted["report"]["plan"]["form"], "centres");
  const Outcome report = run({"report", model, train, "-o", results_.path("r.html")});
  EXPECT_EQ(report.code, 0) << report;
  const Outcome shown = run({"show", model});
  EXPECT_TRUE(has(shown.out, "50 centres, chosen by uniform from 600 of 600 points")) << shown;
  // By time: a second is too short for all points of a slow kernel, whatever the computer.
  const Outcome hurried = run({"fit", "ridge", train, "--time", "1e-9", "--ridge", "1", "-o", model});
  EXPECT_EQ(hurried.code, 0) << hurried;
  EXPECT_TRUE(has(hurried.err, "approximated: ")) << hurried;
  EXPECT_TRUE(has(hurried.err, "would take about")) << hurried;
}

// Where the ridge is yet to be chosen, there is room for what any of them takes.
TEST_F(PlanTest, WhatIsChosenFindsRoom) {
  const std::string train = data(24000, 2);
  const double open = taken(json_of({"fit", "ridge", train, "--plan"}));
  for (const char* const ridge : {"1e-8", "1e-3", "1"}) {
    EXPECT_LE(taken(json_of({"fit", "ridge", train, "--ridge", ridge, "--plan"})), 1.001 * open) << ridge;
  }
}

// Copies are of support vectors, which are not known before.
TEST_F(PlanTest, SaysThatThereAreCopies) {
  const std::string train = data(200, 4, true);
  EXPECT_TRUE(has(run({"fit", "svc", train, "--invariance", "flip(2x2)", "--plan"}).out,
                  "and again with copies of support vectors"));
  EXPECT_FALSE(has(run({"fit", "svc", train, "--plan"}).out, "copies"));
}

TEST_F(PlanTest, CentresThatCannotBeAreRefused) {
  const std::string train = data(60, 3), model = results_.path("m.mercer");
  expect_error(run({"fit", "ridge", train, "--centres", "0", "-o", model}), 2,
               "--centres: a whole number of at least 1");
  expect_error(run({"fit", "ridge", train, "--centres", "many", "-o", model}), 2, "--centres: ");
  expect_error(run({"fit", "ridge", train, "--centres", "5", "--centres-by", "luck", "-o", model}), 2,
               "--centres-by: centres are chosen by rpcholesky");
  expect_error(run({"fit", "ridge", train, "--centres", "61", "-o", model}), 2, "--centres: 61 of 60 points");
  expect_error(run({"fit", "ridge", train, "--centres", "99999", "--plan"}), 2, "99999 of 60 points");
  expect_error(run({"fit", "ridge", train, "--time", "-1", "-o", model}), 2, "--time: ");
  expect_error(run({"fit", "gp", train, "--centres", "5", "-o", model}), 2, "no option --centres");
  expect_error(run({"fit", "ridge", train, "--centres", "50", "--memory", "10KB", "-o", model}), 2,
               "centres would fit");
  // Numbers of all pairs have no points that could be centres.
  const std::string K = files_.file("K.csv", "1,0\n0,1\n"), y = files_.file("y.csv", "1\n2\n");
  for (const std::string count : {"1", "auto"}) {
    expect_error(run({"fit", "ridge", K, "--kernel", "precomputed", "--target", y, "--centres", count, "-o", model}), 2,
                 "--centres: K is given as numbers");
  }
  EXPECT_TRUE(results_.list().empty());
}

// As many as help, and never more than there are different points.
TEST_F(PlanTest, CentresOfRepeatedRows) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 2000; ++i) rows += fmt::format("{},{}\n", 0.1 * (i % 100), std::sin(0.1 * (i % 100)));
  const std::string train = files_.file("repeated.csv", rows), model = results_.path("m.mercer");
  for (const std::string name : {"ridge", "svr"}) {
    const Outcome got = run({"fit", name, train, "--centres", "auto", "-o", model});
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_TRUE(has(got.err, "f is made of ")) << got;
  }
  const Outcome got =
      run({"fit", "ridge", train, "--centres", "500", "-o", model});  // on a slow computer after remarks
  EXPECT_EQ(got.code, 2) << got;
  EXPECT_TRUE(has(got.err, "of which 100 are different")) << got;
}

TEST_F(PlanTest, IsInTheModelAndItsReport) {
  const std::string train = data(60, 2), model = results_.path("m.mercer");
  const Json fitted = json_of({"fit", "ridge", train, "-o", model});
  EXPECT_EQ(fitted["report"]["plan"]["form"], "exact");
  EXPECT_EQ(json_of({"show", model})["report"]["plan"], fitted["report"]["plan"]);
}

// All of the process: at most a tenth more than was planned, and not much less where K is held.
TEST_F(PlanTest, MemoryStaysWithinThePlan) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  struct Case {
    std::string machine;
    std::vector<std::string> options;
    Index rows;
    bool classes = false;
    double least = 0.6;  // of the plan
    bool plain = true;   // else something is chosen, and its trials count
  };
  for (const Case& c : std::vector<Case>{
           {"ridge", {"--ridge", "0.1", "--kernel", "rbf(ell=1)"}, 4000},
           {"gp", {"--objective", "none", "--noise", "0.1", "--kernel", "rbf(ell=1)"}, 4000},
           {"svc", {"--kernel", "laplace(ell=1)"}, 5000, true, 0},
           {"svc", {"--kernel", "rbf(ell=1)"}, 5000, true, 0},
           {"pca", {"--solver", "dense"}, 2000},
           {"pca", {}, 8000, false, 0},
           {"kmeans", {"--clusters", "3"}, 4000},
           {"kmeans", {"--clusters", "3", "--starts", "2"}, 6000, false, 0},
           {"ridge", {"--solver", "pcg", "--ridge", "1", "--kernel", "matern(nu=0.5,ell=1)"}, 9000, false, 0.5},
           {"ridge", {"--kernel", "rbf(ell=1)"}, 2200, false, 0.6, false},
           {"ridge", {"--kernel", "rbf(ell=1)", "--ridge", "0.1", "--centres", "auto"}, 4000, false, 0, false},
       }) {
    std::vector<std::string> words = {"fit", c.machine, data(c.rows, 4, c.classes), "--threads", "2"};
    if (c.plain) words.push_back("--plain");
    words.insert(words.end(), c.options.begin(), c.options.end());
    const auto [planned, peak] = planned_and_peak(words);
    EXPECT_LE(peak, 1.1 * planned) << c.machine << " of " << c.rows;
    EXPECT_GE(peak, c.least * planned) << c.machine << " of " << c.rows;
  }
}

// Also of every machine on centres, of which there are enough to have the weight.
TEST_F(PlanTest, MemoryOnCentresStaysWithinThePlan) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  constexpr Index kRows = 12000, kColumns = 6;
  const std::string numbers = data(kRows, kColumns, false, true), classes = data(kRows, kColumns, true, true);
  // What makes a fit short, and lets it end by itself.
  const std::map<std::string, std::string> few = {
      {"tolerance", "0.05"}, {"epochs", "2"}, {"clusters", "3"}, {"components", "1"}, {"ridge", "10"}};
  for (const Machine& row : machines()) {
    if (row.centres == OnCentres::refused) continue;
    const bool of_classes = row.task == Task::classification;
    std::vector<std::string> words = {
        "fit",      row.name,    of_classes ? classes : numbers, "--plain", "--threads", "2", "--centres", "200",
        "--kernel", "rbf(ell=1)"};
    for (const MachineOption& option : row.options) {
      if (const auto found = few.find(option.name); found != few.end()) {
        words.insert(words.end(), {"--" + option.name, found->second});
      }
    }
    const auto [planned, peak] = planned_and_peak(words);
    EXPECT_LE(peak, 1.1 * planned) << row.name;
  }
}

}  // namespace
}  // namespace mercer::cli_test::plan_test
