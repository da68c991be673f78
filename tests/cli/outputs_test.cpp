// Where results go: never over what a command reads, never to nobody without an end.
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "cli/command.hpp"
#include "sanitized.hpp"

namespace mercer::cli_test::outputs_test {
namespace {

class OutputsTest : public CommandTest {
 protected:
  void SetUp() override {
    std::string text = "a,b,c\n";
    for (int i = 0; i < 24; ++i) {
      text += std::to_string(i % 5) + "." + std::to_string(i) + "," + std::to_string((i * 7) % 11) + "," +
              (i % 2 == 0 ? "left" : "right") + "\n";
    }
    data_ = files_.file("data.csv", text);
    edges_ = files_.file("edges.csv", "0 1\n1 2\n2 3\n3 0\n");
    model_ = results_.path("m.mercer");
    ASSERT_EQ(run({"fit", "kfda", data_, "-o", model_}).code, 0);
  }

  // The words of a command of each verb that writes a file, with the names of what it reads; -o comes behind.
  std::map<std::string, std::vector<std::vector<std::string>>> commands() const {
    return {
        {"auto", {{"auto", data_}}},
        {"fit", {{"fit", "kfda", data_}, {"fit", "perceptron", data_, "--start", model_}}},
        {"tune", {{"tune", "kfda", data_, "--grid", "ridge=0.1,1"}}},
        {"predict", {{"predict", model_, data_}}},
        {"report", {{"report", model_, data_}}},
        {"gram", {{"gram", "on(a, rbf(ell=1))", data_}}},
        {"distances", {{"distances", "on(a, rbf(ell=1))", data_}}},
        {"represent", {{"represent", data_, "--count", "2", "--target", "c"}}},
        {"sample", {{"sample", "rbf(ell=1)", data_, "--target", "c"}}},
        {"graph", {{"graph", "knn", data_, "--target", "c"}, {"graph", "eigenvectors", edges_}}},
    };
  }

  std::string data_, edges_, model_;
};

TEST_F(OutputsTest, NoVerbWritesOverWhatItReads) {
  for (const auto& [verb, all] : commands()) {
    for (const std::vector<std::string>& words : all) {
      for (const std::string& input : {data_, edges_, model_}) {
        if (std::find(words.begin(), words.end(), input) == words.end()) continue;
        const std::string before = content_of(input);
        const std::string link = results_.path("link.csv"), other = results_.path("other.csv");
        std::filesystem::create_symlink(input, link);
        std::filesystem::create_hard_link(input, other);
        const std::string around = std::filesystem::path(input).parent_path().string() + "/./" +
                                   std::filesystem::path(input).filename().string();
        for (const std::string& name : {input, around, link, other}) {
          std::vector<std::string> line = words;
          line.insert(line.end(), {"-o", name});
          const Outcome got = run(line);
          expect_error(got, 2, "give the output another name");
          EXPECT_EQ(content_of(input), before) << verb << " " << name;
        }
        std::filesystem::remove(link);
        std::filesystem::remove(other);
      }
    }
  }
}

TEST_F(OutputsTest, TheListAboveHasEveryVerbWithAnOutput) {
  const auto known = commands();
  Index found = 0;
  std::istringstream overview(run({"--help"}).out);
  for (std::string line; std::getline(overview, line);) {
    std::istringstream words(line);
    std::string first, verb;
    if (!(words >> first >> verb) || first != "mercer" || line.rfind("  mercer ", 0) != 0) continue;
    if (verb == "VERB" || verb[0] == '-' || verb == "demo")
      continue;  // a demo's output is a folder, and it reads nothing
    const std::string help = run({verb, "--help"}).out;
    if (help.find("-o,--output") == std::string::npos) continue;
    ++found;
    EXPECT_TRUE(known.count(verb) == 1) << verb << " has an output and no line here";
  }
  EXPECT_GE(found, 7);
}

TEST_F(OutputsTest, OtherFilesThatACommandReads) {
  const std::string before = content_of(model_);
  expect_error(run({"convert", model_, model_}), 2, "give the output another name");
  EXPECT_EQ(content_of(model_), before);
  // The page of a model that is called like a page.
  const std::string page = results_.path("m.html");
  std::filesystem::copy_file(model_, page);
  expect_error(shell("cd " + results_.path("") + " && " + std::string(MERCER_TEST_COMMAND) + " report m.html " + data_),
               2, "give the output another name");
  EXPECT_EQ(content_of(page), before);
  // Two outputs under one name, which is not there yet.
  const std::string twice = results_.path("twice.csv");
  expect_error(run({"graph", "knn", data_, "--target", "c", "--labels", twice, "-o", twice}), 2,
               "give the output another name");
  EXPECT_FALSE(std::filesystem::exists(twice));
  // Files of a folder of graphs; another file in that folder may be written, and written again.
  const std::string set = files_.path("G");
  std::filesystem::create_directory(set);
  const std::string parts[][2] = {
      {"A", "1, 2\n2, 1\n3, 4\n4, 3\n"}, {"graph_indicator", "1\n1\n2\n2\n"}, {"graph_labels", "1\n2\n"}};
  for (const auto& part : parts) files_.file("G/G_" + part[0] + ".txt", part[1]);
  const std::string labels = set + "/G_graph_labels.txt", labels_before = content_of(labels);
  expect_error(run({"fit", "svc", set, "--kernel", "wl(h=1)", "-o", labels}), 2, "give the output another name");
  EXPECT_EQ(content_of(labels), labels_before);
  for (int round = 0; round < 2; ++round) {
    const Outcome got = run({"fit", "svc", set, "--kernel", "wl(h=1)", "--plain", "-o", set + "/m.mercer"});
    EXPECT_EQ(got.code, 0) << got;
  }
}

TEST_F(OutputsTest, AHyphenIsStandardOutput) {
  const Outcome got = run({"represent", data_, "--count", "2", "--target", "c", "-o", "-"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_EQ(got.out.rfind("a,b,c\n", 0), 0u) << got;
}

// Opening a pipe that nobody reads waits; a signal must end that.
TEST_F(OutputsTest, ASignalEndsTheWaitForAReader) {
  const std::string pipe = results_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t child = start({MERCER_TEST_COMMAND, "predict", model_, data_, "-o", pipe});
    // It sleeps, and goes on sleeping, once nothing is left to be done but to open the pipe.
    const std::string stat = "/proc/" + std::to_string(child) + "/stat";
    for (int round = 0, asleep = 0; round < 6000 && asleep < 30; ++round) {
      const std::string text = content_of(stat);
      asleep = text.find(") S ") != std::string::npos ? asleep + 1 : 0;
      ::usleep(10'000);
    }
    ::kill(child, signal);
    int status = 0;
    for (int round = 0; round < 1000 && ::waitpid(child, &status, WNOHANG) == 0; ++round) ::usleep(10'000);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    ::kill(child, SIGKILL);
  }
}

TEST_F(OutputsTest, DevicesWithoutAnEndAreRefused) {
  for (const std::string device : {"/dev/zero", "/dev/urandom", "/dev/full"}) {
    expect_error(run({"fit", "ridge", device, "-o", results_.path("n.mercer")}), 1, "is a device, which has no end");
    expect_error(run({"predict", device, data_}), 1, "is a device, which has no end");
    expect_error(run({"convert", device, results_.path("n.mercer")}), 1, "is a device, which has no end");
    input_ = device;
    expect_error(run({"fit", "ridge", "-", "-o", results_.path("n.mercer")}), 1, "standard input: is a device");
    input_.clear();
  }
  expect_error(run({"fit", "ridge", "/dev/null", "-o", results_.path("n.mercer")}), 1, "/dev/null: the file is empty");
}

TEST_F(OutputsTest, APipeWithoutAnEndIsRefusedBeforeMemoryIsUp) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const Outcome got = shell("yes 1,2,3 | (ulimit -v 600000; exec " + std::string(MERCER_TEST_COMMAND) +
                            " fit ridge - -o " + results_.path("n.mercer") + ")");
  expect_error(got, 1, "standard input: does not fit into memory");
}

TEST_F(OutputsTest, DrawsAreNumbers) {
  const Outcome got = run({"sample", "const(c=1e308)", "--grid", "0:1:4"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_EQ(got.out.find("inf"), std::string::npos) << got;
  EXPECT_EQ(got.out.find("nan"), std::string::npos) << got;
}

}  // namespace
}  // namespace mercer::cli_test::outputs_test
