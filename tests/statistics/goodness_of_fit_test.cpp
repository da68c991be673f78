// The kernel Stein discrepancy.
#include "mercer/statistics/goodness_of_fit.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::goodness_of_fit_test {
namespace {

using test::expect_error;

const Points kX = rows(Matrix{{-1}, {0}, {0.5}, {2}});

Vector standard_score(VectorView x) {
  Vector out(x.begin(), x.end());
  for (double& v : out) v = -v;
  return out;
}

Matrix normal(Index n, Index d, std::uint64_t seed, double shift = 0) {
  Random random(seed);
  Matrix out(n, d);
  for (Index i = 0; i < n * d; ++i) out.data()[i] = shift + random.normal();
  return out;
}

TEST(GoodnessOfFit, GoldenValues) {
  const Gram u = stein(rq(1, 0.5), kX, standard_score);
  EXPECT_NEAR(ksd2(u, Estimate::biased), 0.236235370053267, 1e-14);
  EXPECT_NEAR(ksd2(u, Estimate::unbiased), -0.455852839928977, 1e-14);
}

// u by differences of the kernel's own values.
TEST(GoodnessOfFit, SteinsKernelIsMadeOfDerivatives) {
  const Matrix x = test::random_matrix(5, 3, 1), s = test::random_matrix(5, 3, 2);
  for (const char* text : {"rbf(ell=0.8)", "rq(ell=1.3, alpha=0.5)", "2*rq(ell=0.7, alpha=2) + 0.5*rbf(ell=2)",
                           "3*(rbf(ell=0.8) + 2*(rq(ell=1.3, alpha=1) + rbf(ell=2)))"}) {
    const Kernel k = parse(text);
    const auto value = [&](const Vector& a, const Vector& b) {
      return cross(k, rows(MatrixView(a.data(), 1, 3)), rows(MatrixView(b.data(), 1, 3)))(0, 0);
    };
    const Gram u = stein(k, rows(x.view()), s);
    const Matrix got = u.rows(std::vector<Index>{0, 1, 2, 3, 4});
    const double h = 1e-4;
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < 5; ++j) {
        const Vector a(x.row(i), x.row(i) + 3), b(x.row(j), x.row(j) + 3);
        double wanted = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const auto at = [&](double da, double db) {
            Vector p = a, q = b;
            p[c] += da;
            q[c] += db;
            return value(p, q);
          };
          const auto column = static_cast<Index>(c);
          wanted += s(i, column) * s(j, column) * at(0, 0) + s(i, column) * (at(0, h) - at(0, -h)) / (2 * h) +
                    s(j, column) * (at(h, 0) - at(-h, 0)) / (2 * h) +
                    (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h);
        }
        EXPECT_NEAR(got(i, j), wanted, 1e-6 * (1 + std::abs(wanted))) << text;
        EXPECT_NEAR(got(i, j), got(j, i), 1e-13);
      }
      EXPECT_NEAR(got(i, i), u.diagonal()[static_cast<std::size_t>(i)], 1e-13);
    }
    EXPECT_GT(linalg::eigenvalues(got).front(), -1e-12) << text;
    const Matrix v = test::random_matrix(5, 2, 3);
    test::expect_near(u.multiply(MatrixView(v)), test::product(got, v), 1e-13);
  }
}

TEST(GoodnessOfFit, FarFromTheOriginNothingIsLost) {
  Matrix far = normal(40, 2, 1), near = far;
  for (Index i = 0; i < 80; ++i) far.data()[i] += 1048576;
  Matrix s = near;
  EXPECT_NEAR(ksd2(stein(rbf(1), rows(far), s)), ksd2(stein(rbf(1), rows(near), s)), 1e-8);
}

double share_rejected(int seeds, Index n, double shift) {
  int rejected = 0;
  for (int i = 1; i <= seeds; ++i) {
    const GoodnessOfFitTest test{.resampling = {.resamples = 99, .seed = static_cast<std::uint64_t>(i)}};
    const Points x = rows(normal(n, 2, 100 + static_cast<std::uint64_t>(i), shift));
    rejected += test.run(rq(1, 0.5), x, standard_score, {.threads = 1}).rejected();
  }
  return static_cast<double>(rejected) / seeds;
}

TEST(GoodnessOfFit, LevelAndPower) {
  EXPECT_LE(share_rejected(500, 60, 0), 0.05 + 3 * std::sqrt(0.05 * 0.95 / 500));
  EXPECT_GE(share_rejected(20, 60, 0.7), 0.95);
}

TEST(GoodnessOfFit, ThreadsChangeNoBit) {
  const Points x = rows(normal(500, 2, 1));
  const auto run = [&](int threads) {
    return GoodnessOfFitTest{.resampling = {.resamples = 99}}.run(rq(1, 0.5), x, standard_score, {.threads = threads});
  };
  EXPECT_EQ(run(1).statistic, run(3).statistic);
  EXPECT_EQ(run(1).p, run(3).p);
  EXPECT_EQ(run(1).parts[0].kernel, "rq(ell=1, alpha=0.5)");
}

double share_not_normal(int seeds, Index n, const std::function<double(Random&)>& draw) {
  int rejected = 0;
  for (int i = 1; i <= seeds; ++i) {
    Random random(static_cast<std::uint64_t>(i) + 300);
    Matrix x(n, 2);
    for (Index j = 0; j < n; ++j) {
      const double a = draw(random), b = draw(random);
      x(j, 0) = 3 + 5 * a;
      x(j, 1) = 1000 * a + 100 * b;
    }
    rejected +=
        test_normality(rows(x), {.resamples = 59, .seed = static_cast<std::uint64_t>(i)}, {.threads = 1}).rejected();
  }
  return static_cast<double>(rejected) / seeds;
}

TEST(Normality, LevelAndPower) {
  const double errors = 3 * std::sqrt(0.05 * 0.95 / 100);
  EXPECT_LE(share_not_normal(100, 25, [](Random& r) { return r.normal(); }), 0.05 + errors);
  EXPECT_GE(share_not_normal(20, 60, [](Random& r) { return -std::log(r.uniform()); }), 0.95);
}

// Points of mean 0 and covariance I stay as they are.
TEST(Normality, TheStatisticIsTheDiscrepancyOfWhitenedPoints) {
  const Matrix x{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  const double wanted = ksd2(stein(rq(std::sqrt(2.0), 0.5), rows(x.view()), standard_score));
  EXPECT_NEAR(test_normality(rows(x.view()), {.resamples = 19}).statistic, wanted, 1e-12);
}

TEST(Normality, UnitsAndRotationsDoNotMatter) {
  const Matrix x = normal(40, 2, 4);
  Matrix y(40, 2);
  for (Index i = 0; i < 40; ++i) {
    y(i, 0) = 1e6 + 3 * x(i, 0) - 4 * x(i, 1);
    y(i, 1) = 1e-5 * (4 * x(i, 0) + 3 * x(i, 1));
  }
  const TestResult a = test_normality(rows(x), {.resamples = 99}), b = test_normality(rows(y), {.resamples = 99});
  EXPECT_NEAR(a.statistic, b.statistic, 1e-8);
  EXPECT_EQ(a.p, b.p);
  EXPECT_EQ(test_normality(rows(x), {.resamples = 99}, {.threads = 1}).p, a.p);
}

TEST(GoodnessOfFit, BadInput) {
  const GoodnessOfFitTest test;
  expect_error([&] { test.run(laplace(1), kX, standard_score); }, "DomainError", {"laplace(ell=1)", "rq"});
  expect_error([&] { test.run(rbf(1), kX, Matrix(4, 2)); }, "ShapeError", {"4 x 2", "4 x 1"});
  expect_error([&] { test.run(rbf(1), kX, Matrix{{1}, {2}, {INFINITY}, {0}}); }, "DataError", {"point 3", "density 0"});
  expect_error([&] { test.run(rbf(1), kX, [](VectorView) { return Vector{1, 2}; }); }, "ShapeError", {"2 numbers"});
  expect_error([&] { test.run(rbf(1), strings({"a", "b"}), Matrix(2, 1)); }, "DomainError", {"text"});
  expect_error([&] { test_normality(rows(Matrix{{1}, {2}})); }, "DataError", {"at least 3"});
  expect_error([&] { test_normality(rows(Matrix(9, 1, 1.0))); }, "DataError", {"constant"});
  Matrix plane = normal(9, 2, 1);
  for (Index i = 0; i < 9; ++i) plane(i, 1) = 2 * plane(i, 0) + 1;
  expect_error([&] { test_normality(rows(plane)); }, "DataError", {"depend on each other"});
}

}  // namespace
}  // namespace mercer::goodness_of_fit_test
