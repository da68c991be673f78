// What every machine obeys when inputs are prepared: the model of raw inputs and their maps says of raw inputs what the
// model of mapped inputs says of mapped ones, to the last bit, also out of a file. Those of densities refuse.
#include <gtest/gtest.h>

#include <sstream>

#include "mercer/model_file.hpp"
#include "mercer/workflow.hpp"
#include "support.hpp"

namespace mercer::prepared_inputs_test {
namespace {

constexpr Index kPoints = 30, kPixels = 12;  // 3 x 4

Matrix pictures(Index n, unsigned seed) {
  Matrix x = test::random_matrix(n, kPixels, seed, 0, 1);
  for (Index i = 0; i < n; ++i) x(i, (i % 3) * 4 + 1) += 3;
  return x;
}

workflow::FitRequest request(const Machine& row, const Points& x) {
  Settings settings;
  for (const MachineOption& option : row.options) {
    if (option.name == "clusters" || option.name == "components") {
      settings[option.name] = row.task == Task::correlation ? "1" : "2";
    }
  }
  Dataset data{.points = x};
  const Task task = row.task_for(settings);
  if (task.takes_target()) {
    data.target_name = "y";
    for (Index i = 0; i < x.size(); ++i) {
      if (task->target == Task::Target::classes) {
        data.target_texts.push_back(i % 3 == 0 ? "a" : "b");
      } else {
        data.target_numbers.push_back(std::sin(static_cast<double>(i)));
      }
    }
  }
  return {.machine = row.name,
          .settings = std::move(settings),
          .kernel = parse("rbf(ell=0.7)"),
          .source = {.path = "pictures", .data = std::move(data)},
          .scale = Scaling::Kind::none,
          .plain = true};
}

class PreparedInputsLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(PreparedInputsLaw, AMapInTheModelIsAMapBeforeIt) {
  const Machine& row = machine(GetParam());
  const Points x = rows(pictures(kPoints, 1)), fresh = rows(pictures(11, 2));
  const std::vector<RowMap> maps = row_map_list("deskew(3x4), unit_norm");
  const Scaling outside = Scaling::of(Scaling::Kind::none, x, maps);
  workflow::FitRequest prepared = request(row, x);
  prepared.prepare = maps;
  if (row.task == Task::density) {
    test::expect_error([&] { (void)workflow::fit(prepared); }, "UsageError", {"`prepare`", row.name});
    return;
  }
  const Model inside = workflow::fit(prepared).model;
  const Model plain = workflow::fit(request(row, outside.apply(x))).model;
  const Matrix scores = inside.scores(fresh);
  EXPECT_EQ(scores, plain.scores(outside.apply(fresh)));
  std::stringstream file;
  save(file, inside);
  EXPECT_EQ(file.str().substr(0, 15), "mercer-model 3 ");
  const Model loaded = load_bytes(file.str(), "file");
  EXPECT_EQ(loaded.scores(fresh), scores);
  EXPECT_EQ(str(loaded.parts().scaling.maps), "deskew(3x4), unit_norm");
  // Programs of before read what they understand.
  std::stringstream other;
  save(other, plain);
  EXPECT_EQ(other.str().substr(0, 15), "mercer-model 2 ");
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Machine& row : machines()) out.push_back(row.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Catalog, PreparedInputsLaw, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mercer::prepared_inputs_test
