// Gaussian processes of classes fitted with inducing points, against all points, plain matrices and differences.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "linalg/cholesky.hpp"
#include "machines/gpc_data.hpp"
#include "machines/processes/class_effort.hpp"
#include "machines/processes/classes_on_centres.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/model_file.hpp"
#include "mercer/testing.hpp"

namespace mercer::gpc_inducing_test {
namespace {

using detail::ClassesOnCentres;
using detail::InducingPoints;
using detail::Observations;
using test::Data;
using test::expect_error;
using test::expect_near;
using test::Gpc;
using test::kLinkCases;
using test::LinkCase;
using test::random_matrix;
using test::sectors;

Gpc with(Index inducing, Likelihood link = Likelihood::none) {
  return {.link = link, .learn = false, .signal = Learnable::fixed_at(4), .inducing = inducing};
}

Vector weights_of(Index n) {
  Vector out;
  for (Index i = 0; i < n; ++i) out.push_back(i % 3 == 0 ? 2.5 : 1);
  return out;
}

TEST(GpcInducing, AllPointsAreTheProcessItself) {
  for (const LinkCase& one : kLinkCases) {
    const Data data = sectors(50, one.classes, 9);
    const Training training{.K = lazy(rbf(0.3), rows(data.x)), .labels = data.labels(), .weights = weights_of(50)};
    const Model exact = with(0, one.link).fit(training), m = with(50, one.link).fit(training);
    const Points fresh = rows(random_matrix(20, 2, 8));
    EXPECT_TRUE(m.report().converged);
    EXPECT_NEAR(*m.report().figure("log_evidence"), *exact.report().figure("log_evidence"), 1e-5);
    expect_near(m.scores(fresh), exact.scores(fresh), 1e-5);
    expect_near(m.variances(fresh), exact.variances(fresh), 1e-5);
    expect_near(m.covariance(fresh, 0), exact.covariance(fresh, 0), 1e-5);
    expect_near(m.probabilities(fresh), exact.probabilities(fresh), 1e-5);
  }
}

Observations observed(const Data& data, const LinkCase& one) {
  Observations out = detail::observed(one.link, one.classes, data.classes);
  out.weights = weights_of(out.size());
  return out;
}

TEST(GpcInducing, SlopesAreThoseOfDifferences) {
  for (const LinkCase& one : kLinkCases) {
    const Data data = sectors(60, one.classes, 5);
    const Points x = rows(data.x);
    const InducingPoints inducing(x, 9, 1);
    ClassesOnCentres evidence(observed(data, one), x, inducing, {});
    // k(x, x) depends on two of its numbers.
    const Kernel k = parse("1.5*rbf(ell=[0.6, 0.9]) + 0.3*linear()");
    SCOPED_TRACE(one.link->name);
    test::expect_slopes_of_differences(evidence, k, 3.0);
  }
}

// log p(y | f) - f'Q^-1 f / 2 at its mode, log |I + Q W| and tr (K - Q) W, from n x n matrices.
TEST(GpcInducing, TheEvidenceIsThatOfItsFormula) {
  const LinkCase one{Likelihood::logistic, 2};
  const Data data = sectors(40, 2, 7);
  const Points x = rows(data.x);
  const Model m = with(6).fit({.K = lazy(rbf(0.7), x), .labels = data.labels(), .weights = weights_of(40)});
  const Points z = *m.expansion().parts().centres;
  ASSERT_EQ(z.size(), 6);
  const Matrix to_z = cross(rbf(0.7), x, z);
  Matrix Q = test::product(to_z, test::naive_solve(gram(rbf(0.7), z), cross(rbf(0.7), z, x)));
  const Matrix f = m.scores(x);
  Matrix A(40, 40);
  double value = 0, rest = 0, trace = 0;
  Vector w(40), slope(40);
  const Observations seen = observed(data, one);
  for (Index i = 0; i < 40; ++i) {
    const Likelihood::Terms t = one.link->terms(seen.y[at(i)], f(i, 0));
    value += seen.weights[at(i)] * t.log_p;
    w[at(i)] = seen.weights[at(i)] * t.curvature;
    slope[at(i)] = seen.weights[at(i)] * t.slope;
    rest += (4 - 4 * Q(i, i)) * w[at(i)];
    trace += 1 - Q(i, i);
  }
  for (Index i = 0; i < 40; ++i) {
    double smooth = 0;
    for (Index j = 0; j < 40; ++j) {
      A(i, j) = (i == j ? 1 : 0) + std::sqrt(w[at(i)] * w[at(j)]) * 4 * Q(i, j);
      smooth += 4 * Q(i, j) * slope[at(j)];
    }
    EXPECT_NEAR(f(i, 0), smooth, 1e-6);  // the mode: f = Q d log p / d f
    value -= 0.5 * f(i, 0) * slope[at(i)];
  }
  ASSERT_EQ(linalg::cholesky(A), 0);
  EXPECT_NEAR(*m.report().figure("log_evidence"), value - 0.5 * linalg::log_determinant(A) - 0.5 * rest, 1e-5);
  EXPECT_NEAR(*m.report().figure("trace_left_out"), trace / 40, 1e-6);
}

// Softmax of two classes is logistic of the difference of two functions; of several, from the posterior of C n numbers.
TEST(GpcInducing, CoupledVariancesAreThoseOfTheirProcess) {
  const Index n = 30, classes = 3;
  const Data data = sectors(n, classes, 11);
  const Points x = rows(data.x), fresh = rows(random_matrix(6, 2, 8));
  const Kernel k = rbf(0.8);
  const Model m = with(5).fit({.K = lazy(k, x), .labels = data.labels()});
  EXPECT_EQ(m.posterior().kind, Posterior::Kind::reduced_softmax);
  const Points z = *m.expansion().parts().centres;
  const Matrix f = m.scores(x);
  // (W^-1 + Q)^-1 = (I + W Q)^-1 W of all classes.
  const Matrix q = test::product(cross(k, x, z), test::naive_solve(gram(k, z), cross(k, z, x)));
  const Matrix q_fresh = test::product(cross(k, x, z), test::naive_solve(gram(k, z), cross(k, z, fresh)));
  Matrix left(classes * n, classes * n), W = left, right(classes * n, classes * 6);
  for (Index i = 0; i < n; ++i) {
    Vector p;
    double sum = 0;
    for (Index c = 0; c < classes; ++c) sum += p.emplace_back(std::exp(f(i, c)));
    for (Index c = 0; c < classes; ++c) {
      for (Index d = 0; d < classes; ++d) {
        W(c * n + i, d * n + i) = p[at(c)] / sum * ((c == d ? 1 : 0) - p[at(d)] / sum);
      }
      for (Index t = 0; t < 6; ++t) right(c * n + i, c * 6 + t) = 4 * q_fresh(i, t);
    }
  }
  for (Index a = 0; a < classes * n; ++a) {
    for (Index b = 0; b < classes * n; ++b) {
      left(a, b) = a == b ? 1 : 0;
      for (Index d = 0; d < classes; ++d) left(a, b) += W(a, d * n + a % n) * (d == b / n ? 4 * q(a % n, b % n) : 0);
    }
  }
  const Matrix M = test::naive_solve(left, test::product(W, right));
  const Matrix prior = gram(k, fresh), variances = m.variances(fresh);
  for (Index c = 0; c < classes; ++c) {
    const Matrix covariance = m.covariance(fresh, c);
    for (Index s = 0; s < 6; ++s) {
      for (Index t = 0; t < 6; ++t) {
        double known = 0;
        for (Index a = 0; a < classes * n; ++a) known += right(a, c * 6 + s) * M(a, c * 6 + t);
        EXPECT_NEAR(covariance(s, t), 4 * prior(s, t) - known, 1e-6) << c << " " << s << " " << t;
      }
      EXPECT_NEAR(variances(s, c), covariance(s, s), 1e-9);
    }
  }
}

TEST(GpcInducing, TwoThousandPointsAreNearTheirProcess) {
  for (const Index classes : {2, 3}) {
    const Data data = sectors(classes == 2 ? 2000 : 600, classes, 3);
    const Points fresh = rows(random_matrix(100, 2, 9));
    const Training training{.K = lazy(rbf(1), rows(data.x)), .labels = data.labels()};
    const Model exact = with(0).fit(training), few = with(60).fit(training);
    EXPECT_EQ(*few.report().figure("inducing"), 60);
    EXPECT_EQ(few.expansion().size(), 60);
    // What is taken away for what they lack is about what they lack.
    EXPECT_LT(*few.report().figure("log_evidence"), *exact.report().figure("log_evidence") + 0.1);
    EXPECT_NEAR(*few.report().figure("log_evidence"), *exact.report().figure("log_evidence"), 5);
    expect_near(few.probabilities(fresh), exact.probabilities(fresh), 0.02);
    const Matrix v = exact.variances(fresh), w = few.variances(fresh);
    for (Index i = 0; i < 100; ++i) EXPECT_NEAR(w(i, 0), v(i, 0), 0.2 * v(i, 0));
  }
}

TEST(GpcInducing, LearningFindsWhatAllPointsFind) {
  for (const Index classes : {2, 3}) {
    const Data data = sectors(500, classes, 4);
    const Training training{.K = lazy(parse("rbf(ell=auto)"), rows(data.x)), .labels = data.labels()};
    const Model exact = Gpc{}.fit(training), few = Gpc{.screen = 100, .inducing = 60}.fit(training);
    EXPECT_TRUE(few.report().converged) << few.report().stopped;
    EXPECT_NEAR(*few.report().figure("log_evidence"), *exact.report().figure("log_evidence"), 2);
  }
}

// Classes drawn with known probabilities: of the points that are given p, a share of p is in the class.
TEST(GpcInducing, ProbabilitiesAreCalibrated) {
  const auto made = [](Index n, unsigned seed) {
    Data data{random_matrix(n, 2, seed), {}};
    const Vector u = test::random_vector(n, seed + 1, 0, 1);
    for (Index i = 0; i < n; ++i) {
      data.classes.push_back(u[at(i)] < 1 / (1 + std::exp(-3 * std::sin(3 * data.x(i, 0)) - data.x(i, 1))) ? 1 : 0);
    }
    return data;
  };
  const Data train = made(2500, 1), fresh = made(4000, 5);
  const Model m = Gpc{.starts = 1, .inducing = 50}.fit(lazy(parse("rbf(ell=1)"), rows(train.x)), train.labels());
  const Matrix p = m.probabilities(rows(fresh.x));
  double off = 0;
  for (Index bin = 0; bin < 5; ++bin) {
    double said = 0, seen = 0, count = 0;
    for (Index i = 0; i < 4000; ++i) {
      if (static_cast<Index>(p(i, 1) * 5) != bin) continue;
      said += p(i, 1);
      seen += static_cast<double>(fresh.classes[at(i)]);
      ++count;
    }
    off = std::max(off, std::abs(said - seen) / std::max(1.0, count));
  }
  EXPECT_LT(off, 0.05);
}

TEST(GpcInducing, FilesAndThreadsChangeNoBit) {
  for (const Index classes : {2, 4}) {
    const Data data = sectors(1100, classes, 5);
    Training one{.K = lazy(parse("rbf(ell=[auto])"), rows(data.x)), .labels = data.labels()}, three = one;
    one.how.threads = 1;
    three.how.threads = 3;
    const Gpc gpc{.starts = 2, .screen = 50, .max_iterations = 3, .inducing = 20};
    const Model m = gpc.fit(one);
    const Points fresh = rows(random_matrix(30, 2, 8));
    std::ostringstream file;
    save(file, m);
    const Model loaded = load_bytes(file.str(), "inducing");
    EXPECT_TRUE(gpc.fit(three).probabilities(fresh) == m.probabilities(fresh));
    EXPECT_TRUE(loaded.probabilities(fresh) == m.probabilities(fresh));
    EXPECT_TRUE(loaded.scores(fresh) == m.scores(fresh));
    EXPECT_TRUE(loaded.covariance(fresh, 0) == m.covariance(fresh, 0));
  }
}

TEST(GpcInducing, TheOrderOfRowsAndRepeatedRowsDoNotMatter) {
  const Data data = sectors(150, 3, 7);
  const Points x = rows(data.x), fresh = rows(random_matrix(20, 2, 8));
  const auto fit = [&](const std::vector<Index>& which, Vector weights = {}) {
    Data some{Matrix(1, 1), {}};
    for (const Index i : which) some.classes.push_back(data.classes[at(i)]);
    return with(25).fit({.K = lazy(rbf(0.5), x.select(which)), .labels = some.labels(), .weights = std::move(weights)});
  };
  std::vector<Index> all(150), back(150), twice;
  std::iota(all.begin(), all.end(), Index{0});
  std::iota(back.rbegin(), back.rend(), Index{0});
  for (Index i = 0; i < 150; ++i) twice.insert(twice.end(), 2, i);
  expect_near(fit(back).probabilities(fresh), fit(all).probabilities(fresh), 1e-6);
  expect_near(fit(twice).probabilities(fresh), fit(all, Vector(150, 2.0)).probabilities(fresh), 1e-6);
}

TEST(GpcInducing, WhatCannotBeIsRefusedInOneLine) {
  const Data data = sectors(30, 2, 13);
  const Training training{.K = lazy(rbf(1), rows(data.x)), .labels = data.labels()};
  expect_error([&] { (void)with(31).fit(training); }, "UsageError", {"gpc: 31 inducing points of 30"});
  expect_error([&] { (void)with(5).fit({.K = precomputed(gram(rbf(1), rows(data.x))), .labels = data.labels()}); },
               "UsageError", {"need a kernel"});
  expect_error([&] { (void)mercer::fit("gpc", {{"inducing", "-1"}}, training); }, "UsageError", {"inducing"});
  const Model m = with(5).fit(training);
  expect_error([&] { (void)components(m, rows(data.x)); }, "UsageError", {"without `inducing`"});
}

// What a plain fit gives up.
TEST(GpcInducing, APlainFitOfManyPointsTakesAShortcut) {
  const Machine& gpc = machine("gpc");
  const auto of = [&](Index n, Index classes, const Settings& given = {}, std::size_t memory = std::size_t{1} << 34,
                      Wishes wishes = {}) {
    return gpc.shortcut(given, {.points = n, .weighted = n, .outputs = classes, .dimension = 8, .memory = memory},
                        wishes);
  };
  EXPECT_FALSE(of(5000, 2));
  ASSERT_TRUE(of(20000, 2));
  EXPECT_NE(of(20000, 2)->words.find("inducing points stand for all 20000"), std::string::npos);
  EXPECT_FALSE(of(2000, 7));
  ASSERT_TRUE(of(20000, 7));
  EXPECT_LT(std::stol(of(20000, 7)->settings.at("inducing")), std::stol(of(20000, 2)->settings.at("inducing")));
  EXPECT_TRUE(of(5000, 2, {}, std::size_t{1} << 28));  // no room for all pairs
  EXPECT_FALSE(of(20000, 2, {{"inducing", "0"}}));
  EXPECT_FALSE(of(20000, 2, {}, std::size_t{1} << 34, {.seconds = 1e5}));
  EXPECT_FALSE(of(5000, 2, {{"objective", "none"}}));
  EXPECT_EQ(of(10000000, 2)->settings, (Settings{{"inducing", "50"}}));
  // Of few points in no time, as in a race that nears its end: folds take the same settings.
  ASSERT_TRUE(of(240, 3, {}, std::size_t{1} << 34, {.seconds = 0.5}));
  EXPECT_LE(std::stol(of(240, 3, {}, std::size_t{1} << 34, {.seconds = 0.5})->settings.at("inducing")), 120);
  EXPECT_EQ(of(100, 3, {}, std::size_t{1} << 34, {.seconds = 1e-3})->settings, (Settings{{"inducing", "50"}}));
  EXPECT_FALSE(of(99, 3, {}, std::size_t{1} << 34, {.seconds = 1e-3}));
  const Plan plan = plan_for(gpc, of(20000, 2)->settings, Extent{.points = 20000, .weighted = 20000, .outputs = 2});
  EXPECT_NE(plan.approximates.find("inducing points"), std::string::npos);
  EXPECT_LT(plan.bytes, 1e9);
}

TEST(GpcInducing, LevelsGoFromFewPointsToAll) {
  using By = detail::ClassLevel::By;
  const auto steps = [](const Gpc& gpc, Index n, bool coupled) {
    std::vector<std::pair<Index, By>> out;
    for (const auto& [points, by] : detail::class_levels(gpc, n, coupled, true)) out.emplace_back(points, by);
    return out;
  };
  using Steps = std::vector<std::pair<Index, By>>;
  const Steps two = {{400, By::pairs},     {800, By::pairs},      {1600, By::pairs},
                     {5000, By::inducing}, {20000, By::inducing}, {20000, By::inducing}};
  const Steps three = {{400, By::pairs}, {5000, By::inducing}, {20000, By::inducing}, {20000, By::inducing}};
  EXPECT_EQ(steps(Gpc{.inducing = 500}, 20000, false), two);
  EXPECT_EQ(steps(Gpc{.inducing = 500}, 20000, true), three);
  EXPECT_EQ(steps(Gpc{.starts = 1, .inducing = 500}, 20000, true), (Steps{{20000, By::inducing}}));
  EXPECT_EQ(steps(Gpc{}, 800, true), (Steps{{400, By::pairs}, {800, By::centres}, {800, By::pairs}}));
}

// Learning that is stopped ends with the best place it saw on its last level.
TEST(GpcInducing, AStoppedSearchLeavesAModel) {
  const Data data = sectors(300, 2, 19);
  const auto fit_until = [&](int last, int& told) {
    Training training{.K = lazy(parse("rbf(ell=auto)"), rows(data.x)), .labels = data.labels()};
    training.how.threads = 1;
    training.how.monitor = Monitor([&](const Progress&) { return ++told < last; });
    return Gpc{.starts = 1, .inducing = 20}.fit(training);
  };
  int all = 0, left = 0;
  (void)fit_until(std::numeric_limits<int>::max(), all);
  for (int share = 5; share < 100; share += 5) {
    try {
      int told = 0;
      const Model m = fit_until(all * share / 100, told);
      if (m.report().stopped != "interrupted") continue;
      ++left;
      EXPECT_FALSE(m.report().converged);
      const Matrix p = m.probabilities(rows(data.x));
      double right = 0;
      for (Index i = 0; i < 300; ++i) right += p(i, data.classes[at(i)]) > 0.5 ? 1 : 0;
      EXPECT_GT(right, 240);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
  }
  EXPECT_GT(left, 0);
}

}  // namespace
}  // namespace mercer::gpc_inducing_test
