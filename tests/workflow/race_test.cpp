// mercer auto: what is predicted and why, the race, and the model it ends with.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/command.hpp"
#include "mercer/auto.hpp"
#include "mercer/model_file.hpp"

namespace mercer::race_test {
namespace {

using cli_test::Json;
using workflow::Race;
using workflow::RaceRequest;
using workflow::Runner;

class RaceTest : public cli_test::CommandTest {
 protected:
  // x and town predict y and side; mark is a few numbers, number a row number, note free text.
  std::string table(int n = 60) {
    std::string out = "id,x,town,y,side,mark,one,note\n";
    for (int i = 0; i < n; ++i) {
      const double x = 6 * std::fmod(0.618 * i, 1);
      const bool north = i % 3 == 0;
      out += fmt::format("{},{},{},{},{},{},same,word{} of row {}\n", 1000 + 7 * i,
                         i % 11 == 5 ? "" : fmt::format("{}", x), north ? "Oslo" : "Rome",
                         std::sin(x) + (north ? 1 : 0) + 0.05 * std::cos(37.0 * i),
                         std::sin(x) + 0.3 * std::cos(53.0 * i) > 0 ? "up" : "down", i % 4, i * i % 17, i);
    }
    return files_.file(fmt::format("t{}.csv", n), out);
  }
  RaceRequest request(const std::string& target, const std::string& drop) {
    return {.source = {.path = table()}, .target = target, .table = {.drop = split_words(drop)}};
  }
  static std::vector<std::string> split_words(const std::string& list) {
    std::vector<std::string> out;
    std::istringstream in(list);
    for (std::string one; std::getline(in, one, ',');) out.push_back(one);
    return out;
  }
};

const Runner& named(const Race& race, const std::string& name) {
  for (const Runner& one : race.runners) {
    if (one.name == name) return one;
  }
  throw std::runtime_error(name);
}

TEST_F(RaceTest, IsNeverLostToABaseline) {
  for (const auto& [target, drop] :
       {std::pair("y", "side,note,mark"), std::pair("side", "y,note,mark"), std::pair("mark", "y,note,side")}) {
    SCOPED_TRACE(target);
    const Race race = workflow::race(request(target, drop));
    const double sign = race.larger_is_better ? 1 : -1;
    int baselines = 0;
    for (const Runner& one : race.runners) {
      EXPECT_EQ(one.failure, "") << one.name;
      EXPECT_GE(sign * race.runners[race.best].mean, sign * one.mean) << one.name;
      baselines += one.baseline ? 1 : 0;
    }
    EXPECT_EQ(baselines, 3);
    EXPECT_EQ(race.folds, 5);
    EXPECT_EQ(race.points, 60);
    const Model model = workflow::fit(race).model;
    EXPECT_EQ(model.parts().machine, race.runners[race.best].machine);
    EXPECT_EQ(model.parts().targets, std::vector<std::string>{target});
    const Report::Table* const found = model.report().table("race");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->columns.size(), race.runners.size());
    EXPECT_EQ(found->rows(0, static_cast<Index>(race.best)), race.runners[race.best].mean);
  }
}

// The baselines are what they are called: of the same folds, by hand.
TEST_F(RaceTest, BaselinesAreTheMeanAndTheLargestClass) {
  const Race numbers = workflow::race(request("y", "side,note,mark"));
  const workflow::Prepared data = workflow::prepare(
      {.machine = "ridge", .source = {.path = table()}, .target = "y", .table = {.drop = {"side", "note", "mark"}}});
  const std::vector<Fold> folds = divide(data.training, 5).folds;
  double rmse = 0;
  Vector each;
  for (const Fold& fold : folds) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < 60; ++i) {
      if (!std::binary_search(fold.begin(), fold.end(), i)) sum += data.training.y(i, 0);
    }
    const double mean = sum / static_cast<double>(60 - fold.size());
    for (const Index i : fold) squares += std::pow(data.training.y(i, 0) - mean, 2);
    each.push_back(std::sqrt(squares / static_cast<double>(fold.size())));
    rmse += each.back() / 5;
  }
  EXPECT_NEAR(named(numbers, "mean").mean, rmse, 1e-9);
  double variance = 0;
  for (const double one : each) variance += (one - rmse) * (one - rmse) / 4;
  EXPECT_NEAR(named(numbers, "mean").error, std::sqrt(variance / 5), 1e-9);
  EXPECT_EQ(numbers.metric, "rmse");
  EXPECT_FALSE(numbers.larger_is_better);

  const Race classes = workflow::race(request("side", "y,note,mark"));
  const workflow::Prepared sides = workflow::prepare(
      {.machine = "svc", .source = {.path = table()}, .target = "side", .table = {.drop = {"y", "note", "mark"}}});
  double right = 0;
  for (const Fold& fold : divide(sides.training, 5).folds) {
    Index ones = 0;
    for (Index i = 0; i < 60; ++i)
      ones +=
          !std::binary_search(fold.begin(), fold.end(), i) ? sides.training.labels.of[static_cast<std::size_t>(i)] : 0;
    const Index larger = 2 * ones > 60 - static_cast<Index>(fold.size()) ? 1 : 0;
    Index hits = 0;
    for (const Index i : fold) hits += sides.training.labels.of[static_cast<std::size_t>(i)] == larger ? 1 : 0;
    right += static_cast<double>(hits) / static_cast<double>(fold.size()) / 5;
  }
  EXPECT_NEAR(named(classes, "largest class").mean, right, 1e-12);
}

TEST_F(RaceTest, SaysWhatIsPredictedAndWhy) {
  RaceRequest asked = request("mark", "y,note,side");
  asked.seconds = 5;
  EXPECT_EQ(workflow::race(asked).task, Task::classification);
  asked.task = "regression";
  const Race numbers = workflow::race(asked);
  EXPECT_EQ(numbers.task, Task::regression);
  EXPECT_EQ(numbers.why, "as asked for");
  EXPECT_NE(workflow::race(request("side", "y,note,mark")).why.find("2 names"), std::string::npos);
  EXPECT_NE(workflow::race(request("y", "side,note,mark")).why.find("60 different numbers"), std::string::npos);
}

TEST_F(RaceTest, RefusesWhatCannotBePredicted) {
  const std::string data = table(), out = results_.path("m.mercer");
  const std::string gone = files_.file("gone.csv", "x,y\n1,\n2,\n3,\n4,\n5,\n6,\n7,\n8,\n9,\n10,\n11,\n12,\n");
  const std::string twice = files_.file("twice.csv", "x,x,y\n1,2,3\n2,3,4\n4,5,7\n");
  std::string many = "x,c\n";
  for (int i = 0; i < 600; ++i) many += fmt::format("{},class{}\n", i, i / 4);
  const std::string classes = files_.file("many.csv", many);
  std::string hundred = "x,c\n";  // as many classes as it takes, in no time
  for (int i = 0; i < 600; ++i) hundred += fmt::format("{},class{}\n", i, i % 100);
  const std::string most = files_.file("most.csv", hundred);
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string piece;
  };
  const std::vector<Case> cases = {{{data, "--target", "id"}, 1, "looks like an id"},
                                   {{data, "--target", "one"}, 1, "the same in all rows"},
                                   {{data, "--target", "note"}, 1, "60 texts, all different"},
                                   {{data, "--target", "nothing"}, 1, "nothing"},
                                   {{data, "--target", "x,y"}, 2, "one column, not 2"},
                                   {{gone, "--target", "y"}, 1, "y"},
                                   {{twice, "--target", "y"}, 1, "x"},
                                   {{table(1), "--target", "y"}, 1, "row"},
                                   {{table(5), "--target", "y"}, 1, "5 rows"},
                                   {{classes, "--target", "c"}, 1, "150 classes"},
                                   {{most, "--target", "c", "--time", "1e-9"}, 2, "no machine was done"},
                                   {{data, "--target", "side", "--task", "regression"}, 1, "holds texts"},
                                   {{data, "--target", "side", "--task", "guess"}, 2, "--task"},
                                   {{data, "--target", "y", "--time", "0"}, 2, "--time"},
                                   {{data, "--target", "y", "--time", "soon"}, 2, "--time"},
                                   {{"-", "--target", "y"}, 2, "name a file"}};
  for (const Case& one : cases) {
    std::vector<std::string> words = {"auto"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    words.insert(words.end(), {"-o", out});
    const auto got = run(words);
    EXPECT_EQ(got.code, one.code) << got;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got;
    EXPECT_NE(got.err.find(one.piece), std::string::npos) << one.piece << got;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST_F(RaceTest, EndsInAModelThatTheCommandLoads) {
  const std::string data = table(), out = results_.path("m.mercer");
  const auto got = run({"auto", data, "--target", "y", "--drop", "side,note,mark", "-o", out});
  EXPECT_EQ(got.code, 0) << got;
  for (const char* const piece :
       {"regression of y", "mean", "linear", "neighbours", "kernel ridge", "baseline", "best"}) {
    EXPECT_NE(got.err.find(piece), std::string::npos) << piece << got;
  }
  const auto marks = Json::parse(run({"score", out, data, "--json"}).out);
  EXPECT_LT(marks["rmse"].get<double>(), 0.3);
  EXPECT_EQ(run({"predict", out, data}).code, 0);
  const auto json =
      Json::parse(run({"auto", data, "--target", "side", "--drop", "y,note,mark", "--json", "-o", out}).out);
  EXPECT_EQ(json["race"]["task"].get<std::string>(), "classification");
  EXPECT_EQ(json["race"]["runners"].size(), 8U);
  EXPECT_EQ(load(out).parts().machine, json["model"]["machine"].get<std::string>());
}

// Data at hand have NaN where files have nothing: gaps in a column of numbers once kept a comparison with the target
// from ending. And of a column that is left out nothing is said.
TEST_F(RaceTest, GapsInNumbersAtHandDoNotKeepItFromEnding) {
  Matrix x(40, 2);
  Vector y;
  for (Index i = 0; i < 40; ++i) {
    y.push_back(std::sin(0.4 * static_cast<double>(i)));
    x(i, 0) = i == 7 || i == 9 ? std::nan("") : 2 * y.back();
    x(i, 1) = static_cast<double>(i % 9);
  }
  RaceRequest asked{.source = {.path = "here",
                               .data = Dataset{.points = mercer::named(rows(std::move(x)), {"twice", "other"}),
                                               .target_numbers = y,
                                               .target_name = "y"}},
                    .seconds = 5};
  const auto says = [&] {
    const std::vector<std::string> remarks = workflow::race(asked).remarks;
    return std::ranges::any_of(
        remarks, [](const std::string& one) { return one.find("twice goes with y") != std::string::npos; });
  };
  EXPECT_TRUE(says());
  asked.table.drop = {"twice"};
  EXPECT_FALSE(says());
}

// Of time that is hardly there, what was done by then runs; of none, there is one line.
TEST_F(RaceTest, EndsWithItsTime) {
  RaceRequest asked = request("y", "side,note,mark");
  int heard = 0;
  const Execution stopping{.monitor = Monitor([&](const Progress& p) { return p.stage == "read" || heard < 2; })};
  const Race race =
      workflow::race(asked, stopping, [&](const Race& so_far) { heard = static_cast<int>(so_far.runners.size()); });
  EXPECT_TRUE(race.interrupted);
  EXPECT_EQ(race.runners.size(), 7U);
  EXPECT_EQ(race.runners.back().failure, "stopped before");
  EXPECT_LT(race.best, 2U);
  EXPECT_EQ(workflow::fit(race).model.parts().targets, std::vector<std::string>{"y"});
  asked.seconds = 1e-9;
  EXPECT_THROW(workflow::race(asked), Error);
}

}  // namespace
}  // namespace mercer::race_test
