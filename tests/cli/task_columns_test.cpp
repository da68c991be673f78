// Columns whose numbers are labels to the kernel stay as they are when inputs are scaled, and it is said.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"

namespace mercer::task_columns_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

constexpr const char* kKernel = "on(year, rbf(ell=0.7))*on(task, coregion(a=[1, 0.5], v=[0.1, 0.2]))";

class TaskColumnsTest : public cli_test::CommandTest {
 protected:
  // Years of mean 2010 and standard deviation 2, or those less their mean and over it.
  std::string table(const std::string& name, bool scaled, bool with_target = true) {
    std::string text = with_target ? "year,task,y\n" : "year,task\n";
    for (int i = 0; i < 16; ++i) {
      const double year = 2010 + (i % 4 < 2 ? -2 : 2);
      const int task = 1 + i % 2;
      text += std::to_string(scaled ? (year - 2010) / 2 : year) + "," + std::to_string(task);
      if (with_target) text += "," + std::to_string(std::sin(i) + task);
      text += "\n";
    }
    return files_.file(name, text);
  }
  Outcome fit(const std::string& data, const std::string& model, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"fit", "ridge", data, "--kernel", kKernel, "--plain", "-o", model};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Json predicted(const std::string& model, const std::string& data) {
    return json_of({"predict", model, data})["predictions"];
  }
};

TEST_F(TaskColumnsTest, TasksAreNotScaledAndAllElseIs) {
  const std::string usual = results_.path("usual.mercer"), asked = results_.path("asked.mercer"),
                    by_hand = results_.path("by_hand.mercer");
  const Outcome got = fit(table("years.csv", false), usual);
  ASSERT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.err, "scaled to mean 0 and standard deviation 1; --scale none")) << got;
  EXPECT_TRUE(has(got.err, "task as it is: to the kernel its numbers are labels")) << got;
  ASSERT_EQ(fit(table("years.csv", false), asked, {"--scale", "standard"}).code, 0);
  const Outcome hand = fit(table("hand.csv", true), by_hand, {"--scale", "none"});
  ASSERT_EQ(hand.code, 0) << hand;
  EXPECT_FALSE(has(hand.err, "labels")) << hand;
  const Json a = predicted(usual, table("new.csv", false, false)), b = predicted(by_hand, table("n.csv", true, false));
  ASSERT_EQ(a.size(), 16U);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].get<double>(), b[i].get<double>(), 1e-9) << i;
  EXPECT_EQ(predicted(asked, table("new.csv", false, false)), a);
}

}  // namespace
}  // namespace mercer::task_columns_test
