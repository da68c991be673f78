// Running the real command: what it prints where, its exit codes, and what it leaves behind.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "io/files.hpp"
#include "mercer/io.hpp"
#include "paths.hpp"

extern char** environ;

namespace mercer::cli_test {

using io_test::content_of;
using io_test::numbers;
using io_test::TemporaryFolder;
using mercer::Json;

struct Outcome {
  int code = -1;  // exit code, or minus the signal that ended it
  std::string out, err;
};

inline std::ostream& operator<<(std::ostream& stream, const Outcome& got) {
  return stream << "exit " << got.code << "\n--- stdout\n" << got.out << "\n--- stderr\n" << got.err;
}

// x1, ..., xd and y in rows; y is a number, or one of two classes. `scattered`: all over the cube, and not along a
// curve, on which few centres say all.
inline std::string made_table(Index rows, Index columns, bool classes = false, bool scattered = false) {
  std::string text;
  for (Index j = 1; j <= columns; ++j) text += "x" + std::to_string(j) + ",";
  text += "y\n";
  for (Index i = 0; i < rows; ++i) {
    double sum = 0;
    for (Index j = 0; j < columns; ++j) {
      const auto t = static_cast<double>(1 + i * columns + j);
      const double x = std::sin((scattered ? t * t : t) * 1.7);
      sum += x;
      text += std::to_string(x) + ",";
    }
    text += classes ? (sum > 0 ? "a\n" : "b\n") : std::to_string(std::cos(sum)) + "\n";
  }
  return text;
}

class CommandTest : public ::testing::Test {
 protected:
  pid_t start(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, input_.empty() ? "/dev/null" : input_.c_str(), O_RDONLY, 0);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, 1, capture_.path("out").c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&files, 2, capture_.path("err").c_str(), flags, 0600);
    pid_t child = 0;
    const int error = posix_spawn(&child, pointers[0], &files, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::runtime_error("cannot start " + words[0]);
    return child;
  }
  Outcome finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content_of(capture_.path("out")),
            content_of(capture_.path("err"))};
  }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), MERCER_TEST_COMMAND);
    return finish(start(words));
  }
  Outcome shell(const std::string& line) { return finish(start({"/bin/sh", "-c", line})); }

  // Fails with one line on standard error that holds `text`, and nothing on standard output.
  void expect_error(const Outcome& got, int code, const std::string& text) {
    EXPECT_EQ(got.code, code) << got;
    EXPECT_EQ(got.out, "") << got;
    EXPECT_EQ(got.err.rfind("mercer: ", 0), 0u) << got;
    EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << got;
    EXPECT_NE(got.err.find(text), std::string::npos) << "expected: " << text << "\n" << got;
  }
  Json json_of(std::vector<std::string> words, int code = 0) {
    words.push_back("--json");
    const Outcome got = run(words);
    EXPECT_EQ(got.code, code) << got;
    try {
      return Json::parse(got.out);
    } catch (const JsonError& error) {
      ADD_FAILURE() << error.what() << got;
      return {};
    }
  }
  Matrix matrix_in(const std::string& path) { return numbers(read_data(path).points); }

  // The largest memory that the command had, in bytes, as it stood when it was last seen: what rusage tells of a child
  // is no less than what this process had when it began it.
  double peak_of(std::vector<std::string> words) {
    words.insert(words.begin(), MERCER_TEST_COMMAND);
    const pid_t child = start(words);
    int status = 0;
    double peak = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      std::ifstream lines("/proc/" + std::to_string(child) + "/status");
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("VmHWM:")) peak = 1024 * std::stod(line.substr(6));
      }
      usleep(1000);
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << words[2] << "\n" << content_of(capture_.path("err"));
    return peak;
  }

  std::string input_;  // the file that standard input comes from
  TemporaryFolder files_, results_, capture_;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace mercer::cli_test
