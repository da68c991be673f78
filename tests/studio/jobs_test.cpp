// Jobs: one of each slot, the newest; cancelling; failures.
#include "studio/jobs.hpp"

#include <gtest/gtest.h>

#include <future>

#include "mercer/error.hpp"

namespace mercer::studio {
namespace {

class StudioJobs : public ::testing::Test {
 protected:
  // The names of the events of a job, in order, without progress.
  std::vector<std::string> ends() const {
    std::vector<std::string> out;
    for (const Event& event : events.after(0, "").events) {
      if (event.name != "progress") out.push_back(Json::parse(event.data)["job"].get<std::string>() + event.name);
    }
    return out;
  }
  // Waits until so many jobs have ended.
  void wait_for(std::size_t count) {
    while (ends().size() < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Goes on until it is told to stop.
  static Json endless(const Monitor& monitor) {
    while (true) {
      monitor.report({"solve", 0.5});
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Events events{1000, 1 << 20};
  std::vector<std::string> log;
  Jobs jobs{events, [this](const std::string& line) { log.push_back(line); }};
  Lane lane{8};
};

TEST_F(StudioJobs, TellTheirResult) {
  jobs.submit(lane, {"a", 1}, [](const Monitor&) { return Json{{"answer", 42}}; });
  wait_for(1);
  const Json data = Json::parse(events.after(0, "").events.back().data);
  EXPECT_EQ(data, Json({{"job", "1"}, {"slot", "a"}, {"seq", 1}, {"answer", 42}}));
  EXPECT_EQ(jobs.status(1)->state, Jobs::State::done);
}

TEST_F(StudioJobs, TheNewestOfASlotWins) {
  jobs.submit(lane, {"a", 1}, endless);
  for (int seq = 2; seq < 50; ++seq) jobs.submit(lane, {"a", seq}, endless);
  jobs.submit(lane, {"a", 50}, [](const Monitor&) { return Json::object(); });
  wait_for(50);
  std::vector<std::string> all = ends();
  EXPECT_EQ(all.back(), "50done");
  all.pop_back();
  for (const std::string& one : all) EXPECT_TRUE(one.ends_with("replaced")) << one;
}

TEST_F(StudioJobs, OneThatComesLateIsReplaced) {
  jobs.submit(lane, {"a", 7}, [](const Monitor&) { return Json::object(); });
  wait_for(1);
  jobs.submit(lane, {"a", 6}, [](const Monitor&) { return Json::object(); });
  EXPECT_EQ(ends(), (std::vector<std::string>{"1done", "2replaced"}));
}

// A page that loads anew begins to count anew: of equal numbers the one that comes last is wanted.
TEST_F(StudioJobs, OfOneNumberTwiceTheLaterIsDoneAsWell) {
  jobs.submit(lane, {"a", 1}, [](const Monitor&) { return Json::object(); });
  wait_for(1);
  jobs.submit(lane, {"a", 1}, [](const Monitor&) { return Json::object(); });
  wait_for(2);
  EXPECT_EQ(ends(), (std::vector<std::string>{"1done", "2done"}));
}

TEST_F(StudioJobs, SlotsDoNotDisturbEachOther) {
  jobs.submit(lane, {"a", 1}, [](const Monitor&) { return Json::object(); });
  jobs.submit(lane, {"b", 1}, [](const Monitor&) { return Json::object(); });
  wait_for(2);
  EXPECT_EQ(ends(), (std::vector<std::string>{"1done", "2done"}));
}

TEST_F(StudioJobs, AreCancelled) {
  jobs.submit(lane, {"a", 1}, endless);
  jobs.submit(lane, {"b", 1}, endless);
  EXPECT_TRUE(jobs.cancel(2));
  EXPECT_TRUE(jobs.cancel(1));
  EXPECT_FALSE(jobs.cancel(99));
  wait_for(2);
  EXPECT_EQ(ends(), (std::vector<std::string>{"2cancelled", "1cancelled"}));
  EXPECT_TRUE(log.empty());
}

// A machine that is told to stop may return what it has: it is not wanted all the same.
TEST_F(StudioJobs, WhatAStoppedJobReturnsIsDropped) {
  std::promise<void> begun;
  jobs.submit(lane, {"a", 1}, [&](const Monitor& monitor) {
    begun.set_value();
    try {
      return endless(monitor);
    } catch (const Error&) {
      return Json{{"answer", "half"}};
    }
  });
  begun.get_future().wait();
  jobs.cancel(1);
  wait_for(1);
  EXPECT_FALSE(Json::parse(events.after(0, "").events.back().data).contains("answer"));
}

TEST_F(StudioJobs, FailuresAreToldAndTheLaneGoesOn) {
  jobs.submit(lane, {"a", 1},
              [](const Monitor&) -> Json { throw Error(ErrorKind::data, "wine.csv: no rows; give some"); });
  jobs.submit(lane, {"b", 1}, [](const Monitor&) -> Json { throw std::bad_alloc(); });
  jobs.submit(lane, {"c", 1}, [](const Monitor&) { return Json::object(); });
  wait_for(3);
  EXPECT_EQ(ends(), (std::vector<std::string>{"1failed", "2failed", "3done"}));
  const Json first = Json::parse(events.after(0, "a").events.back().data);
  EXPECT_EQ(first["where"], "wine.csv");
  EXPECT_EQ(first["hint"], "give some");
  EXPECT_EQ(log.size(), 2u);
}

TEST_F(StudioJobs, AFullLaneTakesNoMore) {
  std::promise<void> begun, go;
  jobs.submit(lane, {"first", 1}, [&](const Monitor&) {
    begun.set_value();
    go.get_future().wait();
    return Json::object();
  });
  begun.get_future().wait();
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(jobs.submit(lane, {std::to_string(i), 1}, [](const Monitor&) { return Json::object(); }));
  }
  EXPECT_FALSE(jobs.submit(lane, {"more", 1}, [](const Monitor&) { return Json::object(); }));
  go.set_value();
  wait_for(9);
}

}  // namespace
}  // namespace mercer::studio
