// Weights are multiplicities to figures, too: of every machine of the catalog, a weight of 2 is the row twice, and a
// row of weight 0 is not there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "mercer/model_file.hpp"
#include "mercer/workflow.hpp"

namespace mercer::workflow::score_weights_test {

namespace {

// A row of a table: two inputs, what there is to predict as a number and as a class, and how often it counts.
struct Row {
  double a, b, y;
  std::string kind;
  Index times;
};

std::vector<Row> rows_of(Index count, double shift) {
  std::vector<Row> out;
  for (Index i = 0; i < count; ++i) {
    const double t = static_cast<double>(i), a = std::sin(1.7 * t + shift), b = std::cos(2.3 * t + shift);
    const double y = a * b + 0.3 * std::sin(11 * t + shift);
    const std::string kind = y + 0.2 * std::cos(5 * t) > 0.1 ? "x" : a > 0 ? "y" : "z";
    out.push_back({a, b, y, kind, i % 7 == 3 ? 0 : i % 5 == 1 ? 2 : i % 4 == 2 ? 3 : 1});
  }
  return out;
}

// Rows that no model knows what to do with; they do not count.
void add_strangers(std::vector<Row>& rows) {
  rows.insert(rows.begin() + 2, {900, -900, 50, "stranger", 0});
  rows.push_back({-900, 900, -50, "another", 0});
}

std::vector<Row> repeated(const std::vector<Row>& rows) {
  std::vector<Row> out;
  for (const Row& row : rows) out.insert(out.end(), static_cast<std::size_t>(row.times), row);
  return out;
}

// With the weights between the inputs, or without.
Dataset data_of(const std::vector<Row>& rows, bool numbers, bool with_weights) {
  Matrix x(static_cast<Index>(rows.size()), with_weights ? 3 : 2);
  Dataset out{.points = mercer::rows(Matrix(1, 1)), .target_name = numbers ? "y" : "kind"};
  for (Index i = 0; i < x.rows(); ++i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    x(i, 0) = row.a;
    x(i, x.cols() - 1) = row.b;
    if (with_weights) x(i, 1) = static_cast<double>(row.times);
    if (numbers) out.target_numbers.push_back(row.y);
    if (!numbers) out.target_texts.push_back(row.kind);
  }
  std::vector<std::string> names = {"a", "b"};
  if (with_weights) names.insert(names.begin() + 1, "w");
  out.points = named(mercer::rows(std::move(x)), std::move(names));
  return out;
}

struct Way {
  std::string machine;
  Settings settings = {};
};

std::vector<Way> ways() {
  std::vector<Way> out = {{"svc", {{"probability", "true"}}}, {"gpc", {{"link", "softmax"}}}};
  for (const Machine& machine : machines()) out.push_back({machine.name});
  return out;
}

class ScoreWeights : public ::testing::TestWithParam<Way> {};

TEST_P(ScoreWeights, AreMultiplicities) {
  const Way& way = GetParam();
  const Task task = machine(way.machine).task_for(way.settings);
  const bool numbers = task->target == Task::Target::numbers;
  const Model model = fit({.machine = way.machine,
                           .settings = way.settings,
                           .source = {.path = "train", .data = data_of(rows_of(40, 0), numbers, false)},
                           .plain = true})
                          .model;
  std::vector<Row> rows = rows_of(60, 0.4);
  if (task == Task::novelty) {
    for (Row& row : rows) row.kind = row.kind == "x" ? "1" : "other";
  }
  const std::vector<Row> twins = repeated(rows);
  add_strangers(rows);
  const auto marks = [&](const std::vector<Row>& some, bool weighted) {
    return score(
        {.model = model,
         .source = {.path = "test", .data = data_of(some, numbers, weighted)},
         .weights = weighted ? "w" : "",
         .interval = Intervals::known(model) ? std::optional(IntervalOptions{.coverage = 0.7}) : std::nullopt});
  };
  if (task == Task::correlation || way.machine == "mds") {  // coordinates, of which there is no truth
    EXPECT_THROW(marks(rows, true), Error);
    return;
  }
  const Marks weighted = marks(rows, true), expected = marks(twins, false);
  ASSERT_EQ(weighted.figures.size(), expected.figures.size());
  for (std::size_t f = 0; f < expected.figures.size(); ++f) {
    EXPECT_EQ(weighted.figures[f].first, expected.figures[f].first);
    EXPECT_NEAR(weighted.figures[f].second, expected.figures[f].second, 1e-10) << expected.figures[f].first;
  }
  EXPECT_EQ(weighted.classes, expected.classes);
  EXPECT_EQ(weighted.confusion, expected.confusion);
}

INSTANTIATE_TEST_SUITE_P(Catalog, ScoreWeights, ::testing::ValuesIn(ways()), [](const auto& info) {
  return info.param.machine + (info.param.settings.empty() ? "" : "_" + info.param.settings.begin()->first);
});

// ---- the command ----

class ScoreWeightsVerb : public cli_test::CommandTest {
 protected:
  std::string fitted(const std::string& target) {
    const std::string model = results_.path("m.mercer");
    EXPECT_EQ(run({"fit", "ridge", train_, "--target", target, "--plain", "-o", model}).code, 0);
    return model;
  }
  const std::string train_ = files_.file("train.csv", "x,y\n0,1\n1,3\n2,2\n3,5\n4,4\n");
};

TEST_F(ScoreWeightsVerb, AColumnOrAFileSaysHowOftenARowCounts) {
  const std::string model = fitted("y");
  const std::string twice = files_.file("twice.csv", "x,y\n1,3\n2,9\n2,9\n4,4\n");
  const cli_test::Json expected = json_of({"score", model, twice});
  const std::string beside = files_.file("w.csv", "1\n2\n0\n1\n");
  const std::string plain = files_.file("plain.csv", "x,y\n1,3\n2,9\n7,70\n4,4\n");
  EXPECT_EQ(json_of({"score", model, plain, "--weights", beside}), expected);
  EXPECT_NE(json_of({"score", model, plain}), expected);
  // In front of the inputs, by name and by number, with the target named and not.
  const std::string within = files_.file("within.csv", "w,x,y\n1,1,3\n2,2,9\n0,7,70\n1,4,4\n");
  for (const std::string column : {"w", "1"}) {
    EXPECT_EQ(json_of({"score", model, within, "--weights", column}), expected);
    EXPECT_EQ(json_of({"score", model, within, "--weights", column, "--target", "y"}), expected);
  }
  EXPECT_EQ(json_of({"score", model, within, "--weights", "w", "--target", "3"}), expected);
}

// Where rows of one class alone count there is nothing to rank, whichever class the others are of.
TEST_F(ScoreWeightsVerb, RowsThatDoNotCountAreNotRanked) {
  const std::string train = files_.file("classes.csv", "x,kind\n0,a\n1,a\n2,a\n5,b\n6,b\n7,b\n");
  const std::string model = results_.path("c.mercer");
  ASSERT_EQ(run({"fit", "logistic", train, "--plain", "-o", model}).code, 0);
  const cli_test::Json expected = json_of({"score", model, files_.file("b.csv", "x,kind\n4,b\n9,b\n")});
  EXPECT_FALSE(expected.contains("auc"));
  const std::string beside = files_.file("beside.csv", "w,x,kind\n0,1,a\n1,4,b\n1,9,b\n");
  EXPECT_EQ(json_of({"score", model, beside, "--weights", "w"}), expected);
}

// Columns without names are found by their places in the file.
TEST_F(ScoreWeightsVerb, PlacesAreThoseOfTheFile) {
  const auto npy = [&](const std::string& name, const Matrix& m) {
    write_npy(files_.path(name), m);
    return files_.path(name);
  };
  const std::string model = results_.path("n.mercer");
  ASSERT_EQ(run({"fit", "ridge", npy("train.npy", Matrix{{0, 1, 1}, {1, 0, 3}, {2, 2, 2}, {3, 1, 5}}), "--plain",
                 "--kernel", "rbf(ell=1)", "-o", model})
                .code,
            0);
  const cli_test::Json expected = json_of({"score", model, npy("twice.npy", Matrix{{1, 1, 3}, {1, 1, 3}, {2, 0, 9}})});
  const std::string within = npy("within.npy", Matrix{{2, 1, 1, 3}, {0, 5, 5, 70}, {1, 2, 0, 9}});
  EXPECT_EQ(json_of({"score", model, within, "--weights", "1"}), expected);
  const std::string behind = npy("behind.npy", Matrix{{1, 1, 3, 2}, {5, 5, 70, 0}, {2, 0, 9, 1}});
  EXPECT_EQ(json_of({"score", model, behind, "--weights", "4"}), expected);
  EXPECT_EQ(json_of({"score", model, behind, "--weights", "4", "--target", "3"}), expected);
  // A model that was fitted to weights knows their place.
  const std::string weighted = results_.path("w.mercer");
  ASSERT_EQ(run({"fit", "ridge", npy("t.npy", Matrix{{1, 0, 1, 1}, {1, 1, 0, 3}, {1, 2, 2, 2}, {1, 3, 1, 5}}),
                 "--plain", "--kernel", "rbf(ell=1)", "--weights", "1", "-o", weighted})
                .code,
            0);
  EXPECT_EQ(json_of({"score", weighted, within, "--weights", "1"}), expected);
}

TEST_F(ScoreWeightsVerb, BadWeightsAreSaid) {
  const std::string model = fitted("y"), data = files_.file("d.csv", "x,y,w,t\n1,3,1,a\n2,2,-1,b\n");
  const auto score = [&](const std::string& file, const std::string& weights) {
    return run({"score", model, file, "--weights", weights, "--target", "y"});
  };
  const std::string narrow = files_.file("n.csv", "x,y,w\n1,3,1\n2,2,-1\n"),
                    zero = files_.file("z.csv", "x,y,w\n1,3,0\n");
  expect_error(score(narrow, "w"), 1, "the weight of row 2 is -1; weights are finite numbers >= 0");
  expect_error(score(zero, "w"), 1, "all weights are 0");
  expect_error(score(narrow, "nothing"), 1, "--weights: no column \"nothing\"");
  expect_error(score(narrow, "y"), 2, "--weights: \"y\" is the target");
  expect_error(score(data, "t"), 1, "weights are numbers");
  const std::string plain = files_.file("p.csv", "x,y\n1,3\n2,2\n");
  expect_error(score(plain, files_.file("few.csv", "1\n")), 1, "1 rows for 2 points");
}

}  // namespace

}  // namespace mercer::workflow::score_weights_test
