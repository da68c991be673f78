#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "machines/golden_clusters.hpp"
#include "mercer/kernels.hpp"
#include "mercer/metrics.hpp"
#include "support.hpp"

namespace mercer::cluster_metrics_test {
namespace {

using test::expect_error;
using Clusters = std::vector<Index>;

TEST(ClusterMetrics, AgreeWithScikitLearn) {
  for (const auto& golden : test::golden_clusters().at("agreement")) {
    const auto truth = golden.at("truth").get<Clusters>(), clusters = golden.at("clusters").get<Clusters>();
    EXPECT_NEAR(nmi(truth, clusters), golden.at("nmi").get<double>(), 1e-14);
    EXPECT_NEAR(ari(truth, clusters), golden.at("ari").get<double>(), 1e-14);
    EXPECT_NEAR(purity(truth, clusters), golden.at("purity").get<double>(), 1e-14);
  }
}

TEST(ClusterMetrics, DoNotMindWhatClustersAreCalled) {
  const Clusters truth = {0, 0, 1, 1, 2, 2, 2}, clusters = {1, 1, 0, 2, 2, 2, 2}, renamed = {70, 70, 900, 3, 3, 3, 3};
  EXPECT_EQ(nmi(truth, clusters), nmi(truth, renamed));
  EXPECT_EQ(ari(truth, clusters), ari(truth, renamed));
  EXPECT_EQ(purity(truth, clusters), purity(truth, renamed));
}

TEST(ClusterMetrics, RefuseWhatDoesNotFit) {
  const Clusters two = {0, 1}, three = {0, 1, 2};
  expect_error([&] { nmi(two, three); }, "ShapeError", {"nmi: 2 points are in classes, 3 in clusters"});
  expect_error([] { ari({}, {}); }, "DataError", {"nothing to compare"});
}

TEST(Silhouettes, AgreeWithScikitLearn) {
  for (const auto& golden : test::golden_clusters().at("separation")) {
    const Matrix x = test::matrix_in(golden.at("x"));
    const Kernel k = parse(golden.at("kernel").get<std::string>());
    const auto clusters = golden.at("clusters").get<Clusters>();
    const auto expected = golden.at("silhouettes").get<Vector>();
    for (const Gram& K : {lazy(k, rows(x.view())), exact(k, rows(x.view()))}) {
      const Silhouette found = silhouette(K, clusters);
      ASSERT_EQ(found.of.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.of[i], expected[i], 1e-12);
      const double mean = std::accumulate(expected.begin(), expected.end(), 0.0) / 40;
      EXPECT_NEAR(found.mean, mean, 1e-12);
    }
  }
}

// The points of a sample have the distances to all.
TEST(Silhouettes, OfASampleAreThoseOfAll) {
  const Matrix x = test::random_matrix(300, 2, 1);
  Clusters clusters;
  for (Index i = 0; i < x.rows(); ++i) clusters.push_back(x(i, 0) > 0 ? 1 : 0);
  const Gram K = lazy(rbf(1), rows(x.view()));
  const Silhouette all = silhouette(K, clusters), some = silhouette(K, clusters, 100, 7, {.threads = 1});
  ASSERT_EQ(some.points.size(), 100U);
  for (std::size_t i = 0; i < some.points.size(); ++i) {
    EXPECT_NEAR(some.of[i], all.of[static_cast<std::size_t>(some.points[i])], 1e-12);
  }
  EXPECT_NEAR(some.mean, all.mean, 0.1);
  EXPECT_EQ(silhouette(K, clusters, 100, 7, {.threads = 3}).of, some.of);
}

// Where all points are one, none is nearer to its own cluster than to another.
TEST(Silhouettes, OfEqualPointsAreZero) {
  const Silhouette found = silhouette(lazy(rbf(1), rows(Matrix(4, 2, 3.0))), Clusters{0, 1, 0, 1});
  EXPECT_EQ(found.of, Vector(4, 0.0));
  EXPECT_EQ(found.mean, 0);
}

TEST(Silhouettes, NeedTwoClustersAndFewerThanPoints) {
  const Gram K = precomputed(Matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  expect_error([&] { silhouette(K, Clusters{1, 1, 1}); }, "UsageError", {"1 clusters of 3 points"});
  expect_error([&] { silhouette(K, Clusters{1, 2, 3}); }, "UsageError", {"3 clusters of 3 points"});
  expect_error([&] { silhouette(K, Clusters{1, 2}); }, "ShapeError", {"2 points are in clusters, K has 3"});
}

}  // namespace
}  // namespace mercer::cluster_metrics_test
