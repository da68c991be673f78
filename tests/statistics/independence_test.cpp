// The test of independence, and alignment.
#include "mercer/statistics/independence.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/alignment.hpp"
#include "support.hpp"

namespace mercer::independence_test {
namespace {

using test::expect_error;

const Points kX = rows(Matrix{{-1}, {0}, {0.5}, {2}}), kZ = rows(Matrix{{1}, {-1}, {0.3}, {2.5}});

struct Pairs {
  Points x, y;
};
// y depends on x by its size alone: no correlation.
Pairs pairs(Index n, std::uint64_t seed, double dependence) {
  Random random(seed);
  Matrix x(n, 1), y(n, 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = random.normal();
    y(i, 0) = dependence * x(i, 0) * x(i, 0) + random.normal();
  }
  return {rows(std::move(x)), rows(std::move(y))};
}

TEST(Independence, GoldenValues) {
  for (const auto& make :
       {+[](const Points& x) { return exact(rbf(1), x); }, +[](const Points& x) { return lazy(rbf(1), x); }}) {
    EXPECT_NEAR(hsic(make(kX), make(kZ), Estimate::biased), 0.083667114509549, 1e-14);
    EXPECT_NEAR(hsic(make(kX), make(kZ), Estimate::unbiased), -0.024782266898073, 1e-14);
  }
}

TEST(Independence, TheTestReportsTheStatistic) {
  const Pairs data = pairs(70, 1, 1);
  const Gram K = lazy(rbf(1), data.x), L = exact(rbf(2), data.y);
  for (const Estimate estimate : {Estimate::biased, Estimate::unbiased}) {
    const IndependenceTest test{.resampling = {.resamples = 99}, .estimate = estimate};
    EXPECT_NEAR(test.run(K, L).statistic, hsic(K, L, estimate), 1e-14);
    EXPECT_NEAR(test.run(L, K).statistic, hsic(K, L, estimate), 1e-14);
  }
}

// With four points the 24 ways to pair them can be gone through.
TEST(Independence, ResamplesPairThePointsAnew) {
  const Gram K = exact(rbf(1), kX), L = exact(rbf(1), kZ);
  const double own = hsic(K, L);
  std::vector<Index> order = {0, 1, 2, 3};
  int reached = 0;
  do {
    reached += hsic(K, select(L, order)) >= own - 1e-12;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR((IndependenceTest{.resampling = {.resamples = 20000}}.run(K, L).p), reached / 24.0, 0.015);
}

double share_rejected(int seeds, Index n, double dependence, bool several) {
  int rejected = 0;
  for (int s = 1; s <= seeds; ++s) {
    const Pairs data = pairs(n, 500 + static_cast<std::uint64_t>(s), dependence);
    std::vector<Gram> K, L;
    for (const double ell : {0.3, 1.0, 3.0}) {
      if (several || ell == 1.0) K.push_back(exact(rbf(ell), data.x)), L.push_back(exact(rbf(ell), data.y));
    }
    const IndependenceTest test{.resampling = {.resamples = 99, .seed = static_cast<std::uint64_t>(s)}};
    rejected += test.run(K, L, {.threads = 1}).rejected();
  }
  return static_cast<double>(rejected) / seeds;
}

TEST(Independence, TheLevelHolds) {
  const double errors = 3 * std::sqrt(0.05 * 0.95 / 500);
  EXPECT_LE(share_rejected(500, 20, 0, false), 0.05 + errors);
  EXPECT_LE(share_rejected(500, 20, 0, true), 0.05 + errors);
}

TEST(Independence, DependenceWithoutCorrelationIsFound) {
  EXPECT_GE(share_rejected(20, 80, 1, false), 0.95);
  EXPECT_GE(share_rejected(20, 80, 1, true), 0.95);
}

TEST(Independence, NeitherOrderNorThreadsMatter) {
  const Pairs data = pairs(90, 3, 0.3);
  std::vector<Index> turned(90);
  for (Index i = 0; i < 90; ++i) turned[static_cast<std::size_t>(i)] = 89 - i;
  const IndependenceTest test{.resampling = {.resamples = 199}};
  const TestResult got = test.run(exact(rbf(1), data.x), exact(rbf(1), data.y), {.threads = 1});
  const TestResult other = test.run(exact(rbf(1), data.x.select(turned)), exact(rbf(1), data.y.select(turned)));
  EXPECT_EQ(other.p, got.p);
  EXPECT_NEAR(other.statistic, got.statistic, 1e-15);
  const TestResult threads = test.run(exact(rbf(1), data.x), exact(rbf(1), data.y), {.threads = 3});
  EXPECT_EQ(threads.p, got.p);
  EXPECT_EQ(threads.statistic, got.statistic);
}

TEST(Independence, AnyKernelOnEachSide) {
  std::vector<std::string> words;
  Matrix x(40, 1);
  Random random(1);
  for (Index i = 0; i < 40; ++i) {
    words.push_back(random.uniform() < 0.5 ? "even" : "odd");
    x(i, 0) = random.normal() + (words.back() == "odd" ? 2 : 0);
  }
  const TestResult got = IndependenceTest{}.run(exact(rbf(1), rows(x)), exact(equal(), strings(words)));
  EXPECT_LT(got.p, 0.01);
  EXPECT_EQ(got.parts[0].kernel, "rbf(ell=1) and equal()");
}

TEST(Independence, EachPairOfKernelsHasItsPart) {
  const Pairs data = pairs(60, 3, 1);
  const std::vector<Gram> K = {exact(rbf(1), data.x), exact(laplace(2), data.x)},
                          L = {exact(rbf(2), data.y), exact(laplace(1), data.y), exact(linear(), data.y)};
  const TestResult got = IndependenceTest{}.run(K, L);
  ASSERT_EQ(got.parts.size(), 6);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t l = 0; l < 3; ++l) {
      const auto& part = got.parts[3 * k + l];
      EXPECT_EQ(part.kernel, K[k].kernel()->str() + " and " + L[l].kernel()->str());
      EXPECT_NEAR(part.statistic, IndependenceTest{}.run(K[k], L[l]).statistic, 1e-14);
    }
  }
}

TEST(Independence, BadInput) {
  const IndependenceTest test;
  const Gram three = exact(rbf(1), rows(Matrix{{1}, {2}, {3}})), four = exact(rbf(1), kX);
  expect_error([&] { test.run(three, three); }, "DataError", {"3 points; it needs 4"});
  expect_error([&] { test.run(three, four); }, "ShapeError", {"3 points on one side and 4"});
  expect_error([&] { IndependenceTest{.resampling = {.resamples = 5}}.run(four, four); }, "UsageError",
               {"at least 19"});
  EXPECT_EQ(test.run(four, exact(rbf(1), rows(Matrix(4, 1, 1.0)))).p, 1);  // a constant depends on nothing
}

TEST(Alignment, IsTheCosineOfCentredMatrices) {
  const Points x = rows(test::random_matrix(150, 3, 1)), y = rows(test::random_matrix(150, 1, 2));
  const std::vector<Gram> all = {exact(rbf(1), x), lazy(poly(2), x), lazy(linear(), y)};
  const Matrix got = alignments(all);
  const auto product = [&](const Gram& a, const Gram& b) { return hsic(a, b, Estimate::biased); };
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < 3; ++b) {
      const Gram &K = all[static_cast<std::size_t>(a)], &L = all[static_cast<std::size_t>(b)];
      EXPECT_NEAR(got(a, b), product(K, L) / std::sqrt(product(K, K) * product(L, L)), 1e-12);
    }
  }
  EXPECT_EQ(alignment(all[0], all[2]), got(0, 2));
  EXPECT_EQ(alignments(all, {.threads = 1}), alignments(all, {.threads = 3}));
}

// By hand: x = (-1, 0, 1), K = xx' is centred already; with itself 1, with labels a, b, b by the matrices.
TEST(Alignment, ByHand) {
  const Gram K = exact(linear(), rows(Matrix{{-1}, {0}, {1}}));
  EXPECT_NEAR(alignment(K, exact(2.0 * linear() + 5.0, rows(Matrix{{1}, {2}, {3}}))), 1, 1e-15);
  // H L H of labels is 4/3 vv' with v = (2, -1, -1)/... : <x, v>^2 / (|x|^2 |v|^2) = 9 / (2 * 6)
  EXPECT_NEAR(alignment(K, exact(equal(), strings({"a", "b", "b"}))), 0.75, 1e-14);
}

TEST(Alignment, BadInput) {
  const Gram K = exact(linear(), rows(Matrix{{-1}, {0}, {1}}));
  expect_error([&] { alignment(K, exact(constant(2), kX)); }, "ShapeError", {"3 and 4"});
  expect_error([&] { alignment(K, exact(constant(2), rows(Matrix(3, 1)))); }, "DataError", {"const(c=2)", "the same"});
}

}  // namespace
}  // namespace mercer::independence_test
