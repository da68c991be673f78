// The machine kmeans: its model, its report, what it refuses.
#include "mercer/machines/kmeans.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels.hpp"
#include "mercer/metrics.hpp"
#include "support.hpp"

namespace mercer::kmeans_test {
namespace {

using test::expect_error;

Matrix clouds(Index n) {
  Matrix x = test::random_matrix(n, 2, 3, -1, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) += i % 4 == 1 ? 4 : i % 4 == 2 ? -4 : 0;
  return x;
}

std::vector<Index> fitted(const Model& m) {
  std::vector<Index> out;
  for (Index i = 0; i < m.parts().fitted.rows(); ++i) out.push_back(static_cast<Index>(m.parts().fitted(i, 0)));
  return out;
}

// By explicit features, by the matrix in memory, and by numbers.
TEST(KernelKMeans, ScoresAreSquaredDistancesFromMeans) {
  const Matrix x = clouds(90), other = test::random_matrix(20, 2, 9);
  for (const char* text : {"linear()", "rbf(ell=1)", "poly(degree=2)"}) {
    const Kernel k = parse(text);
    const Model m = KernelKMeans{.clusters = 3}.fit(lazy(k, rows(x.view())));
    const std::vector<Index> of = fitted(m);
    EXPECT_EQ(m.predict_classes(rows(x.view())), of) << text;
    const Matrix K = gram(k, rows(x.view())), between = cross(k, rows(other.view()), rows(x.view()));
    const Vector own = diagonal(k, rows(other.view()));
    const Matrix scores = m.scores(rows(other.view()));
    Matrix expected(20, 3);
    double objective = 0;
    for (Index c = 0; c < 3; ++c) {
      double count = 0, within = 0, diagonals = 0;
      for (Index i = 0; i < 90; ++i) {
        if (of[static_cast<std::size_t>(i)] != c) continue;
        count += 1;
        diagonals += K(i, i);
        for (Index j = 0; j < 90; ++j) within += of[static_cast<std::size_t>(j)] == c ? K(i, j) : 0;
      }
      objective += diagonals - within / count;
      for (Index r = 0; r < 20; ++r) {
        double sum = 0;
        for (Index i = 0; i < 90; ++i) sum += of[static_cast<std::size_t>(i)] == c ? between(r, i) : 0;
        expected(r, c) = own[static_cast<std::size_t>(r)] - 2 * sum / count + within / (count * count);
      }
    }
    test::expect_near(scores, expected, 1e-9 * 30);
    // The mean squared distance of each cluster, and the whole.
    const Matrix own_scores = m.scores(rows(x.view()));
    Vector squares(3), counts(3);
    for (Index i = 0; i < 90; ++i) {
      squares[static_cast<std::size_t>(of[static_cast<std::size_t>(i)])] +=
          own_scores(i, of[static_cast<std::size_t>(i)]);
      counts[static_cast<std::size_t>(of[static_cast<std::size_t>(i)])] += 1;
    }
    const Report::Table& table = *m.report().table("clusters");
    for (Index c = 0; c < 3; ++c) {
      const auto p = static_cast<std::size_t>(c);
      EXPECT_EQ(table.rows(c, 2), counts[p]) << text;
      EXPECT_NEAR(table.rows(c, 3), squares[p] / counts[p], 1e-9 * 30) << text;
    }
    EXPECT_NEAR(*m.report().figure("objective"), objective, 1e-9 * objective) << text;
    const auto silhouettes = silhouette(lazy(k, rows(x.view())), of);
    EXPECT_NEAR(*m.report().figure("silhouette"), silhouettes.mean, 1e-9) << text;
  }
}

// Points of weight 0 pull no mean, and are in the cluster of the nearest: also where they were elsewhere at the start.
TEST(KernelKMeans, PointsWithoutWeightBelongToTheNearestMean) {
  const Matrix x = test::random_matrix(80, 2, 12);
  Vector weights(80, 1.0);
  for (std::size_t i = 0; i < 80; i += 2) weights[i] = 0;
  for (const char* kernel : {"linear()", "rbf(ell=1)"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Model m = KernelKMeans{.clusters = 5, .starts = 1, .seed = seed}.fit(
          Training{.K = lazy(parse(kernel), rows(x.view())), .weights = weights});
      EXPECT_EQ(fitted(m), m.predict_classes(rows(x.view()))) << kernel << " " << seed;
    }
  }
}

TEST(KernelKMeans, TellsItsCourseAndItsClusters) {
  const Matrix x = clouds(120);
  const Model m = KernelKMeans{.clusters = 3, .starts = 1}.fit(lazy(rbf(1), rows(x.view())));
  EXPECT_EQ(m.classes(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_TRUE(m.finds_clusters());
  EXPECT_FALSE(m.is_classifier());
  const Report::Table* const course = m.report().table("course");
  ASSERT_NE(course, nullptr);
  EXPECT_EQ(course->rows.rows(), m.report().iterations + 1);
  for (Index t = 1; t < course->rows.rows(); ++t) EXPECT_LT(course->rows(t, 1), course->rows(t - 1, 1));
  const Report::Table* const clusters = m.report().table("clusters");
  ASSERT_NE(clusters, nullptr);
  EXPECT_EQ(clusters->rows(0, 1), 60);
  EXPECT_EQ(clusters->rows(1, 1) + clusters->rows(2, 1), 60);
  EXPECT_GT(*m.report().figure("explained"), 0.3);
}

TEST(KernelKMeans, EndsAtItsLimitsAndSaysSo) {
  const Matrix x = test::random_matrix(300, 2, 1);
  const Model m = KernelKMeans{.clusters = 12, .starts = 1, .max_iterations = 1}.fit(lazy(rbf(0.3), rows(x.view())));
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().stopped, "iteration limit");
  const Model rough = KernelKMeans{.clusters = 12, .starts = 1, .tolerance = 0.5}.fit(lazy(rbf(0.3), rows(x.view())));
  EXPECT_TRUE(rough.report().converged);
  EXPECT_EQ(rough.report().iterations, 1);
}

TEST(KernelKMeans, FindsFewerClustersOfFewerDistinctPoints) {
  const Matrix x{{0}, {1}, {1}, {0}, {0}, {7}};
  const Model m = KernelKMeans{.clusters = 5}.fit(lazy(rbf(1), rows(x.view())));
  EXPECT_EQ(m.classes().size(), 3U);
  ASSERT_EQ(m.report().notes.size(), 1U);
  EXPECT_EQ(m.report().notes[0], "3 clusters instead of 5: the kernel tells only 3 different points apart");
}

TEST(KernelKMeans, RefusesWhatCannotBeDivided) {
  const Matrix x = clouds(20), same(20, 2, 1.5);
  const auto fit = [](Index clusters, const Kernel& k, const Matrix& at) {
    return [=, &at] { KernelKMeans{.clusters = clusters}.fit(lazy(k, rows(at.view()))); };
  };
  expect_error(fit(21, rbf(1), x), "UsageError", {"kmeans: 21 clusters of 20 points; ask for at most"});
  expect_error(fit(-1, rbf(1), x), "UsageError", {"kmeans: -1 clusters"});
  expect_error(fit(2, rbf(1), same), "UsageError", {"does not tell any two of the points apart"});
  expect_error(fit(2, parse("const(c=3)"), x), "UsageError", {"does not tell any two of the points apart"});
  expect_error(
      [] {
        KernelKMeans{.clusters = 2}.fit(precomputed(Matrix{{0, 1, 2}, {1, 0, 3}, {2, 3, 0}}));
      },
      "DataError", {"a squared distance, is -", "K is the matrix of no kernel"});
  Training weighted{.K = lazy(rbf(1), rows(x.view())), .weights = Vector(20, 0.0)};
  weighted.weights[3] = weighted.weights[7] = 1;
  expect_error([&] { KernelKMeans{.clusters = 3}.fit(weighted); }, "UsageError", {"3 clusters of 2 points"});
  expect_error([&] { KernelKMeans{.clusters = 3}.fit(shifted(lazy(rbf(1), rows(x.view())), 1)); }, "UsageError", {});
}

}  // namespace
}  // namespace mercer::kmeans_test
