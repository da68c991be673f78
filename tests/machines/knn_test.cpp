#include "mercer/machines/knn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/distances.hpp"
#include "mercer/kernels.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::knn_test {
namespace {

using test::expect_error;
using test::random_matrix;

const Matrix kX = {{1.789, 0.437},   {0.096, -1.863}, {-0.277, -0.355}, {-0.083, -0.627},
                   {-0.044, -0.477}, {-1.314, 0.885}, {0.881, 1.71},    {0.05, -0.405},
                   {-0.545, -1.546}, {0.982, -1.101}, {-1.185, -0.206}, {1.486, 0.237}};
const std::vector<Index> kClass = {2, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 2};
const Vector kTarget = {1.4133, -1.7671, -0.6285, -0.7099, -0.521,  -0.0822,
                        2.4814, -0.355,  -2.0644, -0.2694, -1.1325, 1.2334};
const Matrix kNew = {{-1.024, -0.713}, {0.625, -0.161}, {-0.769, -0.23}, {0.745, 1.976}, {-1.244, -0.626}};

Training classes_on(const Gram& K) { return {.K = K, .labels = {{"a", "b", "c"}, kClass}}; }
Training numbers_on(const Gram& K) {
  return {.K = K, .y = Matrix(MatrixView(kTarget.data(), static_cast<Index>(kTarget.size()), 1))};
}

// scikit-learn 1.2: KNeighborsClassifier and KNeighborsRegressor of 3 neighbours.
TEST(Knn, IsThatOfScikitLearn) {
  const Matrix equal = {{0, 1, 0}, {1 / 3.0, 2 / 3.0, 0}, {0, 1, 0}, {0, 1 / 3.0, 2 / 3.0}, {0, 1, 0}};
  const Matrix by_distance = {{0, 1, 0},
                              {0.3874204722099002, 0.6125795277900998, 0},
                              {0, 1, 0},
                              {0, 0.7583283372039807, 0.24167166279601918},
                              {0, 1, 0}};
  const Vector mean = {-0.8236333333333334, -0.5286333333333334, -0.7606666666666667, 1.7093666666666667,
                       -1.2751333333333335};
  const Vector weighted = {-0.8778387638960834, -0.5106202909019568, -0.8168869522760398, 2.201709509729008,
                           -1.2047155105386946};
  const Points x = rows(kX), z = rows(kNew);
  const auto near = [](const Matrix& a, const Matrix& b) {
    for (Index e = 0; e < a.rows() * a.cols(); ++e) EXPECT_NEAR(a.data()[e], b.data()[e], 1e-12);
  };
  for (const Kernel& k : {linear(), rbf(0.7), rbf(0.05)}) {
    near(KernelKnn{.neighbours = 3}.fit(classes_on(lazy(k, x))).probabilities(z), equal);
    const Vector found = KernelKnn{.neighbours = 3}.fit(numbers_on(lazy(k, x))).predict(z);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i], mean[i], 1e-14);
  }
  const KernelKnn votes{.neighbours = 3, .by_distance = true};
  near(votes.fit(classes_on(lazy(linear(), x))).probabilities(z), by_distance);
  const Vector found = votes.fit(numbers_on(lazy(linear(), x))).predict(z);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i], weighted[i], 1e-12);
}

// Rows k(x, X) say who is nearest; who counts by distance needs k(x, x) beside them.
TEST(Knn, TakesNumbers) {
  const Points x = rows(kX), z = rows(kNew);
  const Matrix K = gram(linear(), x), rows_of_k = cross(linear(), z, x);
  const Model by_kernel = KernelKnn{.neighbours = 3}.fit(classes_on(lazy(linear(), x)));
  const Model by_numbers = KernelKnn{.neighbours = 3}.fit(classes_on(precomputed(K)));
  EXPECT_EQ(by_numbers.scores_from_rows(rows_of_k), by_kernel.scores(z));
  const Model weighted = KernelKnn{.neighbours = 3, .by_distance = true}.fit(numbers_on(precomputed(K)));
  expect_error([&] { weighted.scores_from_rows(rows_of_k); }, "UsageError", {"k(x, x)"});
  Matrix more(5, 13);
  const Vector own = diagonal(linear(), z);
  for (Index i = 0; i < 5; ++i) {
    std::copy_n(rows_of_k.row(i), 12, more.row(i));
    more(i, 12) = own[static_cast<std::size_t>(i)];
  }
  const Matrix expected = KernelKnn{.neighbours = 3, .by_distance = true}.fit(numbers_on(lazy(linear(), x))).scores(z);
  const Matrix got = weighted.scores_from_rows(more);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(got(i, 0), expected(i, 0), 1e-12);
}

Model of_line(std::vector<double> places, std::vector<Index> classes, Index neighbours, Vector weights = {}) {
  Matrix x(static_cast<Index>(places.size()), 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = places[static_cast<std::size_t>(i)];
  return KernelKnn{.neighbours = neighbours}.fit({.K = lazy(linear(), rows(std::move(x))),
                                                  .labels = {{"a", "b", "c"}, std::move(classes)},
                                                  .weights = std::move(weights)});
}

TEST(Knn, TiesAreSharedAndTheNearestDecides) {
  const Points zero = rows(Matrix{{0}});
  // Of 2 votes one each: b is nearer. Of equal distances: the first class.
  EXPECT_EQ(of_line({2, -1, 9}, {0, 1, 2}, 2).predict_labels(zero), std::vector<std::string>{"b"});
  EXPECT_EQ(of_line({1, -1, 9}, {1, 0, 2}, 2).predict_labels(zero), std::vector<std::string>{"a"});
  // One place is left, and three points are equally far: each has a third of it.
  const Matrix shares = of_line({0.5, 1, -1, 1, 9}, {2, 0, 1, 0, 2}, 2).probabilities(zero);
  EXPECT_NEAR(shares(0, 0), 1 / 3.0, 1e-15);
  EXPECT_NEAR(shares(0, 1), 1 / 6.0, 1e-15);
  EXPECT_NEAR(shares(0, 2), 1 / 2.0, 1e-15);
  // More points at one place than are kept: all of them are asked.
  std::vector<double> places(500, 1.0);
  std::vector<Index> classes(500, 0);
  for (std::size_t i = 0; i < 400; ++i) classes[i] = 1;
  EXPECT_NEAR(of_line(places, classes, 3).probabilities(zero)(0, 1), 0.8, 1e-14);
}

TEST(Knn, WeightsAreMultiplicitiesOfAnySize) {
  const Points zero = rows(Matrix{{0}});
  EXPECT_NEAR(of_line({1, 2, 3}, {0, 1, 2}, 2, {0.5, 1, 7}).probabilities(zero)(0, 2), 0.25, 1e-15);
  EXPECT_NEAR(of_line({1, 2, 3}, {0, 1, 2}, 2, {5, 1, 1}).probabilities(zero)(0, 0), 1, 1e-15);
  EXPECT_NEAR(of_line({1, 2, 3}, {0, 1, 2}, 1, {0, 1, 1}).probabilities(zero)(0, 1), 1, 1e-15);
}

// A point of weight 2 that is left out leaves its twin behind.
TEST(Knn, LeavesOneOfTwinsOut) {
  const Points x = rows(kX);
  std::vector<Index> which;
  Vector weights, targets;
  Training by_class = classes_on(lazy(linear(), x)), twins = by_class;
  twins.labels.of.clear();
  for (Index i = 0; i < 12; ++i) {
    const Index times = 1 + (i % 3 == 1) + (i % 5 == 2);
    weights.push_back(static_cast<double>(times));
    for (Index t = 0; t < times; ++t) {
      which.push_back(i);
      twins.labels.of.push_back(by_class.labels.of[static_cast<std::size_t>(i)]);
      targets.push_back(kTarget[static_cast<std::size_t>(i)]);
    }
  }
  by_class.weights = weights;
  twins.K = lazy(linear(), x.select(which));
  Training by_number = numbers_on(by_class.K);
  by_number.weights = weights;
  const Training number_twins{.K = twins.K, .y = Matrix(MatrixView(targets.data(), std::ssize(targets), 1))};
  const KernelKnn config{.neighbours = 3, .loo = true};
  const auto figure = [&](const Training& training, const char* name) {
    return *config.fit(training).report().figure(name);
  };
  EXPECT_NEAR(figure(by_class, "leave_one_out_error"), figure(twins, "leave_one_out_error"), 1e-12);
  EXPECT_NEAR(figure(by_number, "leave_one_out_rmse"), figure(number_twins, "leave_one_out_rmse"), 1e-12);
}

// By hand: each point without itself, which is as near as can be and does not count.
TEST(Knn, LeavesOneOut) {
  const Points x = rows(kX);
  for (const bool by_distance : {false, true}) {
    const KernelKnn plain{.neighbours = 3, .by_distance = by_distance};
    KernelKnn config = plain;
    config.loo = true;
    double wrong = 0, square = 0;
    for (Index i = 0; i < 12; ++i) {
      std::vector<Index> others;
      for (Index j = 0; j < 12; ++j) {
        if (j != i) others.push_back(j);
      }
      Training left = classes_on(lazy(linear(), x.select(others))), numbers = numbers_on(left.K);
      left.labels.of.erase(left.labels.of.begin() + i);
      Vector rest = kTarget;
      rest.erase(rest.begin() + i);
      numbers.y = Matrix(MatrixView(rest.data(), 11, 1));
      const Points out = x.slice({i, i + 1});
      wrong += plain.fit(left).predict_classes(out)[0] == kClass[static_cast<std::size_t>(i)] ? 0 : 1;
      square += std::pow(plain.fit(numbers).predict(out)[0] - kTarget[static_cast<std::size_t>(i)], 2);
    }
    for (const Gram& K : {lazy(linear(), x), precomputed(gram(linear(), x))}) {
      const double error = *config.fit(classes_on(K)).report().figure("leave_one_out_error");
      const double rmse = *config.fit(numbers_on(K)).report().figure("leave_one_out_rmse");
      EXPECT_NEAR(error, wrong / 12, 1e-14) << by_distance;
      EXPECT_NEAR(rmse, std::sqrt(square / 12), 1e-12) << by_distance;
    }
  }
}

TEST(Knn, RefusesWhatCannotBe) {
  const Points x = rows(kX);
  expect_error([&] { KernelKnn{.neighbours = 13}.fit(classes_on(lazy(linear(), x))); }, "UsageError",
               {"13 neighbours", "12"});
  expect_error([&] { KernelKnn{.neighbours = 0}.fit(classes_on(lazy(linear(), x))); }, "UsageError", {"at least one"});
  expect_error([&] { KernelKnn{}.fit(classes_on(shifted(lazy(linear(), x), 1))); }, "UsageError", {});
  expect_error([&] { KernelKnn{}.fit({.K = lazy(linear(), x)}); }, "UsageError", {"knn_regression"});
}

}  // namespace
}  // namespace mercer::knn_test
