// The number of clusters, by what tune says of each.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "mercer/kernels.hpp"
#include "mercer/metrics.hpp"
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

// Also where a whole fit is judged and no fold.
TEST(ClusterCriteria, ACandidateThatDidNotEndSaysSo) {
  const Training training{.K = lazy(rbf(0.3), rows(test::random_matrix(120, 2, 9)))};
  const auto ended = [&](const char* most) {
    const Tuning tuning{.machine = "kmeans",
                        .settings = {{"starts", "1"}, {"max_iterations", most}},
                        .axes = parse_grid("clusters=7,8")};
    const std::vector<Candidate> all = tune(tuning, training).candidates;
    return std::ranges::count_if(all, &Candidate::converged);
  };
  EXPECT_EQ(ended("1"), 0);
  EXPECT_EQ(ended("300"), 2);
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

// A point of weight 2 is the point twice, and one of weight 0, however far away, is not there.
TEST(ClusterCriteria, WeightsAreMultiplicities) {
  const Matrix few = clouds(45);
  Matrix x(46, 2, 1000.0);
  Training weighted{.K = lazy(rbf(3), rows(Matrix(1, 1)))};
  std::vector<Index> which;
  for (Index i = 0; i < 46; ++i) {
    if (i != 20) std::copy_n(few.row(i < 20 ? i : i - 1), 2, x.row(i));
    const Index times = i == 20 ? 0 : 1 + (i % 4 == 1) + (i % 7 == 2);
    weighted.weights.push_back(static_cast<double>(times));
    which.insert(which.end(), static_cast<std::size_t>(times), i);
  }
  const Points all = rows(x.view());
  weighted.K = lazy(rbf(3), all);
  const Training twins{.K = lazy(rbf(3), all.select(which))};
  for (const char* machine : {"kmeans", "spectral"}) {
    const Tuning tuning{.machine = machine, .settings = {{"starts", "3"}}, .axes = parse_grid("clusters=2,3,4")};
    const Tuned a = tune(tuning, weighted), b = tune(tuning, twins);
    for (std::size_t c = 0; c < a.candidates.size(); ++c) {
      EXPECT_NEAR(a.candidates[c].mean, b.candidates[c].mean, 1e-9) << machine << " " << c;
      for (const char* figure : {"gap", "stability"}) {
        EXPECT_NEAR(other(a.candidates[c], figure), other(b.candidates[c], figure), 1e-9) << machine << " " << figure;
      }
    }
  }
}

// With the same places, references are the same: gaps differ by what the scatter within clusters does.
TEST(ClusterCriteria, TheGapWeighsTheScatter) {
  const Points x = rows(clouds(45));
  Training weighted{.K = lazy(rbf(3), x)};
  double total = 0;
  for (Index i = 0; i < 45; ++i) {
    weighted.weights.push_back(1 + 2.5 * static_cast<double>(i % 3));
    total += weighted.weights.back();
  }
  const Tuning tuning{.machine = "kmeans", .settings = {{"starts", "3"}}, .axes = parse_grid("clusters=2,4")};
  const Training plain{.K = weighted.K};
  const Tuned a = tune(tuning, weighted), b = tune(tuning, plain);
  for (std::size_t c = 0; c < 2; ++c) {
    const auto scatter = [&](const Training& training, double mass) {
      return std::log(*fit("kmeans", a.candidates[c].settings, training).report().figure("objective") / mass);
    };
    EXPECT_NEAR(other(b.candidates[c], "gap") - other(a.candidates[c], "gap"),
                scatter(weighted, total) - scatter(plain, 45), 1e-9);
  }
}

// Weights that add up to 1 say no less than whole numbers.
TEST(ClusterCriteria, OnlySharesOfWeightsMatterBelowOne) {
  const Points x = rows(clouds(30));
  std::vector<Index> clusters;
  for (Index i = 0; i < 30; ++i) clusters.push_back(i % 3);
  const Gram K = lazy(rbf(3), x);
  EXPECT_NEAR(silhouette(K, clusters, 2000, 1, {}, Vector(30, 1.0 / 30)).mean, silhouette(K, clusters).mean, 1e-12);
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
