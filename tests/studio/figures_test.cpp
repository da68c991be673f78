// What the studio says of a model is what the command says of it: one model, one set of figures, for every machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/files.hpp"
#include "mercer/mercer.hpp"
#include "report/report.hpp"
#include "studio/fitted.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio::figures_test {
namespace {

// Two inputs, in no order, a target that hangs on both, and classes by its thirds.
std::string table_of(Task task, Index n) {
  std::string out = "a,b,y\n";
  for (Index i = 0; i < n; ++i) {
    const double a = static_cast<double>(i * 37 % 101) / 25, b = static_cast<double>(i * 53 % 97) / 25;
    const double noise = static_cast<double>(i * 71 % 89) / 200;
    const double y = std::sin(2 * a) + 0.5 * b + noise;
    out += fmt::format("{},{},", a, b);
    out += task == Task::classification ? (y < 1 ? "low\n" : y < 1.6 ? "middle\n" : "high\n") : fmt::format("{}\n", y);
  }
  return out;
}

struct Told {
  Json model, metrics, document;
};

Told by_studio(const std::string& path, const workflow::FitRequest& request) {
  Studio studio{.log = [](const std::string&) {}};
  const FitWish wish{
      .data = read_data_set({"d.csv", path}, io_test::content_of(path)), .request = request, .exhibits = {"residuals"}};
  const Json told = fit_and_show(studio, wish, {});
  const Answer answer = post_report(studio, {.body = Json{{"model", told["model"]["id"]}, {"as", "json"}}.dump()});
  return {told["model"], told["metrics"], Json::parse(answer.body)};
}

Told by_command(const std::string& path, workflow::FitRequest request, const std::string& file) {
  request.source = {.path = path};
  save(file, workflow::fit(request).model);
  const Model model = load(file);
  const report::Written written =
      report::write(report::subject_of(model, workflow::inputs_for(model, {.path = path}), "d.csv"), {});
  const Json document = Json::parse(written.document);
  return {{{"kernel", model.expansion().parts().kernel->str()}, {"settings", model.parts().settings}},
          document["metrics"],
          document};
}

// All sentences of a report, but those of how long the fit took and of where the file lies.
std::vector<std::string> sentences(const Json& document) {
  std::vector<std::string> out;
  for (const Json& section : document["sections"]) {
    if (section["id"] == "model" || section["id"] == "fit") continue;
    for (const Json& words : section["words"]) out.push_back(words.text());
    for (const Json& exhibit : section["exhibits"]) out.push_back(exhibit["finding"].text());
  }
  return out;
}

class StudioFigures : public ::testing::TestWithParam<std::string> {};

TEST_P(StudioFigures, AreThoseOfTheCommand) {
  const io_test::TemporaryFolder folder;
  const Machine& row = machine(GetParam());
  const std::string path = folder.file("d.csv", table_of(row.task, 36));
  workflow::FitRequest request{.machine = row.name};
  if (!row.task.takes_target()) request.target = "y";
  const Told studio = by_studio(path, request), command = by_command(path, request, folder.path("m.mercer"));
  EXPECT_EQ(studio.model["kernel"], command.model["kernel"]);
  EXPECT_EQ(studio.model["settings"], command.model["settings"]);
  EXPECT_EQ(studio.metrics, command.metrics);
  EXPECT_EQ(studio.document["metrics"], command.metrics);
  EXPECT_EQ(studio.document["evidence"], command.document["evidence"]);
  EXPECT_EQ(studio.document["worries"], command.document["worries"]);
  EXPECT_EQ(sentences(studio.document), sentences(command.document));
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Machine& row : machines()) out.push_back(row.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Catalog, StudioFigures, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

// A table as people have it: categories, gaps in inputs and in the target, a date, an id.
TEST(StudioFigures, OfARawTableAreThoseOfTheCommand) {
  const io_test::TemporaryFolder folder;
  std::string text = "id,town,when,size,y\n";
  for (Index i = 0; i < 48; ++i) {
    const double size = static_cast<double>(i * 29 % 47) / 8;
    const char* const towns[] = {"Oslo", "Rome", "?", "Bern"};
    text += fmt::format("{},{},2021-{:02}-{:02},{},{}\n", 7000 + i, towns[i * 7 % 4], 1 + i % 12, 1 + i % 28,
                        i % 9 == 4 ? "" : fmt::format("{}", size),
                        i % 13 == 5 ? "NA" : fmt::format("{}", std::sin(size) + 0.25 * static_cast<double>(i * 7 % 4)));
  }
  const std::string path = folder.file("d.csv", text);
  for (const char* const machine : {"ridge", "gp", "knn_regression"}) {
    SCOPED_TRACE(machine);
    const workflow::FitRequest request{.machine = machine, .target = "y"};
    const Told studio = by_studio(path, request), command = by_command(path, request, folder.path("m.mercer"));
    EXPECT_EQ(studio.model["kernel"], command.model["kernel"]);
    EXPECT_EQ(studio.metrics, command.metrics);
    EXPECT_EQ(studio.document["worries"], command.document["worries"]);
    EXPECT_EQ(sentences(studio.document), sentences(command.document));
  }
}

// Leaving out by the word: each point predicted by a ridge that is fitted to the others, with what was chosen.
TEST(StudioFigures, AreThoseOfTheModelThatWasChosen) {
  const io_test::TemporaryFolder folder;
  const std::string path = folder.file("d.csv", table_of(Task::regression, 36));
  const Told studio = by_studio(path, {.machine = "ridge"});
  const workflow::Prepared all = workflow::prepare({.machine = "ridge", .source = {.path = path}});
  const Kernel chosen = parse(studio.model["kernel"].get<std::string>());
  ASSERT_NE(chosen, *all.training.K.kernel()) << "the choice is what auto gives: the case says nothing";
  const Settings settings = studio.model["settings"].get<Settings>();
  double squares = 0;
  for (Index i = 0; i < all.x->size(); ++i) {
    std::vector<Index> others;
    for (Index j = 0; j < all.x->size(); ++j) {
      if (j != i) others.push_back(j);
    }
    Matrix y(static_cast<Index>(others.size()), 1);
    for (std::size_t r = 0; r < others.size(); ++r) y(static_cast<Index>(r), 0) = all.training.y(others[r], 0);
    const Model model = fit("ridge", settings, {.K = lazy(chosen, all.x->select(others)), .y = y});
    const double error = model.predict(all.x->select(std::vector<Index>{i}))[0] - all.training.y(i, 0);
    squares += error * error;
  }
  const double expected = std::sqrt(squares / static_cast<double>(all.x->size()));
  EXPECT_EQ(studio.metrics[0]["name"], "rmse");
  EXPECT_NEAR(studio.metrics[0]["value"].get<double>(), expected, 1e-8 * expected);
}

}  // namespace
}  // namespace mercer::studio::figures_test
