#include "mercer/machines/spectral.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "machines/clusters/affinity.hpp"
#include "mercer/choose.hpp"
#include "mercer/distances.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/kmeans.hpp"
#include "mercer/metrics.hpp"
#include "support.hpp"

namespace mercer::spectral_test {
namespace {

using test::expect_error;
using Assign = SpectralClusters::Assign;

// A way between pieces that is longer than those around it weighs less than these: by the squares of the lengths.
TEST(Spectral, BridgesWeighLessThanNeighbours) {
  Matrix x(8, 1);
  for (Index i = 0; i < 8; ++i) x(i, 0) = static_cast<double>(i % 4) + (i < 4 ? 0 : 100);
  const Vector weights(8, 1.0);
  const detail::Affinity found = detail::by_neighbours(lazy(linear(), rows(x.view())), weights, 1, 1, {});
  const Matrix A = found.A.rows(std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(A(0, 1), 1);                             // each is the other's nearest, half from each
  EXPECT_NEAR(A(3, 4), 0.5 / (97.0 * 97.0), 1e-15);  // from 3 to 100, beside steps of 1
  EXPECT_EQ(A(4, 3), A(3, 4));
  EXPECT_EQ(A(0, 4), 0);
}

// New points are taken some at a time, each with its own k(x, x).
TEST(Spectral, ManyPointsAreAnsweredAsEachAlone) {
  Matrix x = test::random_matrix(60, 2, 4, 0, 1), more = test::random_matrix(600, 2, 5, -1, 6);
  for (Index i = 0; i < 60; ++i) x(i, 0) += i % 3 == 0 ? 5 : 0;
  const Model m = SpectralClusters{.clusters = 2, .neighbours = 6}.fit(lazy(linear(), rows(x.view())));
  const Points all = rows(more.view());
  const Matrix scores = m.scores(all);
  for (const Index i : {0, 100, 255, 256, 257, 511, 512, 599}) {
    const Matrix alone = m.scores(all.slice({i, i + 1}));
    for (Index c = 0; c < scores.cols(); ++c) EXPECT_NEAR(scores(i, c), alone(0, c), 1e-12) << i;
  }
}

TEST(Spectral, TellsHowMuchItsClustersWeigh) {
  Training training{.K = lazy(rbf(1), rows(Matrix{{0}, {0.1}, {0.2}, {9}, {9.1}, {9.2}, {9.3}})),
                    .weights = {1, 2, 3, 1, 0, 1.5, 1}};
  const Model m = SpectralClusters{.clusters = 2}.fit(training);
  const Matrix& table = m.report().table("clusters")->rows;
  Vector expected(2), points(2);
  for (Index i = 0; i < 7; ++i) {
    const auto c = static_cast<std::size_t>(m.parts().fitted(i, 0));
    expected[c] += training.weights[static_cast<std::size_t>(i)];
    points[c] += training.weights[static_cast<std::size_t>(i)] > 0 ? 1 : 0;
  }
  for (Index c = 0; c < 2; ++c) {
    EXPECT_EQ(table(c, 1), points[static_cast<std::size_t>(c)]);
    EXPECT_EQ(table(c, 2), expected[static_cast<std::size_t>(c)]);
  }
}

// Two rings around one centre.
struct Rings {
  Matrix x;
  std::vector<Index> of;
};
Rings rings(Index n) {
  Random random(5);
  Rings out{Matrix(n, 2), {}};
  for (Index i = 0; i < n; ++i) {
    const double radius = (i % 3 == 0 ? 1 : 3) + random.uniform(-0.15, 0.15);
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n) * 7;
    out.x(i, 0) = radius * std::cos(angle);
    out.x(i, 1) = radius * std::sin(angle);
    out.of.push_back(i % 3 == 0 ? 1 : 0);
  }
  return out;
}

std::vector<Index> fitted(const Model& m) {
  std::vector<Index> out;
  for (Index i = 0; i < m.parts().fitted.rows(); ++i) out.push_back(static_cast<Index>(m.parts().fitted(i, 0)));
  return out;
}

// sum over clusters of what is cut over the degree.
double normalised_cut(const Matrix& K, const std::vector<Index>& of, Index clusters) {
  double out = 0;
  for (Index c = 0; c < clusters; ++c) {
    double cut = 0, degree = 0;
    for (Index i = 0; i < K.rows(); ++i) {
      if (of[static_cast<std::size_t>(i)] != c) continue;
      for (Index j = 0; j < K.cols(); ++j) {
        degree += K(i, j);
        cut += of[static_cast<std::size_t>(j)] != c ? K(i, j) : 0;
      }
    }
    out += cut / degree;
  }
  return out;
}

TEST(Spectral, DividesRingsWhereMeansCannot) {
  const Rings data = rings(240);
  const Gram K = lazy(rbf(0.25), rows(data.x.view()));
  for (const Assign assign : {Assign::kmeans, Assign::discretize, Assign::cluster_qr}) {
    const Model m = SpectralClusters{.clusters = 2, .assign = assign}.fit(K);
    EXPECT_EQ(fitted(m), data.of);
    EXPECT_EQ(m.predict_classes(rows(data.x.view())), data.of);
    const Rings others = rings(60);
    EXPECT_EQ(m.predict_classes(rows(others.x.view())), others.of);
  }
  EXPECT_LT(ari(data.of, fitted(KernelKMeans{.clusters = 2}.fit(lazy(linear(), rows(data.x.view()))))), 0.1);
}

// By all eigenvectors and, beyond 500 points, by products.
TEST(Spectral, LowersTheCut) {
  for (const Index n : {300, 700}) {
    const Matrix x = test::random_matrix(n, 3, 4);
    const Kernel k = rbf(0.8);
    const Model plain = SpectralClusters{.clusters = 6, .neighbours = 0, .refine = false}.fit(lazy(k, rows(x.view())));
    const Model refined = SpectralClusters{.clusters = 6, .neighbours = 0}.fit(lazy(k, rows(x.view())));
    Matrix K = gram(k, rows(x.view()));
    for (Index i = 0; i < n; ++i) K(i, i) = 0;
    EXPECT_NEAR(*plain.report().figure("normalised_cut"), normalised_cut(K, fitted(plain), 6), 1e-9);
    EXPECT_NEAR(*refined.report().figure("normalised_cut"), normalised_cut(K, fitted(refined), 6), 1e-9);
    EXPECT_LE(*refined.report().figure("normalised_cut"), *plain.report().figure("normalised_cut") + 1e-12);
    EXPECT_EQ(refined.predict_classes(rows(x.view())), fitted(refined));
    EXPECT_TRUE(refined.report().converged);
    const Report::Table* const values = refined.report().table("eigenvalues");
    ASSERT_NE(values, nullptr);
    EXPECT_NEAR(values->rows(0, 1), 1, 1e-9);
    // No division can cut less than the eigenvalues leave.
    double bound = 6;
    for (Index j = 0; j < 6; ++j) bound -= values->rows(j, 1);
    EXPECT_GE(*refined.report().figure("normalised_cut"), bound - 1e-9);
  }
}

// A graph is no kernel: two triangles that one edge joins.
TEST(Spectral, TakesNumbersOfNoKernel) {
  Matrix a(6, 6);
  const auto join = [&](Index i, Index j) { a(i, j) = a(j, i) = 1; };
  for (const Index first : {0, 3}) {
    join(first, first + 1);
    join(first, first + 2);
    join(first + 1, first + 2);
  }
  join(2, 3);
  const Model m = SpectralClusters{.clusters = 2}.fit(precomputed(a));
  const std::vector<Index> of = fitted(m);
  EXPECT_NEAR(ari(of, std::vector<Index>{0, 0, 0, 1, 1, 1}), 1, 1e-12);
  EXPECT_NEAR(*m.report().figure("normalised_cut"), 2.0 / 7, 1e-12);
  EXPECT_EQ(m.classes_of(m.scores_from_rows(a)), of);
}

TEST(Spectral, FindsFewerClustersOfFewerDistinctPoints) {
  const Matrix x{{0}, {1}, {1}, {0}, {0}, {7}};
  const Model m = SpectralClusters{.clusters = 5}.fit(lazy(rbf(1), rows(x.view())));
  EXPECT_EQ(fitted(m), (std::vector<Index>{0, 1, 1, 0, 0, 2}));
  ASSERT_EQ(m.report().notes.size(), 1U);
  EXPECT_EQ(m.report().notes[0], "3 clusters instead of 5: the kernel tells only 3 different points apart");
}

TEST(Spectral, RefusesWhatCannotBeCut) {
  const Matrix x = test::random_matrix(30, 2, 1), same(30, 2, 1.0);
  expect_error([&] { SpectralClusters{.clusters = 2, .neighbours = 0}.fit(lazy(linear(), rows(x.view()))); },
               "UsageError", {"spectral: what point", "adds to -", "kernel without negative values"});
  expect_error(
      [&] {
        SpectralClusters{.clusters = 2, .neighbours = 0}.fit(lazy(linear(), rows(Matrix{{-1}, {0.25}, {0.75}})));
      },
      "UsageError", {"what point 1 has in common", "kernel without negative values"});
  expect_error([&] { SpectralClusters{.clusters = 31}.fit(lazy(rbf(1), rows(x.view()))); }, "UsageError",
               {"31 clusters of 30 points"});
  expect_error([&] { SpectralClusters{.clusters = 2}.fit(lazy(rbf(1), rows(same.view()))); }, "UsageError",
               {"does not tell any two of the points apart"});
  expect_error(
      [&] {
        SpectralClusters{.clusters = 2}.fit(precomputed(Matrix{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}}));
      },
      "DataError", {"point 2 is like no point"});
  expect_error(
      [&] {
        SpectralClusters{.clusters = 2, .components = 3, .assign = Assign::cluster_qr}.fit(
            lazy(rbf(1), rows(x.view())));
      },
      "UsageError", {"3 components for 2 clusters"});
  expect_error([&] { SpectralClusters{.clusters = 2, .neighbours = 3}.fit(precomputed(Matrix(4, 4, 1.0))); },
               "UsageError", {"3 neighbours of points that are not known", "leave neighbours out"});
}

// a by the definition: 1 where each of two is among the three nearest of the other, 1/2 where one is.
TEST(Spectral, CutsTheGraphOfNearestNeighbours) {
  const Matrix x = test::random_matrix(90, 2, 8);
  const Matrix d = squared_distances(linear(), rows(x.view()));
  Matrix a(90, 90);
  for (Index i = 0; i < 90; ++i) {
    Vector row(d.row(i), d.row(i) + 90);
    std::ranges::sort(row);
    for (Index j = 0; j < 90; ++j) {
      if (i == j || d(i, j) > row[3]) continue;  // row[0] is the point itself
      a(i, j) += 0.5;
      a(j, i) += 0.5;
    }
  }
  const Model m = SpectralClusters{.clusters = 4, .neighbours = 3}.fit(lazy(rbf(5), rows(x.view())));
  EXPECT_NEAR(*m.report().figure("normalised_cut"), normalised_cut(a, fitted(m), 4), 1e-9);
  // No kernel width, no unit and no place changes who is nearest.
  Matrix moved = x;
  for (Index i = 0; i < 180; ++i) moved.data()[i] = 1000 * x.data()[i] + 12345;
  EXPECT_EQ(fitted(SpectralClusters{.clusters = 4, .neighbours = 3}.fit(lazy(linear(), rows(moved.view())))),
            fitted(m));
}

// What a file may not say of the graph that a model rests on.
TEST(Spectral, NumbersThatCanBeNoGraphAreRefused) {
  const Model m =
      SpectralClusters{.clusters = 2, .neighbours = 3}.fit(lazy(rbf(1), rows(test::random_matrix(20, 2, 8))));
  const Matrix& told = m.parts().readout;
  const auto with = [&](Index i, double value) {
    Model::Parts parts = m.parts();
    parts.readout(i, 0) = value;
    return Model(std::move(parts));
  };
  EXPECT_EQ(told(0, 0), 3);
  EXPECT_NO_THROW(with(0, 1));
  expect_error([&] { with(0, 0.5); }, "ShapeError", {"0.5 neighbours"});
  for (Index i = 0; i < told.rows(); ++i) {
    EXPECT_THROW(with(i, std::nan("")), Error) << i;
    EXPECT_THROW(with(i, std::numeric_limits<double>::infinity()), Error) << i;
  }
  // Behind the number of neighbours come the degrees of the clusters.
  for (const Index c : {1, 2}) {
    EXPECT_NO_THROW(with(c, 1e-9));
    EXPECT_THROW(with(c, 0), Error);
    EXPECT_THROW(with(c, -1), Error);
  }
}

// Points said twice are one point of weight 2, to the graph too.
TEST(Spectral, TwinsAreNotTheirOwnNeighbours) {
  Matrix x(120, 1);
  for (Index i = 0; i < 120; ++i)
    x(i, 0) = static_cast<double>(i / 20) + (i >= 60 ? 20 : 0);  // six places, twenty times
  const Model m = SpectralClusters{.clusters = 2, .neighbours = 2}.fit(lazy(linear(), rows(x.view())));
  for (Index i = 0; i < 120; ++i) EXPECT_EQ(m.parts().fitted(i, 0), m.parts().fitted(i < 60 ? 0 : 119, 0));
  EXPECT_EQ(m.support().size(), 6U);
}

// Twelve clumps that no edge joins: the nearest are put together, whatever rounding would make of equal eigenvalues.
TEST(Spectral, TiesPiecesToTheNearest) {
  Random random(3);
  Matrix x(240, 2);
  for (Index i = 0; i < 240; ++i) {
    const Index clump = i / 20, group = clump / 4;
    x(i, 0) = 1000.0 * static_cast<double>(group) + 30.0 * static_cast<double>(clump % 2) + random.uniform(-1, 1);
    x(i, 1) = 30.0 * static_cast<double>(clump % 4 / 2) + random.uniform(-1, 1);
  }
  const Model m = SpectralClusters{.clusters = 3}.fit(lazy(linear(), rows(x.view())));
  for (Index i = 0; i < 240; ++i) EXPECT_EQ(m.parts().fitted(i, 0), m.parts().fitted(i / 80 * 80, 0)) << i;
}

// A point far from all others is no cluster by having nothing in common with them.
TEST(Spectral, LeavesOutWhatAPointHasInCommonWithItself) {
  Random random(2);
  Matrix x(61, 2);
  for (Index i = 0; i < 60; ++i) {
    x(i, 0) = (i < 30 ? 0 : 4) + random.uniform(-1, 1);
    x(i, 1) = random.uniform(-1, 1);
  }
  x(60, 0) = 2;
  x(60, 1) = 6;
  const Model m = SpectralClusters{.clusters = 2, .neighbours = 0}.fit(lazy(rbf(0.8), rows(x.view())));
  for (Index i = 0; i < 60; ++i) EXPECT_EQ(m.parts().fitted(i, 0), m.parts().fitted(i < 30 ? 0 : 59, 0));
}

TEST(Spectral, FindsTheNumberOfClusters) {
  Random random(7);
  for (const Index clusters : {2, 3, 5, 8}) {
    Matrix x(40 * clusters, 2);
    for (Index i = 0; i < x.rows(); ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i / 40) / static_cast<double>(clusters);
      x(i, 0) = 20 * std::cos(angle) + random.normal();
      x(i, 1) = 20 * std::sin(angle) + random.normal();
    }
    const Gram K = lazy(rbf(10), rows(x.view()));
    EXPECT_EQ(SpectralClusters{.clusters = 0}.fit(K).report().figure("clusters"), clusters);
    EXPECT_EQ(KernelKMeans{.clusters = 0}.fit(K).report().figure("clusters"), clusters);
  }
  const Gram K = lazy(rbf(1), rows(rings(240).x));
  EXPECT_EQ(SpectralClusters{.clusters = 0}.fit(K).report().figure("clusters"), 2);
  for (const char* const name : {"spectral", "kmeans"}) {
    EXPECT_EQ(choose(machine(name), {}, true, {.K = K}).settings.at("clusters"), "2");
    EXPECT_EQ(choose(machine(name), {{"clusters", "5"}}, true, {.K = K}).settings.at("clusters"), "5");
  }
}

}  // namespace
}  // namespace mercer::spectral_test
