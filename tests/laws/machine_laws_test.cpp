// The laws of machines over the catalog: a machine that joins it is under them.
#include <gtest/gtest.h>

#include "mercer/testing.hpp"

namespace mercer::machine_laws_test {
namespace {

using testing::broken_input_laws;
using testing::broken_machine_laws;
const std::vector<std::string> none;

// A machine with the settings by which it is tried.
struct Way {
  std::string machine;
  Settings settings = {};
  std::vector<Index> classes = {2, 3};
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.machine;
  for (const auto& [name, value] : way.settings) *out << " " << name << "=" << value;
}

// What a flag is refused without.
Settings beside(const std::string& flag) { return flag == "fitc" ? Settings{{"inducing", "12"}} : Settings{}; }

// As it is by default, and with each flag.
std::vector<Way> catalog_ways() {
  std::vector<Way> out;
  for (const Machine& row : machines()) {
    out.push_back({row.name});
    for (const MachineOption& option : row.options) {
      if (!option.flag) continue;
      Settings settings = beside(option.name);
      settings[option.name] = option.fallback == "true" ? "false" : "true";
      out.push_back({row.name, std::move(settings)});
    }
  }
  return out;
}

std::string name_of(const ::testing::TestParamInfo<Way>& info) {
  std::string out = info.param.machine;
  for (const auto& [name, value] : info.param.settings) out += "_" + name + "_" + value;
  for (char& c : out) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

class MachineLaws : public ::testing::TestWithParam<Way> {};

TEST_P(MachineLaws, Hold) {
  const Way& way = GetParam();
  EXPECT_EQ(broken_machine_laws(machine(way.machine), {.settings = way.settings, .classes = way.classes}), none);
}

INSTANTIATE_TEST_SUITE_P(Catalog, MachineLaws, ::testing::ValuesIn(catalog_ways()), name_of);
// Choices that lead through other code.
INSTANTIATE_TEST_SUITE_P(Choices, MachineLaws,
                         ::testing::ValuesIn(std::vector<Way>{
                             {"ridge", {{"ridge", "auto"}}},
                             {"rbf_network", {{"centres", "9"}}},
                             {"svc", {{"multi_class", "one_vs_rest"}}},
                             {"svc", {{"class_weight", "balanced"}}},
                             {"svc", {{"class_weight", "a=3"}}},
                             {"svc", {{"C", "inf"}}},
                             {"nusvc", {{"multi_class", "one_vs_rest"}, {"nu", "0.3"}}},
                             {"svr", {{"scale_target", "standard"}}},
                             {"nusvr", {{"scale_target", "standard"}}},
                             {"perceptron", {{"epochs", "5"}}},
                             {"perceptron", {{"budget", "7"}}},
                             {"rrm", {{"loss", "huber"}}},
                             {"rrm", {{"loss", "quantile"}}},
                             {"rrm", {{"loss", "epsilon"}}},
                             {"rrm", {{"loss", "hinge"}}},
                             {"rrm", {{"loss", "squared_hinge"}}},
                             {"rrm", {{"loss", "logistic"}}},
                             {"gp", {{"objective", "loo"}}},
                             {"gp", {{"objective", "none"}, {"noise", "fixed(0.1)"}}},
                             {"gp", {{"mean", "linear"}}},
                             {"gp", {{"nearest", "6"}}},
                             {"kmeans", {{"clusters", "3"}}},
                             {"spectral", {{"assign", "discretize"}, {"clusters", "5"}}},
                             {"spectral", {{"assign", "cluster_qr"}, {"clusters", "5"}}},
                             {"gmm", {{"components", "3"}, {"directions", "1"}}},
                             {"kfda", {{"priors", "shares"}}},
                             {"gpc", {{"link", "softmax"}}, {2}},
                             {"gpc", {{"link", "probit"}}, {2}},
                             {"gpc", {{"inducing", "8"}}},
                             {"pca", {{"solver", "krylov"}}},
                             {"pca", {{"components", "0.8"}}},
                             {"mds", {{"solver", "krylov"}}},
                         }),
                         name_of);

// Of points that are objects of a store: weights, orders, slices and files go through it.
class MachineLawsOnObjects : public MachineLaws {};

TEST_P(MachineLawsOnObjects, Hold) {
  const testing::MachineLawOptions options{.classes = {2}, .bags = true};
  EXPECT_EQ(broken_machine_laws(machine(GetParam().machine), options), none);
}

std::vector<Way> ways_on_objects() {
  std::vector<Way> out;
  for (const Machine& row : machines()) {
    if (row.name != "kde") out.push_back({row.name});  // a density is one on vectors
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Catalog, MachineLawsOnObjects, ::testing::ValuesIn(ways_on_objects()), name_of);

class MachineInputLaws : public ::testing::TestWithParam<Way> {};

TEST_P(MachineInputLaws, Hold) {
  EXPECT_EQ(broken_input_laws(machine(GetParam().machine), {.settings = GetParam().settings}), none);
}

std::vector<Way> plain_ways() {
  std::vector<Way> out;
  for (const Machine& row : machines()) out.push_back({row.name});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Catalog, MachineInputLaws, ::testing::ValuesIn(plain_ways()), name_of);
INSTANTIATE_TEST_SUITE_P(Choices, MachineInputLaws,
                         ::testing::ValuesIn(std::vector<Way>{{"ridge", {{"ridge", "auto"}}},
                                                              {"rrm", {{"loss", "hinge"}}}}),
                         name_of);

}  // namespace
}  // namespace mercer::machine_laws_test
