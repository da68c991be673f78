// Tasks run once each, after what they wait for, whatever the number of threads.
#include "base/task_graph.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/random.hpp"
#include "mercer/error.hpp"

namespace mercer::task_graph_test {
namespace {

class TaskGraphThreads : public ::testing::TestWithParam<int> {};

// Whoever waits for a task is woken when it can be begun. (Else this never ends.)
TEST(TaskGraph, WhoWaitsIsWoken) {
  for (int times = 0; times < 20; ++times) {
    TaskGraph graph;
    std::atomic<int> done = 0;
    Index before = TaskGraph::kNone;
    for (int i = 0; i < 2; ++i) {
      before = graph.add(
          [&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ++done;
          },
          {before});
    }
    graph.run(2, {}, "test");
    EXPECT_EQ(done, 2);
  }
}

TEST_P(TaskGraphThreads, EveryTaskRunsOnceAndAfterWhatItWaitsFor) {
  constexpr std::size_t n = 400;
  Random random(7);
  TaskGraph graph;
  std::vector<std::atomic<int>> done(n);
  std::atomic<int> early = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Index> after = {TaskGraph::kNone};
    for (int k = 0; i > 0 && k < 3; ++k) {
      after.push_back(static_cast<Index>(random.uniform() * static_cast<double>(i)));
    }
    const Index number = graph.add(
        [&, i, after] {
          for (const Index before : after) early += before >= 0 && done[static_cast<std::size_t>(before)] != 1;
          ++done[i];
        },
        after);
    EXPECT_EQ(number, static_cast<Index>(i));
  }
  graph.run(GetParam(), {}, "test");
  EXPECT_EQ(early, 0);
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST_P(TaskGraphThreads, AFailureEndsItAndComesBack) {
  TaskGraph graph;
  std::atomic<int> after_it = 0;
  Index last = graph.add([] {});
  for (int i = 0; i < 50; ++i) {
    if (i == 20) last = graph.add([] { throw std::runtime_error("task 20"); }, {last});
    last = graph.add([&after_it, i] { after_it += i >= 20; }, {last});
  }
  // One that has nothing to do with it, and is long: nobody may wait for tasks that never come.
  graph.add([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  EXPECT_THROW(graph.run(GetParam(), {}, "test"), std::runtime_error);
  EXPECT_EQ(after_it, 0);
}

TEST_P(TaskGraphThreads, TheMonitorStopsIt) {
  TaskGraph graph;
  std::atomic<int> begun = 0;
  Index last = TaskGraph::kNone;
  for (int i = 0; i < 200; ++i) last = graph.add([&] { ++begun; }, {last});
  const Monitor impatient([](const Progress& p) {
    EXPECT_EQ(p.stage, "test");
    return p.fraction < 0.1;
  });
  EXPECT_THROW(graph.run(GetParam(), impatient, "test"), Error);
  EXPECT_LT(begun, 40);
}

INSTANTIATE_TEST_SUITE_P(All, TaskGraphThreads, ::testing::Values(1, 2, 3, 8));

TEST(TaskGraph, OfThoseThatCanBeBegunTheFirstAddedIsBegun) {
  TaskGraph graph;
  std::vector<int> order;
  const Index a = graph.add([&] { order.push_back(0); });
  const Index b = graph.add([&] { order.push_back(1); }, {a});
  graph.add([&] { order.push_back(2); });
  graph.add([&] { order.push_back(3); }, {b});
  graph.run(1, {}, "test");
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(TaskGraph, NothingIsDoneAtOnce) {
  TaskGraph graph;
  EXPECT_NO_THROW(graph.run(2, {}, "test"));
}

}  // namespace
}  // namespace mercer::task_graph_test
