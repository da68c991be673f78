// Distances, neighbours and correlations by the command.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace mercer::geometry_test {
namespace {

using cli_test::Json;

class GeometryCliTest : public cli_test::CommandTest {
 protected:
  // Two clouds, and a number that follows x.
  std::string data(const std::string& target) {
    std::string content = "x,z," + target + "\n";
    for (int i = 0; i < 40; ++i) {
      const int x = (i % 2 == 0 ? 0 : 10) + i % 7;
      const std::string value = target == "kind" ? (x < 8 ? "a" : "b") : std::to_string(3 * x + i % 3);
      content += std::to_string(x) + "," + std::to_string((i * 5) % 11) + "," + value + "\n";
    }
    return files_.file(target + ".csv", content);
  }
  std::string model() { return results_.path("m.mercer"); }
};

TEST_F(GeometryCliTest, Distances) {
  const std::string points = files_.file("p.csv", "a,b\n0,0\n3,4\n");
  EXPECT_EQ(run({"distances", "linear()", points}).out, "0,5\n5,0\n");
  EXPECT_EQ(run({"distances", "linear()", points, "--squared"}).out, "0,25\n25,0\n");
  EXPECT_EQ(run({"distances", "linear()", points, "--with", files_.file("q.csv", "a,b\n0,1\n")}).out,
            "1\n4.242640687119285\n");
  expect_error(run({"distances", "linear()", points, "--json"}), 2, "add -o");
  expect_error(run({"gram", "linear()", points, "--squared"}), 2, "--squared");
}

TEST_F(GeometryCliTest, NeighboursAreChosenByLeavingPointsOut) {
  const Json fitted = json_of({"fit", "knn", data("kind"), "--target", "kind", "-o", model()});
  EXPECT_EQ(fitted["report"]["figures"].contains("leave_one_out_error"), false);
  EXPECT_EQ(json_of({"score", model(), data("kind"), "--target", "kind"})["accuracy"].get<double>(), 1);
  ASSERT_EQ(run({"fit", "knn_regression", data("size"), "--target", "size", "--neighbours", "3", "--votes", "distance",
                 "-o", model()})
                .code,
            0);
  expect_error(run({"fit", "knn", data("kind"), "--target", "kind", "--neighbours", "41", "-o", model()}), 2,
               "41 neighbours are asked for, and there are 40 points");
}

TEST_F(GeometryCliTest, Correlations) {
  ASSERT_EQ(run({"fit", "kcca", data("size"), "--target", "size", "--permutations", "19", "-o", model()}).code, 0);
  EXPECT_NE(run({"show", model()}).out.find("p_value"), std::string::npos);
  expect_error(run({"fit", "kcca", data("size"), "--target", "size", "--ridge", "0", "-o", model()}), 2,
               "all correlations would be 1");
  expect_error(run({"fit", "kcca", data("size"), "--target", "size", "--target-kernel", "rbf(", "-o", model()}), 2,
               "rbf(");
}

}  // namespace
}  // namespace mercer::geometry_test
