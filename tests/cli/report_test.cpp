// mercer report: a page about a model and data.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"

namespace mercer::report_test {
namespace {

using cli_test::Json;

// Two classes of points in a plane, in no order; `from` chooses other ones.
std::string clouds(int from, int to, const std::string& first = "a", const std::string& name = "u") {
  std::string out = name + ",v,kind\n";
  for (int i = from; i < to; ++i) {
    const bool second = i * 7 % 5 < 2;
    out += std::to_string(i * 37 % 101 * 0.03 + (second ? 1.5 : 0)) + "," + std::to_string(i * 53 % 97 * 0.03) + "," +
           (second ? "b" : first) + "\n";
  }
  return out;
}

class ReportVerbTest : public cli_test::CommandTest {
 protected:
  std::string fitted(const std::string& data) {
    const std::string model = results_.path("m.mercer");
    EXPECT_EQ(run({"fit", "svc", data, "--kernel", "rbf(ell=1)", "--C", "1", "-o", model}).code, 0);
    return model;
  }
  Json document(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"report"};
    all.insert(all.end(), words.begin(), words.end());
    all.emplace_back("--json");
    const cli_test::Outcome got = run(all);
    EXPECT_EQ(got.code, 0) << got;
    return Json::parse(got.out);
  }
};

TEST_F(ReportVerbTest, HeldOutFiguresAreThoseOfScoreToTheLastDigit) {
  const std::string model = fitted(files_.file("d.csv", clouds(0, 60)));
  const std::string test = files_.file("t.csv", clouds(60, 100));
  const Json score = json_of({"score", model, test});
  const Json shown = document({model, test});
  EXPECT_EQ(shown["evidence"], "held-out data");
  ASSERT_GE(shown["metrics"].size(), 4u);
  for (const Json& metric : shown["metrics"]) EXPECT_EQ(metric["value"], score[metric["name"].text()]) << metric;
}

TEST_F(ReportVerbTest, PointsOfTheFitAreRecognised) {
  const std::string data = files_.file("d.csv", clouds(0, 60));
  EXPECT_EQ(document({fitted(data), data})["evidence"], "5 folds, fitted anew");
}

TEST_F(ReportVerbTest, TheSameInputGivesTheSameBytes) {
  const std::string data = files_.file("d.csv", clouds(0, 60)), model = fitted(data);
  const std::string one = results_.path("1.html"), two = results_.path("2.html");
  ASSERT_EQ(run({"report", model, data, "-o", one, "--threads", "1"}).code, 0);
  ASSERT_EQ(run({"report", model, data, "-o", two, "--threads", "2"}).code, 0);
  EXPECT_EQ(cli_test::content_of(one), cli_test::content_of(two));
  EXPECT_LE(std::filesystem::file_size(one), 2'000'000u);
}

// The words of the line of a text that begins so, as a shell would take them; without the name of the program.
std::vector<std::string> words_of(const std::string& text, const std::string& beginning) {
  const std::size_t from = text.find(beginning);
  if (from == text.npos) return {};
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : text.substr(from, text.find('\n', from) - from)) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  words.erase(words.begin());
  return words;
}

// As it stands: fitted is the training file, whatever file the report is of, and the model stays what it is.
TEST_F(ReportVerbTest, TheCommandItShowsGivesTheSameModel) {
  const std::string data = files_.file("d.csv", clouds(0, 60)), model = fitted(data);
  const std::string bytes = cli_test::content_of(model);
  for (const std::string& reported : {data, files_.file("t.csv", clouds(60, 100))}) {
    const std::string command = document({model, reported})["code"]["command"].text();
    EXPECT_NE(command.find("SHA-256 of " + data + " was "), std::string::npos) << command;
    const std::vector<std::string> words = words_of(command, "mercer fit ");
    ASSERT_GE(words.size(), 3u) << command;
    EXPECT_EQ(words[2], data);
    EXPECT_EQ(words.back(), results_.path("m-again.mercer"));
    std::filesystem::remove(words.back());
    ASSERT_EQ(run(words).code, 0);
    EXPECT_EQ(cli_test::content_of(model), bytes) << "the model is overwritten";
    EXPECT_EQ(json_of({"score", words.back(), data}), json_of({"score", model, data}));
    const std::vector<std::string> report = words_of(command, "mercer report ");
    EXPECT_EQ(report, (std::vector<std::string>{"report", words.back(), reported}));
  }
}

// Machines that learn the numbers of their kernel, and noise and signal with them, begin again where they began.
TEST_F(ReportVerbTest, TheCommandItShowsLearnsTheSameAgain) {
  std::string numbers = "u,v,z\n";
  for (int i = 0; i < 60; ++i) {
    const double u = i * 37 % 101 * 0.03, v = i * 53 % 97 * 0.03;
    numbers += fmt::format("{},{},{}\n", u, v, std::sin(3 * u) + 0.3 * v + 0.01 * (i * 29 % 31));
  }
  const std::string classes = files_.file("classes.csv", clouds(0, 60)), values = files_.file("values.csv", numbers);
  using Words = std::vector<std::string>;
  const Words own = {"--kernel", "2*rbf(ell=[auto]) + fixed(0.1)"};
  for (const auto& [machine, more] : std::vector<std::pair<std::string, Words>>{
           {"gp", {}},
           {"gp", own},
           {"gp", {"--noise", "0.1", "--mean", "linear", "--starts", "2", "--screen", "20"}},
           {"gp", {"--nearest", "8"}},
           {"gp", {"--inducing", "12"}},
           {"gp", {"--learn-on", "30", "--prior", "noise=gamma(2, 0.1)"}},
           {"gpc", {}},
           {"gpc", own},
           {"gpc", {"--inducing", "10"}},
           {"rvm", {}},
           {"ridge", {}},
           {"kmeans", {"--target", "z"}},
           {"spectral", {"--target", "z", "--no-refine"}}}) {
    const std::string data = machine == "gpc" ? classes : values, model = results_.path("l.mercer");
    Words fit = {"fit", machine, data, "-o", model};
    fit.insert(fit.end(), more.begin(), more.end());
    ASSERT_EQ(run(fit).code, 0) << machine;
    const std::string command = document({model, data})["code"]["command"].text();
    const Words words = words_of(command, "mercer fit ");
    ASSERT_GE(words.size(), 3u) << command;
    const cli_test::Outcome again = run(words);
    ASSERT_EQ(again.code, 0) << command << again;
    const bool deviations = machine == "gp";
    const auto answers = [&](const std::string& of) {
      return deviations ? run({"predict", of, data, "--std"}).out : run({"predict", of, data}).out;
    };
    EXPECT_FALSE(answers(model).empty()) << machine;
    EXPECT_EQ(answers(words.back()), answers(model)) << command;
    const Json before = json_of({"show", model}), after = json_of({"show", words.back()});
    EXPECT_EQ(after["kernel"], before["kernel"]) << command;
  }
}

// Weights, targets in a file of their own, how the file is read: all that a fit was given.
TEST_F(ReportVerbTest, TheCommandItShowsHoldsWhatTheFitWasGiven) {
  const std::string data = files_.file("d.csv", "0.1,1\n0.5,2\n0.9,1\n1.4,1\n2.2,3\n2.9,1\n");
  const std::string target = files_.file("y.csv", "y\n1\n2\n1.5\n3\n2.5\n4\n"), model = results_.path("w.mercer");
  ASSERT_EQ(run({"fit", "ridge", data, "--header", "no", "--weights", "2", "--target", target, "--kernel", "rbf(ell=1)",
                 "--ridge", "0.1", "--scale", "none", "-o", model})
                .code,
            0);
  const Json shown = document({model, data, "--target", target});
  // Each point from the others, with the weights of the fit.
  EXPECT_EQ(shown["evidence"], "leave-one-out");
  const std::vector<std::string> words = words_of(shown["code"]["command"].text(), "mercer fit ");
  ASSERT_EQ(run(words).code, 0) << shown["code"]["command"].text();
  EXPECT_EQ(json_of({"score", words.back(), data, "--target", target}),
            json_of({"score", model, data, "--target", target}));
  // By NumPy: y_i - k_i (K + 0.1 diag(1/w))^-1 y, of the others.
  EXPECT_EQ(shown["metrics"][0]["name"], "rmse");
  EXPECT_NEAR(shown["metrics"][0]["value"].get<double>(), 1.332536873856381, 1e-9);
}

TEST_F(ReportVerbTest, HostileNames) {
  const std::string hostile = "</script><img src=x onerror=alert(1)>";
  const std::string data = files_.file("d.csv", clouds(0, 60, hostile, std::string(10'000, 'x')));
  const std::string page = results_.path("r.html");
  ASSERT_EQ(run({"report", fitted(data), data, "-o", page}).code, 0);
  const std::string text = cli_test::content_of(page);
  EXPECT_EQ(text.find("<img src"), std::string::npos);
  EXPECT_LE(text.size(), 2'000'000u);
}

TEST_F(ReportVerbTest, WhatCannotBeReportedIsSaidInOneSentence) {
  const std::string data = files_.file("d.csv", clouds(0, 60)), model = fitted(data);
  const auto refused = [&](const std::string& file) {
    const cli_test::Outcome got = run({"report", model, file, "-o", results_.path("no.html")});
    EXPECT_EQ(got.code, 1) << got;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got;
    EXPECT_FALSE(std::filesystem::exists(results_.path("no.html")));
  };
  refused(files_.file("other.csv", "height,weight,kind\n1,2,a\n2,3,b\n"));
  refused(files_.file("missing.csv", "u,kind\n1,a\n2,b\n"));
  refused(files_.file("binary", std::string("\x7F"
                                            "ELF\0\1\2\3\0\0\0",
                                            11)));
  refused(files_.path("nowhere.csv"));
  EXPECT_EQ(run({"report", model, data, "-o", "x.mercer"}).code, 2);
  EXPECT_EQ(run({"report", model, data, "--pdf", "-o", "x.pdf"}).code, 2);
}

TEST_F(ReportVerbTest, FewPointsOneClassAndConstantTargets) {
  const std::string data = files_.file("d.csv", clouds(0, 60)), model = fitted(data);
  for (int n : {1, 2, 3}) document({model, files_.file("few.csv", clouds(60, 60 + n))});
  document({model, files_.file("one.csv", "u,v,kind\n0.1,0.2,a\n0.3,0.1,a\n")});
  std::string constant = "x,y\n";
  for (int i = 0; i < 12; ++i) constant += std::to_string(i) + ",3\n";
  const std::string flat = files_.file("flat.csv", constant), ridge = results_.path("r.mercer");
  ASSERT_EQ(run({"fit", "ridge", flat, "--kernel", "rbf(ell=1)", "--ridge", "1", "-o", ridge}).code, 0);
  EXPECT_EQ(document({ridge, flat})["evidence"], "leave-one-out");
}

}  // namespace
}  // namespace mercer::report_test
