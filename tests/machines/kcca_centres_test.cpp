// Canonical correlation on centres and in few features, against matrices of all pairs of the same features.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/kcca.hpp"
#include "mercer/plan.hpp"
#include "support.hpp"

namespace mercer::kcca_centres_test {
namespace {

using test::expect_error;

constexpr Index kPoints = 90;

// Two views with something in common that is not linear.
struct Data {
  Matrix a = test::random_matrix(kPoints, 3, 1), b = test::random_matrix(kPoints, 2, 2);
  Vector weights = Vector(kPoints, 1.0);
  Data() {
    for (Index i = 0; i < kPoints; ++i) b(i, 0) += 2 * std::sin(3 * a(i, 0));
    for (std::size_t i = 0; i < 20; ++i) weights[i] = i < 10 ? 2 : 0;
  }
};

Gram all_pairs(const Matrix& F) {
  Matrix K(F.rows(), F.rows());
  linalg::multiply_transposed(1, F, F, 0, K);
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) K(i, j) = K(j, i);
  }
  return precomputed(std::move(K));
}

void expect_same_table(const Model& one, const Model& other) {
  const Report::Table *a = one.report().table("components"), *b = other.report().table("components");
  ASSERT_EQ(a->rows.rows(), b->rows.rows());
  for (Index r = 0; r < a->rows.rows(); ++r) {
    for (Index c = 0; c < a->rows.cols(); ++c) EXPECT_NEAR(a->rows(r, c), b->rows(r, c), 1e-8) << r << " " << c;
  }
}

TEST(Kcca, OnCentresIsThatOfAllPairsOfTheirFeatures) {
  const Data data;
  const Kernel k = rbf(0.8);
  const Points x = rows(data.a), y = rows(data.b);
  const Centres centres = choose_centres(k, x, {.count = 30});
  const Matrix F = centres.features(x);
  const KernelCca config{.components = 2, .ridge = 0.02, .permutations = 20};
  for (const bool weighted : {false, true}) {
    KernelCca one = config;
    if (weighted) one.permutations = 0;  // wants equal weights
    const Vector weights = weighted ? data.weights : Vector();
    const KernelCca::Views few =
        one.fit_both({.K = lazy(k, x), .weights = weights, .centres = centres}, lazy(linear(), y));
    const KernelCca::Views all = one.fit_both({.K = all_pairs(F), .weights = weights}, all_pairs(data.b));
    expect_same_table(few.x, all.x);
    EXPECT_EQ(few.x.report().figure("rank_x"), 30);
    EXPECT_EQ(few.x.expansion().size(), 30);
    test::expect_near(few.x.scores(x), all.x.scores_from_rows(Matrix(all_pairs(F).dense())), 1e-7);
    test::expect_near(few.y.scores(y), all.y.scores_from_rows(Matrix(all_pairs(data.b).dense())), 1e-7);
  }
}

// A kernel of the targets that has no few features: centres stand for these too, and all of them are the machine
// itself.
TEST(Kcca, CentresStandForTargetsAsWell) {
  const Data data;
  const Kernel k = rbf(0.8), l = rbf(0.7);
  const Points x = rows(data.a), y = rows(data.b);
  const KernelCca config{.components = 2, .ridge = 0.05};
  const KernelCca::Views exact = config.fit_both({.K = lazy(k, x), .weights = data.weights}, lazy(l, y));
  const KernelCca::Views all =
      config.fit_both({.K = lazy(k, x), .weights = data.weights, .centres = Centres(k, x)}, lazy(l, y));
  expect_same_table(all.x, exact.x);
  test::expect_near(all.x.scores(x), exact.x.scores(x), 1e-6);
  test::expect_near(all.y.scores(y), exact.y.scores(y), 1e-6);
  EXPECT_EQ(all.x.report().figure("centres_of_targets"), 80) << "those of no weight are none";
  const KernelCca::Views few =
      config.fit_both({.K = lazy(k, x), .centres = choose_centres(k, x, {.count = 12})}, lazy(l, y));
  EXPECT_EQ(few.y.expansion().size(), 12);
  EXPECT_LE(few.x.report().table("components")->rows(0, 1), exact.x.report().table("components")->rows(0, 1) + 0.2);
  ASSERT_FALSE(few.x.report().notes.empty());
  EXPECT_NE(few.x.report().notes.front().find("functions of the targets are made of 12 centres"), std::string::npos);
}

// Where both views have few features, nothing is n x n, and nothing is approximated.
TEST(Kcca, FewFeaturesAreThatOfAllPairs) {
  const Data data;
  const KernelCca config{.components = 2, .ridge = 0.01};
  for (const double offset : {0.0, 1e6}) {
    Matrix a = data.a;
    for (Index i = 0; i < kPoints; ++i) a(i, 1) += offset;
    const Training training{.K = lazy(linear(), rows(a)), .weights = data.weights};
    const KernelCca::Views few = config.fit_both(training, lazy(linear(), rows(data.b)));
    const KernelCca::Views all = config.fit_both({.K = all_pairs(data.a), .weights = data.weights}, all_pairs(data.b));
    expect_same_table(few.x, all.x);
    test::expect_near(few.x.scores(rows(a)), all.x.scores_from_rows(Matrix(all_pairs(data.a).dense())), 1e-6);
  }
}

TEST(Kcca, OnCentresIsPlannedWithoutAllPairs) {
  Extent extent = extent_of(parse("rbf(ell=1)"), rows(Matrix(1, 3)));
  extent.points = extent.weighted = 200000;
  extent.memory = std::size_t{4} << 30U;
  expect_error([&] { plan_for(machine("kcca"), {}, extent); }, "UsageError", {"kcca", "200000 points need"});
  const Plan asked = plan_for(machine("kcca"), {}, extent, {.centres = 500});
  EXPECT_LT(asked.bytes, 8.0 * 2e5 * 1100 + 2e8);
  const Plan instead = plan_for(machine("kcca"), {}, extent, {.approximate = true});
  EXPECT_GT(instead.centres, 0);
  // The targets' own centres are counted too.
  EXPECT_GT(plan_for(machine("kcca"), {{"target_kernel", "rbf(ell=1)"}}, extent, {.centres = 500}).bytes,
            asked.bytes + 8.0 * 2e5 * 400);
  extent.features = 20;
  EXPECT_EQ(plan_for(machine("kcca"), {}, extent).form, Form::factor);
}

TEST(Kcca, CentresBesideNumbersAreRefused) {
  const Data data;
  const Kernel k = rbf(0.8);
  const Points x = rows(data.a);
  expect_error([&] { KernelCca{}.fit_both({.K = lazy(k, x), .centres = Centres(k, x)}, all_pairs(data.b)); },
               "UsageError", {"view of y is a matrix of numbers"});
}

TEST(Kcca, ThreadsChangeNoBitOnCentres) {
  const Data data;
  const Kernel k = rbf(0.8);
  const Points x = rows(data.a);
  const auto scores = [&](int threads) {
    return KernelCca{}
        .fit_both({.K = lazy(k, x), .how = {.threads = threads}, .centres = Centres(k, x)}, lazy(rbf(1), rows(data.b)))
        .x.scores(x);
  };
  const Matrix one = scores(1), three = scores(3);
  EXPECT_TRUE(std::equal(one.data(), one.data() + one.rows() * one.cols(), three.data()));
}

}  // namespace
}  // namespace mercer::kcca_centres_test
