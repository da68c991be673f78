// Machines where numbers leave double or single precision: right, or refused by name.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::extremes_test {
namespace {

using test::expect_error;

Points line(Index n, double scale = 1) {
  Matrix x(n, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) = scale * (static_cast<double>(i) / static_cast<double>(n) - 0.4);
  return rows(std::move(x));
}

Vector wave(Index n) {
  Vector y;
  for (Index i = 0; i < n; ++i) y.push_back(std::sin(0.4 * static_cast<double>(i)));
  return y;
}

Labels halves(Index n) {
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) names.push_back(i < n / 2 ? "left" : "right");
  return Labels::from(names);
}

TEST(Extremes, PredictionsBeyondDoublePrecisionAreRefused) {
  const Gram K = lazy(parse("exp(linear())"), line(20));
  const Points far = rows(Matrix{{1}, {1e5}});
  const std::vector<Model> models = {KernelRidge{.ridge = 0.1}.fit(K, wave(20)), GaussianProcess{}.fit(K, wave(20)),
                                     Svc{}.fit(K, halves(20))};
  for (const Model& m : models) {
    EXPECT_EQ(m.predict(rows(Matrix{{1}})).size(), 1u);
    expect_error([&] { m.predict(far); }, "NumericError", {"row 2", "beyond double precision"});
    expect_error([&] { m.scores(far); }, "NumericError", {"row 2"});
  }
  expect_error([&] { models[1].variances(far); }, "NumericError", {"row 2 with itself"});
  expect_error([&] { models[1].scores(rows(Matrix{{1}, {2}, {1800}})); }, "NumericError", {"row 3"});
}

TEST(Extremes, TrainingOnWhatOverflowsNamesTheRow) {
  const Gram K = lazy(parse("exp(linear())"), rows(Matrix{{1}, {2}, {40}, {3}}));
  const Labels labels = Labels::from(std::vector<std::string>{"a", "b", "a", "b"});
  expect_error([&] { KernelRidge{}.fit(K, Vector{1, 2, 3, 4}); }, "NumericError", {"row 3 with itself"});
  expect_error([&] { Svc{}.fit(K, labels); }, "NumericError", {"row 3 with itself"});
  expect_error([&] { OneClass{}.fit(K); }, "NumericError", {"row 3 with itself"});
  expect_error([&] { GaussianProcess{}.fit(K, Vector{1, 2, 3, 4}); }, "NumericError", {"row 3 with itself"});
}

// Inputs, length scales and values that no float holds: the same decisions as at scale 1.
TEST(Extremes, SupportVectorsBeyondSinglePrecision) {
  const Labels labels = halves(60);
  const Vector expected = Svc{}.fit(lazy(rbf(0.3), line(60)), labels).predict(line(60));
  for (const double scale : {1e-100, 1e-30, 1e30, 1e100}) {
    const Model m = Svc{}.fit(lazy(rbf(0.3 * scale), line(60, scale)), labels);
    EXPECT_TRUE(m.report().converged);
    EXPECT_EQ(m.predict(line(60, scale)), expected) << scale;
    const Model linear_one = Svc{.C = 10 / scale / scale}.fit(lazy(linear(), line(60, scale)), labels);
    EXPECT_TRUE(linear_one.report().converged) << scale;
    EXPECT_EQ(linear_one.predict(line(60, scale)), Svc{.C = 10}.fit(lazy(linear(), line(60)), labels).predict(line(60)))
        << scale;
  }
  // A length scale so short that every point is alone.
  const Model alone = Svc{}.fit(lazy(rbf(1e-200), line(60)), labels);
  EXPECT_EQ(alone.predict(line(60)), expected);
}

TEST(Extremes, NovelPointsAreAtMostNuOfAll) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Points x = rows(test::random_matrix(50, 2, seed));
    for (const double nu : {0.02, 0.1, 0.2, 0.37, 0.5, 0.9, 1.0}) {
      for (const char* kernel : {"rbf(ell=1)", "linear()", "rbf(ell=0.1)"}) {
        const Vector said = OneClass{.nu = nu}.fit(lazy(parse(kernel), x)).predict(x);
        EXPECT_LE(std::count(said.begin(), said.end(), -1), nu * 50 + 1e-9) << seed << " " << nu << " " << kernel;
      }
    }
  }
}

}  // namespace
}  // namespace mercer::extremes_test
