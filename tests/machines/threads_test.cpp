// The number of threads shows in no machine, and no machine uses more of them than it was given.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"

namespace mercer::threads_test {
namespace {

constexpr Index kPoints = 240;  // enough for matrix algebra to be shared

Training training(const Machine& row, int threads) {
  Matrix x(kPoints, 2), y(kPoints, 1);
  std::vector<std::string> names;
  for (Index i = 0; i < kPoints; ++i) {
    const auto t = static_cast<double>(i);
    x(i, 0) = std::sin(1.3 * t) + 0.01 * t;
    x(i, 1) = std::cos(2.1 * t);
    y(i, 0) = std::sin(3 * x(i, 0)) + 0.3 * std::cos(17 * t);
    names.push_back(std::sin(1.3 * t) + 0.2 * std::cos(5 * t) > x(i, 1) ? "a" : "b");
  }
  Training out{.K = lazy(rbf(1), rows(x)), .how = {.threads = threads}};
  if (row.task->target == Task::Target::numbers) out.y = y;
  if (row.task->target == Task::Target::classes) out.labels = Labels::from(names);
  return out;
}

Index threads_of_this_process() {
  Index count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) count += task.is_directory();
  return count;
}

TEST(MachineThreads, ChangeNoBit) {
  for (const Machine& row : machines()) {
    SCOPED_TRACE(row.name);
    const Model one = fit(row.name, {}, training(row, 1));
    const Points x = *training(row, 1).K.points();
    const Matrix scores = one.scores(x, {.threads = 1});
    for (const int threads : {2, 3}) {
      const Model other = fit(row.name, {}, training(row, threads));
      EXPECT_TRUE(other.expansion().parts().alpha == one.expansion().parts().alpha);
      EXPECT_TRUE(other.scores(x, {.threads = threads}) == scores);
    }
  }
}

// In a process of its own, whose threads can be counted: they stay once they are there.
TEST(MachineThreadsDeathTest, AreNoMoreThanGiven) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const int threads : {1, 2}) {
    const auto used = [threads] {
      for (const Machine& row : machines()) {
        const Model model = fit(row.name, {}, training(row, threads));
        const Points x = *training(row, threads).K.points();
        model.scores(x, {.threads = threads});
        if (model.has_posterior()) model.variances(x, {.threads = threads});
      }
      std::_Exit(static_cast<int>(threads_of_this_process()));
    };
    EXPECT_EXIT(used(), ::testing::ExitedWithCode(threads), "");
  }
}

}  // namespace
}  // namespace mercer::threads_test
