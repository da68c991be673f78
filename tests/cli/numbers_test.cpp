// Numbers that cannot be: never on standard output with exit code 0.
#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/command.hpp"
#include "paths.hpp"

namespace mercer::numbers_test {
namespace {

class NumbersCliTest : public cli_test::CommandTest {
 protected:
  std::string points(int n) {
    std::string text = "a,b,y\n";
    for (int i = 0; i < n; ++i) {
      text += std::to_string(i * 37 % 101 / 50.0 - 1) + "," + std::to_string(i * 61 % 89 / 44.0 - 1) + "," +
              std::to_string(i % 7) + "\n";
    }
    return files_.file("points" + std::to_string(n) + ".csv", text);
  }
};

TEST_F(NumbersCliTest, AVanishingLengthScaleIsTheIdentity) {
  const std::string two = files_.file("two.csv", "0,1\n3,2\n");
  for (const char* kernel : {"rbf(ell=1e-155)", "matern(nu=1.5, ell=1e-300)", "matern(nu=0.8, ell=1e-300)",
                             "rq(ell=1e-300)", "laplace(ell=1e-310)", "rbf(ell=[1e-300, 1])"}) {
    const auto got = run({"gram", kernel, two});
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_EQ(got.out, "1,0\n0,1\n") << kernel;
  }
}

TEST_F(NumbersCliTest, WhatOverflowsNamesTheRows) {
  const std::string two = files_.file("two.csv", "0,1\n3,2\n");
  expect_error(run({"gram", "exp(1000*linear())", two}), 1, "exp(1000*linear()) is inf at row 1 with itself");
  const std::string far = files_.file("far.csv", "a,b\n0,0\n1e5,1e5\n");
  for (const char* machine : {"ridge", "gp", "svc"}) {
    const std::string model = files_.path(std::string(machine) + ".mercer");
    ASSERT_EQ(run({"fit", machine, points(30), "--kernel", "exp(linear())", "-o", model}).code, 0) << machine;
    expect_error(run({"predict", model, far}), 1, "row 2");
  }
}

TEST_F(NumbersCliTest, NoSamplesFromWhatIsNoCovariance) {
  expect_error(run({"sample", "assume_psd(-x*y, \"a wish\")", "--grid", "1:3:3"}), 1, "smallest eigenvalue is -14");
  expect_error(run({"sample", "exp(linear())", "--grid", "0:100:5"}), 1, "is inf at row");
}

TEST_F(NumbersCliTest, AtMostNuOfTheTrainingPointsAreNovel) {
  const std::string data = points(50), model = files_.path("m.mercer");
  ASSERT_EQ(run({"fit", "oneclass", data, "--nu", "0.2", "-o", model}).code, 0);
  const auto got = run({"predict", model, data});
  ASSERT_EQ(got.code, 0) << got;
  int novel = 0;
  for (std::size_t at = 0; (at = got.out.find("-1", at)) != std::string::npos; ++at) ++novel;
  EXPECT_GT(novel, 0) << got;
  EXPECT_LE(novel, 10) << got;
}

TEST_F(NumbersCliTest, TuneKeepsAKernelThatOverflowsInItsTable) {
  const auto got = run({"tune", "ridge", points(40), "--kernel", "exp(1*linear())", "--grid", "scale=0.1,1000"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_NE(got.out.find("beyond double precision"), std::string::npos) << got;
  EXPECT_NE(got.out.find("best"), std::string::npos) << got;
  EXPECT_EQ(run({"tune", "gp", points(40), "--kernel", "rbf(ell=1)", "--grid", "mean=zero,constant", "--metric",
                 "log_density"})
                .code,
            0);
}

// However busy the machine is: asked to stop later and later, until some candidate was done.
TEST_F(NumbersCliTest, AStoppedSearchPrintsItsTable) {
  const std::string data = points(700);
  for (int seconds = 1; seconds <= 64; seconds *= 2) {
    const pid_t child =
        start({MERCER_TEST_COMMAND, "tune", "ridge", data, "--kernel", "rbf(ell=1)", "--grid", "ell=0.01:10:2000"});
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    kill(child, SIGINT);
    const auto got = finish(child);
    EXPECT_EQ(got.code, 1) << got.err;
    if (got.out.empty()) continue;
    EXPECT_NE(got.out.find("best"), std::string::npos);
    EXPECT_NE(got.out.find("not done"), std::string::npos);
    EXPECT_NE(got.err.find("stopped"), std::string::npos) << got.err;
    return;
  }
  FAIL() << "no candidate was done in a minute";
}

}  // namespace
}  // namespace mercer::numbers_test
