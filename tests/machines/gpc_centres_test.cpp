// Softmax with a factor of K in its place, and the evidence on few centres, against those of all of K.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <optional>

#include "linalg/cholesky.hpp"
#include "machines/gpc_data.hpp"
#include "machines/processes/classes_on_centres.hpp"
#include "machines/processes/laplace_factored.hpp"
#include "mercer/kernels.hpp"

namespace mercer::gpc_centres_test {
namespace {

using detail::ClassesOnCentres;
using detail::ClassEvaluation;
using detail::Mode;
using detail::Observations;
using test::Data;
using test::Gpc;
using test::sectors;

Observations observed(const Data& data, Index classes) {
  Observations out = detail::observed(Likelihood::softmax, classes, data.classes);
  for (std::size_t i = 0; i < out.weights.size(); i += 3) out.weights[i] = 2.5;
  return out;
}

TEST(GpcCentres, AFactorOfAllOfKTellsTheSame) {
  for (const Index classes : {2, 3, 5}) {
    const Data data = sectors(40, classes, 3);
    const Points x = rows(data.x);
    Matrix K = gram(rbf(0.7), x);
    for (Index i = 0; i < 1600; ++i) K.data()[i] *= 5;
    for (Index i = 0; i < 40; ++i) K(i, i) += 1e-6;
    Matrix F = K;
    ASSERT_EQ(linalg::cholesky(F), 0);
    for (Index i = 0; i < 40; ++i) std::fill(F.row(i) + i + 1, F.row(i) + 40, 0.0);
    const auto dense = detail::softmax_system(observed(data, classes));
    detail::FactoredSystem factored(observed(data, classes));
    Mode of_dense, of_factored;
    const double value = detail::laplace_evidence(*dense, K, of_dense, {});
    EXPECT_NEAR(detail::laplace_evidence(factored, F, of_factored, {}), value, 1e-9 * std::abs(value));
    EXPECT_TRUE(of_factored.converged);
    for (Index i = 0; i < 40 * classes; ++i) EXPECT_NEAR(of_factored.f.data()[i], of_dense.f.data()[i], 1e-7);
    // M v, before the gradients use the factors up.
    const Matrix v = test::random_matrix(40, classes, 8), Mv = dense->apply(v), same = factored.apply(v);
    for (Index i = 0; i < 40 * classes; ++i) EXPECT_NEAR(same.data()[i], Mv.data()[i], 1e-8);
    Matrix by_K(detail::laplace_gradient(*dense, K, of_dense, {}));
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < i; ++j) by_K(j, i) = by_K(i, j);
    }
    const Matrix expected = test::product(by_K, F);
    const MatrixRef by_F = detail::laplace_gradient(factored, F, of_factored, {});
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < 40; ++j) EXPECT_NEAR(by_F(i, j), expected(i, j), 1e-7) << i << " " << j;
    }
  }
}

TEST(GpcCentres, SlopesAreThoseOfDifferences) {
  const Data data = sectors(60, 4, 5);
  const Points x = rows(data.x);
  ClassesOnCentres evidence(observed(data, 4), x, 12, 1, {});
  const Kernel k = parse("rbf(ell=[0.6, 0.9]) + 0.3*linear()");
  test::expect_slopes_of_differences(evidence, k, 3.0);
}

TEST(GpcCentres, AsManyCentresAsPointsAreAllOfK) {
  const Data data = sectors(50, 3, 9);
  const Points x = rows(data.x);
  const Kernel k = rbf(0.3);
  ClassesOnCentres few(observed(data, 3), x, 50, 1, {});
  ClassEvaluation all(observed(data, 3), lazy(k, x), x, {});
  Vector of_few, of_all;
  EXPECT_NEAR(few(k, 4.0, &of_few), all(k, 4.0, &of_all), 1e-4);
  for (std::size_t p = 0; p < of_all.size(); ++p) EXPECT_NEAR(of_few[p], of_all[p], 1e-3 * (1 + std::abs(of_all[p])));
  // A fifth of the points knows less, and what it leaves out is no gain: or it would not tell these apart.
  ClassesOnCentres fifth(observed(data, 3), x, 10, 1, {});
  EXPECT_GT(std::abs(fifth(k, 4.0, nullptr) - all(k, 4.0, nullptr)), 0.01);
}

TEST(GpcCentres, WeightsAreMultiplicities) {
  const Data data = sectors(30, 3, 2);
  Matrix twice(60, 2);
  std::vector<Index> classes;
  for (Index i = 0; i < 60; ++i) {
    std::copy_n(data.x.row(i % 30), 2, twice.row(i));
    classes.push_back(data.classes[at(i % 30)]);
  }
  Observations weighted = detail::observed(Likelihood::softmax, 3, data.classes);
  for (double& w : weighted.weights) w = 2;
  ClassesOnCentres by_weight(weighted, rows(data.x), 30, 1, {});
  ClassesOnCentres by_rows(detail::observed(Likelihood::softmax, 3, classes), rows(twice), 60, 1, {});
  EXPECT_NEAR(by_weight(rbf(0.3), 2.0, nullptr), by_rows(rbf(0.3), 2.0, nullptr), 1e-4);
}

TEST(GpcCentres, LearningOnThemEndsWhereAllPointsSay) {
  const Data data = sectors(150, 3, 4);
  const Kernel k = parse("rbf(ell=[auto])").resolve(rows(data.x));
  Gpc directly, by_levels;
  directly.starts = 1;
  by_levels.screen = 40;
  const Model one = directly.fit(lazy(k, rows(data.x)), data.labels());
  const Model levels = by_levels.fit(lazy(k, rows(data.x)), data.labels());
  EXPECT_TRUE(levels.report().converged) << levels.report().stopped;
  EXPECT_GT(*levels.report().figure("log_evidence"), *one.report().figure("log_evidence") - 0.01);
  // The evidence that is reported is that of all of K.
  const double signal = *levels.report().figure("signal");
  const Kernel learnt = signal * *levels.expansion().parts().kernel;
  EXPECT_NEAR(*levels.report().figure("log_evidence"),
              log_evidence(learnt, rows(data.x), data.labels(), Likelihood::none, false).value, 1e-7);
}

// Starts are compared side by side, each by itself.
TEST(GpcCentres, StartsOnSomePointsAreTheSameOnAnyThreads) {
  for (const Index classes : {2, 3}) {
    const Data data = sectors(90, classes, 6);
    const Kernel k = parse("rbf(ell=[auto])").resolve(rows(data.x));
    Gpc config;
    config.screen = 30;
    std::optional<Model> first;
    for (const int threads : {1, 2, 3}) {
      const Model m = config.fit({.K = lazy(k, rows(data.x)), .labels = data.labels(), .how = {.threads = threads}});
      if (!first) first = m;
      EXPECT_EQ(m.report().figure("log_evidence"), first->report().figure("log_evidence"));
      EXPECT_EQ(m.report().figure("evaluations"), first->report().figure("evaluations"));
      EXPECT_EQ(m.expansion().parts().kernel->str(), first->expansion().parts().kernel->str());
      const Matrix &a = m.expansion().parts().alpha, &b = first->expansion().parts().alpha;
      for (Index i = 0; i < a.rows() * a.cols(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << threads;
    }
  }
}

// From whichever thread the wish to stop comes, it is asked for once.
TEST(GpcCentres, StartsSideBySideAreStopped) {
  const Data data = sectors(90, 3, 6);
  Training training{.K = lazy(parse("rbf(ell=[0.5,0.5])"), rows(data.x)), .labels = data.labels()};
  training.how.threads = 3;
  Gpc config;
  config.screen = 30;
  for (const int last : {1, 20, 200, 600}) {
    std::atomic<int> calls = 0, after = 0;
    training.how.monitor = Monitor([&](const Progress&) {
      const int now = ++calls;
      if (now > last) ++after;
      return now < last;
    });
    test::expect_error([&] { config.fit(training); }, "Cancelled", {});
    EXPECT_EQ(after, 0) << last;
  }
}

// Where a class is next to impossible at a point, and where weights differ much.
TEST(GpcCentres, GradientsOfSoftmaxAtVanishingProbabilities) {
  const Data data = sectors(30, 4, 5, 0);
  const Points x = rows(data.x);
  for (const double signal : {1.0, 1e3, 1e6}) {
    Observations observed = detail::observed(Likelihood::softmax, 4, data.classes);
    for (std::size_t i = 0; i < observed.weights.size(); i += 4) observed.weights[i] = 1e3;
    ClassEvaluation at(observed, lazy(rbf(0.4), x), x, {});
    Vector slopes;
    const double value = at(rbf(0.4), signal, &slopes);
    ASSERT_TRUE(std::isfinite(value));
    const auto value_at = [&](double ell, double variance) {
      ClassEvaluation near(observed, lazy(rbf(0.4), x), x, {});
      return near(rbf(ell), variance, nullptr);
    };
    // Of four values, so that steps may be long beside their rounding.
    const auto slope_of = [](double step, const auto& f) {
      return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
    };
    const double by_ell = slope_of(1e-4, [&](double change) { return value_at(0.4 + change, signal); });
    const double by_signal = slope_of(1e-3 * signal, [&](double change) { return value_at(0.4, signal + change); });
    EXPECT_NEAR(slopes[0], by_ell, 1e-4 * (1 + std::abs(by_ell))) << signal;
    EXPECT_NEAR(slopes.back() * signal, by_signal * signal, 1e-4 * (1 + std::abs(by_signal * signal))) << signal;
  }
}

TEST(GpcCentres, FewerOfManyClasses) {
  EXPECT_EQ(detail::centres_for(2000, 3), 400);
  EXPECT_EQ(detail::centres_for(2000, 2), 400);
  EXPECT_LT(detail::centres_for(2000, 26), 200);
}

}  // namespace
}  // namespace mercer::gpc_centres_test
