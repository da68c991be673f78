// What is suggested for data that nobody has said anything about.
#include "workflow/suggest.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "mercer/mercer.hpp"
#include "paths.hpp"
#include "workflow/columns.hpp"

namespace mercer::suggest_test {
namespace {

using data::Column;
using test::numbers;
using test::texts;

Dataset table(const Column& last) {
  const auto n = static_cast<Index>(last.size());
  Matrix x(n, 2);
  for (Index i = 0; i < n; ++i) x(i, 0) = 0.5 * static_cast<double>(i), x(i, 1) = 1.25 - x(i, 0);
  return {.points = named(rows(std::move(x)), {"a", "b"}),
          .target_numbers = last.numbers,
          .target_texts = last.words,
          .target_name = last.name};
}

TEST(Suggestion, ClassesForClassesAndNumbersForNumbers) {
  const workflow::Suggestion classes = workflow::suggest(table(numbers(60, 3)));
  EXPECT_EQ(classes.target, "y");
  EXPECT_EQ(classes.task, Task::classification);
  EXPECT_EQ(classes.labels.classes.size(), 3U);
  EXPECT_EQ(classes.kernel, "rbf(ell=auto)");
  EXPECT_EQ(workflow::suggest(table(texts(5, 5))).task, Task::classification);  // what else could texts be
  const workflow::Suggestion numbers_of = workflow::suggest(table(numbers(60, 60, 0.5)));
  EXPECT_EQ(numbers_of.task, Task::regression);
  EXPECT_EQ(numbers_of.labels.size(), 0);
  EXPECT_EQ(machine(numbers_of.machine).task, Task::regression);
  EXPECT_NE(workflow::suggest(table(numbers(5000, 5000, 0.5))).machine, numbers_of.machine);  // too many to wait for
}

// The last column of all, however many there are.
TEST(Suggestion, TheTargetIsTheLastColumn) {
  Matrix x(40, 300);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = static_cast<double>(i * 7 + j) / 8;
    x(i, 299) = static_cast<double>(i % 2);
  }
  const workflow::Suggestion suggested = workflow::suggest({.points = rows(std::move(x))});
  EXPECT_EQ(suggested.target, "column 300");
  EXPECT_EQ(suggested.task, Task::classification);
  EXPECT_EQ(suggested.inputs.domain().dimension, 299);
}

TEST(Suggestion, OneColumnHasNoTarget) {
  Matrix x(12, 1);
  for (Index i = 0; i < 12; ++i) x(i, 0) = static_cast<double>(i);
  const workflow::Suggestion suggested = workflow::suggest({.points = rows(std::move(x))});
  EXPECT_EQ(suggested.target, "");
  EXPECT_FALSE(suggested.task.has_value());
  EXPECT_FALSE(machine(suggested.machine).task.takes_target());
}

// Sliders for options that there are, with numbers that they take.
TEST(Playable, AreMachinesOfTheCatalog) {
  for (const workflow::Playable& one : workflow::playable()) {
    const Machine& row = machine(one.machine);
    EXPECT_TRUE(row.task.takes_target()) << row.name;
    for (const auto& [name, value] : one.options) {
      const auto has = [&name = name](const MachineOption& option) { return option.name == name; };
      EXPECT_TRUE(std::any_of(row.options.begin(), row.options.end(), has)) << row.name << " " << name;
      EXPECT_GT(std::stod(value), 0) << row.name << " " << name;
    }
  }
}

// The page begins with the first of each game, wherever the catalog is not asked: in addresses.
TEST(Playable, ThePageBeginsWithTheFirst) {
  std::ifstream file(MERCER_TEST_SOURCE "/../web/src/studio/state.ts");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Task& game : {Task::classification, Task::regression}) {
    const auto& all = workflow::playable();
    const auto first = std::find_if(all.begin(), all.end(),
                                    [&](const workflow::Playable& one) { return machine(one.machine).task == game; });
    ASSERT_NE(first, all.end());
    std::string options;
    for (const auto& [name, value] : first->options) {
      options += fmt::format("{}{}: \"{}\"", options.empty() ? "" : ", ", name, value);
    }
    const std::size_t start = page.find(fmt::format(", machine: \"{}\", kernel: ", first->machine));
    ASSERT_NE(start, std::string::npos) << first->machine;
    const std::string line = page.substr(start, page.find('\n', start) - start);
    EXPECT_NE(line.find("options: { " + options + " } }"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace mercer::suggest_test
