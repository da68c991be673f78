// The first signal asks gently; the second ends the command at once.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "cli/command.hpp"

namespace mercer::cli_test::second_signal_test {

namespace {

class SecondSignal : public CommandTest {
 protected:
  // Work that is not asked whether to go on for a long while: one tile, of a kernel that costs thousands of layers of
  // each pair. It says what `auto` is when the data are read and signals ask gently.
  pid_t start_long_work(const std::string& output) {
    std::string kernel = "rbf(ell=auto)", content;
    for (int depth = 64; depth > 0; --depth) kernel += fmt::format(" + ntk(depth={})", depth);
    for (int i = 0; i < 256; ++i) content += fmt::format("{},{}\n", i, i * i % 97 + 1);
    return start({MERCER_TEST_COMMAND, "gram", kernel, files_.file("x.csv", content), "--threads", "1", "-o", output});
  }
  void wait_until_it_works() {
    while (!has(content_of(capture_.path("err")), "auto is")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
};

TEST_F(SecondSignal, EndsItAtOnceAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    results_.file("K.npy", "older");
    const pid_t child = start_long_work(results_.path("K.npy"));
    wait_until_it_works();
    // Two that arrive before the first was looked at count as one.
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      ::kill(child, signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_FALSE(has(content_of(capture_.path("err")), "stopped"));
    EXPECT_EQ(results_.list(), std::vector<std::string>{"K.npy"});
    EXPECT_EQ(content_of(results_.path("K.npy")), "older");
  }
}

TEST_F(SecondSignal, TheFirstWaitsForTheWorkToBeEndedGently) {
  const pid_t child = start_long_work(results_.path("K.npy"));
  wait_until_it_works();
  ::kill(child, SIGINT);
  const Outcome got = finish(child);
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_TRUE(has(got.err, "stopped; no file was written")) << got;
  EXPECT_TRUE(results_.list().empty());
}

}  // namespace

}  // namespace mercer::cli_test::second_signal_test
