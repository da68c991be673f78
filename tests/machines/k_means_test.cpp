// K-means in feature space: the partition itself.
#include "machines/clusters/k_means.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "machines/golden_clusters.hpp"
#include "mercer/kernels.hpp"
#include "mercer/metrics.hpp"
#include "support.hpp"

namespace mercer::k_means_test {
namespace {

using detail::divide_features;
using detail::KMeans;

using detail::Partition;

Partition k_means(const Gram& K, VectorView weights, const KMeans& options) {
  return detail::divide(K, weights, options, {}).partition;
}

// Three clouds, of which the first is the largest.
Matrix clouds(Index n) {
  Matrix x = test::random_matrix(n, 2, 3, -1, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) += i % 4 == 1 ? 4 : i % 4 == 2 ? -4 : 0;
  return x;
}

// sum_i w_i |x_i - mean of its cluster|^2
double sum_of_squares(const Matrix& x, VectorView weights, const std::vector<Index>& of, Index clusters) {
  Matrix means(clusters, x.cols());
  Vector masses(static_cast<std::size_t>(clusters));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto p = static_cast<std::size_t>(i);
    masses[static_cast<std::size_t>(of[p])] += weights[p];
    for (Index j = 0; j < x.cols(); ++j) means(of[p], j) += weights[p] * x(i, j);
  }
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const auto p = static_cast<std::size_t>(i);
    for (Index j = 0; j < x.cols(); ++j) {
      const double e = x(i, j) - means(of[p], j) / masses[static_cast<std::size_t>(of[p])];
      sum += weights[p] * e * e;
    }
  }
  return sum;
}

TEST(KMeans, OfALinearKernelAreThoseOfScikitLearn) {
  for (const auto& golden : test::golden_clusters().at("k_means")) {
    const Matrix x = test::matrix_in(golden.at("x"));
    const auto weights = golden.at("weights").get<Vector>();
    const auto k = golden.at("k").get<Index>();
    const auto labels = golden.at("labels").get<std::vector<Index>>();
    const double inertia = golden.at("inertia").get<double>();
    const KMeans options{.machine = "kmeans", .clusters = k, .starts = 300};
    const Partition by_products = k_means(exact(linear(), rows(x.view())), weights, options);
    const Partition by_features = divide_features(x, weights, {}, options, {}).partition;
    for (const Partition& found : {by_products, by_features}) {
      EXPECT_NEAR(found.objective, inertia, 1e-9 * inertia);
      EXPECT_NEAR(sum_of_squares(x, weights, found.of, k), inertia, 1e-9 * inertia);
      EXPECT_NEAR(ari(labels, found.of), 1, 1e-12);
      EXPECT_TRUE(found.settled);
    }
    EXPECT_EQ(by_products.of, by_features.of);
  }
}

// Every point is nearest to its own centre, the objective never rises and is what the distances say.
TEST(KMeans, EndsWhereNoPointWouldMove) {
  const Matrix x = clouds(300);
  const Vector weights = test::random_vector(300, 5, 0.5, 2);
  const Gram K = lazy(rbf(0.7), rows(x.view()));
  const Partition found = k_means(K, weights, {.machine = "kmeans", .clusters = 9, .starts = 3});
  ASSERT_EQ(found.masses.size(), 9U);
  const Matrix dense = gram(rbf(0.7), rows(x.view()));
  double objective = 0;
  for (Index i = 0; i < 300; ++i) {
    Vector square(9);
    for (std::size_t c = 0; c < 9; ++c) {
      double mass = 0, own = 0, within = 0;
      for (Index j = 0; j < 300; ++j) {
        if (found.of[static_cast<std::size_t>(j)] != static_cast<Index>(c)) continue;
        const double w = weights[static_cast<std::size_t>(j)];
        mass += w;
        own += w * dense(i, j);
        for (Index l = 0; l < 300; ++l) {
          if (found.of[static_cast<std::size_t>(l)] == static_cast<Index>(c)) {
            within += w * weights[static_cast<std::size_t>(l)] * dense(j, l);
          }
        }
      }
      square[c] = 1 - 2 * own / mass + within / (mass * mass);
      EXPECT_NEAR(found.masses[c], mass, 1e-9);
      EXPECT_NEAR(found.squares[c], within / (mass * mass), 1e-12);
    }
    const auto own = static_cast<std::size_t>(found.of[static_cast<std::size_t>(i)]);
    EXPECT_LE(square[own], *std::min_element(square.begin(), square.end()) + 1e-12);
    objective += weights[static_cast<std::size_t>(i)] * square[own];
  }
  EXPECT_NEAR(found.objective, objective, 1e-9);
  EXPECT_TRUE(std::is_sorted(found.course.rbegin(), found.course.rend()));
  EXPECT_TRUE(std::is_sorted(found.masses.rbegin(), found.masses.rend()));
}

// Rows of the points that moved lead where products do, also of more points than are taken at a time.
TEST(KMeans, BringsSumsUpToDateByRows) {
  const Matrix x = clouds(600);
  const Vector weights(600, 1.0);
  const Gram K = exact(rbf(1), rows(x.view()));
  const detail::WeightedPoints points(K, weights, K.points(), {});
  Random random(3);
  std::vector<std::vector<Index>> starts;
  for (int s = 0; s < 4; ++s) starts.push_back(detail::draw_seeds(points, 6, random, {}).nearest);
  const std::vector<std::vector<Index>> blind = {[] {
    std::vector<Index> out;
    for (Index i = 0; i < 600; ++i) out.push_back(i * 7 % 6);
    return out;
  }()};
  for (const auto& begin : {starts, blind}) {
    const Partition by_products = improve(points, begin, 6, {.machine = "kmeans", .rows_per_product = 0}, {});
    const Partition by_rows = improve(points, begin, 6, {.machine = "kmeans", .rows_per_product = 1000}, {});
    EXPECT_EQ(by_products.of, by_rows.of);
    EXPECT_NEAR(by_products.objective, by_rows.objective, 1e-9);
    test::expect_near(by_products.sums, by_rows.sums, 1e-9);
  }
}

// Points are looked at some thousands at a time: whoever is at the end of a lot finds its cluster, too.
TEST(KMeans, ThePointsAtTheEndsOfLotsFindTheirClusters) {
  for (const Index n : {4095, 4096, 4097, 8193}) {
    Matrix x = test::random_matrix(n, 1, 3, -1, 1);
    for (Index i = 0; i < n; ++i) x(i, 0) += i % 2 == 0 ? 0 : 50;
    for (const Index i : {n - 2, n - 1}) x(i, 0) = 50;
    const Vector weights(static_cast<std::size_t>(n), 1.0);
    const Gram K = lazy(linear(), rows(x.view()));
    const detail::WeightedPoints points(K, weights, K.points(), {});
    std::vector<Index> begin;  // all but one in the other cluster
    for (Index i = 0; i < n; ++i) begin.push_back(i == 1 ? 0 : 1);
    const Partition found = improve(points, {begin}, 2, {.machine = "kmeans", .rows_per_product = 0}, {});
    for (Index i = 0; i < n; ++i) {
      const auto p = static_cast<std::size_t>(i);
      if ((found.of[p] == found.of[1]) != (x(i, 0) > 25)) FAIL() << n << " " << i;
    }
  }
}

// A start that leaves a cluster without points, and one that puts all points into one.
TEST(KMeans, FillsEmptyClusters) {
  const Matrix x = clouds(60);
  const Vector weights(60, 1.0);
  const Gram K = exact(linear(), rows(x.view()));
  const detail::WeightedPoints points(K, weights, K.points(), {});
  const Partition found = improve(points, {std::vector<Index>(60, 1)}, 4, {.machine = "kmeans"}, {});
  for (const double mass : found.masses) EXPECT_GT(mass, 0);
  EXPECT_TRUE(std::is_sorted(found.course.rbegin(), found.course.rend()));
}

TEST(KMeans, FindsAsManyClustersAsThereAreDistinctPoints) {
  const Matrix x{{0, 0}, {1, 0}, {0, 0}, {1, 0}, {0, 2}, {0, 0}};
  const Vector weights(6, 1.0);
  for (const char* kernel : {"linear()", "rbf(ell=1)", "poly(degree=2)"}) {
    const Partition found = k_means(lazy(parse(kernel), rows(x.view())), weights, {.machine = "kmeans", .clusters = 5});
    EXPECT_EQ(found.of, (std::vector<Index>{0, 1, 0, 1, 2, 0})) << kernel;
    EXPECT_NEAR(found.objective, 0, 1e-12);
  }
}

// All clusters are as large and as far from the mean: only what the points are can tell which is the first.
TEST(KMeans, NumbersClustersOfSymmetricDataByTheirPoints) {
  Matrix x(12, 2), turned(12, 2);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = turned((5 * i + 3) % 12, 0) = i % 2 == 0 ? -1 : 1;
    x(i, 1) = turned((5 * i + 3) % 12, 1) = i / 2 % 2 == 0 ? -1 : 1;
  }
  const Vector weights(12, 1.0);
  for (const char* kernel : {"rbf(ell=1)", "poly(degree=2)"}) {
    const Gram K = lazy(parse(kernel), rows(x.view())), L = lazy(parse(kernel), rows(turned.view()));
    const KMeans options{.machine = "kmeans", .clusters = 4};
    const Partition a = k_means(K, weights, options), b = k_means(L, weights, options);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(a.of[i], b.of[(5 * i + 3) % 12]) << kernel;
  }
}

// No kernel has these numbers.
TEST(KMeans, RefusesNumbersForWhichTheSumOfSquaresRises) {
  Matrix k(40, 40);
  const Matrix r = test::random_matrix(40, 40, 8, -1, 1);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 40; ++j) k(i, j) = i == j ? 1.05 : r(std::min(i, j), std::max(i, j));
  }
  test::expect_error(
      [&] { k_means(precomputed(k), Vector(40, 1.0), {.machine = "kmeans", .clusters = 4, .starts = 20}); },
      "NumericError", {"kmeans: the sum of squares rises from", "check the numbers"});
}

// Far from the origin products of rows have lost the digits that tell points apart; differences have not.
TEST(KMeans, OfFeaturesDoNotMindWhereTheOriginIs) {
  const Matrix x = clouds(120);
  Matrix far = x;
  for (Index i = 0; i < far.rows(); ++i) far(i, 1) += 1e9;
  const Vector weights(120, 1.0);
  const KMeans options{.machine = "kmeans", .clusters = 3};
  EXPECT_EQ(divide_features(far, weights, {}, options, {}).partition.of,
            divide_features(x, weights, {}, options, {}).partition.of);
}

}  // namespace
}  // namespace mercer::k_means_test
