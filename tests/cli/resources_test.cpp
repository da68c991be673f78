// What the command does with the threads, the memory and the files it is given, and with too little of them.
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/command.hpp"
#include "paths.hpp"
#include "sanitized.hpp"

namespace mercer::cli_test::resources_test {
namespace {

class ResourcesTest : public CommandTest {
 protected:
  std::string data(Index rows, Index columns) { return files_.file("data.csv", made_table(rows, columns)); }

  // The command looks at its output before it begins, which shows as one who came and went.
  static void wait_for_output(int fd) {
    for (int round = 0; round < 10'000; ++round) {
      pollfd ready{fd, POLLIN, 0};
      if (::poll(&ready, 1, 100) == 1 && (ready.revents & POLLIN) != 0) return;
      ::usleep(10'000);
    }
    ADD_FAILURE() << "no output";
  }

  // How many threads the command has made by the time it writes its output, which is a pipe too small for it.
  Index threads_of(std::vector<std::string> words, const std::string& pipe) {
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int fd = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const pid_t child = start(words);
    wait_for_output(fd);
    Index count = 0;
    std::error_code gone;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/task", gone)) {
      count += task.is_directory();
    }
    ::close(fd);  // the rest of the output has nowhere to go
    finish(child);
    ::unlink(pipe.c_str());
    return count;
  }
};

const std::string kCommand = MERCER_TEST_COMMAND;

TEST_F(ResourcesTest, ThreadsReachMatrixAlgebraAndReading) {
  const std::string train = data(1200, 8);
  for (const std::string n : {"1", "2"}) {
    const std::string model = results_.path("m.mercer");
    EXPECT_EQ(threads_of({kCommand, "fit", "ridge", train, "--plain", "--threads", n, "-o", model}, model),
              std::stol(n));
    EXPECT_EQ(
        threads_of({"/usr/bin/env", "MERCER_NUM_THREADS=" + n, kCommand, "fit", "ridge", train, "--plain", "-o", model},
                   model),
        std::stol(n));
  }
  const std::string wide = data(150, 7000);  // 10 MB, which two threads read
  for (const std::string n : {"1", "2"}) {
    const std::string matrix = results_.path("K.npy");
    EXPECT_EQ(threads_of({kCommand, "gram", "linear()", wide, "--threads", n, "-o", matrix}, matrix), std::stol(n));
  }
}

TEST_F(ResourcesTest, CoresAndThreadsChangeNoBit) {
  const std::string train = data(300, 4);
  std::vector<std::string> outputs;
  for (const std::string before : {"", "taskset -c 0 "}) {
    for (const std::string after : {"", " --threads 3"}) {
      const std::string model = results_.path("m.mercer");
      const Outcome fitted = shell(before + kCommand + " fit ridge " + train + " -o " + model + after);
      ASSERT_EQ(fitted.code, 0) << fitted;
      const Outcome said = run({"predict", model, train});
      ASSERT_EQ(said.code, 0) << said;
      outputs.push_back(said.out);
    }
  }
  for (const std::string& other : outputs) EXPECT_TRUE(other == outputs.front());
}

TEST_F(ResourcesTest, StartsAndSaysWhatItLacksWithLittleMemory) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string train = data(50, 2);
  const Outcome listed = shell("ulimit -v 150000; exec timeout 60 " + kCommand + " kernels");
  EXPECT_EQ(listed.code, 0) << listed;
  EXPECT_TRUE(has(listed.out, "rbf"));
  expect_error(shell("ulimit -v 150000; exec timeout 60 " + kCommand + " fit ridge " + train + " --threads 1 -o " +
                     results_.path("m.mercer")),
               1, "ulimit -v");
  for (const int limit : {50'000, 60'000, 80'000}) {  // the program by itself takes 40,000
    const Outcome got = shell("ulimit -v " + std::to_string(limit) + "; exec timeout 60 " + kCommand + " kernels");
    // 127: the system's loader, in a line of its own.
    EXPECT_TRUE(got.code == 0 || got.code == 1 || got.code == 127) << limit << ": " << got;
    EXPECT_TRUE(got.code == 0 || std::count(got.err.begin(), got.err.end(), '\n') == 1) << limit << ": " << got;
  }
}

TEST_F(ResourcesTest, DirectMachinesAskForMemoryFirst) {
  const std::string train = data(600, 3), model = results_.path("m.mercer");
  const Outcome got = run({"fit", "gp", train, "--memory", "1MB", "-o", model});
  expect_error(got, 2, "gp: 600 points need ");
  EXPECT_TRUE(has(got.err, "memory for the numbers of all pairs, and 1 MB are allowed; ")) << got;
  EXPECT_TRUE(has(got.err, " points would fit")) << got;
  EXPECT_TRUE(results_.list().empty());
  // In few features there is a way, which is announced.
  const Outcome ols = run({"fit", "ols", train, "--memory", "1MB", "-o", model});
  EXPECT_EQ(ols.code, 0) << ols;
  EXPECT_TRUE(has(ols.err, "approximated: ")) << ols;
  // What is not given is chosen by as many points as find room.
  EXPECT_TRUE(has(ols.err, "chosen: rbf(ell=")) << ols;
  EXPECT_FALSE(has(ols.err, "Error")) << ols;
  // Ridge has an exact way without them.
  const Outcome ridge = run({"fit", "ridge", train, "--memory", "1MB", "-o", model, "-v"});
  EXPECT_EQ(ridge.code, 0) << ridge;
  EXPECT_TRUE(has(ridge.err, "conjugate gradients")) << ridge;
  EXPECT_TRUE(has(ridge.err, "approximated: nothing")) << ridge;
  EXPECT_EQ(run({"fit", "ridge", train, "--memory", "3MB", "-o", model}).code, 0);
  EXPECT_EQ(run({"fit", "svr", train, "--memory", "1MB", "-o", model}).code, 0);
}

TEST_F(ResourcesTest, AMachineThatPlainlyLacksTheMemoryIsNotTried) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string train = data(8000, 1);
  expect_error(shell("ulimit -v 500000; exec " + kCommand + " fit gp " + train + " --solver dense --threads 1 -o " +
                     results_.path("m.mercer")),
               2, "8000 points need ");
}

TEST_F(ResourcesTest, AFileThatMayNotGrowLeavesNothing) {
  const std::string train = data(600, 4);
  for (const std::string out : {"K.csv", "K.npy"}) {
    const Outcome got =
        shell("ulimit -f 100; exec " + kCommand + " gram 'rbf(ell=1)' " + train + " -o " + results_.path(out));
    expect_error(got, 1, "File too large");
  }
  EXPECT_TRUE(results_.list().empty());
  const Outcome printed =
      shell("ulimit -f 100; exec " + kCommand + " gram 'rbf(ell=1)' " + train + " > " + results_.path("K"));
  expect_error(printed, 1, "File too large");
}

// The work is done, so there is nothing left to be ended gently.
TEST_F(ResourcesTest, ASignalEndsItAtOnceWhileNobodyEmptiesThePipe) {
  const std::string train = data(1200, 8), pipe = results_.path("m.mercer");
  for (const int signal : {SIGINT, SIGTERM}) {
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int fd = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const pid_t child = start({kCommand, "fit", "ridge", train, "--kernel", "rbf(ell=1)", "--ridge", "1", "-o", pipe});
    wait_for_output(fd);
    ::kill(child, signal);
    EXPECT_EQ(finish(child).code, 1);
    ::close(fd);
    ::unlink(pipe.c_str());
  }
}

}  // namespace
}  // namespace mercer::cli_test::resources_test
