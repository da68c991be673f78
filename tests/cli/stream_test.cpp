// mercer fit from files that are larger than memory, ended at any moment and resumed; and what may go wrong on the way.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"
#include "sanitized.hpp"

namespace mercer::cli_test::stream_test {
namespace {

class StreamTest : public CommandTest {
 protected:
  void TearDown() override { ::unsetenv("MERCER_CHECKPOINT_SECONDS"); }

  // As expect_error, of a fit that may have run for long enough to say first what it was given.
  void expect_late_error(const Outcome& got, int code, const std::string& text) {
    EXPECT_EQ(got.code, code) << got;
    EXPECT_EQ(got.out, "") << got;
    const std::size_t last = std::min(got.err.rfind("mercer: "), got.err.size());
    EXPECT_EQ(got.err.find('\n', last), got.err.size() - 1) << got;
    EXPECT_NE(got.err.find(text, last), std::string::npos) << "expected: " << text << "\n" << got;
  }

  std::string data(Index rows, Index columns, const std::string& name = "data.csv", Index bad_row = -1,
                   const std::string& bad = "", bool classes = false) {
    std::ofstream out(files_.path(name));
    for (Index j = 1; j <= columns; ++j) out << "x" << j << ",";
    out << "y\n";
    for (Index i = 0; i < rows; ++i) {
      if (i == bad_row) {
        out << bad << "\n";
        continue;
      }
      double sum = 0;
      for (Index j = 0; j < columns; ++j) {
        const double x = std::sin(static_cast<double>(1 + i * columns + j) * 1.7);
        sum += x;
        out << x << ",";
      }
      if (classes) {
        // The sum of three columns is within 0.74: several changes of class fit in there.
        out << (std::cos(9 * sum) > 0.3 ? "p" : std::cos(9 * sum) > -0.3 ? "q" : "r") << "\n";
      } else {
        out << std::cos(sum) << "\n";
      }
    }
    return files_.path(name);
  }
  std::string model() const { return results_.path("m.mercer"); }
  std::string checkpoint() const { return model() + ".checkpoint"; }

  // The command, at work, when its first checkpoint is there; it fails where it ends before.
  pid_t start_to_checkpoint(std::vector<std::string> words) {
    ::setenv("MERCER_CHECKPOINT_SECONDS", "0", 1);
    words.insert(words.begin(), MERCER_TEST_COMMAND);
    const pid_t child = start(words);
    siginfo_t ended{};
    while (!std::filesystem::exists(checkpoint())) {
      ended.si_pid = 0;
      ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid == child) throw std::runtime_error("no checkpoint was written");
      ::usleep(200);
    }
    return child;
  }
  void kill_at_checkpoint(const std::vector<std::string>& words) {
    const pid_t child = start_to_checkpoint(words);
    ::kill(child, SIGKILL);
    ASSERT_EQ(finish(child).code, -SIGKILL);
  }

  // Steps of falkon that are many and short: rounding lets it begin again, and in the end it gives up.
  std::vector<std::string> slow(const std::string& train) const {
    return {"fit", "ridge",    train,    "--kernel",    "rbf(ell=0.2)", "--ridge", "1e-2", "--centres",
            "200", "--solver", "falkon", "--tolerance", "1e-11",        "-o",      model()};
  }
  static std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // All of a model but what it cost: time, and rows of K that were computed by whoever had them to compute.
  static std::string bits_of(const std::string& path) {
    std::ostringstream out;
    save(out, load(path).with([](Model::Parts& parts) {
      parts.report.seconds = 0;
      parts.report.stages.clear();
      if (parts.report.plan) parts.report.plan->seconds = 0;
      std::erase_if(parts.report.figures, [](const Report::Figure& f) { return f.name.starts_with("kernel_rows_"); });
    }));
    return out.str();
  }
  // Ends the command again and again, each time a little later, until it ends by itself.
  void expect_resumed(const std::vector<std::string>& words) {
    const int code = run(words).code;
    const std::string undisturbed = bits_of(model());
    std::filesystem::remove(model());
    ::setenv("MERCER_CHECKPOINT_SECONDS", "0", 1);
    int killed = 0, found = 0;
    for (useconds_t patience = 1000;; patience += patience / 5) {
      std::vector<std::string> all = with(words, {"--resume"});
      all.insert(all.begin(), MERCER_TEST_COMMAND);
      const pid_t child = start(all);
      ::usleep(patience);
      ::kill(child, SIGKILL);
      const Outcome got = finish(child);
      if (got.code != -SIGKILL) {
        ASSERT_EQ(got.code, code) << got;
        break;
      }
      ++killed;
      found += std::filesystem::exists(model() + ".checkpoint") ? 1 : 0;
    }
    EXPECT_GT(killed, 3);
    EXPECT_GT(found, 0) << "no checkpoint was gone on from, after " << killed;
    EXPECT_EQ(bits_of(model()), undisturbed);
    EXPECT_EQ(results_.list(), std::vector<std::string>{"m.mercer"});
    ::unsetenv("MERCER_CHECKPOINT_SECONDS");
  }
};

TEST_F(StreamTest, MemoryStaysWithinThePlan) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string train = data(30000, 20);
  const std::vector<std::string> words = {"fit",     "ridge",     train,      "--centres",  "100",
                                          "--ridge", "1",         "--kernel", "rbf(ell=3)", "--memory",
                                          "20MB",    "--threads", "2"};
  for (const std::string solver : {"normal", "falkon"}) {
    const std::vector<std::string> all = with(words, {"--solver", solver});
    const Json plan = json_of(with(all, {"--plan"}));
    EXPECT_EQ(plan["rows_at_once"].number(), 1024);
    EXPECT_LE(peak_of(with(all, {"-o", model()})), 1.1 * plan["bytes"].number()) << solver;
    EXPECT_EQ(json_of({"show", model()})["report"]["plan"]["rows_at_once"].number(), 1024);
  }
  const Outcome planned = run(with(words, {"--plan"}));
  EXPECT_TRUE(has(planned.out, "rows: not in memory, read again in every pass, 1024 at a time")) << planned;
  const Outcome fitted = run(with(words, {"-o", model()}));
  EXPECT_TRUE(has(fitted.err, "rows are read again in every pass: in memory they would take")) << fitted;
}

TEST_F(StreamTest, MemoryStaysWithinThePlanOfEveryMachineThatStreams) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  for (const Machine& row : machines()) {
    if (!row.streams) continue;
    const std::string train = data(30000, 20, "t.csv", -1, "", row.task->target == Task::Target::classes);
    const std::vector<std::string> words = {"fit",        row.name,  train,      "--centres", "100",       "--kernel",
                                            "rbf(ell=3)", "--plain", "--memory", "25MB",      "--threads", "2"};
    const Json plan = json_of(with(words, {"--plan"}));
    EXPECT_EQ(plan["rows_at_once"].number(), 1024) << row.name;
    EXPECT_LE(peak_of(with(words, {"-o", model()})), 1.1 * plan["bytes"].number()) << row.name;
  }
}

TEST_F(StreamTest, KilledAtAnyMomentAndResumedItIsTheSameModel) {
  const std::string train = data(700, 3);
  expect_resumed(with(slow(train), {"--stream"}));
  // Of all points.
  const std::vector<std::string> pcg = {"fit",     "ridge",       train,      "--kernel", "rbf(ell=0.2)",
                                        "--ridge", "1e-6",        "--solver", "pcg",      "--rank",
                                        "20",      "--tolerance", "1e-12",    "-o",       model()};
  expect_resumed(pcg);
}

// Of classes: squared loss on codes, and Newton's steps with what preconditions them.
TEST_F(StreamTest, ClassesOnCentresKilledAtAnyMomentAreTheSameModel) {
  const std::string train = data(700, 3, "t.csv", -1, "", true);
  std::vector<std::string> codes = slow(train);
  codes[1] = "ridge_classifier";
  expect_resumed(with(codes, {"--stream"}));
  const std::string many = data(6000, 3, "t.csv", -1, "", true);
  expect_resumed({"fit", "logistic", many, "--kernel", "rbf(ell=0.2)", "--lambda", "1e-6", "--centres", "200",
                  "--tolerance", "1e-12", "-o", model()});
}

// Pairs of classes that have ended, the ones that are at work, and the folds of probabilities.
TEST_F(StreamTest, SupportVectorsKilledAtAnyMomentAreTheSameModel) {
  const std::string train = data(2500, 3, "t.csv", -1, "", true);
  const std::vector<std::string> svc = {"fit", "svc", train,   "--kernel", "rbf(ell=0.3)", "--C",
                                        "100", "-o",  model(), "--plain",  "--scale",      "none"};
  expect_resumed(with(svc, {"--threads", "2"}));
  expect_resumed(with(svc, {"--probability", "--threads", "1"}));
  const std::string numbers = data(1500, 3);
  expect_resumed({"fit", "svr", numbers, "--kernel", "rbf(ell=0.5)", "--C", "100", "--epsilon", "0.01", "-o", model()});
}

TEST_F(StreamTest, SupportVectorsOfOtherWorkAreRefused) {
  const std::string train = data(3000, 3, "t.csv", -1, "", true);
  const std::vector<std::string> words = {"fit",  "svc", train,   "--kernel", "rbf(ell=0.3)", "--C",
                                          "1000", "-o",  model(), "--plain",  "--scale",      "none"};
  kill_at_checkpoint(words);
  const auto expect_refused = [&](const std::string& from, const std::string& to) {
    std::vector<std::string> changed = words;
    std::replace(changed.begin(), changed.end(), from, to);
    expect_late_error(run(with(changed, {"--resume"})), 2, "is of other data, another kernel, other options");
  };
  expect_refused("1000", "1001");
  expect_refused("rbf(ell=0.3)", "rbf(ell=0.30000000000000004)");
  expect_refused(train, data(3000, 3, "other.csv", 2999, "0,0,0,q", true));
  EXPECT_FALSE(std::filesystem::exists(model()));
}

TEST_F(StreamTest, TimeEndsSupportVectorsWithAGapFromTheData) {
  const std::string train = data(4000, 3, "t.csv", -1, "", true);
  const std::vector<std::string> words = {"fit",         "svc",  train, "--kernel", "rbf(ell=0.05)", "--C",     "1e6",
                                          "--tolerance", "1e-9", "-o",  model(),    "--plain",       "--scale", "none"};
  const Outcome got = run(with(words, {"--time", "0.5"}));
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_TRUE(has(got.err, "not converged: the time of 0.5 s was over")) << got;
  EXPECT_TRUE(has(got.err, "the same command with --resume goes on")) << got;
  const Model model = load(this->model());
  EXPECT_FALSE(model.report().converged);
  EXPECT_GT(model.report().figure("gap").value(), 1e-9);
  EXPECT_GT(model.report().figure("duality_gap").value(), 0);
  // More time is no other work.
  const Outcome more = run(with(words, {"--time", "0.5", "--resume"}));
  EXPECT_TRUE(has(more.err, "gone on from " + this->model() + ".checkpoint")) << more;
  EXPECT_GT(load(this->model()).report().iterations, model.report().iterations);
}

// The checkpoint of a fit that was ended.
class Interrupted : public StreamTest {
 protected:
  void SetUp() override {
    train_ = data(3000, 3);
    kill_at_checkpoint(slow(train_));
    left_ = content_of(checkpoint());
  }
  void expect_refused(const std::vector<std::string>& words, int code, const std::string& text) {
    expect_late_error(run(with(words, {"--resume"})), code, text);
    EXPECT_EQ(content_of(checkpoint()).substr(0, 30), left_.substr(0, 30));
    EXPECT_FALSE(std::filesystem::exists(model()));
  }
  std::string train_, left_;
};

TEST_F(Interrupted, OtherDataKernelsAndOptionsAreRefused) {
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::vector<std::string> words = slow(train_);
    std::replace(words.begin(), words.end(), from, to);
    return words;
  };
  const std::string other = "is of other data, another kernel, other options";
  expect_refused(changed("rbf(ell=0.2)", "rbf(ell=0.20000000000000004)"), 2, other);
  expect_refused(changed("1e-2", "2e-2"), 2, other);
  expect_refused(changed("200", "199"), 2, other);
  expect_refused(with(slow(train_), {"--centres-by", "uniform"}), 2, other);
  expect_refused(with(slow(train_), {"--scale", "none"}), 2, other);
  expect_refused(changed(train_, data(3000, 3, "other.csv", 2999, "0,0,0,0")), 2, other);
}

TEST_F(Interrupted, DamagedOnesAreRefusedAndOthersFilesAreLeftAlone) {
  for (const std::size_t place : {left_.size() - 3, std::size_t{100}}) {
    std::string damaged = left_;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    results_.file("m.mercer.checkpoint", damaged);
    expect_refused(slow(train_), place == 100 ? 1 : 1, "damaged");
  }
  results_.file("m.mercer.checkpoint", left_.substr(0, left_.size() - 8));
  expect_refused(slow(train_), 1, "damaged");
  results_.file("m.mercer.checkpoint", "mine");
  for (const bool resume : {false, true}) {
    expect_error(run(with(slow(train_), resume ? std::vector<std::string>{"--resume"} : std::vector<std::string>{})), 1,
                 "is there, and no checkpoint");
    EXPECT_EQ(content_of(checkpoint()), "mine");
  }
}

TEST_F(Interrupted, ItSaysWhereItWentOnFrom) {
  const Outcome got = run(with(slow(train_), {"--resume"}));
  EXPECT_TRUE(has(got.err, "gone on from " + checkpoint())) << got;
  EXPECT_EQ(results_.list(), std::vector<std::string>{"m.mercer"});
  const Outcome again = run(with(slow(train_), {"--resume", "-v"}));
  EXPECT_TRUE(has(again.err, "begun anew: there is no " + checkpoint())) << again;
  const Outcome direct = run(
      {"fit", "ridge", train_, "--kernel", "rbf(ell=1)", "--centres", "9", "--ridge", "1", "--resume", "-o", model()});
  EXPECT_TRUE(has(direct.err, "begun anew: a fit that does not go by steps")) << direct;
}

TEST_F(Interrupted, WithoutResumeItBeginsAnew) {
  const Outcome got = run(slow(train_));
  EXPECT_FALSE(has(got.err, "gone on from")) << got;
  EXPECT_EQ(results_.list(), std::vector<std::string>{"m.mercer"});
}

TEST_F(StreamTest, TimeEndsWhatGoesBySteps) {
  // So many steps that no computer takes them in this time, the first of which every computer does.
  const std::string time = test::kSanitized ? "5" : "0.5";
  std::vector<std::string> words = slow(data(4000, 3));
  std::replace(words.begin(), words.end(), std::string("1e-11"), std::string("1e-300"));
  std::replace(words.begin(), words.end(), std::string("1e-2"), std::string("1e-9"));
  words = with(words, {"--max-iterations", "100000000", "--time", time});
  const Outcome got = run(words);
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_TRUE(has(got.err, "the time of " + time + " s was over")) << got;
  EXPECT_TRUE(has(got.err, "relative residual of")) << got;
  EXPECT_TRUE(has(got.err, "not converged; the same command with --resume goes on")) << got;
  const Model model = load(this->model());
  EXPECT_FALSE(model.report().converged);
  EXPECT_EQ(model.report().stopped, "the time of " + time + " s was over");
  EXPECT_GT(model.report().figure("residual").value(), 0);
  // With nothing to show for it.
  expect_late_error(run({"fit", "ridge", data(4000, 3), "--centres", "1000", "--ridge", "1e-9", "--solver", "falkon",
                         "--time", "1e-6", "-o", results_.path("none.mercer")}),
                    2, "before there was anything to keep; --time");
  EXPECT_FALSE(std::filesystem::exists(results_.path("none.mercer")));
}

TEST_F(StreamTest, BadRowsAreNamedWhereverTheyAre) {
  const auto expect_refused = [&](const std::string& train, int code, const std::string& text,
                                  const std::vector<std::string>& more = {}) {
    expect_error(run(with({"fit", "ridge", train, "--stream", "--centres", "10", "--ridge", "1", "-o", model()}, more)),
                 code, text);
    EXPECT_TRUE(results_.list().empty());
  };
  // Beyond the rows that decide what is a number, and beyond the first piece.
  const Index rows = 140000, bad = 135000;
  for (const std::string gap : {"1,nan,3", "1,,3"}) {
    const Outcome filled = run({"fit", "ridge", data(rows, 2, "a.csv", bad, gap), "--stream", "--centres", "10",
                                "--ridge", "1", "-o", model()});
    EXPECT_EQ(filled.code, 0) << filled;
    EXPECT_TRUE(has(filled.err, "1 gap filled by the mean")) << filled;
    std::filesystem::remove(model());
  }
  expect_refused(data(rows, 2, "c.csv", bad, "1,2,3,4"), 1, "line 135002");
  expect_refused(data(rows, 2, "d.csv", bad, "1,two,3"), 1, "line 135002");
  expect_refused(data(rows, 2, "e.csv", bad, "1,1e200,3"), 1, "row 135001, column \"x2\" is 1e+200");
}

TEST_F(StreamTest, WhatCannotBeIsOneLine) {
  const std::string train = data(3000, 3);
  const auto words = [&](const std::vector<std::string>& more) {
    return with({"fit", "ridge", train, "--stream", "--kernel", "rbf(ell=1)", "-o", model()}, more);
  };
  expect_error(run(words({"--centres", "3001", "--ridge", "1"})), 2, "3001 of 3000 points");
  expect_error(run(words({"--centres", "10", "--ridge", "0"})), 2, "ridge");
  expect_error(run(words({"--centres", "2000", "--ridge", "1", "--memory", "1MB"})), 2, "centres would fit");
  expect_error(run(words({"--centres", "10", "--ridge", "1", "--solver", "pcg"})), 2,
               "with centres there are normal and falkon");
  expect_error(run({"fit", "svc", train, "--stream", "-o", model()}), 2, "--stream: svc works on all rows at once");
  expect_error(run(with({"fit", "ridge", "-", "--stream", "-o", model()}, {})), 2, "--stream: ");
  EXPECT_TRUE(results_.list().empty());
}

// Which take 5.9 MB with their copies; 500 rows of 480 columns as much, which threads would read at once.
TEST_F(StreamTest, TuningAndFewRowsAreInMemory) {
  const auto words = [&](const std::string& train) {
    return std::vector<std::string>{train, "--kernel", "linear()", "--memory", "11MB", "-o", model()};
  };
  const std::string high = data(6000, 40), wide = data(500, 480, "wide.csv");
  const Outcome tuned = run(with({"tune", "ridge", "--grid", "ridge=0.1,1"}, words(high)));
  EXPECT_EQ(tuned.code, 0) << tuned;
  const Outcome fitted = run(with({"fit", "ridge", "--ridge", "1", "--plain"}, words(high)));
  EXPECT_EQ(fitted.code, 0) << fitted;
  EXPECT_TRUE(has(fitted.err, "rows are read again in every pass")) << fitted;
  EXPECT_TRUE(has(fitted.err, "approximated: ")) << fitted;
  const Outcome few = run(with({"fit", "ridge", "--ridge", "1", "--plain"}, words(wide)));
  EXPECT_EQ(few.code, 0) << few;
  EXPECT_FALSE(has(few.err, "rows are read again")) << few;
}

TEST_F(StreamTest, EqualRowsAreOneCentre) {
  std::string text = "a,y\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i % 10) + "," + std::to_string(i % 7) + "\n";
  const std::string train = files_.file("few.csv", text);
  std::vector<std::string> said;
  for (const bool stream : {false, true}) {
    const auto words = [&](const std::string& centres) {
      std::vector<std::string> out = {"fit", "ridge",     train,   "--kernel", "rbf(ell=1)", "--ridge",
                                      "1",   "--centres", centres, "-o",       model()};
      if (stream) out.emplace_back("--stream");
      return out;
    };
    expect_error(run(words("50")), 2, "50 of 2000 points, of which 10 are different");
    const Outcome got = run(words("10"));
    EXPECT_EQ(got.code, 0) << got;
    said.push_back(run({"predict", model(), train}).out);
    std::filesystem::remove(model());
  }
  EXPECT_EQ(said[0], said[1]);
}

TEST_F(StreamTest, AFileThatChangesBetweenPassesIsAnError) {
  const std::string train = data(30000, 3);
  const pid_t child = start_to_checkpoint(with(slow(train), {"--stream"}));
  std::ofstream(train, std::ios::app) << "0,0,0,0\n";
  const Outcome got = finish(child);
  expect_late_error(got, 1, "changed while it was read");
  EXPECT_FALSE(std::filesystem::exists(model()));
}

TEST_F(StreamTest, AFullDiskIsSaidAndNothingIsLost) {
  // A folder in which nothing can be written any more once the fit has begun.
  const std::string train = data(3000, 3);
  ::setenv("MERCER_CHECKPOINT_SECONDS", "0", 1);
  std::string line = "ulimit -f 8; exec";  // 4,096 bytes: neither checkpoint nor model
  std::vector<std::string> words = slow(train);
  words.insert(words.begin(), MERCER_TEST_COMMAND);
  for (const std::string& word : words) line += " '" + word + "'";
  const Outcome got = shell(line);
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_TRUE(has(got.err, "cannot be written: File too large")) << got;
  EXPECT_TRUE(results_.list().empty());
}

}  // namespace
}  // namespace mercer::cli_test::stream_test
