// Data prepared once for each way to fit them: what is remembered is what would be prepared anew.
#include "studio/data_set.hpp"

#include <gtest/gtest.h>

namespace mercer::studio::data_set_test {
namespace {

TEST(StudioDataSet, WhatIsRememberedIsWhatIsAskedFor) {
  const std::string text = "a,b,w,y\n1,2,1,3\n2,1,2,5\n3,5,1,4\n4,2,1,1\n5,3,2,2\n";
  const auto data = read_data_set({"d.csv", ""}, text);
  std::vector<workflow::FitRequest> requests;
  for (const char* const machine : {"ridge", "svr", "kmeans"}) {
    for (const char* const target : {"", "a", "b"}) {
      for (const char* const weights : {"", "w"}) {
        for (const Scaling::Kind scale : {Scaling::Kind::none, Scaling::Kind::standard}) {
          requests.push_back({.machine = machine,
                              .kernel = parse("rbf(ell=1)"),
                              .source = data->source(),
                              .target = target,
                              .weights = weights,
                              .scale = scale});
        }
      }
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (const workflow::FitRequest& request : requests) {
      // Asked for twice, so that the second one is remembered.
      data->prepared(request, {});
      const workflow::Prepared got = data->prepared(request, {}), wanted = workflow::prepare(request);
      SCOPED_TRACE(request.machine + " " + request.target + " " + request.weights);
      EXPECT_EQ(got.machine, wanted.machine);
      EXPECT_EQ(got.targets, wanted.targets);
      EXPECT_EQ(got.training.y, wanted.training.y);
      EXPECT_EQ(got.training.weights, wanted.training.weights);
      EXPECT_EQ(got.inputs, wanted.inputs);
      EXPECT_EQ(got.scaling.kind, wanted.scaling.kind);
      EXPECT_EQ(got.provenance, wanted.provenance);
    }
  }
}

// A page that is told of a target can show it.
TEST(StudioDataSet, OfManyColumnsTheTargetIsAmongThoseShown) {
  std::string text;
  for (int j = 0; j < 300; ++j) text += "c" + std::to_string(j) + (j < 299 ? "," : "\n");
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 299; ++j) text += std::to_string(0.5 * i + j) + ",";
    text += i % 2 == 0 ? "up\n" : "down\n";
  }
  const Json told = read_data_set({"wide.csv", ""}, text)->json();
  EXPECT_EQ(told["suggested"]["target"], "c299");
  EXPECT_EQ(told["suggested"]["task"], "classes");
  EXPECT_EQ(told["suggested"]["kernel"], "rbf(ell=auto)");
  const std::size_t shown = told["columns"].size();
  EXPECT_EQ(told["columns"][shown - 1]["name"], "c299");
  EXPECT_EQ(told["columns"][shown - 2]["name"], "c198");
  EXPECT_EQ(told["preview"]["rows"][0][shown - 1], "up");
}

constexpr const char* kRaw =
    "id,town,price,when,size,y\n"
    "1001,Oslo,\"$1,200\",2020-01-03,1.5,2.5\n1002,Rome,\"$3,400\",2020-02-05,,3.25\n1003,Oslo,$800,2020-02-09,2.25,"
    "NA\n"
    "1004,?,\"$2,100\",2020-03-01,3.75,4.5\n1005,Rome,$950,2020-03-02,0.5,1.5\n1006,Oslo,\"$1,750\",2020-05-30,2.5,6."
    "75\n";

TEST(StudioDataSet, OfARawTableItTellsTypesAndGaps) {
  const auto data = read_data_set({"raw.csv", ""}, kRaw);
  const Json told = data->json();
  const auto column = [&](std::size_t j, const char* what) { return told["columns"][j][what]; };
  EXPECT_EQ(told["rows"], 6);
  EXPECT_EQ(column(1, "kind"), "yes/no");
  EXPECT_EQ(column(1, "missing"), 1);
  EXPECT_EQ(column(2, "kind"), "count");
  EXPECT_EQ(column(2, "low"), 800);
  EXPECT_EQ(column(2, "high"), 3400);
  EXPECT_EQ(column(3, "kind"), "date");
  EXPECT_EQ(column(4, "missing"), 1);
  EXPECT_EQ(column(4, "low"), 0.5);
  EXPECT_EQ(column(5, "missing"), 1);
  EXPECT_FALSE(column(5, "why").text().empty());
  EXPECT_EQ(told["preview"]["rows"][1][4], "");
  EXPECT_EQ(told["suggested"]["target"], "y");
  EXPECT_EQ(told["suggested"]["task"], "numbers");
  EXPECT_EQ(told["suggested"]["kernel"], "rbf(ell=auto)");
  // What is shown of kernels is of the inputs that a fit makes: without the id, two of the town, ...
  EXPECT_EQ(data->suggested().inputs.domain().kind, "reals");
  EXPECT_EQ(data->suggested().inputs.size(), 6);
}

// Told in the command that reproduces a fit.
TEST(StudioDataSet, KnowsTheHashOfWhatWasSent) {
  EXPECT_EQ(read_data_set({"abc.csv", ""}, "a,b\n1,2\n3,4\n")->source().sha256,
            "b9485148546419a0f6a85e8d708c923557c15d7f3c7d078ef1fa7f7c0f57d5a5");
}

}  // namespace
}  // namespace mercer::studio::data_set_test
