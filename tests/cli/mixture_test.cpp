// Mixtures and discriminants by the command: clusters of new points, the table by which their number is chosen,
// coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"

namespace mercer::mixture_test {
namespace {

using cli_test::Json;

class MixtureCliTest : public cli_test::CommandTest {
 protected:
  // Three heaps of five by five points, far apart, and which heap it is.
  std::string heaps() {
    std::string content = "x,y,heap\n";
    for (int i = 0; i < 75; ++i) {
      const int heap = i % 3, step = i / 3;
      content += std::to_string(20 * heap + step % 5) + "," + std::to_string((heap == 1 ? 30 : 0) + step / 5) + "," +
                 (heap == 0   ? "a"
                  : heap == 1 ? "b"
                              : "c") +
                 "\n";
    }
    return files_.file("heaps.csv", content);
  }
  std::string model() { return results_.path("m.mercer"); }
};

TEST_F(MixtureCliTest, ChoosesTheNumberAndPredicts) {
  const Json fitted = json_of({"fit", "gmm", heaps(), "--target", "heap", "--kernel", "linear()", "-o", model()});
  EXPECT_NE(fitted["report"]["chosen"].get<std::string>().find("components=3 (by bic"), std::string::npos);
  const Json scores = json_of({"score", model(), heaps(), "--target", "heap"});
  EXPECT_NEAR(scores["ari"].get<double>(), 1, 1e-12);
  const Json shares = json_of({"predict", model(), heaps(), "--proba"});
  EXPECT_EQ(shares["columns"], (std::vector<std::string>{"1", "2", "3"}));
  for (const Json& row : shares["probabilities"]) {
    EXPECT_NEAR(row[0].get<double>() + row[1].get<double>() + row[2].get<double>(), 1, 1e-9);
  }
  const Json places = json_of({"predict", model(), heaps(), "--coordinates"});
  EXPECT_EQ(places["columns"].size(), 2u);
  EXPECT_EQ(places["predictions"].size(), 75u);
}

TEST_F(MixtureCliTest, TuneShowsTheCriteriaOfEachNumber) {
  const Json found =
      json_of({"tune", "gmm", heaps(), "--target", "heap", "--kernel", "linear()", "--grid", "components=1:5:5"});
  EXPECT_EQ(found["metric"], "bic");
  EXPECT_EQ(found["best"], 2);
  ASSERT_EQ(found["candidates"].size(), 5u);
  EXPECT_TRUE(found["candidates"][2]["others"].contains("log_likelihood"));
}

TEST_F(MixtureCliTest, DiscriminantsSayClassesAndCoordinates) {
  ASSERT_EQ(run({"fit", "kfda", heaps(), "-o", model()}).code, 0);
  EXPECT_EQ(json_of({"score", model(), heaps()})["accuracy"], 1);
  const Json places = json_of({"predict", model(), heaps(), "--coordinates"});
  EXPECT_EQ(places["columns"], (std::vector<std::string>{"component1", "component2"}));
  expect_error(run({"predict", model(), heaps(), "--coordinates", "--proba"}), 2, "not several");
  ASSERT_EQ(run({"fit", "svc", heaps(), "-o", model()}).code, 0);
  expect_error(run({"predict", model(), heaps(), "--coordinates"}), 2, "those of kfda and gmm");
}

TEST_F(MixtureCliTest, WhatCannotBeIsSaidInOneLine) {
  const auto fails = [&](const std::vector<std::string>& more, int code, const std::string& words) {
    std::vector<std::string> all = {"fit", "gmm", heaps(), "--target", "heap", "-o", model()};
    all.insert(all.end(), more.begin(), more.end());
    expect_error(run(all), code, words);
  };
  fails({"--components", "76"}, 2, "76 components for 75 points");
  fails({"--kernel", "const(c=1)", "--components", "2"}, 1, "the same to the kernel");
  fails({"--components", "0"}, 2, "at least 1");
  fails({"--dimension", "some"}, 2, "dimension must be");
  expect_error(run({"fit", "gmm", files_.file("same.csv", "x,y\n1,2\n1,2\n1,2\n1,2\n"), "-o", model()}), 1,
               "the same to the kernel");
}

}  // namespace
}  // namespace mercer::mixture_test
