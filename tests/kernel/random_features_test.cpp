// Random features: their expectation over seeds is the kernel, and what they promise besides.
#include "kernel/random_features.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernel/features.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/linear_svm.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::random_features_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

Kernel drawn(const std::string& k, int count, int seed) {
  return parse("random_features(" + k + ", count=" + std::to_string(count) + ", seed=" + std::to_string(seed) + ")");
}

struct Moments {
  double mean, variance;
};
Moments over_seeds(const std::string& k, int count, int seeds, const Points& x, const Points& y) {
  double sum = 0, squares = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const double value = cross(drawn(k, count, seed), x, y)(0, 0);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / seeds;
  return {mean, (squares - seeds * mean * mean) / (seeds - 1)};
}

const std::vector<std::string> kPremises = {
    "rbf(ell=1.3)",          "matern(nu=0.5, ell=1.1)", "matern(nu=1.5, ell=0.9)",
    "matern(nu=2.2, ell=1)", "exponential(ell=2)",      "laplace(ell=3)",
    "rbf(ell=[1, 2, 0.7])",  "laplace(ell=[2, 5, 3])",  "matern(nu=0.3, ell=2)"};

TEST(RandomFeatures, ExpectationIsTheKernel) {
  constexpr int kSeeds = 400;
  const Points x = rows(Matrix(MatrixView(Vector{0.3, -0.2, 0.9}.data(), 1, 3)));
  for (const std::string& text : kPremises) {
    for (const Vector& other : {Vector{0.5, 0.1, 0.4}, Vector{-0.8, 0.6, 1.9}}) {
      SCOPED_TRACE(text);
      const Points y = rows(Matrix(MatrixView(other.data(), 1, 3)));
      const Moments found = over_seeds(text, 14, kSeeds, x, y);
      EXPECT_NEAR(found.mean, cross(parse(text), x, y)(0, 0), 4 * std::sqrt(found.variance / kSeeds));
    }
  }
}

// To the bit: equal points are at distance 0, and a point is predicted as it was fitted.
TEST(RandomFeatures, DoNotDependOnWhereARowStands) {
  for (const Index d : {1, 7, 30, 300}) {
    const Kernel k = drawn("rbf(ell=1)", 100, 1);
    for (const Index n : {9, 47, 48, 49, 65}) {
      const Matrix x = random_matrix(n, d, 3, 0.1, 3);
      const Matrix together = detail::random_features(k.node(), rows(x));
      for (Index i = 0; i < n; ++i) {
        const Matrix alone = detail::random_features(k.node(), rows(x).slice({i, i + 1}));
        for (Index f = 0; f < 100; ++f) ASSERT_EQ(together(i, f), alone(0, f)) << d << " " << n << " " << i << " " << f;
      }
    }
  }
}

// A length scale that is off by a per cent would show: at r = ell the kernel changes by a per cent of exp(-1/2).
TEST(RandomFeatures, BandwidthToAPerCent) {
  for (const char* const name : {"rbf(ell=2)", "matern(nu=1.5, ell=2)", "laplace(ell=2)"}) {
    Matrix x(2, 2);
    x(1, 0) = 1.6;
    x(1, 1) = 1.2;
    const Matrix K = gram(drawn(name, 200000, 7), rows(x.view()));
    EXPECT_NEAR(K(0, 1), gram(parse(name), rows(x.view()))(0, 1), 0.006) << name;
    EXPECT_NEAR(K(0, 0), 1, 1e-11);
  }
}

// Independent draws of D/2 frequencies have the variance (E cos^2 - k^2) / (D/2); orthogonal ones no more.
TEST(RandomFeatures, OrthogonalBlocksVaryNoMore) {
  constexpr int kSeeds = 600, kColumns = 8;
  Matrix x(1, kColumns), y(1, kColumns);
  for (Index k = 0; k < kColumns; ++k) y(0, k) = k % 2 == 0 ? 0.4 : -0.3;
  const Moments found = over_seeds("rbf(ell=1)", 2 * kColumns, kSeeds, rows(x.view()), rows(y.view()));
  const double r2 = 4 * 0.16 + 4 * 0.09, k = std::exp(-r2 / 2), square = (1 + std::exp(-2 * r2)) / 2;
  EXPECT_LT(found.variance, 0.7 * (square - k * k) / kColumns);
}

// Rows of a block are orthogonal, of lengths that Gaussian vectors have.
TEST(RandomFeatures, FrequenciesComeInOrthogonalBlocks) {
  const auto W = detail::random_frequencies(drawn("rbf(ell=1)", 24, 9).node(), 5);
  ASSERT_EQ(W->rows(), 12);
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < i; ++j) {
      double dot = 0, own = 0;
      for (Index k = 0; k < 5; ++k) {
        dot += (*W)(i, k) * (*W)(j, k);
        own += std::abs((*W)(i, k) * (*W)(j, k));
      }
      EXPECT_EQ(std::abs(dot) < 1e-13 * own + 1e-13, i / 5 == j / 5) << i << ", " << j;
    }
  }
}

// More features begin with those of fewer, and text and seed are all there is to them.
TEST(RandomFeatures, AreWhatTheTextSays) {
  const auto some = detail::random_frequencies(drawn("matern(nu=2.5, ell=1)", 10, 4).node(), 3);
  const auto more = detail::random_frequencies(drawn("matern(nu=2.5, ell=7)", 40, 4).node(), 3);
  for (Index i = 0; i < some->rows(); ++i) {
    for (Index k = 0; k < 3; ++k) EXPECT_EQ((*some)(i, k), (*more)(i, k));
  }
  EXPECT_NE((*some)(0, 0), (*detail::random_frequencies(drawn("matern(nu=2.5, ell=1)", 10, 5).node(), 3))(0, 0));
  const Kernel k = parse("random_features(rbf(ell=2))");
  EXPECT_EQ(k.str(), "random_features(rbf(ell=2), count=1000, seed=1)");
  EXPECT_EQ(parse(k.str()), k);
  EXPECT_EQ(mercer::random_features(rbf(2)), k);
}

TEST(RandomFeatures, AreExplicit) {
  const Matrix x = random_matrix(30, 4, 8);
  const Kernel k = parse("2*random_features(laplace(ell=3), count=6, seed=2) + 1");
  const auto F = detail::features(k, rows(x.view()), 100);
  ASSERT_TRUE(F);
  ASSERT_EQ(F->cols(), 7);
  Matrix product(30, 30);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) {
      for (Index c = 0; c < 7; ++c) product(i, j) += (*F)(i, c) * (*F)(j, c);
    }
  }
  expect_near(product, gram(k, rows(x.view())), 1e-14);
}

// A model of many points answers from w alone, as its file does.
TEST(RandomFeatures, PredictFromFeatures) {
  const Matrix x = random_matrix(200, 2, 9), fresh = random_matrix(7, 2, 10), y = random_matrix(200, 1, 11);
  const Kernel k = drawn("rbf(ell=1)", 40, 6);
  const Model m = KernelRidge{.ridge = 0.1}.fit({.K = lazy(k, rows(x.view())), .y = y});
  const Matrix direct = multiply(k, rows(fresh.view()), *m.expansion().parts().centres, m.expansion().parts().alpha);
  expect_near(m.expansion()(rows(fresh.view())), direct, 1e-10);
  const Matrix one = m.expansion()(rows(Matrix(fresh.view().block({3, 4}, {0, 2}))));
  EXPECT_NEAR(one(0, 0), m.expansion()(rows(fresh.view()))(3, 0), 1e-13);
}

TEST(RandomFeatures, RefuseWhatTheyCannotDraw) {
  expect_error([] { parse("random_features(linear())"); }, "KernelError", {"rbf, matern, exponential or laplace"});
  expect_error([] { parse("random_features(2*rbf(ell=1))"); }, "KernelError", {"written around it"});
  expect_error([] { parse("random_features(rbf(ell=1), count=7)"); }, "KernelError", {"count = 7 is odd"});
  expect_error([] { parse("random_features(rbf(ell=1), count=10, seed=-1)"); }, "KernelError", {"seed"});
  Matrix x(2, 1);
  x(1, 0) = 1e150;
  expect_error([&] { gram(drawn("rbf(ell=1e-200)", 4, 1), rows(x.view())); }, "NumericError", {"row 2", "larger ell"});
}

}  // namespace
}  // namespace mercer::random_features_test
