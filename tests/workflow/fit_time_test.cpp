// A time that is named: what it ends, what is refused because nothing ends it, and that it is never passed over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/files.hpp"
#include "mercer/workflow.hpp"
#include "support.hpp"

namespace mercer::workflow::fit_time_test {
namespace {

using io_test::TemporaryFolder;

constexpr double kNone = 1e-9, kMuch = 1e9;

class FitTime : public ::testing::Test {
 protected:
  FitRequest request(const std::string& machine, Index rows, std::optional<double> time) {
    std::ostringstream out;
    const bool names = mercer::machine(machine).task == Task::classification;
    out << "a,b,c,d,y\n";
    for (Index i = 0; i < rows; ++i) {
      const auto t = static_cast<double>(i);
      const double a = std::sin(1.7 * t), b = std::cos(0.3 * t * t);
      out << a << ',' << b << ',' << std::fmod(t, 11.0) << ',' << std::cos(t) << ',';
      if (names) {
        out << (a + b > 0 ? "up" : "down") << '\n';
      } else {
        out << a + 0.1 * std::cos(11 * t) << '\n';
      }
    }
    return {.machine = machine,
            .source = {.path = files_.file(machine + std::to_string(rows) + ".csv", out.str())},
            .time = time};
  }
  TemporaryFolder files_;
};

bool says(const std::vector<std::string>& remarks, const std::string& words) {
  return std::ranges::any_of(remarks, [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

TEST_F(FitTime, IsNeverPassedOverInSilence) {
  for (const Machine& row : machines()) {
    for (const bool plain : {true, false}) {
      SCOPED_TRACE(row.name + (plain ? ", plain" : ""));
      FitRequest asked = request(row.name, 120, kNone);
      asked.plain = plain;
      if (row.name == "kcca") asked.target = "c,d";
      try {
        const FitResult found = fit(asked);
        const Report& report = found.model.report();
        if (report.converged) {
          EXPECT_TRUE(says(found.remarks, " s were taken, and `time` is 1e-09 s"));
        } else {
          EXPECT_EQ(report.stopped, "the time of 1e-09 s was over");
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_NE(error.message().find("`time`"), std::string::npos) << error.message();
      }
      // Of much of it nothing is said, and nothing else comes of it.
      asked.time = kMuch;
      FitRequest without = asked;
      without.time.reset();
      const auto fitted = [](const FitRequest& one) {
        try {
          const FitResult found = fit(one);
          EXPECT_FALSE(says(found.remarks, "`time`"));
          return found.choice.words + found.model.report().stopped;
        } catch (const Error& error) {
          return error.message();
        }
      };
      EXPECT_EQ(fitted(asked), fitted(without));
    }
  }
}

TEST_F(FitTime, WhatNothingEndsIsRefusedWhereItTakesFarLonger) {
  // Eigenvalues of 9,000 points: on no computer in a second.
  FitRequest asked = request("mds", 9000, 0.01);
  asked.settings = {{"components", "2"}, {"solver", "dense"}};
  const std::string refused = test::error_of([&] { (void)choose(prepare(asked)); });
  EXPECT_EQ(refused.find("UsageError: mds: a fit to 9000 points would take about "), 0U) << refused;
  EXPECT_NE(refused.find("`time` allows 1 s, and nothing can end it before"), std::string::npos) << refused;
  asked.time = kMuch;
  EXPECT_NO_THROW((void)choose(prepare(asked)));
}

TEST_F(FitTime, CentresStandForAllWhereAMachineTakesThem) {
  FitRequest asked = request("pca", 9000, 0.01);
  asked.settings = {{"components", "2"}};
  const Chosen few = choose(prepare(asked));
  ASSERT_TRUE(few.wishes);
  EXPECT_LT(few.wishes->count, 2000);
  EXPECT_TRUE(says(few.remarks, "approximated: "));
  asked.time = kMuch;
  EXPECT_FALSE(choose(prepare(asked)).wishes);
}

// Only where somebody names the time: by default 2,000 centres are taken, and a machine is left to itself.
TEST(CentresInTime, AreAsManyAsEndInIt) {
  const auto planned = [](const std::string& name, double seconds, bool ends) {
    Extent extent = extent_of(parse("rbf(ell=1)"), rows(Matrix(1, 3)));
    extent.points = extent.weighted = 1000000;
    extent.memory = std::size_t{64} << 30U;
    return plan_for(machine(name), {{name == "ridge" ? "ridge" : "components", name == "ridge" ? "0.1" : "2"}}, extent,
                    {.approximate = true, .seconds = seconds, .ends = ends});
  };
  for (const char* const name : {"ridge", "pca"}) {
    SCOPED_TRACE(name);
    Index last = 0;
    for (const double seconds : {1.0, 4.0, 16.0, 64.0}) {
      const Plan plan = planned(name, seconds, true);
      EXPECT_GE(plan.centres, std::max<Index>(100, last));
      if (plan.centres >= 200) {
        EXPECT_LE(plan.pairs / 1e9 + plan.flops / 1e11, seconds);
      }
      last = plan.centres;
    }
    EXPECT_LT(planned(name, 1, true).centres, last);
  }
  EXPECT_EQ(planned("ridge", 1, false).centres, 2000);
  EXPECT_EQ(planned("pca", 1, false).centres, 0);
}

TEST_F(FitTime, ChoosingEndsWithItsShare) {
  FitRequest asked = request("svc", 300, kNone);
  const Chosen hurried = choose(prepare(asked));
  EXPECT_TRUE(says(hurried.remarks, "choosing options ended with 33 % of `time`"));
  EXPECT_FALSE(hurried.choice.interrupted) << "nobody said stop";
  EXPECT_GT(hurried.seconds, 0);
  asked.time = kMuch;
  const Chosen whole = choose(prepare(asked));
  EXPECT_FALSE(says(whole.remarks, "choosing options ended"));
  asked.time.reset();
  EXPECT_EQ(choose(prepare(asked)).choice.settings, whole.choice.settings);
  // Who says stop is heard as before.
  const Execution stopping{.monitor = Monitor([](const Progress&) { return false; })};
  test::expect_error([&] { (void)choose(prepare(asked), stopping); }, "Cancelled", {"stopped on request"});
}

// What choosing took is not there for the fit.
TEST_F(FitTime, TheFitHasWhatIsLeft) {
  const Prepared data = prepare(request("svc", 300, 1000));
  Chosen chosen = choose(data);
  EXPECT_TRUE(fit(data, chosen).model.report().converged);
  chosen.seconds = 2000;
  const Report late = fit(data, chosen).model.report();
  EXPECT_FALSE(late.converged);
  EXPECT_EQ(late.stopped, "the time of 1e+03 s was over");
}

TEST_F(FitTime, CopiesAreNotComparedBeyondIt) {
  FitRequest asked = request("svc", 60, kNone);
  asked.plain = true;
  asked.settings = {{"invariance", "flip(2x2)"}};
  const auto columns = [&] {
    const Model model = fit(asked).model;
    const Report::Table* const table = model.report().table("invariance");
    return table == nullptr ? 0U : table->columns.size();
  };
  EXPECT_LE(columns(), 4U);
  asked.time = kMuch;
  EXPECT_EQ(columns(), 5U);
}

}  // namespace
}  // namespace mercer::workflow::fit_time_test
