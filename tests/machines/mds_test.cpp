// Maps from distances: the ten cities, kernels, new points, and matrices that hold no distances.
#include "mercer/machines/mds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/pca.hpp"
#include "support.hpp"

namespace mercer::mds_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

// The upper triangle of data/us_cities_10.csv: Atlanta, Chicago, Denver, Houston, Los Angeles, Miami, New York, San
// Francisco, Seattle, Washington.
Matrix cities() {
  const Vector above = {587,  1212, 701, 1936, 604,  748,  2139, 2182, 543,  920,  940,  1745, 1188, 713,  1858,
                        1737, 597,  879, 831,  1726, 1631, 949,  1021, 1494, 1374, 968,  1420, 1645, 1891, 1220,
                        2339, 2451, 347, 959,  2300, 1092, 2594, 2734, 923,  2571, 2408, 205,  678,  2442, 2329};
  Matrix out(10, 10);
  std::size_t next = 0;
  for (Index i = 0; i < 10; ++i) {
    for (Index j = i + 1; j < 10; ++j) out(i, j) = out(j, i) = above[next++];
  }
  return out;
}

Matrix distances_between(MatrixView y, MatrixView z) {
  Matrix out(y.rows(), z.rows());
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < z.rows(); ++j) {
      double sum = 0;
      for (Index c = 0; c < y.cols(); ++c) sum += std::pow(y(i, c) - z(j, c), 2);
      out(i, j) = std::sqrt(sum);
    }
  }
  return out;
}

// Eigenvalues and shares: numpy.linalg.eigh of -1/2 H D2 H.
TEST(Mds, DrawsTheMapOfTheCities) {
  const Matrix d = cities();
  const Model m = ClassicalMds{}.fit(precomputed(d));
  const Report& report = m.report();
  EXPECT_NEAR(report.table("components")->rows(0, 0), 9582144.30, 0.01);
  EXPECT_NEAR(report.table("components")->rows(1, 0), 1686820.18, 0.01);
  EXPECT_NEAR(report.figure("smallest_eigenvalue").value(), -35478.8852, 1e-3);
  EXPECT_EQ(report.figure("negative_eigenvalues").value(), 3);
  EXPECT_NEAR(report.figure("negative_share").value(), 0.0036961763283, 1e-9);
  EXPECT_NEAR(report.figure("explained_share").value(), 0.9954095527807, 1e-9);
  ASSERT_EQ(report.notes.size(), 1);
  EXPECT_NE(report.notes[0].find("3 of 10 eigenvalues are negative, 0.37 % of the inertia"), std::string::npos);
  // The earth is no plane: the map is right to 21 miles.
  expect_near(distances_between(m.parts().fitted, m.parts().fitted), d, 20.61);
}

TEST(Mds, PlacesOldPointsWhereTheyAre) {
  const Matrix d = cities();
  const Model m = ClassicalMds{.components = 3}.fit(precomputed(d));
  expect_near(m.targets_of(m.scores_from_rows(d)), m.parts().fitted, 1e-9);
}

// Distances of points in the plane have the plane as their map, and new points fall into their places.
TEST(Mds, FindsThePlaneAgain) {
  const Matrix x = random_matrix(50, 2, 1), others = random_matrix(9, 2, 2);
  const Matrix d = distances_between(x, x);
  const Model m = ClassicalMds{}.fit(precomputed(d));
  EXPECT_EQ(m.report().figure("negative_eigenvalues").value(), 0);
  EXPECT_NEAR(m.report().figure("explained_share").value(), 1, 1e-12);
  expect_near(distances_between(m.parts().fitted, m.parts().fitted), d, 1e-10);
  const Matrix placed = m.targets_of(m.scores_from_rows(distances_between(others, x)));
  expect_near(distances_between(placed, m.parts().fitted), distances_between(others, x), 1e-10);
  expect_error([&] { ClassicalMds{.components = 3}.fit(precomputed(d)); }, "UsageError", {"2 directions only"});
}

TEST(Mds, OfAKernelIsPca) {
  const Points x = rows(random_matrix(80, 3, 3)), others = rows(random_matrix(10, 3, 4));
  const Kernel k = rbf(1.3);
  const Matrix K = gram(k, x);
  Matrix d(80, 80);
  for (Index i = 0; i < 80; ++i) {
    for (Index j = 0; j < i; ++j) d(i, j) = d(j, i) = std::sqrt(K(i, i) + K(j, j) - 2 * K(i, j));
  }
  const Model pca = KernelPca{.components = 4}.fit(lazy(k, x));
  const Model by_kernel = ClassicalMds{.components = 4}.fit(lazy(k, x));
  const Model by_distances = ClassicalMds{.components = 4}.fit(precomputed(d));
  EXPECT_EQ(pca.parts().fitted, by_kernel.parts().fitted);
  expect_near(pca.parts().fitted, by_distances.parts().fitted, 1e-10);
  expect_near(pca.predict_targets(others), by_kernel.predict_targets(others), 1e-12);
}

TEST(Mds, OfManyPointsKnowsTheSmallestEigenvalue) {
  const Matrix x = random_matrix(450, 3, 5);
  Matrix d = distances_between(x, x);
  for (Index i = 0; i < 450 * 450; ++i) d.data()[i] = std::cbrt(d.data()[i]);
  d(0, 1) = d(1, 0) = 5;
  const Gram K = precomputed(d);
  const Model dense = ClassicalMds{.solver = ClassicalMds::Solver::dense}.fit(K);
  const Model krylov = ClassicalMds{.solver = ClassicalMds::Solver::krylov}.fit(K);
  const double smallest = dense.report().figure("smallest_eigenvalue").value();
  EXPECT_LT(smallest, -1);
  EXPECT_NEAR(krylov.report().figure("smallest_eigenvalue").value(), smallest, 0.01 * -smallest);
  EXPECT_EQ(krylov.report().notes.size(), 1);
  // Of the sum of all sizes of eigenvalues nothing is known where most of them are not: no share is told.
  EXPECT_EQ(krylov.report().table("components")->columns, std::vector<std::string>{"eigenvalue"});
  EXPECT_FALSE(krylov.report().figure("explained_share"));
  expect_near(dense.parts().fitted, krylov.parts().fitted, 1e-7);
}

// Asked for and told, a share is of the sum of all sizes of eigenvalues.
TEST(Mds, ExplainsTheShareAskedFor) {
  const Matrix x = random_matrix(40, 3, 5);
  Matrix d = distances_between(x, x);
  for (Index i = 0; i < 40 * 40; ++i) d.data()[i] = std::cbrt(d.data()[i]);
  d(0, 1) = d(1, 0) = 3;
  for (const double share : {0.2, 0.5, 0.8}) {
    const Model m = ClassicalMds{.components = share}.fit(precomputed(d));
    const double explained = m.report().figure("explained_share").value();
    EXPECT_GE(explained, share);
    const Report::Table* const table = m.report().table("components");
    double shares = 0;
    for (Index j = 0; j < table->rows.rows(); ++j) shares += table->rows(j, 1);
    EXPECT_NEAR(shares, explained, 1e-12);
    EXPECT_NEAR(table->rows(0, 1) / table->rows(1, 1), table->rows(0, 0) / table->rows(1, 0), 1e-9);
    EXPECT_LT(explained - table->rows(table->rows.rows() - 1, 1), share);
  }
  // What is negative no map can show: 0.9999 takes all there are.
  const Model most = ClassicalMds{.components = 0.9999}.fit(precomputed(d));
  EXPECT_EQ(most.parts().fitted.cols(), ClassicalMds{.components = INFINITY}.fit(precomputed(d)).parts().fitted.cols());
  EXPECT_NEAR(most.report().figure("explained_share").value(), 1 - most.report().figure("negative_share").value(),
              1e-9);
}

TEST(Mds, SaysWhereNumbersAreNoDistances) {
  Matrix d = cities();
  d(3, 5) = 1000;
  expect_error([&] { ClassicalMds{}.fit(precomputed(d)); }, "DataError", {"not symmetric", "K(6, 4)"});
  d = cities();
  d(2, 2) = 1;
  expect_error([&] { ClassicalMds{}.fit(precomputed(d)); }, "DataError", {"point 3", "is 1 and not 0"});
  d = cities();
  d(7, 1) = d(1, 7) = -4;
  expect_error([&] { ClassicalMds{}.fit(precomputed(d)); }, "DataError", {"row 2, column 8 is -4"});
  d(7, 1) = d(1, 7) = 1e200;
  expect_error([&] { ClassicalMds{}.fit(precomputed(d)); }, "DataError", {"row 2, column 8 is 1e+200", "larger unit"});
  expect_error([&] { ClassicalMds{}.fit(precomputed(Matrix(5, 5))); }, "DataError", {"all points are the same"});
  const Model m = ClassicalMds{}.fit(precomputed(cities()));
  expect_error([&] { m.scores_from_rows(Matrix(1, 10, -1.0)); }, "DataError", {"row 1, column 1 is -1"});
}

}  // namespace
}  // namespace mercer::mds_test
