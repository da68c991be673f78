// Where support vector machines are at their limits: a nu that leaves no margin, and a C so large, or points so near
// each other, that pairs of variables would crawl.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::svm_limits_test {
namespace {

using namespace test;

// One column.
Sample line(const Vector& x, const Vector& target) {
  Sample out{"line", Matrix(static_cast<Index>(x.size()), 1), target};
  std::copy(x.begin(), x.end(), out.x.data());
  return out;
}

Training weighted(const Sample& s, const Kernel& k, Vector weights) {
  return {.K = lazy(k, s.points()), .labels = s.labels(), .weights = std::move(weights)};
}

// Of {0, 2} against {1, 3} no point may have more than w = 1 / (2 nu) of its side. The sides reach to 2 w and to
// 3 - 2 w, so that they meet from w = 3/4 on.
TEST(NuSvcLimits, BelowTheShareOfPointsThatOverlapNuIsInfeasible) {
  const Sample s = line({0, 2, 1, 3}, {0, 0, 1, 1});
  for (const double nu : {0.05, 0.3, 0.6, 0.66}) {
    expect_error([&] { NuSvc{.nu = nu}.fit(weighted(s, linear(), {})); }, "DataError",
                 {"nusvc", "infeasible", "\"1\" against \"0\"", "raise nu"});
  }
  for (const double nu : {0.68, 0.7, 0.9}) {
    const double w = 1 / (2 * nu), low = 2 * w, high = 3 - 2 * w;
    const Model m = NuSvc{.nu = nu}.fit(weighted(s, linear(), {}));
    // The alphas of a side add to 2 nu, and 0 and 3, whose alphas are below 1, are on the margin.
    EXPECT_NEAR(figure(m, "margin"), 1.5 * 2 * nu * (high - low), 1e-12) << nu;
    expect_near(m.scores(s.points()), Matrix({{-1}, {1.0 / 3}, {-1.0 / 3}, {1}}), 1e-10);
  }
}

TEST(NuSvcLimits, WeightsCountAsPoints) {
  const Sample once = line({0, 2, 1, 3}, {0, 0, 1, 1}), twice = line({0, 2, 2, 2, 1, 3}, {0, 0, 0, 0, 1, 1});
  for (double nu = 0.05; nu <= 0.65; nu += 0.1) {  // at most 2/3 for sides of 4 and 2
    const auto infeasible = [&](const Training& training) {
      try {
        NuSvc{.nu = nu}.fit(training);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("infeasible"), std::string::npos);
        return true;
      }
      return false;
    };
    EXPECT_EQ(infeasible(weighted(once, linear(), {1, 3, 1, 1})), infeasible(weighted(twice, linear(), {}))) << nu;
  }
}

TEST(NuSvcLimits, TheErrorNamesThePairOfClasses) {
  const Sample s = line({0, 2, 1, 3, 20, 21}, {0, 0, 1, 1, 2, 2});
  expect_error([&] { NuSvc{.nu = 0.4}.fit(weighted(s, linear(), {})); }, "DataError", {"\"0\" against \"1\""});
  EXPECT_TRUE(NuSvc{.nu = 0.8}.fit(weighted(s, linear(), {})).report().converged);
}

TEST(NuSvcLimits, AMarginFarBelowTheToleranceIsFound) {
  // The same problem in other units: f is 1e-5 of what it was, and the tolerance stays.
  Sample s = moons(1500, 0.15);  // too many points to be polished
  const Model plain = NuSvc{.nu = 0.2, .tolerance = 1e-6}.fit(lazy(rbf(0.5), s.points()), s.labels());
  const Model small = NuSvc{.nu = 0.2}.fit(lazy(1e-6 * rbf(0.5), s.points()), s.labels());
  EXPECT_LT(figure(small, "margin"), 1e-3);
  expect_near(small.scores(s.points()), plain.scores(s.points()), 0.05);
}

// Of -1 and 3, no point may have more than 1 / (2 nu) of all: the mean can be 0 while that is 3/4.
TEST(OneClassLimits, PointsAroundTheOriginHaveNoHalfSpace) {
  const Sample s = line({-1, 3}, {0, 1});
  for (const double nu : {0.1, 0.5, 0.66}) {
    const Model m = OneClass{.nu = nu}.fit(lazy(linear(), s.points()));
    ASSERT_FALSE(m.report().notes.empty());
    EXPECT_NE(m.report().notes.back().find("surround the origin"), std::string::npos);
    const Sample far = line({-1e3, 0, 1e3}, {0, 0, 0});
    EXPECT_EQ(m.predict(far.points()), (Vector{1, 1, 1}));  // nothing is novel, whatever the rounding
  }
  const Model m = OneClass{.nu = 0.8}.fit(lazy(linear(), s.points()));
  for (const std::string& note : m.report().notes) EXPECT_EQ(note.find("surround"), std::string::npos);
  const Matrix f = m.scores(s.points());  // alphas of 1 and 0.6: 0.8 x
  EXPECT_NEAR(f(1, 0) - f(0, 0), 4 * 0.8, 1e-9);
}

// The largest violation of the conditions of C-SVC, in numbers of 64 bits. K - 1 in place of K, which alphas of sum 0
// do not notice, and which is not lost to rounding.
long double violation(const Sample& s, const Model& m, double C, double gamma) {
  const Index n = s.size();
  std::vector<long double> f(at(n), 0.0L), alpha(at(n), 0.0L);
  const Matrix& of_support = m.parts().f.parts().alpha;
  for (Index k = 0; k < of_support.rows(); ++k) alpha[at(m.support()[at(k)])] = of_support(k, 0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      long double square = 0;
      for (Index c = 0; c < s.x.cols(); ++c) {
        const long double d = static_cast<long double>(s.x(i, c)) - s.x(j, c);
        square += d * d;
      }
      f[at(i)] += alpha[at(j)] * std::expm1(-static_cast<long double>(gamma) * square);
    }
  }
  long double up = -1e30L, low = 1e30L;
  for (Index i = 0; i < n; ++i) {
    const long double y = s.target[at(i)] > 0 ? 1 : -1, g = f[at(i)] - y, a = alpha[at(i)];
    if (a < (y > 0 ? C : 0)) up = std::max(up, -g);
    if (a > (y > 0 ? 0 : -C)) low = std::min(low, -g);
  }
  return up - low;
}

TEST(SvcLimits, AnyCAndAnyGammaEndAtTheOptimum) {
  const Sample s = moons(80, 0.35);
  for (const double C : {1e-2, 1e2, 1e6, 1e10}) {
    for (const double gamma : {1e-9, 1e-6, 1e-3, 1.0, 1e3}) {
      const Model m = Svc{.C = C}.fit(lazy(rbf(std::sqrt(0.5 / gamma)), s.points()), s.labels());
      EXPECT_TRUE(m.report().converged) << C << " " << gamma << ": " << m.report().stopped;
      EXPECT_LT(m.report().iterations, 30000);
      EXPECT_LT(violation(s, m, C, gamma), 2e-3L) << C << " " << gamma;
    }
  }
}

TEST(SvcLimits, LargeEntriesOfAMatrixThatIsGiven) {
  const Matrix z = random_matrix(200, 20, 9);
  Matrix K = gram(25 * linear(), rows(z.view()));
  Vector y;
  Random random(4);
  for (Index i = 0; i < 200; ++i) y.push_back(z(i, 0) + 2 * random.normal() > 0 ? 1 : 0);
  const Model m = Svc{.C = 1000}.fit(precomputed(std::move(K)), Labels::from(VectorView(y)));
  EXPECT_TRUE(m.report().converged) << m.report().stopped;
  EXPECT_LT(m.report().iterations, 200000);
  EXPECT_NEAR(figure(m, "objective_primal"), figure(m, "objective_dual"), 1e-6 * figure(m, "objective_dual"));
}

TEST(SvrLimits, AnyCEnds) {
  const Sample s = sine(24);
  for (const double C : {1e3, 1e9}) {
    for (const double ell : {0.2, 1.0, 5.0}) {
      const Training training{.K = lazy(rbf(ell), s.points()), .y = Matrix(MatrixView(s.target.data(), 24, 1))};
      for (const double epsilon : {0.0, 0.1}) {
        const Model m = Svr{.C = C, .epsilon = epsilon}.fit(training);
        EXPECT_TRUE(m.report().converged) << m.report().stopped;
        EXPECT_LT(m.report().iterations, 30000);
        // Where the bound is far away the tube holds.
        if (ell > 0.2 || C < 1e9) continue;
        for (Index i = 0; i < 24; ++i) {
          EXPECT_LE(std::abs(m.predict(s.points())[at(i)] - s.target[at(i)]), epsilon + 2e-3);
        }
      }
      const Model nu = NuSvr{.C = C}.fit(training);
      EXPECT_TRUE(nu.report().converged) << nu.report().stopped;
      EXPECT_LT(nu.report().iterations, 30000);
    }
  }
}

TEST(SvcLimits, WhatCannotBeSolvedSaysWhatIsWrong) {
  // Rounding of f alone is beyond the tolerance: 1e-16 of alphas that add to 1e17.
  const Sample s = moons(60, 1.5);
  const Model m = Svc{.C = 1e17}.fit(lazy(rbf(30), s.points()), s.labels());
  EXPECT_FALSE(m.report().converged);
  EXPECT_TRUE(m.report().stopped == "progress is too slow" ||
              m.report().stopped.find("rounding alone moves f") != std::string::npos)
      << m.report().stopped;
  EXPECT_LT(m.report().iterations, 100000);
}

}  // namespace
}  // namespace mercer::svm_limits_test
