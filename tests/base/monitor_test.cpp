#include "mercer/monitor.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support.hpp"

namespace mercer::monitor_test {
namespace {

TEST(Monitor, DefaultIsSilentAndNeverStops) {
  const Monitor monitor;
  EXPECT_FALSE(monitor.listening());
  EXPECT_NO_THROW(monitor.report({"gram", 0.5}));
}

TEST(Monitor, PassesProgressOn) {
  std::string stage;
  double fraction = 0;
  const Monitor monitor([&](const Progress& p) {
    stage = p.stage;
    fraction = p.fraction;
    return true;
  });
  EXPECT_TRUE(monitor.listening());
  monitor.report({"gram", 0.25});
  EXPECT_EQ(stage, "gram");
  EXPECT_EQ(fraction, 0.25);
}

TEST(Monitor, FalseBecomesCancelled) {
  const Monitor monitor([](const Progress&) { return false; });
  try {
    monitor.report({"gram", 0.25});
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    EXPECT_STREQ(error.what(), "Cancelled: gram: stopped on request");
  }
}

TEST(Error, KindsHaveNames) {
  EXPECT_STREQ(Error(ErrorKind::usage, "a").what(), "UsageError: a");
  EXPECT_STREQ(Error(ErrorKind::grammar, "a").what(), "GrammarError: a");
  EXPECT_STREQ(Error(ErrorKind::kernel, "a").what(), "KernelError: a");
  EXPECT_STREQ(Error(ErrorKind::domain, "a").what(), "DomainError: a");
  EXPECT_STREQ(Error(ErrorKind::shape, "a").what(), "ShapeError: a");
  EXPECT_STREQ(Error(ErrorKind::data, "a").what(), "DataError: a");
  EXPECT_STREQ(Error(ErrorKind::file, "a").what(), "FileError: a");
  EXPECT_STREQ(Error(ErrorKind::numeric, "a").what(), "NumericError: a");
  EXPECT_STREQ(Error(ErrorKind::cancelled, "a").what(), "Cancelled: a");
}

}  // namespace
}  // namespace mercer::monitor_test
