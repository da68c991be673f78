// What models say of data, and JSON: the same as the command's, to the byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "mercer/model_file.hpp"
#include "mercer/workflow.hpp"
#include "workflow/json.hpp"

namespace mercer::workflow {

namespace {

constexpr const char* kCurve =
    "x,y,side\n0,0.1,l\n1,0.8,l\n2,0.9,l\n3,0.2,l\n4,-0.7,r\n5,-1.0,r\n6,-0.3,r\n7,0.6,r\n8,1.0,r\n9,0.4,r\n";

class WorkflowAnswers : public cli_test::CommandTest {
 protected:
  // Fitted by the command, so that its answers and ours are of one model.
  std::string fitted(const std::string& machine, const std::string& target, const std::string& kernel) {
    const std::string model = results_.path(machine + ".mercer");
    const auto got = run({"fit", machine, curve_, "--target", target, "--kernel", kernel, "-o", model});
    EXPECT_EQ(got.code, 0) << got;
    return model;
  }
  const std::string curve_ = files_.file("curve.csv", kCurve);
};

TEST_F(WorkflowAnswers, ScoresAreTheCommands) {
  for (const auto& [machine, target] : {std::pair("svc", "side"), std::pair("gp", "y")}) {
    const std::string path = fitted(machine, target, "on(x, rbf(ell=2))");
    const Source file{.path = curve_}, hand{.path = "curve", .data = read_data(curve_)};
    const std::string said = run({"score", path, curve_, "--json"}).out;
    for (const Source& source : {file, hand}) {
      EXPECT_EQ(text_of(to_json(score({.model = load(path), .source = source}))) + "\n", said);
    }
  }
}

// Each target has its own noise: densities and coverage are those of the bands that the model prints.
TEST_F(WorkflowAnswers, DensitiesOfSeveralTargetsAreOfTheirOwnBands) {
  std::string table = "x,y,z\n";
  for (int i = 0; i < 30; ++i) {
    const double x = 0.3 * i;
    table += fmt::format("{},{},{}\n", x, std::sin(x) + 0.02 * std::cos(37.0 * i), 5 * x + 8 * std::cos(53.0 * i));
  }
  const std::string data = files_.file("two.csv", table);
  const Model model = fit({.machine = "gp", .source = {.path = data}, .target = "y,z", .plain = true}).model;
  const PredictResult bands =
      predict({.model = model, .source = {.path = data}, .answers = Answers::deviations, .noise = true});
  const std::vector<Column> truth = inputs_for(model, {.path = data}).targets;
  const Marks marks = score({.model = model, .source = {.path = data}});
  for (Index t = 0; t < 2; ++t) {
    double density = 0, inside = 0;
    for (Index i = 0; i < 30; ++i) {
      const double sd = bands.numbers(i, 2 * t + 1);
      const double e =
          (truth[static_cast<std::size_t>(t)].numbers[static_cast<std::size_t>(i)] - bands.numbers(i, 2 * t)) / sd;
      density += (-0.5 * e * e - std::log(sd) - 0.5 * std::log(2 * std::acos(-1.0))) / 30;
      inside += std::abs(e) <= 1.959963984540054 ? 1.0 / 30 : 0;
    }
    const std::string suffix = t == 0 ? "(y)" : "(z)";
    for (const auto& [name, value] : marks.figures) {
      if (name == "mean_log_density" + suffix) {
        EXPECT_NEAR(value, density, 1e-9);
      } else if (name == "coverage_95" + suffix) {
        EXPECT_NEAR(value, inside, 1e-9);
      }
    }
  }
}

TEST_F(WorkflowAnswers, PredictionsAreTheCommands) {
  const std::string gp = fitted("gp", "y", "on(x, rbf(ell=2))"), svc = fitted("svc", "side", "on(x, rbf(ell=2))");
  const auto expect = [&](const std::string& path, Answers answers, const std::vector<std::string>& words) {
    std::vector<std::string> line = {"predict", path, curve_, "--json"};
    line.insert(line.end(), words.begin(), words.end());
    const std::string said = run(line).out;
    const Source hand{.path = "curve", .data = read_data(curve_)};
    EXPECT_EQ(text_of(to_json(predict({.model = load(path), .source = hand, .answers = answers}))) + "\n", said);
  };
  expect(gp, Answers::predictions, {});
  expect(gp, Answers::deviations, {"--std"});
  expect(gp, Answers::components, {"--components"});
  expect(svc, Answers::predictions, {});
  expect(svc, Answers::scores, {"--scores"});
}

TEST_F(WorkflowAnswers, AFitIsTheCommands) {
  const FitRequest request{.machine = "ridge",
                           .settings = {{"ridge", "0.1"}},
                           .kernel = parse("on(x, rbf(ell=2))"),
                           .source = {.path = curve_},
                           .target = "y",
                           .scale = Scaling::Kind::standard};
  Json ours = to_json(fit(request));
  Json theirs = Json::parse(run({"fit", "ridge", curve_, "--target", "y", "--kernel", "on(x, rbf(ell=2))", "--ridge",
                                 "0.1", "--scale", "standard", "-o", results_.path("m.mercer"), "--json"})
                                .out);
  theirs.erase("output");
  for (Json* one : {&ours, &theirs}) {
    (*one)["report"].erase("seconds");
    (*one)["report"].erase("stages");
  }
  EXPECT_EQ(text_of(ours), text_of(theirs));
}

TEST_F(WorkflowAnswers, ASearchIsTheCommands) {
  const Prepared data =
      prepare({.machine = "svc", .kernel = parse("on(x, rbf(ell=1))"), .source = {.path = curve_}, .target = "side"});
  Json ours = to_json(tune(data, {.axes = parse_grid("C=1,10, ell=1:4:2"), .folds = 2}));
  Json theirs = Json::parse(run({"tune", "svc", curve_, "--kernel", "on(x, rbf(ell=1))", "--target", "side", "--grid",
                                 "C=1,10, ell=1:4:2", "--cv", "2", "--json"})
                                .out);
  theirs.erase("output");
  for (Json* one : {&ours, &theirs}) {
    (*one)["model"]["report"].erase("seconds");
    (*one)["model"]["report"].erase("stages");
  }
  EXPECT_EQ(text_of(ours), text_of(theirs));
}

// The area under the curve is that of the probabilities which the model prints, counted pair by pair.
TEST_F(WorkflowAnswers, TheAreaIsThatOfThePrintedProbabilities) {
  std::string table = "x,z,kind\n";
  for (int i = 0; i < 60; ++i) {
    table += fmt::format("{},{},{}\n", i * 37 % 61 * 0.1, i * 23 % 59 * 0.1,
                         std::string(1, "abc"[(i * 37 % 61 + i * 7 % 30) / 31]));
  }
  const std::string data = files_.file("three.csv", table);
  for (const std::string machine : {"gpc", "svc", "logistic", "kfda", "knn"}) {
    FitRequest request{.machine = machine, .source = {.path = data}, .plain = true};
    if (machine == "svc") request.settings["probability"] = "true";
    const Model model = fit(request).model;
    ASSERT_TRUE(model.has_probabilities()) << machine;
    const PredictResult said = predict({.model = model, .source = {.path = data}, .answers = Answers::probabilities});
    const Column truth = inputs_for(model, {.path = data}).targets[0];
    double sum = 0, classes = 0;
    for (std::size_t c = 0; c < model.classes().size(); ++c) {
      double wins = 0, pairs = 0;
      for (Index i = 0; i < said.numbers.rows(); ++i) {
        for (Index j = 0; j < said.numbers.rows(); ++j) {
          if (truth.text(static_cast<std::size_t>(i)) != model.classes()[c]) continue;
          if (truth.text(static_cast<std::size_t>(j)) == model.classes()[c]) continue;
          const double own = said.numbers(i, static_cast<Index>(c)), other = said.numbers(j, static_cast<Index>(c));
          wins += own > other ? 1 : own == other ? 0.5 : 0;
          pairs += 1;
        }
      }
      sum += wins / pairs;
      classes += 1;
    }
    const Marks marks = score({.model = model, .source = {.path = data}});
    const auto auc = std::find_if(marks.figures.begin(), marks.figures.end(),
                                  [](const auto& figure) { return figure.first == "auc"; });
    ASSERT_NE(auc, marks.figures.end()) << machine;
    EXPECT_NEAR(auc->second, sum / classes, 1e-12) << machine;
  }
}

TEST(WorkflowJson, AnErrorSaysWhatWhereAndWhatToDo) {
  const Json found =
      to_json(Error(ErrorKind::data, "wine.csv: `target`: no column \"qualty\" among a, b; did you mean quality?"));
  EXPECT_EQ(found["error"], "wine.csv: `target`: no column \"qualty\" among a, b; did you mean quality?");
  EXPECT_EQ(found["where"], "wine.csv");
  EXPECT_EQ(found["hint"], "did you mean quality?");
  EXPECT_EQ(found["kind"], "DataError");
  const Json bare = to_json(Error(ErrorKind::numeric, "no luck"));
  EXPECT_EQ(bare["where"], "");
  EXPECT_EQ(bare["hint"], "");
}

TEST(WorkflowJson, HoldsWhatJsonCannot) {
  EXPECT_TRUE(json_number(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(json_number(std::numeric_limits<double>::infinity()).is_null());
  const std::string text = text_of(Json{{"name", "\xff</script>"}});
  EXPECT_EQ(Json::parse(text)["name"], "\xEF\xBF\xBD</script>");
}

}  // namespace
}  // namespace mercer::workflow
