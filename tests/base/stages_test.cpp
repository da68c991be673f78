#include "base/stages.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace mercer::stages_test {
namespace {

using Time = std::chrono::steady_clock;

void pass(double seconds) {
  const auto start = Time::now();
  while (std::chrono::duration<double>(Time::now() - start).count() < seconds) continue;
}

double total(const std::vector<StageClock::Entry>& entries) {
  double sum = 0;
  for (const StageClock::Entry& entry : entries) sum += entry.seconds;
  return sum;
}

TEST(Stages, EveryMomentBelongsToOneStage) {
  const auto start = Time::now();
  const StageClock clock("solve");
  pass(0.002);
  {
    const Stage rows("rows");
    pass(0.004);
    {
      const Stage again("solve");
      pass(0.002);
    }
    const Stage more("certificate");
    pass(0.002);
  }
  const auto found = clock.seconds();
  const double passed = std::chrono::duration<double>(Time::now() - start).count();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "solve");
  EXPECT_EQ(found[1].name, "rows");
  EXPECT_EQ(found[2].name, "certificate");
  EXPECT_GE(found[0].seconds, 0.004);
  EXPECT_GE(found[1].seconds, 0.004);
  EXPECT_GE(found[2].seconds, 0.002);
  EXPECT_GE(total(found), 0.010);
  EXPECT_LE(total(found), passed);
}

// After a stage within a stage the outer one goes on, and not the first of all.
TEST(Stages, TheOuterStageGoesOn) {
  const StageClock clock("solve");
  {
    const Stage rows("rows");
    { const Stage certificate("certificate"); }
    pass(0.005);
  }
  const auto found = clock.seconds();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_GE(found[1].seconds, 0.005);
}

TEST(Stages, AnInnerClockTakesOver) {
  const StageClock outer("choose");
  {
    const StageClock inner("solve");
    const Stage rows("rows");
    EXPECT_EQ(inner.seconds().size(), 2u);
  }
  EXPECT_EQ(outer.seconds().size(), 1u);
  const Stage write("write");
  EXPECT_EQ(outer.seconds().size(), 2u);
}

TEST(Stages, AWholeStageCountsWhatIsWithinIt) {
  const StageClock clock("solve");
  {
    const WholeStage certificate("certificate");
    const Stage rows("rows");
    pass(0.002);
  }
  const auto found = clock.seconds();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].name, "certificate");
  EXPECT_GE(found[1].seconds, 0.002);
}

TEST(Stages, OtherThreadsAreNotCountedAndNoClockIsNeeded) {
  const Stage alone("rows");
  const StageClock clock("solve");
  std::thread([] { const Stage rows("rows"); }).join();
  try {
    const Stage rows("certificate");
    throw 1;
  } catch (int) {
  }
  const auto found = clock.seconds();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].name, "certificate");
}

}  // namespace
}  // namespace mercer::stages_test
