// What every machine that takes rows of numbers obeys on a raw table: it is fitted without a word of preparation, and
// what it says depends neither on the order of the columns nor on others among them, also out of a file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.hpp"
#include "io/files.hpp"
#include "mercer/io.hpp"
#include "mercer/model_file.hpp"
#include "mercer/recipe.hpp"
#include "mercer/workflow.hpp"
#include "support.hpp"

namespace mercer::raw_tables_test {
namespace {

using io_test::TemporaryFolder;
using Row = std::map<std::string, std::string>;

// Gaps, categories, dates, an id and money; the target goes with all of them.
std::vector<Row> people(int n, bool fresh) {
  std::vector<Row> out;
  for (int i = 0; i < n; ++i) {
    const bool tall = i % 3 == 0;
    out.push_back({{"PersonId", std::to_string(7919 * (i + (fresh ? 5000 : 0)) + 13)},
                   {"age", i % 7 == 2 ? "NA" : number(20 + (i * 37 % 41) + (tall ? 20 : 0))},
                   {"town", i % 11 == 4 ? "" : std::vector<std::string>{"Oslo", "Bodo", "Bergen"}[i * 5 % 3]},
                   {"smokes", tall == (i % 5 == 0) ? "no" : "yes"},
                   {"income", fmt::format("\"${},{:03}\"", 1 + i * 13 % 9, i * 271 % 1000)},
                   {"born", fmt::format("{}-{:02}-{:02}", 1980 + i * 7 % 20, 1 + i % 12, 1 + i * 3 % 28)},
                   {"rank", std::vector<std::string>{"low", "med", "high"}[i * 2 % 3]},
                   {"kind", tall ? "a" : "b"},
                   {"y", number(std::sin(i) + (tall ? 2 : 0))}});
  }
  return out;
}

std::string csv(const std::vector<Row>& rows, const std::vector<std::string>& columns) {
  std::string out = fmt::format("{}\n", fmt::join(columns, ","));
  for (const Row& row : rows) {
    std::vector<std::string> fields;
    for (const std::string& column : columns) fields.push_back(column == "extra" ? "text" : row.at(column));
    out += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return out;
}

class RawTableLaw : public ::testing::TestWithParam<std::string> {
 protected:
  TemporaryFolder files_;
};

TEST_P(RawTableLaw, GoesThroughEveryMachine) {
  const Machine& row = machine(GetParam());
  workflow::FitRequest request{.machine = row.name, .plain = true};
  for (const MachineOption& option : row.options) {
    if (option.name == "clusters" || option.name == "components") {
      request.settings[option.name] = row.task == Task::correlation ? "1" : "2";
    }
  }
  const Task task = row.task_for(request.settings);
  const std::string target = task->target == Task::Target::classes ? "kind" : "y";
  std::vector<std::string> columns = {"PersonId", "age", "town", "smokes", "income", "born", "rank", target};
  if (task.takes_target()) request.target = target;
  if (!task.takes_target()) columns.pop_back();
  request.source.path = files_.file("train.csv", csv(people(48, false), columns));
  const workflow::FitResult fitted = workflow::fit(request);
  ASSERT_NE(fitted.model.parts().recipe, nullptr);
  std::size_t said = 0;
  for (const std::string& remark : fitted.remarks)
    said += remark.starts_with("column ") && !remark.starts_with("column \"");
  EXPECT_EQ(said, columns.size() - (task.takes_target() ? 1 : 0)) << "one line for each column";

  std::stringstream file;
  save(file, fitted.model);
  EXPECT_EQ(file.str().substr(0, 15), "mercer-model 4 ");
  const Model loaded = load_bytes(file.str(), "file");
  EXPECT_EQ(*loaded.parts().recipe, *fitted.model.parts().recipe);
  const std::vector<Row> fresh = people(13, true);
  const auto inputs = [&](const std::vector<std::string>& order) {
    return workflow::inputs_for(loaded, {.path = files_.file("new.csv", csv(fresh, order))});
  };
  const workflow::Inputs straight = inputs({"PersonId", "age", "town", "smokes", "income", "born", "rank"});
  const workflow::Inputs turned = inputs({"rank", "extra", "born", "town", "income", "age", "smokes"});
  EXPECT_EQ(turned.cooked->extra, std::vector<std::string>{"extra"});
  EXPECT_EQ(loaded.scores(straight.points), loaded.scores(turned.points));
  EXPECT_EQ(fitted.model.scores(straight.points), loaded.scores(straight.points));
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Machine& row : machines()) out.push_back(row.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Catalog, RawTableLaw, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

class RawTables : public ::testing::Test {
 protected:
  std::string people_csv() {
    return files_.file("p.csv", csv(people(60, false), {"PersonId", "age", "town", "born", "kind"}));
  }
  TemporaryFolder files_;
};

// A table of numbers without gaps is what it was: no recipe, and the format that programs of before read.
TEST_F(RawTables, ATableOfNumbersStaysAsItIs) {
  std::string text = "c,a,b,y\n", turned = "b,y,c,a\n";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format("{},{},{},{}\n", i + 1, i * 7 % 11, 0.5 * i, i % 4);
    turned += fmt::format("{},{},{},{}\n", 0.5 * i, i % 4, i + 1, i * 7 % 11);
  }
  const Model model =
      workflow::fit({.machine = "ridge", .source = {.path = files_.file("n.csv", text)}, .plain = true}).model;
  EXPECT_EQ(model.parts().recipe, nullptr);
  std::stringstream file;
  save(file, model);
  EXPECT_EQ(file.str().substr(0, 15), "mercer-model 2 ");
  const workflow::Inputs straight = workflow::inputs_for(model, {.path = files_.path("n.csv")});
  const workflow::Inputs other = workflow::inputs_for(model, {.path = files_.file("t.csv", turned)});
  EXPECT_EQ(model.scores(straight.points), model.scores(other.points));
  // What is dropped leaves the others as they are.
  const Model two =
      workflow::fit(
          {.machine = "ridge", .source = {.path = files_.path("n.csv")}, .table = {.drop = {"c"}}, .plain = true})
          .model;
  EXPECT_EQ(two.parts().inputs.columns, (std::vector<std::string>{"a", "b"}));
  std::string without = "a,b,y\n";
  for (int i = 0; i < 30; ++i) without += fmt::format("{},{},{}\n", i * 7 % 11, 0.5 * i, i % 4);
  const Model same =
      workflow::fit({.machine = "ridge", .source = {.path = files_.file("w.csv", without)}, .plain = true}).model;
  EXPECT_EQ(two.scores(workflow::inputs_for(two, {.path = files_.path("n.csv")}).points),
            same.scores(workflow::inputs_for(same, {.path = files_.path("w.csv")}).points));
}

// Among numbers a column is an id or a code by its name, and everything else as it would be without it.
TEST_F(RawTables, IdsAmongNumbersAreLeftOut) {
  std::string with = "id,area,rooms,price\n", without = "area,rooms,price\n", only = "id,price\n",
              zips = "area,zip,price\n";
  for (int i = 0; i < 40; ++i) {
    const std::string rest =
        fmt::format("{},{},{}\n", 50 + i * 37 % 41, 1 + i % 5, 1000 * (i * 37 % 41) + 300 * (i % 5));
    with += fmt::format("{},{}", 1000 + i, rest);
    without += rest;
    only += fmt::format("{},{}\n", i + 1, i * i);
    zips += fmt::format("{},{},{}\n", 50 + i * 37 % 41, 10000 + 977 * (i % 4), i);
  }
  const auto fitted = [&](const std::string& text, const workflow::KernelChoice& kernel = workflow::Usual{}) {
    return workflow::fit({.machine = "ridge",
                          .kernel = kernel,
                          .source = {.path = files_.file("f.csv", text)},
                          .target = "price",
                          .plain = true});
  };
  const workflow::FitResult ids = fitted(with), none = fitted(without);
  ASSERT_NE(ids.model.parts().recipe, nullptr);
  EXPECT_EQ(ids.remarks.front(), "column id: id, left out (whole numbers, all different, under such a name)");
  EXPECT_EQ(std::ranges::count_if(ids.remarks, [](const auto& one) { return one.starts_with("column "); }), 1);
  const std::string fresh = files_.file("w.csv", without);
  EXPECT_EQ(workflow::predict({.model = ids.model, .source = {.path = fresh}}).numbers,
            workflow::predict({.model = none.model, .source = {.path = fresh}}).numbers);
  EXPECT_EQ(none.model.parts().recipe, nullptr);
  EXPECT_EQ(fitted(zips).model.parts().recipe->columns[1].type, ColumnType::category);
  // Where it is the only input, or the kernel names it or counts columns, it is meant.
  EXPECT_EQ(fitted(only).model.parts().recipe, nullptr);
  EXPECT_EQ(fitted(with, parse("on(id, rbf(ell=1)) + on(area, rbf(ell=1))")).model.parts().recipe, nullptr);
  EXPECT_EQ(fitted(with, parse("rbf(ell=[1,2,3])")).model.parts().recipe, nullptr);
  // Told otherwise, it stays; and what is told of another column does not keep it.
  const auto told = [&](const data::TableWishes& wishes) {
    return workflow::fit({.machine = "ridge",
                          .source = {.path = files_.file("f.csv", with)},
                          .target = "price",
                          .table = wishes,
                          .plain = true})
        .model.parts()
        .inputs.columns;
  };
  EXPECT_EQ(told({.types = {{"id", "number"}}}), (std::vector<std::string>{"id", "area", "rooms"}));
  EXPECT_EQ(told({.drop = {"rooms"}}), std::vector<std::string>{"area"});
}

// A gap where the training table had none is the mean of its column, also without names, a scale, or all rows at once.
TEST_F(RawTables, ModelsOfCompleteNumbersFillGaps) {
  const auto row = [](int i, bool gap, double mean) {
    return fmt::format("{},{},{}\n", gap ? (mean > 0 ? number(mean) : "NA") : std::to_string(i * 7 % 11), 0.5 * i,
                       i % 4);
  };
  double mean = 0;
  for (int i = 0; i < 40; ++i) mean += (i * 7 % 11) / 40.0;
  for (const Scaling::Kind scale : {Scaling::Kind::standard, Scaling::Kind::none, Scaling::Kind::minmax}) {
    for (const std::string header : {"a,b,y\n", ""}) {
      std::string train = header, gaps = header, filled = header;
      for (int i = 0; i < 40; ++i) {
        train += row(i, false, 0);
        gaps += row(i, i % 6 == 5, 0);
        filled += row(i, i % 6 == 5, mean);
      }
      const Model model =
          workflow::fit(
              {.machine = "ridge", .source = {.path = files_.file("train.csv", train)}, .scale = scale, .plain = true})
              .model;
      EXPECT_EQ(model.parts().recipe, nullptr);
      const data::Source with = {.path = files_.file("gaps.csv", gaps)},
                         without = {.path = files_.file("f.csv", filled)};
      const workflow::PredictResult got = workflow::predict({.model = model, .source = with});
      const Matrix want = workflow::predict({.model = model, .source = without}).numbers;
      ASSERT_EQ(got.numbers.rows(), 40);
      for (Index i = 0; i < 40; ++i) EXPECT_NEAR(got.numbers(i, 0), want(i, 0), 1e-9);
      ASSERT_FALSE(got.remarks.empty());
      EXPECT_TRUE(
          got.remarks.front().starts_with("6 gaps filled from the training data, of numbers by the mean: 6 in "));
      std::vector<double> pieces;
      std::vector<std::string> said;
      const auto take = [&](const workflow::PredictResult& some) {
        for (Index i = 0; i < some.numbers.rows(); ++i) pieces.push_back(some.numbers(i, 0));
        said.insert(said.end(), some.remarks.begin(), some.remarks.end());
        return true;
      };
      workflow::predict({.model = model, .source = with}, take, {}, 4);  // some pieces have none
      ASSERT_EQ(pieces.size(), 40u);
      for (Index i = 0; i < 40; ++i) EXPECT_NEAR(pieces[static_cast<std::size_t>(i)], got.numbers(i, 0), 1e-12);
      ASSERT_EQ(said.size(), 1u);
      EXPECT_TRUE(said.front().starts_with("6 gaps"));
    }
  }
}

TEST_F(RawTables, ScoresOfCompleteNumbersLeaveGapsOfTheTruthOut) {
  std::string all = "a,b,y\n", some = all;
  for (int i = 0; i < 30; ++i) {
    const std::string cells = fmt::format("{},{},", i * 7 % 11, 0.5 * i);
    all += cells + (i % 10 == 3 ? "\n" : fmt::format("{}\n", i % 5));
    if (i % 10 != 3) some += cells + fmt::format("{}\n", i % 5);
  }
  const data::Source complete = {.path = files_.file("some.csv", some)};
  const Model model = workflow::fit({.machine = "ridge", .source = complete, .plain = true}).model;
  const workflow::Marks marks = workflow::score({.model = model, .source = {.path = files_.file("all.csv", all)}});
  EXPECT_EQ(marks.figures, workflow::score({.model = model, .source = complete}).figures);
  EXPECT_EQ(marks.remarks.back(), "3 of 30 rows left out, without the truth");
}

// Rows without a target do not count, and are counted.
TEST_F(RawTables, RowsWithoutATargetAreLeftOut) {
  std::string all = "a,b,y\n", some = all;
  for (int i = 0; i < 24; ++i) {
    const std::string cells = fmt::format("{},{},", 0.1 * i, i % 2 == 0 ? "u" : i % 3 == 0 ? "v" : "w");
    all += cells + (i % 5 == 3 ? "?\n" : fmt::format("{}\n", i * i));
    if (i % 5 != 3) some += cells + fmt::format("{}\n", i * i);
  }
  const auto fitted = [&](const std::string& text) {
    return workflow::fit({.machine = "ridge", .source = {.path = files_.file("d.csv", text)}, .plain = true});
  };
  const workflow::FitResult with = fitted(all), without = fitted(some);
  const auto scores = [&](const Model& model) {
    return model.scores(workflow::inputs_for(model, {.path = files_.file("x.csv", some)}).points);
  };
  EXPECT_EQ(scores(with.model), scores(without.model));
  EXPECT_EQ(with.remarks[0], "target: y, the last column; `target` names another");
  EXPECT_EQ(with.remarks[1], "5 of 24 rows left out, without a value of y");
  // So does the truth of a score.
  const workflow::Marks marks = workflow::score({.model = with.model, .source = {.path = files_.file("a.csv", all)}});
  const workflow::Marks same = workflow::score({.model = with.model, .source = {.path = files_.path("x.csv")}});
  EXPECT_EQ(marks.figures, same.figures);
  EXPECT_EQ(marks.remarks.back(), "5 of 24 rows left out, without the truth");
}

// A kernel on columns sees texts where it asks for them, numbers elsewhere, and categories under their column's name.
TEST_F(RawTables, KernelsOnColumnsSeeThemAsTheyAsk) {
  for (const char* const kernel :
       {"on(age, rbf(ell=1)) + on(town, rbf(ell=1))", "on(age, rbf(ell=1)) * on(town, normalize(spectrum(k=2)))",
        "on(town, equal())", "rbf(ell=2)"}) {
    const Model model =
        workflow::fit({.machine = "svc", .kernel = parse(kernel), .source = {.path = people_csv()}, .plain = true})
            .model;
    const workflow::Marks marks = workflow::score({.model = model, .source = {.path = people_csv()}});
    EXPECT_GT(marks.figures.front().second, 0.5) << kernel;
  }
}

// One column of few names is a category; one of texts waits for a kernel.
TEST_F(RawTables, OneColumnOfNamesIsACategory) {
  std::string names = "town,y\n", texts = "dna,y\n";
  for (int i = 0; i < 24; ++i) {
    names += fmt::format("{},{}\n", i % 2 == 0 ? "Oslo" : "Bodo", i % 2 == 0 ? 1 : 3);
    texts += fmt::format("GATTA{},{}\n", std::string(static_cast<std::size_t>(i), 'C'), i);
  }
  const Model model =
      workflow::fit({.machine = "ridge", .source = {.path = files_.file("n.csv", names)}, .plain = true}).model;
  ASSERT_NE(model.parts().recipe, nullptr);
  const Matrix got =
      workflow::predict({.model = model, .source = {.path = files_.file("p.csv", "town\nOslo\nBodo\n")}}).numbers;
  EXPECT_GT(got(1, 0) - got(0, 0), 1.5);
  test::expect_error(
      [&] {
        (void)workflow::fit({.machine = "ridge", .source = {.path = files_.file("t.csv", texts)}, .plain = true});
      },
      "UsageError", {"say which kernel"});
}

TEST_F(RawTables, AColumnMayHaveACommaInItsName) {
  std::string text = "a,y,\"y,z\"\n";
  for (int i = 0; i < 24; ++i) text += fmt::format("{},{},{}\n", i * 7 % 11, i % 5, 0.5 * i);
  const data::Source source = {.path = files_.file("c.csv", text)};
  const Model one = workflow::fit({.machine = "ridge", .source = source, .target = "y,z", .plain = true}).model;
  EXPECT_EQ(one.parts().targets, std::vector<std::string>{"y,z"});
  EXPECT_EQ(one.parts().inputs.columns, (std::vector<std::string>{"a", "y"}));
  EXPECT_EQ(workflow::score({.model = one, .source = source}).figures,
            workflow::score({.model = one, .source = source, .target = "y,z"}).figures);
  const Model two = workflow::fit({.machine = "ridge", .source = source, .target = "y,a", .plain = true}).model;
  EXPECT_EQ(two.parts().targets, (std::vector<std::string>{"y", "a"}));
}

TEST_F(RawTables, TextGetsAKernelOfItsOwn) {
  std::string text = "note,size,kind\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("{} {} and {},{},{}\n", i % 2 == 0 ? "red apples" : "blue plums", i, 3 * i,
                        i % 6 == 0 ? "" : std::to_string(i % 7), i % 2);
  }
  const workflow::FitResult fitted =
      workflow::fit({.machine = "svc", .source = {.path = files_.file("t.csv", text)}, .plain = true});
  EXPECT_NE(fitted.model.expansion().parts().kernel->str().find("on(note, normalize(spectrum(k=3)))"),
            std::string::npos);
  const workflow::Marks marks = workflow::score({.model = fitted.model, .source = {.path = files_.path("t.csv")}});
  EXPECT_EQ(marks.figures.front().second, 1);
}

// A category keeps its name beside text, and numbers are scaled there as without it.
TEST_F(RawTables, WhatStandsBesideTextIsAsWithoutIt) {
  std::string with = "note,mass,length,town,kind\n", without = "mass,length,town,kind\n";
  for (int i = 0; i < 60; ++i) {
    const std::string rest = fmt::format("{},{},{},{}\n", 3000 + 37 * (i * 7 % 23), 0.1 * (i * 5 % 17),
                                         std::vector<std::string>{"Oslo", "Bodo", "Bergen"}[i * 5 % 3], i % 4 / 2);
    with += fmt::format("it was {} of {} birds,{}", i * 11 % 31, i, rest);
    without += rest;
  }
  const auto fitted = [&](const std::string& name, const std::string& text) {
    return workflow::fit({.machine = "ridge",
                          .kernel = parse("on([mass, length], rbf(ell=1)) + on(town, rbf(ell=1))"),
                          .source = {.path = files_.file(name, text)},
                          .target = "kind",
                          .plain = true})
        .model;
  };
  const Model beside = fitted("with.csv", with), alone = fitted("without.csv", without);
  EXPECT_EQ(beside.parts().scaling.kind, Scaling::Kind::standard);
  const Matrix a = workflow::predict({.model = beside, .source = {.path = files_.path("with.csv")}}).numbers;
  const Matrix b = workflow::predict({.model = alone, .source = {.path = files_.path("without.csv")}}).numbers;
  for (Index i = 0; i < a.rows(); ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-9);
  // Numbers and text alone, without a recipe.
  const auto plain = [&](const std::string& name, const std::string& text, const std::string& kernel) {
    return workflow::fit({.machine = "ridge",
                          .kernel = parse(kernel),
                          .source = {.path = files_.file(name, text)},
                          .target = "length",
                          .plain = true})
        .model;
  };
  std::string birds = "note,mass,length\n";
  for (int i = 0; i < 30; ++i) birds += fmt::format("bird {},{},{}\n", i * 7 % 13, 3000 + 10 * (i % 9), 0.5 * (i % 7));
  EXPECT_EQ(plain("birds.csv", birds, "on(mass, rbf(ell=1)) + on(note, normalize(spectrum(k=2)))").parts().scaling.kind,
            Scaling::Kind::standard);
}

// A column that is gone at predict time is an error, and one that says the target beforehand is remarked on.
TEST_F(RawTables, DoubtsAreSaid) {
  std::string text = "logy,town,y\n";
  for (int i = 1; i < 40; ++i) text += fmt::format("{},{},{}\n", std::log(i), i % 3 == 0 ? "u" : "v w", i);
  const workflow::FitResult fitted =
      workflow::fit({.machine = "ridge", .source = {.path = files_.file("l.csv", text)}, .plain = true});
  const auto says = [&](const std::string& words) {
    return std::ranges::any_of(fitted.remarks, [&](const std::string& r) { return r.find(words) != r.npos; });
  };
  EXPECT_TRUE(says("logy goes with y nearly without exception"));
  EXPECT_TRUE(says("target: y, the last column"));
  test::expect_error(
      [&] { (void)workflow::inputs_for(fitted.model, {.path = files_.file("s.csv", "logy,y\n1,2\n2,3\n")}); },
      "DataError", {"column \"town\" is missing"});
}

}  // namespace
}  // namespace mercer::raw_tables_test
