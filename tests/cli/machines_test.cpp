// fit, predict, score, tune, convert and machines, from data files to data files.
#include "mercer/machines.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "cli/command.hpp"
#include "mercer/metrics.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::machines_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;
using io_test::content_of;
using io_test::numbers;

using Words = std::vector<std::string>;

class MachinesCliTest : public cli_test::CommandTest {
 protected:
  // Two interleaved half circles with text labels; columns a, b, kind.
  std::string moons(const std::string& name, int n = 60, int phase = 0) {
    std::string content = "a,b,kind\n";
    for (int i = 0; i < n; ++i) {
      const double t = 3.14159 * ((i * 7 + phase) % n) / n, wobble = 0.15 * std::sin(12.9 * (i + phase));
      const bool up = i % 2 == 0;
      const double a = 100 * (up ? std::cos(t) : 1 - std::cos(t)) + 40,
                   b = (up ? std::sin(t) : 0.5 - std::sin(t)) + wobble;
      content += std::to_string(a) + "," + std::to_string(b) + "," + (up ? "upper moon" : "lower, moon") + "\n";
    }
    // One label needs quoting.
    for (std::size_t at = 0; (at = content.find("lower, moon", at)) != std::string::npos; at += 13) {
      content.replace(at, 11, "\"lower, moon\"");
    }
    return files_.file(name, content);
  }
  // y = sin(x) + z, no header: columns x1, x2, x3.
  std::string curve(const std::string& name, int n = 40) {
    std::string content;
    for (int i = 0; i < n; ++i) {
      const double x = 0.2 * i, z = (i * 13 % 7) / 7.0;
      content += std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(std::sin(x) + z) + "\n";
    }
    return files_.file(name, content);
  }
  std::string model(const std::string& name = "m.mercer") { return results_.path(name); }
  void fit_moons(const Words& more = {}) {
    Words words = {"fit", "svc", moons("moons.csv"), "--kernel", "rbf(ell=0.5)", "--C", "10", "-o", model()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome got = run(words);
    ASSERT_EQ(got.code, 0) << got;
    EXPECT_EQ(got.out, "") << got;
  }
  // `fit` fails in one line, leaves no file, and an older one as it was.
  void expect_fit_error(Words words, int code, const std::string& text) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"-o", model()});
    expect_error(run(words), code, text);
    EXPECT_TRUE(results_.list().empty()) << results_.list().front();
    results_.file("m.mercer", "older");
    expect_error(run(words), code, text);
    EXPECT_EQ(content_of(model()), "older");
    std::filesystem::remove(model());
  }
};

// ---- round trips ----

TEST_F(MachinesCliTest, TextLabelsThereAndBack) {
  fit_moons();
  const Outcome predicted = run({"predict", model(), files_.path("moons.csv"), "-o", results_.path("p.csv")});
  ASSERT_EQ(predicted.code, 0) << predicted;
  const Dataset said = read_data(results_.path("p.csv"), {.header = true});
  EXPECT_EQ(said.points.column_names(), Words{"kind"});
  const Dataset truth = read_data(files_.path("moons.csv"), {.target = "kind"});
  const std::vector<std::string>& labels = io_test::texts(said.points);
  ASSERT_EQ(labels.size(), truth.target_texts.size());
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == truth.target_texts[i];
  const Json score = json_of({"score", model(), files_.path("moons.csv")});
  EXPECT_NEAR(score["accuracy"].get<double>(), right / 60, 1e-12);
  EXPECT_GT(score["accuracy"].get<double>(), 0.95);
  EXPECT_GT(score["auc"].get<double>(), 0.95);
  EXPECT_EQ(score["classes"], (Json{"lower, moon", "upper moon"}));
  EXPECT_EQ(score["confusion"][0][0].get<int>() + score["confusion"][0][1].get<int>(), 30);
  EXPECT_FALSE(score.contains("log_loss"));
}

TEST_F(MachinesCliTest, ScalingIsPartOfTheModel) {
  fit_moons();
  const Model m = load(model());
  EXPECT_EQ(m.parts().scaling.kind, Scaling::Kind::standard);
  const Dataset data = read_data(files_.path("moons.csv"), {.target = "kind"});
  EXPECT_EQ(m.parts().inputs, Schema::of(data.points));
  EXPECT_EQ(m.parts().targets, Words{"kind"});
  // The same as scaling by hand.
  const Points scaled = Scaling::of(Scaling::Kind::standard, data.points).apply(data.points);
  const Model by_hand =
      fit("svc", {{"C", "10"}}, {.K = lazy(parse("rbf(ell=0.5)"), scaled), .labels = Labels::from(data.target())});
  EXPECT_EQ(m.scores(data.points), by_hand.scores(scaled));
  // And the command's numbers are the library's, to the last digit.
  const Outcome got = run({"predict", model(), files_.path("moons.csv"), "--scores", "-o", results_.path("s.csv")});
  ASSERT_EQ(got.code, 0) << got;
  EXPECT_EQ(matrix_in(results_.path("s.csv")), m.scores(data.points));
  fit_moons({"--scale", "none"});
  EXPECT_EQ(load(model()).parts().scaling.kind, Scaling::Kind::none);
  fit_moons({"--scale", "minmax"});
  EXPECT_EQ(load(model()).parts().scaling.kind, Scaling::Kind::minmax);
}

TEST_F(MachinesCliTest, RegressionWithoutHeader) {
  const Json fitted = json_of({"fit", "ridge", curve("c.csv"), "--ridge", "0.001", "-o", model()});
  EXPECT_EQ(fitted["targets"], Json{"x3"});
  EXPECT_EQ(fitted["settings"]["ridge"], "0.001");
  EXPECT_TRUE(has(fitted["kernel"].text(), "rbf(ell=")) << fitted["kernel"];
  EXPECT_FALSE(has(fitted["kernel"].text(), "auto"));
  EXPECT_EQ(fitted["scale"], "standard");
  const Json score = json_of({"score", model(), files_.path("c.csv")});
  EXPECT_LT(score["rmse"].get<double>(), 0.2);
  EXPECT_GT(score["r2"].get<double>(), 0.9);
  // Without the target: the same numbers.
  const Dataset data = read_data(files_.path("c.csv"), {.target = "3"});
  write_csv(files_.path("new.csv"), numbers(data.points));
  const Outcome with = run({"predict", model(), files_.path("c.csv")});
  const Outcome without = run({"predict", model(), files_.path("new.csv")});
  EXPECT_EQ(with.code, 0) << with;
  EXPECT_EQ(with.out, without.out);
  EXPECT_TRUE(with.out.starts_with("x3\n")) << with;
}

TEST_F(MachinesCliTest, ATargetInFrontOfHeaderlessColumns) {
  const std::string data = files_.file("front.csv", "1,2,3\n2,3,5\n3,1,4\n4,4,8\n5,2,7\n");
  ASSERT_EQ(run({"fit", "ridge", data, "--target", "1", "-o", model()}).code, 0);
  const std::string fresh = files_.file("fresh.csv", "2,3\n3,5\n1,4\n4,8\n2,7\n");
  const Outcome a = run({"predict", model(), data}), b = run({"predict", model(), fresh});
  EXPECT_EQ(a.code, 0) << a;
  EXPECT_EQ(b.code, 0) << b;
  EXPECT_EQ(a.out, b.out);
}

TEST_F(MachinesCliTest, SeveralTargets) {
  const std::string data = files_.file("two.csv", "u,y,v,z\n1,2,0,3\n2,4,1,1\n3,6,0,2\n4,8,1,5\n");
  ASSERT_EQ(run({"fit", "ridge", data, "--target", "y,z", "--kernel", "linear() + 1", "--plain", "-o", model()}).code,
            0);
  const Model m = load(model());
  EXPECT_EQ(m.parts().targets, (Words{"y", "z"}));
  EXPECT_EQ(m.parts().inputs.columns, (Words{"u", "v"}));
  EXPECT_EQ(m.expansion().outputs(), 2);
  const Outcome got = run({"predict", model(), data});
  EXPECT_TRUE(got.out.starts_with("y,z\n")) << got;
  const Json score = json_of({"score", model(), data});
  EXPECT_LT(score["rmse(y)"].get<double>(), 0.1) << score;
  EXPECT_TRUE(score.contains("r2(z)")) << score;
}

TEST_F(MachinesCliTest, PrecomputedKernels) {
  const std::string data = moons("moons.csv");
  const Dataset d = read_data(data, {.target = "kind"});
  const Points x = Scaling::of(Scaling::Kind::standard, d.points).apply(d.points);
  write_npy(files_.path("K.npy"), gram(parse("rbf(ell=0.5)"), x));
  std::string labels = "kind\n";
  for (const std::string& name : d.target()) labels += "\"" + name + "\"\n";
  const std::string truth = files_.file("labels.csv", labels);
  fit_moons();
  std::filesystem::rename(model(), model("k.mercer"));
  const Outcome got = run(
      {"fit", "svc", files_.path("K.npy"), "--kernel", "precomputed", "--target", truth, "--C", "10", "-o", model()});
  ASSERT_EQ(got.code, 0) << got;
  const Outcome a = run({"predict", model(), files_.path("K.npy")});
  const Outcome b = run({"predict", model("k.mercer"), data});
  EXPECT_EQ(a.code, 0) << a;
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(json_of({"score", model(), files_.path("K.npy"), "--target", truth})["accuracy"],
            json_of({"score", model("k.mercer"), data})["accuracy"]);
  expect_error(run({"fit", "svc", files_.path("K.npy"), "--kernel", "precomputed", "-o", model()}), 2, "--target");
  expect_error(run({"fit", "svc", data, "--kernel", "precomputed", "--target", truth, "-o", model()}), 1, "square");
}

TEST_F(MachinesCliTest, SparseFilesAreWidenedButNotCut) {
  const std::string train = files_.file("t.svm", "1 1:1 4:1\n-1 2:1\n1 1:2 3:1\n-1 2:2 3:0.1\n");
  ASSERT_EQ(run({"fit", "svc", train, "--kernel", "linear()", "-o", model()}).code, 0);
  EXPECT_EQ(load(model()).parts().scaling.kind, Scaling::Kind::none);
  const Outcome narrow = run({"predict", model(), files_.file("n.svm", "1 1:1\n-1 2:1\n")});
  EXPECT_EQ(narrow.code, 0) << narrow;
  EXPECT_EQ(narrow.out, "label\n1\n-1\n");
  expect_error(run({"predict", model(), files_.file("w.svm", "1 1:1\n-1 2:1 7:1\n")}), 1, "row 2 has column 7");
  expect_error(run({"fit", "svc", train, "--scale", "standard", "-o", model("x")}), 2, "sparse");
}

TEST_F(MachinesCliTest, TextInputs) {
  const std::string data =
      files_.file("t.csv", "text,kind\nabab,x\nbaba,x\nabba,x\ncdcd,y\ndccd,y\ncddc,y\nabac,x\nccdd,y\n");
  const Outcome none = run({"fit", "svc", data, "-o", model()});
  expect_error(none, 2, "say which kernel");
  ASSERT_EQ(run({"fit", "svc", data, "--kernel", "normalize(spectrum(k=2))", "-o", model()}).code, 0);
  EXPECT_EQ(json_of({"score", model(), data})["accuracy"], 1.0);
  const Outcome got = run({"predict", model(), files_.file("n.csv", "text\nabab\ncdcd\n")});
  EXPECT_EQ(got.out, "kind\nx\ny\n") << got;
}

TEST_F(MachinesCliTest, OneClassTakesEveryColumnUnlessTold) {
  const std::string data = curve("c.csv");
  ASSERT_EQ(run({"fit", "oneclass", data, "--nu", "0.2", "-o", model()}).code, 0);
  EXPECT_EQ(load(model()).parts().inputs.columns.size(), 3u);
  const Outcome told = run({"fit", "oneclass", data, "--nu", "0.2", "--target", "x3", "-o", model()});
  EXPECT_TRUE(has(told.err, "left out")) << told;
  EXPECT_EQ(load(model()).parts().inputs.columns.size(), 2u);
  const Outcome got = run({"predict", model(), data, "--target", "x3"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.out, "\n1\n")) << got;
}

TEST_F(MachinesCliTest, WeightsOfZeroAreLikeNoRows) {
  const std::string all = files_.file("all.csv", "x,w,y\n0,1,0\n1,1,1\n2,1,2\n3,0,77\n4,1,4\n");
  const std::string some = files_.file("some.csv", "x,y\n0,0\n1,1\n2,2\n4,4\n");
  const Words same = {"--kernel", "rbf(ell=1)", "--scale", "none", "--ridge", "0.5"};
  Words a = {"fit", "ridge", all, "--weights", "w", "-o", model("a")}, b = {"fit", "ridge", some, "-o", model("b")};
  a.insert(a.end(), same.begin(), same.end());
  b.insert(b.end(), same.begin(), same.end());
  ASSERT_EQ(run(a).code, 0);
  ASSERT_EQ(run(b).code, 0);
  const Vector f = load(model("a")).predict(read_data(some, {.target = "y"}).points);
  const Vector g = load(model("b")).predict(read_data(some, {.target = "y"}).points);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], g[i], 1e-10);
}

TEST_F(MachinesCliTest, Probabilities) {
  fit_moons({"--probability"});
  const std::string data = files_.path("moons.csv");
  const Outcome got = run({"predict", model(), data, "--proba", "-o", results_.path("p.csv")});
  ASSERT_EQ(got.code, 0) << got;
  const Dataset said = read_data(results_.path("p.csv"));
  EXPECT_EQ(said.points.column_names(), (Words{"lower, moon", "upper moon"}));
  const Matrix p = numbers(said.points);
  for (Index i = 0; i < p.rows(); ++i) EXPECT_NEAR(p(i, 0) + p(i, 1), 1, 1e-12);
  EXPECT_LT(json_of({"score", model(), data})["log_loss"].get<double>(), 0.5);
  fit_moons();
  expect_error(run({"predict", model(), data, "--proba"}), 2, "without probabilities; fit it again with --probability");
}

TEST_F(MachinesCliTest, JsonOfAllVerbs) {
  const Json fitted = json_of({"fit", "svc", moons("moons.csv"), "--kernel", "rbf(ell=1)", "-o", model()});
  EXPECT_EQ(fitted["machine"], "svc");
  EXPECT_EQ(fitted["report"]["converged"], true);
  EXPECT_EQ(fitted["output"], model());
  EXPECT_EQ(json_of({"predict", model(), files_.path("moons.csv")})["predictions"].size(), 60u);
  const Json scores = json_of({"predict", model(), files_.path("moons.csv"), "--scores"});
  EXPECT_TRUE(scores["scores"][0].is_number()) << scores["scores"][0];
  EXPECT_GE(json_of({"machines"}).size(), 8u);
  EXPECT_EQ(json_of({"machines", "svc"})["name"], "svc");
}

// ---- the catalog ----

TEST_F(MachinesCliTest, TheCatalogIsWhatHelpAndDocumentsTell) {
  const Outcome overview = run({"machines"}), markdown = run({"machines", "--markdown"});
  for (const Machine& machine : machines()) {
    EXPECT_TRUE(has(overview.out, "\n" + machine.name + " ")) << machine.name;
    EXPECT_TRUE(has(markdown.out, "\n## " + machine.name + "\n")) << machine.name;
    const Outcome help = run({"fit", machine.name, "--help"}), tune_help = run({"tune", machine.name, "--help"});
    EXPECT_EQ(help.code, 0) << help;
    EXPECT_EQ(tune_help.code, 0) << tune_help;
    for (const MachineOption& option : machine.options) {
      std::string word = option.name;
      std::replace(word.begin(), word.end(), '_', '-');
      EXPECT_TRUE(has(help.out, "-" + word)) << machine.name << " " << option.name;
    }
  }
  expect_error(run({"machines", "svcc"}), 2, "did you mean svc?");
}

// ---- bad input ----

TEST_F(MachinesCliTest, BadCommands) {
  const std::string data = moons("moons.csv");
  expect_fit_error({"svcc", data}, 2, "did you mean svc?");
  expect_fit_error({"svc", data, "--CC", "1"}, 2, "fit svc has no option --CC; did you mean --C?");
  expect_fit_error({"svc", data, "--ridge", "1"}, 2, "no option --ridge");
  expect_fit_error({"svc", data, "--C", "-1"}, 2, "C");
  expect_fit_error({"svc", data, "--C", "much"}, 2, "C");
  expect_fit_error({"svc", data, "--kernel", "rbf(el=1)"}, 2, "");
  expect_fit_error({"svc", data, "--kernel", "rbf(ell=-1)"}, 2, "");
  expect_fit_error({"svc", data, "--scale", "standart"}, 2, "standard");
  expect_fit_error({"svc", data, "--memory", "lots"}, 2, "4GB");
  expect_fit_error({"svc", data, "--threads", "0"}, 2, "--threads");
  expect_fit_error({"svc", files_.path("none.csv")}, 1, "none.csv");
  expect_error(run({"fit", "svc", data}), 2, "-o");
  expect_error(run({"fit", "svc", data, "-o", results_.path("no/m.mercer")}), 1, "folder");
  expect_error(run({"fit"}), 2, "MACHINE");
}

TEST_F(MachinesCliTest, BadData) {
  const std::string data = moons("moons.csv");
  expect_fit_error({"svc", data, "--target", "kidn"}, 1, "did you mean kind?");
  expect_fit_error({"svc", data, "--weights", "c"}, 1, "--weights");
  expect_fit_error({"svc", data, "--weights", "b"}, 1, "weight");
  expect_fit_error({"ridge", data}, 1, "holds text");
  expect_fit_error({"svc", files_.file("one.csv", "x,y\n1,a\n2,a\n")}, 1, "every label is \"a\"");
  expect_fit_error({"svc", files_.file("single.csv", "x,y\n1,a\n")}, 1, "");
  expect_fit_error({"svc", files_.file("zero.csv", "x,w,y\n1,0,a\n2,0,b\n"), "--weights", "w"}, 1, "all weights are 0");
  expect_fit_error({"svc", files_.file("gap.csv", "x,w,y\n1,1,a\n2,,b\n3,1,b\n"), "--weights", "w"}, 1,
                   "--weights: row 2 of column \"w\" is empty");
  expect_fit_error({"svc", files_.file("word.csv", "x,w,y\n1,1,a\n2,2,b\n3,much,b\n"), "--weights", "w"}, 1,
                   "--weights: row 3 of column \"w\" is \"much\"; weights are numbers");
  expect_fit_error({"svc", files_.file("neg.csv", "x,w,y\n1,1,a\n2,-1,b\n"), "--weights", "w"}, 1, "row 2");
  expect_fit_error({"nusvc", files_.file("nu.csv", "x,y\n1,a\n2,b\n3,b\n4,b\n"), "--nu", "0.9"}, 1, "0.5");
  expect_fit_error({"ridge", files_.file("alone.csv", "y\n1\n2\n")}, 1, "only column");
  const std::string labels = files_.file("labels.csv", "kind\na\nb\n");
  expect_fit_error({"svc", data, "--target", labels}, 1, "labels.csv: 3 rows for 60 points");
}

TEST_F(MachinesCliTest, ColumnsAreMatchedByName) {
  fit_moons();
  expect_error(run({"predict", model(), files_.file("1.csv", "a\n1\n2\n")}), 1, "column \"b\" is missing");
  const Outcome plain = run({"predict", model(), files_.file("0.csv", "a,b\n1,2\n")});
  const Outcome more = run({"predict", model(), files_.file("2.csv", "a,c,b\n1,3,2\n")});
  EXPECT_EQ(more.out, plain.out);
  EXPECT_TRUE(has(more.err, "columns that the model does not know are passed over: c")) << more;
  const Outcome turned = run({"predict", model(), files_.file("3.csv", "b,a\n2,1\n")});
  EXPECT_EQ(turned.out, plain.out);
  EXPECT_EQ(turned.err, "");
  expect_error(run({"predict", model(), files_.file("4.csv", "a,b\n1,two\n2,2\n")}), 1, "");
  expect_error(run({"score", model(), files_.file("5.csv", "a,b\n1,2\n")}), 1, "no column holds the truth");
  expect_error(run({"predict", model(), files_.path("moons.csv"), "--target", "sort"}), 1, "no column \"sort\"");
  const Outcome named = run({"predict", model(), files_.file("6.csv", "a,sort,b\n1,x,2\n"), "--target", "sort"});
  EXPECT_EQ(named.code, 0) << named;
}

TEST_F(MachinesCliTest, ClassesThatTheModelNeverSaw) {
  fit_moons();
  const Json score = json_of({"score", model(), files_.file("n.csv", "a,b,kind\n40,1,upper moon\n1,2,other\n")});
  EXPECT_LE(score["accuracy"].get<double>(), 0.5);
  EXPECT_EQ(score["classes"].size(), 3u);
}

TEST_F(MachinesCliTest, DamagedAndNewerModels) {
  fit_moons();
  const std::string whole = content_of(model()), data = files_.path("moons.csv");
  expect_error(run({"predict", files_.file("cut.mercer", whole.substr(0, whole.size() / 2)), data}), 1, "cut.mercer");
  expect_error(run({"predict", data, data}), 1, "moons.csv");
  expect_error(run({"score", files_.path("none.mercer"), data}), 1, "none.mercer");
  // The first line holds the number of the format.
  std::string newer = whole;
  const std::size_t digit = newer.find_first_of("0123456789");
  ASSERT_LT(digit, newer.find('\n'));
  newer[digit] = '9';
  expect_error(run({"predict", files_.file("newer.mercer", newer), data}), 1, "newer");
}

// ---- going on, and stopping ----

TEST_F(MachinesCliTest, LimitsAreReachedAndStartGoesOn) {
  fit_moons();
  const Model whole = load(model());
  const Words first = {"fit",
                       "svc",
                       files_.path("moons.csv"),
                       "--kernel",
                       "rbf(ell=0.5)",
                       "--C",
                       "10",
                       "-o",
                       model("part.mercer"),
                       "--max-iterations",
                       "3"};
  const Outcome part = run(first);
  EXPECT_EQ(part.code, 1) << part;
  EXPECT_TRUE(has(part.err, "not converged")) << part;
  EXPECT_FALSE(load(model("part.mercer")).report().converged);
  const Outcome rest = run({"fit", "svc", files_.path("moons.csv"), "--start", model("part.mercer"), "--max-iterations",
                            "0", "-o", model("rest.mercer")});
  EXPECT_EQ(rest.code, 0) << rest;
  const Model done = load(model("rest.mercer"));
  EXPECT_EQ(done.parts().settings.at("C"), "10");
  EXPECT_EQ(done.parts().scaling, whole.parts().scaling);
  const Points x = read_data(files_.path("moons.csv"), {.target = "kind"}).points;
  EXPECT_EQ(done.predict_labels(x), whole.predict_labels(x));
  expect_error(run({"fit", "perceptron", files_.path("moons.csv"), "--start", model(), "-o", model("x")}), 2,
               "is a model of svc");
}

TEST_F(MachinesCliTest, CtrlCLeavesTheBestModelSoFar) {
  // Labels without any pattern and a huge C: work for minutes.
  std::string content;
  unsigned state = 1;
  const auto draw = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < 12000; ++i) {
    for (int j = 0; j < 3; ++j) content += std::to_string(draw() % 1000 / 100.0) + ",";
    content += draw() % 2 == 0 ? "a\n" : "b\n";
  }
  const std::string data = files_.file("hard.csv", content);
  const pid_t child = start({MERCER_TEST_COMMAND, "fit", "svc", data, "--kernel", "rbf(ell=0.5)", "--C", "1e8",
                             "--tolerance", "1e-9", "-o", model()});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  kill(child, SIGINT);
  const Outcome got = finish(child);
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_TRUE(has(got.err, "not converged")) << got;
  const Model m = load(model());
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().stopped, "interrupted");
  EXPECT_EQ(results_.list(), (Words{"m.mercer", "m.mercer.checkpoint"}));  // with which --resume goes on
}

// ---- tune and convert ----

TEST_F(MachinesCliTest, TuneFindsAndWritesTheBest) {
  const std::string data = moons("moons.csv");
  const Words words = {"tune",     "svc", data,   "--kernel", "rbf(ell=1)", "--grid", "C=0.1:100,ell=0.01,0.5,100",
                       "--points", "3",   "--cv", "4",        "-o",         model()};
  const Json got = json_of(words);
  ASSERT_EQ(got["candidates"].size(), 9u);
  EXPECT_EQ(got["metric"], "accuracy");
  EXPECT_EQ(got["candidates"][0]["scores"].size(), 4u);
  const Json& best = got["candidates"][got["best"].get<std::size_t>()];
  EXPECT_EQ(best["values"]["ell"], "0.5");
  EXPECT_GT(best["mean"].get<double>(), 0.9);
  EXPECT_EQ(load(model()).expansion().parts().kernel->str(), best["kernel"]);
  EXPECT_EQ(json_of(words)["candidates"], got["candidates"]);
  Words one_thread = words;
  one_thread.insert(one_thread.end(), {"--threads", "1"});
  EXPECT_EQ(json_of(one_thread)["candidates"], got["candidates"]);
  const Outcome text = run(words);
  EXPECT_EQ(text.code, 0) << text;
  EXPECT_TRUE(has(text.out, "best")) << text;
  EXPECT_GT(json_of({"score", model(), data})["accuracy"].get<double>(), 0.9);
}

// Columns of a table stand below each other, whatever the bytes of a letter.
TEST_F(MachinesCliTest, NamesOfManyBytesKeepTheirColumns) {
  std::string text = "a,kind\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + (i < 10 ? ",b\n" : ",größe\n");
  const std::string data = files_.file("u.csv", text);
  ASSERT_EQ(run({"fit", "svc", data, "--plain", "-o", model()}).code, 0);
  EXPECT_TRUE(has(run({"score", model(), data}).out,
                  "truth \\ predicted  b   größe\n"
                  "b                  10  0\n"
                  "größe              0   10\n"));
}

// Where all lines are texts, the number of points says whether the first is a name.
TEST_F(MachinesCliTest, AFileOfTextsMayBeginWithAName) {
  const std::string data = files_.file("x.csv", "a\n1\n2\n3\n4\n");
  for (const std::string name : {"", "kind\n"}) {
    const std::string classes = files_.file("classes.csv", name + "p\np\nq\nq\n");
    const Outcome fitted = run({"fit", "svc", data, "--target", classes, "--plain", "-o", model()});
    EXPECT_EQ(fitted.code, 0) << fitted;
    EXPECT_EQ(load(model()).classes(), (std::vector<std::string>{"p", "q"}));
  }
}

// One point of a class is held out in one fold, which leaves the other class alone.
TEST_F(MachinesCliTest, TuneSaysWhichFoldLeavesOneClass) {
  const std::string data = files_.file("three.csv", "1,0\n2,1\n3,0\n");
  for (const char* const machine : {"svc", "logistic", "ridge_classifier", "gpc"}) {
    const cli_test::Outcome got = run({"tune", machine, data, "--kernel", "rbf(ell=1)", "--grid", "ell=1,2"});
    expect_error(got, 1, "tune: without fold ");
    EXPECT_TRUE(cli_test::has(got.err,
                              "all points are of class \"0\", and nothing can be told apart; take fewer --cv, "
                              "or add points of the other classes"))
        << got;
  }
}

TEST_F(MachinesCliTest, TuneWithGivenFoldsAndMetric) {
  const std::string data = curve("c.csv");
  std::string folds = "fold\n";
  for (int i = 0; i < 40; ++i) folds += i % 3 == 0 ? "p\n" : "q\n";
  const std::string file = files_.file("folds.csv", folds);
  const Json got = json_of(
      {"tune", "ridge", data, "--grid", "ridge=1e-3:1", "--metric", "mae", "--folds", file, "--kernel", "rbf(ell=1)"});
  EXPECT_EQ(got["metric"], "mae");
  EXPECT_EQ(got["candidates"].size(), 5u);
  EXPECT_EQ(got["candidates"][0]["scores"].size(), 2u);
  EXPECT_TRUE(results_.list().empty());
  const auto expect_tune_error = [&](Words words, const std::string& text) {
    words.insert(words.begin(), {"tune", "ridge", data});
    words.insert(words.end(), {"-o", model()});
    const Outcome bad = run(words);
    expect_error(bad, bad.code == 1 ? 1 : 2, text);
    EXPECT_TRUE(results_.list().empty());
  };
  expect_tune_error({"--grid", "rigde=1,2"}, "did you mean ridge?");
  expect_tune_error({"--grid", "ridge=1:"}, "range");
  expect_tune_error({"--grid", "ridge=-1"}, "ridge");
  expect_tune_error({"--metric", "accuracy"}, "rmse");
  expect_tune_error({"--cv", "41"}, "41 folds of 40 points");
  expect_tune_error({"--cv", "3", "--folds", file}, "--folds");
  expect_tune_error({"--folds", files_.file("short.csv", "f\na\nb\n")}, "for 40 points");
}

TEST_F(MachinesCliTest, ConvertThereAndBack) {
  const std::string train = files_.file("t.svm", "1 1:1 4:1\n2 2:1\n3 1:2 3:1\n2 2:2 3:0.1\n1 1:1.5 4:0.5\n3 3:3\n");
  ASSERT_EQ(run({"fit", "svc", train, "--kernel", "rbf(ell=2)", "--C", "5", "-o", model()}).code, 0);
  const Outcome there = run({"convert", model(), results_.path("t.model")});
  ASSERT_EQ(there.code, 0) << there;
  EXPECT_TRUE(content_of(results_.path("t.model")).starts_with("svm_type c_svc")) << there;
  const Outcome back = run({"convert", results_.path("t.model"), model("back.mercer"), "--columns", "4"});
  ASSERT_EQ(back.code, 0) << back;
  const Outcome a = run({"predict", model(), train}), b = run({"predict", model("back.mercer"), train});
  EXPECT_EQ(a.code, 0) << a;
  EXPECT_EQ(a.out.substr(a.out.find('\n')), b.out.substr(b.out.find('\n'))) << b;
  fit_moons();
  expect_error(run({"convert", model(), results_.path("moons.model")}), 2, "");
  EXPECT_FALSE(std::filesystem::exists(results_.path("moons.model")));
  expect_error(run({"convert", train, model("x.mercer")}), 1, "t.svm");
}

}  // namespace
}  // namespace mercer::machines_test
