// mercer fit --profile.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.hpp"
#include "mercer/model_file.hpp"

namespace mercer::profile_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

const std::vector<std::string> kStages = {"read", "prepare", "rows", "solve", "certificate", "write"};

class ProfileCliTest : public cli_test::CommandTest {
 protected:
  std::string toy(const std::string& name) { return std::string(MERCER_TEST_DATA) + "/toys/" + name; }
  std::string model() { return results_.path("m.mercer"); }
};

TEST_F(ProfileCliTest, StagesAddUpToTheWhole) {
  for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
           {"svc", toy("two_moons.csv")}, {"svc", toy("two_moons.csv"), "--plain"}, {"gp", toy("sinc.csv")}}) {
    std::vector<std::string> words = given;
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"--profile", "-o", model()});
    const Json profile = json_of(words)["profile"];
    double sum = 0;
    for (const auto& [name, seconds] : profile.items()) {
      EXPECT_GE(seconds.get<double>(), 0) << name;
      if (name != "total") sum += seconds.get<double>();
    }
    for (const std::string& name : kStages) EXPECT_TRUE(profile.contains(name)) << name;
    EXPECT_EQ(profile.contains("choose"), given.size() == 2);
    EXPECT_GT(profile["read"].get<double>(), 0);
    EXPECT_GT(profile["rows"].get<double>(), 0);
    EXPECT_NEAR(sum, profile["total"].get<double>(), 1e-9);
    // Those of the fit are in the model's report, and are its seconds.
    const Report report = load(model()).report();
    double fit = 0;
    for (const Report::Figure& stage : report.stages) fit += stage.value;
    EXPECT_FALSE(report.stages.empty());
    EXPECT_NEAR(fit, report.seconds, 1e-9);
    EXPECT_LE(fit, profile["total"].get<double>());
  }
}

TEST_F(ProfileCliTest, IsAnAlignedTableOnStandardError) {
  const Outcome got = run({"fit", "ridge", toy("sinc.csv"), "--plain", "--profile", "-o", model()});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_EQ(got.out, "") << got;
  std::istringstream lines(got.err);
  std::vector<std::string> table;
  for (std::string line; std::getline(lines, line);) {
    if (!table.empty() || has(line, "seconds")) table.push_back(line);
  }
  ASSERT_EQ(table.size(), kStages.size() + 2) << got;
  for (const std::string& line : table) EXPECT_EQ(line.size(), table[0].size()) << got;
  for (std::size_t s = 0; s < kStages.size(); ++s) EXPECT_TRUE(has(table[s + 1], kStages[s])) << got;
  EXPECT_TRUE(has(table.back(), "total") && has(table.back(), "100.0%")) << got;
}

}  // namespace
}  // namespace mercer::profile_test
