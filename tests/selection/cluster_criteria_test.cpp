// The number of clusters, by what tune says of each.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "mercer/kernels.hpp"
#include "mercer/tune.hpp"
#include "support.hpp"

namespace mercer::cluster_criteria_test {
namespace {

// Three clouds, far apart.
Matrix clouds(Index n) {
  Random random(2);
  Matrix x(n, 2);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 8 * static_cast<double>(i % 3) + random.normal();
    x(i, 1) = (i % 3 == 1 ? 8 : 0) + random.normal();
  }
  return x;
}

double other(const Candidate& candidate, const std::string& name) {
  for (const Report::Figure& figure : candidate.others) {
    if (figure.name == name) return figure.value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(ClusterCriteria, FindThreeClouds) {
  const Matrix x = clouds(150);
  for (const char* machine : {"kmeans", "spectral"}) {
    const Training training{.K = lazy(rbf(3), rows(x.view()))};
    const Tuned tuned =
        tune({.machine = machine, .settings = {{"starts", "3"}}, .axes = parse_grid("clusters=2,3,4,5")}, training);
    EXPECT_EQ(tuned.metric, "silhouette");
    EXPECT_EQ(tuned.best, 1U) << machine;
    EXPECT_EQ(tuned.model.classes().size(), 3U);
    // The gap hardly grows beyond the right number; more clusters than there are depend on the sample.
    Vector gap, stability;
    for (const Candidate& candidate : tuned.candidates) {
      gap.push_back(other(candidate, "gap"));
      stability.push_back(other(candidate, "stability"));
    }
    EXPECT_GT(gap[1], gap[0] + 0.3) << machine;
    EXPECT_LT(gap[2], gap[1] + 0.1) << machine;
    EXPECT_LT(gap[3], gap[1] + 0.1) << machine;
    EXPECT_LT(stability[2], 0.95) << machine;
    EXPECT_LT(stability[3], 0.95) << machine;
    EXPECT_NEAR(other(tuned.candidates[1], "stability"), 1, 1e-12);
  }
}

TEST(ClusterCriteria, DoNotKnowAReferenceForNumbers) {
  const Matrix x = clouds(60);
  const Training training{.K = precomputed(gram(rbf(3), rows(x.view())))};
  const Tuned tuned = tune({.machine = "kmeans", .axes = parse_grid("clusters=2,3")}, training);
  EXPECT_EQ(tuned.best, 1U);
  EXPECT_TRUE(std::isnan(other(tuned.candidates[0], "gap")));
  EXPECT_TRUE(std::isfinite(other(tuned.candidates[0], "stability")));
  test::expect_error(
      [&] { tune({.machine = "kmeans", .axes = parse_grid("clusters=2,3"), .metric = "gap"}, training); }, "UsageError",
      {"gap: points without clusters are drawn along the principal axes"});
}

}  // namespace
}  // namespace mercer::cluster_criteria_test
