// How many centres there are: decided again by what was chosen, and taken over by a fit that is resumed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>

#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "mercer/workflow.hpp"
#include "support.hpp"

namespace mercer::workflow::resumed_fit_test {
namespace {

using io_test::TemporaryFolder;

class ResumedFit : public ::testing::Test {
 protected:
  FitRequest request(double seconds, bool resume) {
    std::ostringstream out;
    out << "a,b,y\n";
    for (int i = 0; i < 800; ++i)
      out << std::sin(1.7 * i) << ',' << std::cos(0.3 * i * i) << ',' << std::sin(i) << '\n';
    return {.machine = "ridge",
            .settings = {{"ridge", "0.5"}},
            .kernel = parse("rbf(ell=1.5)"),
            .source = {.path = files_.file("t.csv", out.str())},
            .time = seconds,
            .checkpoint = files_.path("m.checkpoint"),
            .resume = resume};
  }
  // Left by a process that had decided so.
  void leave(const Vector& decided) {
    CheckpointFile(files_.path("m.checkpoint"), std::string(64, '0'), decided, false).keep({1, 2, 3});
  }
  TemporaryFolder files_;
};

constexpr double kMuch = 1e5, kNone = 1e-9;

TEST_F(ResumedFit, TakesOverWhatTimeDecided) {
  EXPECT_EQ(choose(prepare(request(kMuch, false))).allowed, (CentresAllowed{0, 0}));
  EXPECT_FALSE(choose(prepare(request(kMuch, false))).wishes);
  const Chosen hurried = choose(prepare(request(kNone, false)));
  EXPECT_GT(hurried.allowed.planned, 0);
  EXPECT_TRUE(hurried.wishes);

  leave({60, 300});
  const Chosen resumed = choose(prepare(request(kMuch, true)));
  EXPECT_EQ(resumed.allowed, (CentresAllowed{60, 300}));
  ASSERT_TRUE(resumed.wishes);
  EXPECT_LE(resumed.wishes->count, 300);
  // Without resume it is nobody's business.
  EXPECT_EQ(choose(prepare(request(kMuch, false))).allowed, (CentresAllowed{0, 0}));

  leave({0, 0});
  const Chosen all = choose(prepare(request(kNone, true)));
  EXPECT_FALSE(all.wishes);
  EXPECT_EQ(all.allowed, (CentresAllowed{0, 0}));
  // And the fit itself asks no clock.
  EXPECT_EQ(fit(prepare(request(kNone, false)), all).model.report().plan->centres, 0);
}

// A checkpoint is of one problem: what was given at all is part of it, whether a file says so or not.
TEST_F(ResumedFit, AnotherProblemIsNotGoneOnWith) {
  ::setenv("MERCER_CHECKPOINT_SECONDS", "0", 1);
  const std::string path = files_.path("svc.checkpoint");
  Matrix x(400, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < 400; ++i) {
    x(i, 0) = std::sin(1.7 * static_cast<double>(i));
    x(i, 1) = std::cos(0.3 * static_cast<double>(i * i));
    labels.emplace_back(i % 2 == 0 ? "p" : "q");
  }
  const auto of = [&](const Matrix& inputs, const std::vector<std::string>& names) {
    return Source{.path = "here",
                  .data = Dataset{.points = rows(Matrix(inputs)), .target_texts = names, .target_name = "kind"}};
  };
  FitRequest request{.machine = "svc",
                     .settings = {{"C", "1e4"}, {"tolerance", "1e-9"}},
                     .kernel = parse("rbf(ell=0.3)"),
                     .source = of(x, labels),
                     .scale = Scaling::Kind::none,
                     .checkpoint = path};
  Execution until_there;
  until_there.monitor = Monitor([&](const Progress&) { return !std::filesystem::exists(path); });
  (void)fit(request, until_there);
  ASSERT_TRUE(std::filesystem::exists(path));
  request.resume = true;
  const auto resumed = [&](const std::function<void(FitRequest&)>& change) {
    FitRequest other = request;
    change(other);
    return test::error_of([&] { (void)fit(prepare(other), choose(prepare(other))); });
  };
  const std::string refused = "UsageError: " + path + ": is of other data, another kernel, other options";
  std::vector<std::string> swapped = labels, renamed = labels;
  std::swap(swapped[3], swapped[4]);
  for (std::string& name : renamed) name = name == "p" ? "a" : "b";
  Matrix moved = x;
  moved(17, 1) += 1e-12;
  const std::vector<std::pair<const char*, std::function<void(FitRequest&)>>> changes = {
      {"labels", [&](FitRequest& r) { r.source = of(x, swapped); }},
      {"names", [&](FitRequest& r) { r.source = of(x, renamed); }},
      {"a point", [&](FitRequest& r) { r.source = of(moved, labels); }},
      {"settings", [](FitRequest& r) { r.settings["C"] = "10001"; }},
      {"kernel", [](FitRequest& r) { r.kernel = parse("rbf(ell=0.31)"); }},
      {"scale", [](FitRequest& r) { r.scale = Scaling::Kind::standard; }}};
  for (const auto& [what, change] : changes) EXPECT_TRUE(resumed(change).starts_with(refused)) << what;
  EXPECT_EQ(resumed([](FitRequest&) {}), "no error");
  ::unsetenv("MERCER_CHECKPOINT_SECONDS");
}

TEST_F(ResumedFit, WhatIsNoDecisionIsNone) {
  EXPECT_FALSE(CheckpointFile::decided(files_.path("m.checkpoint")));
  leave({60, 300});
  EXPECT_EQ(CheckpointFile::decided(files_.path("m.checkpoint")), (Vector{60, 300}));
  leave({});
  EXPECT_EQ(choose(prepare(request(kMuch, true))).allowed, (CentresAllowed{0, 0}));
  files_.file("m.checkpoint", "mercer checkpoint 2\nproblem x\ndecided 5 many\n");
  EXPECT_FALSE(CheckpointFile::decided(files_.path("m.checkpoint")));
  files_.file("m.checkpoint", "mercer checkpoint 2\nproblem x\ndecided -1 5\n");
  EXPECT_FALSE(CheckpointFile::decided(files_.path("m.checkpoint")));
  files_.file("m.checkpoint", "mine\ndecided 1 1\n");
  EXPECT_FALSE(CheckpointFile::decided(files_.path("m.checkpoint")));
}

// A ridge far below what the plan could expect takes more steps than there is time for; one that is given does not.
TEST(PlannedAgain, ByTheRidgeThatWasChosen) {
  constexpr Index kMany = 20100;
  Matrix x(kMany, 1);
  Vector y;
  for (Index i = 0; i < kMany; ++i) {
    x(i, 0) = 1e-3 * static_cast<double>(i);
    y.push_back(std::sin(x(i, 0)));
  }
  FitRequest request{
      .machine = "ridge",
      .kernel = parse("rbf(ell=1)"),
      .source = {.path = "here", .data = Dataset{.points = rows(x), .target_numbers = y, .target_name = "y"}},
      .scale = Scaling::Kind::none,
      .memory = 2'000'000};
  const Prepared open = prepare(request);
  const Plan before = plan(open);
  EXPECT_EQ(before.centres, 0);
  EXPECT_NE(before.open.find("ridge, counted as 0.03"), std::string::npos) << before.open;
  EXPECT_NE(before.str().find("open: ridge, counted as"), std::string::npos);
  const Chosen chosen = choose(open);
  // By the ridge that all points want; the centres have one of their own then.
  const std::string& words = chosen.choice.words;
  ASSERT_TRUE(words.starts_with("ridge=")) << words;
  EXPECT_LT(std::stod(words.substr(std::string_view("ridge=").size())), 1e-4) << words;
  const std::string own = fmt::format("; ridge={:.4g} with ", std::stod(chosen.choice.settings.at("ridge")));
  EXPECT_NE(words.find(own), std::string::npos) << words;
  EXPECT_GT(chosen.allowed.planned, 0);
  ASSERT_TRUE(chosen.wishes);
  EXPECT_NE(chosen.remarks.back().find("all 20100 points would take about"), std::string::npos)
      << chosen.remarks.back();
  request.settings = {{"ridge", "0.3"}};
  const Prepared given = prepare(request);
  EXPECT_EQ(plan(given).open, "");
  EXPECT_FALSE(choose(given).wishes);
}

}  // namespace
}  // namespace mercer::workflow::resumed_fit_test
