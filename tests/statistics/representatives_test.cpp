// A few points that stand for all.
#include "mercer/statistics/representatives.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/random.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/two_sample.hpp"
#include "statistics/resampling.hpp"
#include "support.hpp"

namespace mercer::representatives_test {
namespace {

using test::expect_error;

Points normal(Index n, Index d, std::uint64_t seed) {
  Random random(seed);
  Matrix out(n, d);
  for (Index i = 0; i < n * d; ++i) out.data()[i] = random.normal();
  return rows(std::move(out));
}

std::set<Index> as_set(const std::vector<Index>& list) { return {list.begin(), list.end()}; }

TEST(Representatives, TheDistanceIsThatOfTheMeans) {
  const Points x = normal(20, 2, 1);
  const std::vector<Index> few = {3, 4, 11};
  const double squared = mmd2(rbf(1), x.select(few), x, Estimate::biased);
  EXPECT_NEAR(distance_to_all(lazy(rbf(1), x), few), std::sqrt(squared), 1e-12);
}

// 0 is like all; of the rest the next must be away from it.
TEST(Representatives, HerdingByHand) {
  const Matrix x{{0}, {0.1}, {-0.1}, {3}, {3.1}};
  const Gram K = exact(rbf(1), rows(x.view()));
  const std::vector<Index> got = Herding{.count = 3}.choose(K);
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[1], 3);
  EXPECT_EQ(as_set(Herding{.count = 5}.choose(K)).size(), 5u);
}

TEST(Representatives, BetterThanRandomHalvesForEverySeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Points x = normal(200, 2, seed);
    const Gram K = exact(rbf(1), x);
    std::vector<Index> random_half(200);
    std::iota(random_half.begin(), random_half.end(), Index{0});
    Random random(seed);
    detail::shuffle(random_half, random);
    random_half.resize(100);
    const double by_chance = distance_to_all(K, random_half);
    EXPECT_LT(distance_to_all(K, Thinning{.count = 100, .seed = seed}.choose(K)), by_chance);
    EXPECT_LT(distance_to_all(K, Herding{.count = 100}.choose(K)), by_chance);
  }
}

// With 16 of 1024 points, thinning leaves less than a third of what chance does.
TEST(Representatives, ThinningIsFarBetterThanChance) {
  const Points x = normal(1024, 2, 1);
  const Gram K = lazy(rbf(1), x);
  std::vector<Index> first(16);
  std::iota(first.begin(), first.end(), Index{0});
  EXPECT_LT(distance_to_all(K, Thinning{.count = 16}.choose(K)), distance_to_all(K, first) / 3);
}

TEST(Representatives, AnyCountOfDistinctPoints) {
  const Points x = normal(70, 1, 1);
  const Gram K = lazy(rbf(1), x);
  for (const Index count : {1, 2, 3, 17, 36, 69, 70}) {
    EXPECT_EQ(as_set(Thinning{.count = count}.choose(K)).size(), static_cast<std::size_t>(count));
    EXPECT_EQ(as_set(Herding{.count = count}.choose(K)).size(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(as_set(Thinning{.count = 4}.choose(exact(rbf(1), rows(Matrix(9, 1, 1.0))))).size(), 4u);  // equal points
}

TEST(Representatives, NeitherOrderNorThreadsMatter) {
  const Points x = normal(90, 2, 1);
  std::vector<Index> turned(90);
  for (Index i = 0; i < 90; ++i) turned[static_cast<std::size_t>(i)] = 89 - i;
  for (const bool thinning : {true, false}) {
    const auto choose = [&](const Points& points, int threads) {
      const Gram K = lazy(rbf(1), points);
      return thinning ? Thinning{.count = 20}.choose(K, {.threads = threads})
                      : Herding{.count = 20}.choose(K, {.threads = threads});
    };
    const std::vector<Index> got = choose(x, 1);
    EXPECT_EQ(choose(x, 3), got);
    std::vector<Index> back = choose(x.select(turned), 1);
    for (Index& i : back) i = 89 - i;
    EXPECT_EQ(back, got);
  }
  EXPECT_NE((Thinning{.count = 20, .seed = 2}.choose(lazy(rbf(1), x))), Thinning{.count = 20}.choose(lazy(rbf(1), x)));
}

TEST(Representatives, OfStrings) {
  const Points x = strings({"aaaa", "aaab", "zzzz", "zzzy", "aaaa", "zzzz"});
  const std::vector<Index> got = Herding{.count = 2}.choose(exact(parse("normalize(spectrum(k=2))"), x));
  EXPECT_NE(got[0] % 6 < 2 || got[0] == 4, got[1] % 6 < 2 || got[1] == 4);
}

TEST(Representatives, BadInput) {
  const Gram K = exact(rbf(1), normal(4, 1, 1));
  expect_error([&] { Herding{.count = 5}.choose(K); }, "UsageError", {"5 of 4 points"});
  expect_error([&] { Thinning{.count = 0}.choose(K); }, "UsageError", {"0 of 4"});
  expect_error([&] { (Thinning{.count = 1, .delta = 2}.choose(K)); }, "UsageError", {"delta"});
}

// All but one: each chosen point in turn is looked at beside the one that is left out, so that in the end the best of
// all is, also where it had been exchanged before.
TEST(Representatives, AllButOneLeaveOutTheBestOfAll) {
  const Index n = 9;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Gram K = exact(rbf(1), normal(n, 1, seed));
    double least = std::numeric_limits<double>::infinity();
    for (Index out = 0; out < n; ++out) {
      std::vector<Index> rest;
      for (Index i = 0; i < n; ++i) {
        if (i != out) rest.push_back(i);
      }
      least = std::min(least, distance_to_all(K, rest));
    }
    EXPECT_NEAR(distance_to_all(K, Thinning{.count = n - 1, .seed = seed}.choose(K)), least, 1e-9) << seed;
  }
}

}  // namespace
}  // namespace mercer::representatives_test
