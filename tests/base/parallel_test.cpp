#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::parallel_test {
namespace {

// Sets MERCER_NUM_THREADS, or another variable, for a scope.
class ThreadsSet {
 public:
  explicit ThreadsSet(const char* value, const char* name = "MERCER_NUM_THREADS") : name_(name) {
    if (const char* old = std::getenv(name_)) old_ = old;
    value == nullptr ? unsetenv(name_) : setenv(name_, value, 1);
  }
  ~ThreadsSet() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  ThreadsSet(const ThreadsSet&) = delete;
  ThreadsSet& operator=(const ThreadsSet&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(ThreadCount, RequestComesBeforeEnvironment) {
  const ThreadsSet set("7");
  EXPECT_EQ(thread_count(3), 3);
  EXPECT_EQ(thread_count(0), 7);
}

TEST(ThreadCount, WithoutEnvironmentIsAtLeastOne) {
  const ThreadsSet set(nullptr);
  EXPECT_GE(thread_count(0), 1);
}

TEST(ThreadCount, RespectsTheShareThatOthersGive) {
  const ThreadsSet none(nullptr);
  int all = 0;
  {
    const ThreadsSet without(nullptr, "OMP_NUM_THREADS");
    all = thread_count(0);
  }
  for (const char* share : {"1", "1,4"}) {
    const ThreadsSet set(share, "OMP_NUM_THREADS");
    EXPECT_EQ(thread_count(0), 1);
    EXPECT_EQ(thread_count(2), 2);
    const ThreadsSet ours("3");
    EXPECT_EQ(thread_count(0), 3);
  }
  for (const char* other : {"", "0", "many", "100000"}) {
    const ThreadsSet set(other, "OMP_NUM_THREADS");
    EXPECT_EQ(thread_count(0), all);
  }
}

TEST(ThreadCount, RefusesWhatIsNoCount) {
  for (const char* bad : {"", "0", "-2", "two", "1.5", "1e9", "nan", "inf", "4 threads"}) {
    const ThreadsSet set(bad);
    test::expect_error([] { thread_count(0); }, "UsageError",
                       {"MERCER_NUM_THREADS is \"" + std::string(bad) + "\"", "whole number from 1"});
    test::expect_error([] { gram(linear(), rows(Matrix{{1.0}})); }, "UsageError", {"MERCER_NUM_THREADS"});
  }
}

TEST(ParallelFor, VisitsEveryPieceOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> visits(1000);
    std::atomic<bool> thread_in_range = true;
    parallel_for(1000, threads, {}, "test", [&](Index i, int thread) {
      ++visits[static_cast<std::size_t>(i)];
      if (thread < 0 || thread >= threads) thread_in_range = false;
    });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
    EXPECT_TRUE(thread_in_range);
  }
}

TEST(ParallelFor, DoesNothingForNoPieces) {
  int calls = 0;
  const Monitor monitor([&](const Progress&) {
    ++calls;
    return true;
  });
  parallel_for(0, 2, monitor, "test", [&](Index, int) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST(ParallelFor, RethrowsAndStopsHandingOutWork) {
  for (const int threads : {1, 2, 3}) {
    std::atomic<int> calls = 0;
    const auto run = [&] {
      parallel_for(1000, threads, {}, "test", [&](Index i, int) {
        ++calls;
        if (i == 10) throw Error(ErrorKind::numeric, "at ten");
      });
    };
    EXPECT_EQ(test::error_of(run), "NumericError: at ten");
    if (threads == 1) {  // how many the other threads get done meanwhile is their luck
      EXPECT_EQ(calls, 11);
    }
  }
}

TEST(ParallelFor, ReportsProgressInOrderUpToOne) {
  std::vector<double> fractions;
  std::set<std::string> stages;
  const Monitor monitor([&](const Progress& p) {
    fractions.push_back(p.fraction);
    stages.emplace(p.stage);
    return true;
  });
  parallel_for(1000, 3, monitor, "solve", [](Index, int) {});
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_LE(fractions.size(), 300u);
  EXPECT_EQ(stages, std::set<std::string>{"solve"});
}

TEST(ParallelFor, MonitorCancels) {
  for (const int threads : {1, 2}) {
    std::atomic<int> calls = 0;
    const Monitor monitor([](const Progress& p) { return p.fraction < 0.3; });
    const auto run = [&] { parallel_for(1000, threads, monitor, "solve", [&](Index, int) { ++calls; }); };
    EXPECT_EQ(test::error_of(run), "Cancelled: solve: stopped on request");
    if (threads == 1) {
      EXPECT_EQ(calls, 300);
    }
  }
}

TEST(ParallelFor, NobodyAsksAgainAfterTheWishToStop) {
  for (int times = 0; times < 300; ++times) {
    int looks = 0;
    const Monitor monitor([&](const Progress&) { return ++looks < 4; });
    const auto run = [&] { parallel_for(50, 3, monitor, "solve", [](Index, int) {}); };
    EXPECT_EQ(test::error_of(run), "Cancelled: solve: stopped on request");
    ASSERT_EQ(looks, 4);
  }
}

// Whoever listens for Ctrl-C on the caller's thread must not wait for the next per cent, here ten seconds away.
TEST(ParallelFor, CallersThreadReportsWithinAPerCent) {
  for (const int threads : {1, 2}) {
    const auto caller = std::this_thread::get_id();
    int looks = 0;
    const Monitor monitor([&](const Progress&) { return std::this_thread::get_id() != caller || ++looks < 3; });
    const auto start = std::chrono::steady_clock::now();
    const auto run = [&] {
      parallel_for(1'000'000, threads, monitor, "solve",
                   [](Index, int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    };
    EXPECT_EQ(test::error_of(run), "Cancelled: solve: stopped on request");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  }
}

}  // namespace
}  // namespace mercer::parallel_test
