// Randomly pivoted Cholesky factors: what they leave, and the law of their pivots.
#include "solve/partial_cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::solve::partial_cholesky_test {
namespace {

// Twelve points on a line, and a kernel of variance 1.5.
Gram line() {
  Matrix x(12, 1);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = (static_cast<double>(i) + 0.3 * std::sin(static_cast<double>(i))) / 4;
  }
  return lazy(parse("1.5*matern(nu=1.5, ell=0.8)"), rows(std::move(x)));
}

Gram cloud(Index n) { return lazy(parse("rbf(ell=2)"), rows(test::random_matrix(n, 3, 5))); }

// B - F'F
Matrix left_by(const Equations& e, const PartialCholesky& factor) {
  Matrix out = assembled(e, {});
  const MatrixView F = factor.factor();
  if (F.rows() > 0) linalg::multiply_left_transposed(-1, F, F, 1, out);
  return out;
}

TEST(PartialCholesky, IsBelowTheMatrixAndNearIt) {
  Vector scale;
  for (Index i = 0; i < 200; ++i) scale.push_back(1 + 0.5 * std::sin(static_cast<double>(i)));
  std::vector<Index> points;
  for (Index i = 0; i < 200; ++i) points.push_back((7 * i) % 211);
  const Equations plain{.K = cloud(211)};
  const Equations scaled{.K = cloud(211), .points = points, .scale = scale, .unit = 3};
  for (const Equations& e : {plain, scaled}) {
    PartialCholesky factor(e, 60, 1);
    double before = factor.trace();
    for (const Index rank : {1, 7, 30, 60}) {
      factor.grow(rank, {});
      ASSERT_EQ(factor.rank(), rank);
      const Matrix R = left_by(e, factor);
      double trace = 0;
      for (Index i = 0; i < R.rows(); ++i) trace += R(i, i);
      EXPECT_NEAR(factor.rest(), trace, 1e-12 * factor.trace());
      EXPECT_LT(trace, before);
      before = trace;
      EXPECT_GE(linalg::eigenvalues(R).front(), -1e-12 * factor.trace());
      for (const Index pivot : factor.pivots()) {
        for (Index j = 0; j < R.cols(); ++j) EXPECT_NEAR(R(pivot, j), 0, 1e-10);  // a pivot's row is exact
      }
    }
    EXPECT_LT(before, 0.02 * factor.trace());
  }
}

// One step leaves K - k_i k_i' / k_ii with probability k_ii / tr K: on average tr K - |K|^2 / tr K (40-digit value).
TEST(PartialCholesky, OneStepLeavesWhatItShouldOnAverage) {
  const Equations e{.K = line()};
  double sum = 0, squares = 0;
  constexpr int kDraws = 4000;
  for (int seed = 0; seed < kDraws; ++seed) {
    PartialCholesky factor(e, 1, static_cast<std::uint64_t>(seed));
    factor.grow(1, {});
    sum += factor.rest();
    squares += factor.rest() * factor.rest();
  }
  const double mean = sum / kDraws, error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
  EXPECT_NEAR(mean, 11.8363124142814, 4 * error);
  EXPECT_LT(error, 0.02);
}

// Pairs of pivots, drawn two at a time and thinned out, come as often as drawn one after the other: P(i) P(j | i), in
// closed form for four points.
TEST(PartialCholesky, BatchesHaveTheLawOfSinglePivots) {
  Matrix x(4, 1);
  for (Index i = 0; i < 4; ++i) x(i, 0) = static_cast<double>(i * i) / 4;
  const Kernel k = parse("(1 + 0.2*linear())*rbf(ell=1)");
  const Equations e{.K = lazy(k, rows(x))};
  const Matrix K = gram(k, rows(x));
  std::map<std::pair<Index, Index>, double> expected, found;
  double trace = 0;
  for (Index i = 0; i < 4; ++i) trace += K(i, i);
  for (Index i = 0; i < 4; ++i) {
    Vector left;
    double rest = 0;
    for (Index j = 0; j < 4; ++j) {
      left.push_back(i == j ? 0 : K(j, j) - K(i, j) * K(i, j) / K(i, i));
      rest += left.back();
    }
    for (Index j = 0; j < 4; ++j) {
      if (i != j) expected[{i, j}] = K(i, i) / trace * left[static_cast<std::size_t>(j)] / rest;
    }
  }
  constexpr int kDraws = 8000;
  for (int seed = 0; seed < kDraws; ++seed) {
    PartialCholesky factor(e, 4, static_cast<std::uint64_t>(seed));  // two at a time
    factor.grow(2, {});
    found[{factor.pivots()[0], factor.pivots()[1]}] += 1.0 / kDraws;
  }
  for (const auto& [pair, chance] : expected) {
    EXPECT_NEAR(found[pair], chance, 4.5 * std::sqrt(chance / kDraws)) << pair.first << ' ' << pair.second;
  }
}

// k >= r / e + r log(tr K / (e tail)) pivots leave (1 + e) times the tail on average, tail = tr(K - [K]_r) of the best
// approximation of rank r (Chen, Epperly, Tropp & Webber, arXiv:2207.06503, theorem 5.1).
TEST(PartialCholesky, LeavesLittleMoreThanTheBestOfSmallerRank) {
  const Equations e{.K = cloud(200)};
  const Vector values = linalg::eigenvalues(assembled(e, {}));  // rising
  constexpr Index r = 4;
  constexpr double kE = 0.5;
  double trace = 0, tail = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    trace += values[i];
    if (i + r < values.size()) tail += values[i];
  }
  const auto pivots = static_cast<Index>(std::ceil(r / kE + r * std::log(trace / (kE * tail))));
  ASSERT_LT(pivots, 60);
  double sum = 0;
  constexpr int kSeeds = 200;
  for (int seed = 0; seed < kSeeds; ++seed) {
    PartialCholesky factor(e, pivots, static_cast<std::uint64_t>(seed));
    factor.grow(pivots, {});
    sum += factor.rest();
  }
  EXPECT_LE(sum / kSeeds, (1 + kE) * tail);
}

TEST(PartialCholesky, StopsWhereNothingIsLeft) {
  Matrix x(60, 2);
  for (Index i = 0; i < 60; ++i) {
    x(i, 0) = static_cast<double>(i % 5);
    x(i, 1) = static_cast<double>(i % 3);
  }
  for (const auto& [kernel, rank] : {std::pair{"linear()", 2}, std::pair{"rbf(ell=1)", 15}}) {
    const Equations e{.K = lazy(parse(kernel), rows(x))};
    PartialCholesky factor(e, 60, 3);
    factor.grow(60, {});
    EXPECT_EQ(factor.rank(), rank) << kernel;
    EXPECT_LE(factor.rest(), 1e-12 * factor.trace());
    const Matrix R = left_by(e, factor);
    for (Index i = 0; i < 60; ++i) {
      for (Index j = 0; j < 60; ++j) EXPECT_NEAR(R(i, j), 0, 1e-11);
    }
  }
}

TEST(PartialCholesky, TheSameWhateverTheThreads) {
  const Equations e{.K = cloud(1025)};
  PartialCholesky one(e, 90, 4), two(e, 90, 4);
  one.grow(90, {.threads = 1});
  two.grow(90, {.threads = 2});
  EXPECT_EQ(one.pivots(), two.pivots());
  test::expect_near(Matrix(one.factor()), Matrix(two.factor()), 0);
}

}  // namespace
}  // namespace mercer::solve::partial_cholesky_test
