// Normalised cuts on centres, against sums over all pairs of their explicit features.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/lapack.hpp"
#include "mercer/machines/spectral.hpp"
#include "mercer/plan.hpp"
#include "support.hpp"

namespace mercer::spectral_centres_test {
namespace {

using test::expect_error;

// Two rings, one within the other.
Matrix rings(Index n) {
  Matrix x(n, 2);
  const Matrix noise = test::random_matrix(n, 2, 5, -0.1, 0.1);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n), r = i % 2 == 0 ? 1 : 3;
    x(i, 0) = r * std::cos(angle) + noise(i, 0);
    x(i, 1) = r * std::sin(angle) + noise(i, 1);
  }
  return x;
}

// A = F F' without its diagonal, each point as often as it weighs.
Matrix affinity_of(const Centres& centres, const Points& x) {
  const Matrix F = centres.features(x);
  Matrix a(F.rows(), F.rows());
  linalg::multiply_transposed(1, F, F, 0, a);
  for (Index i = 0; i < a.rows(); ++i) a(i, i) = 0;
  return a;
}

double cut_of(const Matrix& a, const Vector& weights, const Matrix& of, Index clusters) {
  double cut = 0;
  for (Index c = 0; c < clusters; ++c) {
    double within = 0, degree = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      if (of(i, 0) != static_cast<double>(c)) continue;
      for (Index j = 0; j < a.cols(); ++j) {
        const double both = weights[static_cast<std::size_t>(i)] * weights[static_cast<std::size_t>(j)] * a(i, j);
        degree += both;
        if (of(j, 0) == static_cast<double>(c)) within += both;
      }
    }
    cut += 1 - within / degree;
  }
  return cut;
}

Model fitted(const Points& x, const Kernel& k, const Centres& centres, const Settings& more = {}, Vector weights = {},
             int threads = 0) {
  Settings settings = {{"clusters", "2"}};
  for (const auto& [name, value] : more) settings[name] = value;
  return fit("spectral", settings,
             {.K = lazy(k, x), .weights = std::move(weights), .how = {.threads = threads}, .centres = centres});
}

// At the borders of blocks, with weights 0 and 2: the cut and the eigenvalues are those of the explicit matrix.
TEST(SpectralCentres, TheCutIsThatOfAllPairsOfFeatures) {
  const Kernel k = parse("rbf(ell=0.5)");
  for (const Index n : {Index{60}, Index{1023}, Index{1024}, Index{1025}}) {
    const Points x = rows(rings(n));
    const Centres centres = choose_centres(k, x, {.count = 40});
    Vector weights(static_cast<std::size_t>(n), 1.0);
    for (Index i = 0; i < 20; ++i) weights[static_cast<std::size_t>(i)] = i < 10 ? 2 : 0;
    const Model model = fitted(x, k, centres, {}, weights);
    Matrix a = affinity_of(centres, x);
    // A place of weight 2 is one point: what its halves have in common is none of the cut's.
    EXPECT_NEAR(*model.report().figure("normalised_cut"), cut_of(a, weights, model.parts().fitted, 2), 1e-9) << n;
    EXPECT_EQ(model.report().figure("unseen"), std::nullopt);
    if (n > 60) continue;
    Vector degrees(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        degrees[static_cast<std::size_t>(i)] += weights[static_cast<std::size_t>(j)] * a(i, j);
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
        a(i, j) *= std::sqrt(weights[r] * weights[c] / (degrees[r] * degrees[c]));
      }
    }
    const linalg::Eigen eigen = linalg::eigen(a);
    const Report::Table* const table = model.report().table("eigenvalues");
    ASSERT_NE(table, nullptr);
    for (Index r = 0; r < table->rows.rows(); ++r) {
      EXPECT_NEAR(table->rows(r, 1), eigen.values[eigen.values.size() - 1 - static_cast<std::size_t>(r)], 1e-10);
    }
  }
}

// New points too: a weight of 2 counts twice in what they have in common with a cluster.
TEST(SpectralCentres, WithWeightsAllPointsAreTheMachineItself) {
  const Points x = rows(rings(60)), fresh = rows(test::random_matrix(40, 2, 8, -3, 3));
  const Kernel k = parse("rbf(ell=0.7)");
  Vector weights;
  for (Index i = 0; i < 60; ++i) weights.push_back(i % 2 == 0 ? 2 : i % 3 == 0 ? 0 : 1);
  const Model few = fitted(x, k, Centres(k, x), {}, weights);
  const Model exact = fit("spectral", {{"clusters", "2"}, {"neighbours", "0"}}, {.K = lazy(k, x), .weights = weights});
  test::expect_near(few.scores(fresh), exact.scores(fresh), 1e-6);
}

TEST(SpectralCentres, DivideRings) {
  const Points x = rows(rings(600));
  const Kernel k = parse("rbf(ell=0.4)");
  const Model model = fitted(x, k, choose_centres(k, x, {.count = 80}));
  const Matrix& of = model.parts().fitted;
  for (Index i = 0; i < of.rows(); ++i) EXPECT_EQ(of(i, 0), of(i % 2, 0)) << i;
  EXPECT_NE(of(0, 0), of(1, 0));
  // A new point goes where its ring is, from the centres alone.
  EXPECT_EQ(model.expansion().size(), 80);
  const Matrix scores = model.scores(rows(rings(50)));
  for (Index i = 0; i < 50; ++i) EXPECT_EQ(scores(i, 0) < scores(i, 1), of(i % 2, 0) == 0) << i;
}

TEST(SpectralCentres, ThreadsChangeNoBit) {
  const Points x = rows(rings(700));
  const Kernel k = parse("rbf(ell=0.4)");
  const Centres centres = choose_centres(k, x, {.count = 50});
  const Matrix one = fitted(x, k, centres, {}, {}, 1).scores(x), three = fitted(x, k, centres, {}, {}, 3).scores(x);
  EXPECT_TRUE(std::equal(one.data(), one.data() + one.rows() * one.cols(), three.data()));
}

// Points far from all centres: they divide nothing, and the report says so.
TEST(SpectralCentres, PointsThatTheyDoNotSeeTakeNoPart) {
  const Kernel k = parse("rbf(ell=0.4)");
  const Matrix near = rings(200);
  Matrix all(205, 2);
  std::copy_n(near.data(), 400, all.data());
  for (Index i = 200; i < 205; ++i) {
    all(i, 0) = 1e3 * static_cast<double>(i);
    all(i, 1) = -5;
  }
  const Centres centres = choose_centres(k, rows(near), {.count = 60});
  const Model with = fitted(rows(all), k, centres), without = fitted(rows(near), k, centres);
  EXPECT_EQ(with.report().figure("unseen"), 5);
  const double cut = without.report().figure("normalised_cut").value();
  EXPECT_NEAR(with.report().figure("normalised_cut").value(), cut, 1e-9 * cut);  // sums of more rows round otherwise
  ASSERT_FALSE(with.report().notes.empty());
  EXPECT_TRUE(std::ranges::any_of(with.report().notes, [](const std::string& note) {
    return note.find("find nothing in 5 of 205 points") != std::string::npos;
  }));
  for (Index i = 0; i < 200; ++i) EXPECT_EQ(with.parts().fitted(i, 0), without.parts().fitted(i, 0));
  const Report::Table* const table = with.report().table("clusters");
  EXPECT_EQ(table->rows(0, 1) + table->rows(1, 1), 200);
  // All of them.
  expect_error(
      [&] {
        fitted(rows(Matrix(all.view().block({200, 205}, {0, 2}))), k, centres);
      },
      "UsageError", {"60 centres have nothing in common with the points"});
}

// A point that is its own centre and like no other is seen, as it is without centres.
TEST(SpectralCentres, ALonelyCentreIsACluster) {
  const Kernel k = parse("rbf(ell=0.4)");
  Matrix x = rings(61);
  x(60, 0) = 1e3;
  const Centres all(k, rows(x));
  const Model few = fitted(rows(x), k, all, {{"clusters", "3"}});
  const Model exact = fit("spectral", {{"clusters", "3"}, {"neighbours", "0"}}, {.K = lazy(k, rows(x))});
  EXPECT_EQ(few.report().figure("unseen"), std::nullopt);
  for (Index i = 0; i < 61; ++i) EXPECT_EQ(few.parts().fitted(i, 0), exact.parts().fitted(i, 0));
}

TEST(SpectralCentres, WhatCannotBeCutIsRefusedInOneLine) {
  const Matrix x = rings(60);
  const Kernel k = parse("rbf(ell=0.5)");
  const Centres centres(k, rows(x));
  expect_error(
      [&] {
        fitted(rows(x), k, centres, {{"neighbours", "5"}});
      },
      "UsageError", {"5 neighbours", "leave neighbours out, or the centres"});
  // Of a kernel with negative values all of which its centres know.
  const Kernel negative = parse("linear()");
  const Centres of_linear(negative, rows(x));
  expect_error([&] { fitted(rows(x), negative, of_linear); }, "UsageError", {"a cut needs numbers above 0"});
  const Matrix same(10, 2, 1.0);
  expect_error([&] { fitted(rows(same), k, Centres(k, rows(same))); }, "UsageError",
               {"tell any two of the points apart"});
}

// No matrix of all pairs, in the plan as in the work.
TEST(SpectralCentres, ThePlanHoldsFeatures) {
  Extent extent = extent_of(parse("rbf(ell=1)"), rows(Matrix(1, 3)));
  extent.points = extent.weighted = 1000000;
  extent.memory = std::size_t{8} << 30U;
  const Plan plan = plan_for(machine("spectral"), {}, extent, {.centres = 300});
  EXPECT_EQ(plan.form, Form::centres);
  EXPECT_LT(plan.bytes, 8.0 * 1e6 * (300 + 400));
  expect_error(
      [&] {
        plan_for(machine("spectral"), {{"neighbours", "7"}}, extent, {.centres = 300});
      },
      "UsageError", {"7 neighbours"});
}

}  // namespace
}  // namespace mercer::spectral_centres_test
