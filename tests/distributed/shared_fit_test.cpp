// Fits that several ranks share: the model has the bits of a fit in one process, whatever their number.
#include <gtest/gtest.h>

#include <sstream>

#include "distributed/thread_ranks.hpp"
#include "io/files.hpp"
#include "mercer/io.hpp"
#include "mercer/workflow.hpp"
#include "workflow/fits.hpp"

namespace mercer::workflow::shared_fit_test {
namespace {

using distributed_test::on_ranks;
using distributed_test::Outcome;
using io_test::gzip;
using workflow_test::bits;

class SharedFit : public ::testing::Test {
 protected:
  static std::string lines(Index first, Index end) { return workflow_test::lines(first, end, true); }
  static FitRequest request(const std::string& name, const std::string& path) {
    return {.machine = name,
            .settings = {},
            .kernel = parse("rbf(ell=1.5)"),
            .source = {.path = path},
            .target = machine(name).task->target == Task::Target::classes ? "z" : "y",
            .centres = CentreWishes{.count = 40},
            .plain = true};
  }
  static void expect_same(const FitRequest& asked, std::initializer_list<int> ranks = {1, 2, 3, 4}) {
    const std::string alone = bits(fit(asked).model);
    for (const int count : ranks) {
      for (const Outcome& one : on_ranks(count, [&](int) { return bits(fit(asked).model); })) {
        ASSERT_EQ(one.error, "");
        ASSERT_TRUE(one.made == alone) << count << " ranks";
      }
    }
  }
  io_test::TemporaryFolder files_;
};

// Every machine that goes through rows by passes; pieces of 1,024 rows, of which the last is short, and fewer than
// ranks.
TEST_F(SharedFit, EveryMachineThatStreamsHasTheBitsOfOneProcess) {
  for (const Machine& row : machines()) {
    if (!row.streams) continue;
    SCOPED_TRACE(row.name);
    FitRequest asked = request(row.name, files_.file("t.csv", lines(0, 5000)));
    expect_same(asked);
    asked.source.path = files_.file("short.csv", lines(0, 1500));
    asked.weights = "w";
    expect_same(asked, {2, 4});
  }
}

TEST_F(SharedFit, EverySolverOfRidge) {
  FitRequest asked = request("ridge", files_.file("t.csv", lines(0, 4500)));
  asked.settings = {{"ridge", "0.5"}, {"solver", "falkon"}};
  expect_same(asked);
  asked.weights = "w";
  asked.scale = Scaling::Kind::minmax;
  asked.settings = {{"ridge", "auto"}, {"solver", "normal"}};
  expect_same(asked);
  asked.settings = {{"ridge", "0.5"}, {"loo", "true"}};
  asked.centres->by = CentresBy::uniform;
  expect_same(asked, {3});
}

// Blocks of a sketch have 64 rows for each centre: here there are several.
TEST_F(SharedFit, ManyRowsForEachCentre) {
  FitRequest asked = request("ridge", files_.file("t.csv", lines(0, 40000)));
  asked.settings = {{"ridge", "0.5"}, {"solver", "falkon"}};
  asked.centres->count = 10;
  expect_same(asked, {2, 3});
  asked = request("logistic", asked.source.path);
  asked.centres->count = 10;
  expect_same(asked, {3});
}

TEST_F(SharedFit, WhatIsNotGivenIsChosenAlike) {
  FitRequest asked = request("ridge", files_.file("t.csv", lines(0, 1200)));
  asked.plain = false;
  asked.kernel = Usual{};
  asked.centres = CentreWishes{.count = 0};
  expect_same(asked, {3});
}

TEST_F(SharedFit, FilesArraysSparseRowsAndTexts) {
  files_.file("part-1.csv", lines(0, 17));
  files_.file("part-2.csv", lines(17, 2100));
  files_.file("part-10.csv", lines(2100, 3000));
  expect_same(request("ridge", files_.path("part-*.csv")), {2, 3});
  expect_same(request("ridge", files_.file("packed.csv.gz", gzip(lines(0, 3000)))), {3});

  Matrix x(2500, 3);
  std::ostringstream sparse, texts;
  texts << "s,y\n";
  for (Index i = 0; i < x.rows(); ++i) {
    const auto t = static_cast<double>(i);
    x(i, 0) = std::sin(t);
    x(i, 1) = std::cos(0.1 * t * t);
    x(i, 2) = x(i, 0) * x(i, 1);
    sparse << x(i, 2) << ' ' << 1 + i % 7 << ':' << x(i, 0) << ' ' << 20 + i % 3 << ":1\n";
    texts << std::string(static_cast<std::size_t>(1 + i % 4), 'a') << (i % 3 == 0 ? "cab" : "bca") << i % 17 << ','
          << i % 5 << '\n';
  }
  write_npy(files_.path("x.npy"), x);
  FitRequest asked = request("ridge", files_.path("x.npy"));
  asked.target = "";
  expect_same(asked, {2, 3});
  asked.source.path = files_.file("x.svm", sparse.str());
  expect_same(asked, {2, 3});
  asked = request("ridge", files_.file("texts.csv", texts.str()));
  asked.kernel = parse("on(s, spectrum(k=2))");
  expect_same(asked, {2, 3});
}

// Rows are read by whom they are dealt to, and kept: what another rank finds in its share is the error of all.
TEST_F(SharedFit, AFaultInAShareIsThatOfAllRanks) {
  files_.file("x-1.csv", lines(0, 20000));  // the first rows are read by all
  files_.file("x-2.csv", lines(20000, 20100) + "1,inf,1,1,1,1\n");
  const FitRequest asked = request("ridge", files_.path("x-*.csv"));
  std::string first;
  for (const Outcome& one : on_ranks(3, [&](int) { return bits(fit(asked).model); })) {
    EXPECT_NE(one.error.find("x-2.csv"), std::string::npos) << one.error;
    EXPECT_NE(one.error.find("(rank 2 of 3"), std::string::npos) << one.error;
    if (first.empty()) first = one.error;
    EXPECT_EQ(one.error, first);
  }
  FitRequest missing = request("ridge", files_.path("nothing-*.csv"));
  for (const Outcome& one : on_ranks(2, [&](int) { return bits(fit(missing).model); })) {
    EXPECT_NE(one.error.find("nothing-*.csv"), std::string::npos) << one.error;
    EXPECT_EQ(one.error.find("rank"), std::string::npos) << one.error;
  }
}

// Whoever asks first asks for all: the model that there is by then, the same one everywhere.
TEST_F(SharedFit, AWishToStopOnOneRankStopsAll) {
  FitRequest asked = request("logistic", files_.file("t.csv", lines(0, 3000)));
  asked.settings = {{"lambda", "1e-6"}};
  std::string first;
  for (const Outcome& one : on_ranks(3, [&](int rank) {
         int passes = 0;
         Execution how;
         how.monitor = Monitor([&](const Progress& p) {
           passes += p.stage == "logistic" ? 1 : 0;
           return rank != 1 || passes < 40 || distributed::several();
         });
         const Model model = fit(asked, how).model;
         EXPECT_EQ(model.report().stopped, "interrupted");
         return bits(model);
       })) {
    EXPECT_EQ(one.error, "");
    if (first.empty()) first = one.made;
    EXPECT_TRUE(one.made == first && !first.empty());
  }
}

}  // namespace
}  // namespace mercer::workflow::shared_fit_test
