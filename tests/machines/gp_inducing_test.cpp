// Gaussian processes fitted with inducing points, and learnt from some of the points.
#include <limits>
#include <numeric>
#include <sstream>

#include "machines/gp_problem.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"

namespace mercer::gp_inducing_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::kTrends;
using test::Problem;
using test::random_matrix;

// Noisy values of a smooth function of two numbers.
struct Data {
  Matrix x, y;
  explicit Data(Index n, unsigned seed = 1) : x(random_matrix(n, 2, seed)), y(n, 1) {
    const Matrix noise = random_matrix(n, 1, seed + 100, -0.2, 0.2);
    for (Index i = 0; i < n; ++i) y(i, 0) = std::sin(1.5 * x(i, 0)) + 0.5 * x(i, 1) + noise(i, 0);
  }
  Training training(const char* kernel = "rbf(ell=[1, 2])") const {
    return {.K = lazy(parse(kernel), rows(x)), .y = y};
  }
};

GaussianProcess with(Index inducing) {
  return {.noise = Learnable::fixed_at(0.02),
          .signal = Learnable::fixed_at(1.2),
          .objective = GaussianProcess::Objective::none,
          .inducing = inducing};
}

TEST(GpInducing, AllPointsAreTheProcessItself) {
  for (const Trend trend : kTrends) {
    Problem p;
    p.trend = trend;
    const Model exact = p.fit();
    GaussianProcess gp = p.machine();
    gp.inducing = 24;
    for (const bool fitc : {false, true}) {
      gp.fitc = fitc;
      const Model m = gp.fit({.K = lazy(p.k, rows(p.x)), .y = p.y, .weights = p.weights});
      const Points fresh = rows(p.fresh);
      EXPECT_EQ(m.posterior().kind, Posterior::Kind::reduced);
      expect_near(m.scores(fresh), exact.scores(fresh), 1e-8);
      expect_near(m.variances(fresh), exact.variances(fresh), 1e-8);
      expect_near(m.covariance(fresh, 1), exact.covariance(fresh, 1), 1e-8);
      EXPECT_NEAR(*m.report().figure("log_marginal_likelihood"), *exact.report().figure("log_marginal_likelihood"),
                  1e-7);
    }
  }
}

Matrix turned(const Matrix& a) {
  Matrix out(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

// Universal kriging with Q in the place of K, from matrices of all points, and what Z lacks of k(x, x).
TEST(GpInducing, MeanAndVarianceAreThoseOfTheirProcess) {
  for (const Trend trend : kTrends) {
    Problem p;
    p.trend = trend;
    GaussianProcess gp = p.machine();
    gp.inducing = 6;
    const Model m = gp.fit({.K = lazy(p.k, rows(p.x)), .y = p.y, .weights = p.weights});
    const Points x = rows(p.x), fresh = rows(p.fresh), z = *m.expansion().parts().centres;
    ASSERT_EQ(z.size(), 6);
    const Matrix zx = test::naive_solve(gram(p.k, z), cross(p.k, z, x)), to_x = cross(p.k, x, z);
    const Matrix q = test::product(to_x, test::naive_solve(gram(p.k, z), cross(p.k, z, fresh)));
    const Matrix H = test::basis(trend, p.x), h = test::basis(trend, p.fresh);
    const Index n = x.size(), all = n + H.cols();
    Matrix S = test::product(to_x, zx), bordered(all, all), right(all, fresh.size()), y(all, 2);
    for (Index i = 0; i < n; ++i) {
      std::copy_n(S.row(i), n, bordered.row(i));
      bordered(i, i) += p.noise / p.signal / p.weights[static_cast<std::size_t>(i)];
      for (Index j = 0; j < H.cols(); ++j) bordered(i, n + j) = bordered(n + j, i) = H(i, j);
      std::copy_n(q.row(i), fresh.size(), right.row(i));
      std::copy_n(p.y.row(i), 2, y.row(i));
    }
    for (Index j = 0; j < H.cols(); ++j) {
      for (Index i = 0; i < fresh.size(); ++i) right(n + j, i) = h(i, j);
    }
    expect_near(m.scores(fresh), test::product(turned(right), test::naive_solve(bordered, y)), 1e-8);
    Matrix covariance = gram(p.k, fresh);
    const Matrix known = test::product(turned(right), test::naive_solve(bordered, right));
    for (Index i = 0; i < known.rows() * known.cols(); ++i) {
      covariance.data()[i] = p.signal * (covariance.data()[i] - known.data()[i]);
    }
    expect_near(m.covariance(fresh, 0), covariance, 1e-8);
    for (Index i = 0; i < fresh.size(); ++i) EXPECT_NEAR(m.variances(fresh)(i, 1), covariance(i, i), 1e-8);
  }
}

TEST(GpInducing, TwoThousandPointsAreNearTheirProcess) {
  const Data data(2000);
  const Points fresh = rows(random_matrix(200, 2, 9));
  const Model exact = with(0).fit(data.training()), few = with(60).fit(data.training());
  const double evidence = *exact.report().figure("log_marginal_likelihood");
  EXPECT_LE(*few.report().figure("log_marginal_likelihood"), evidence);
  EXPECT_GE(*few.report().figure("log_marginal_likelihood_at_most"), evidence);
  EXPECT_NEAR(*few.report().figure("log_marginal_likelihood"), evidence, 1);
  EXPECT_EQ(*few.report().figure("inducing"), 60);
  EXPECT_EQ(few.expansion().size(), 60);
  GaussianProcess own_variances = with(60);
  own_variances.fitc = true;  // which has no bound to lie within
  const Model fitc = own_variances.fit(data.training());
  EXPECT_NEAR(*fitc.report().figure("log_marginal_likelihood"), evidence, 1);
  const Matrix a = exact.scores(fresh), v = exact.variances(fresh);
  for (const Model* const m : {&few, &fitc}) {
    const Matrix b = m->scores(fresh), w = m->variances(fresh);
    for (Index i = 0; i < 200; ++i) {
      EXPECT_NEAR(b(i, 0), a(i, 0), 0.3 * std::sqrt(v(i, 0)));
      EXPECT_NEAR(w(i, 0), v(i, 0), 0.2 * v(i, 0));
    }
  }
}

TEST(GpInducing, LearningFindsWhatAllPointsFind) {
  const Data data(900, 3);
  const Model exact = GaussianProcess{}.fit(data.training("rbf(ell=auto)"));
  const Model few = GaussianProcess{.inducing = 80}.fit(data.training("rbf(ell=auto)"));
  EXPECT_TRUE(few.report().converged);
  EXPECT_NEAR(*few.report().figure("log_marginal_likelihood"), *exact.report().figure("log_marginal_likelihood"), 1);
  EXPECT_NEAR(*few.report().figure("noise") / *exact.report().figure("noise"), 1, 0.05);
}

TEST(GpInducing, FilesAndThreadsChangeNoBit) {
  const Data data(1100, 5);
  GaussianProcess gp = with(40);
  gp.mean = Trend::linear;
  Training one = data.training(), three = data.training();
  one.how.threads = 1;
  three.how.threads = 3;
  const Model m = gp.fit(one);
  const Points fresh = rows(random_matrix(30, 2, 8));
  std::ostringstream file;
  save(file, m);
  const Model loaded = load_bytes(file.str(), "inducing");
  EXPECT_TRUE(gp.fit(three).variances(fresh) == m.variances(fresh));
  EXPECT_TRUE(loaded.variances(fresh) == m.variances(fresh));
  EXPECT_TRUE(loaded.scores(fresh) == m.scores(fresh));
  EXPECT_TRUE(loaded.covariance(fresh, 0) == m.covariance(fresh, 0));
}

TEST(GpInducing, TheOrderOfRowsAndRepeatedRowsDoNotMatter) {
  const Data data(150, 7);
  const Points fresh = rows(random_matrix(20, 2, 8));
  const Model m = with(25).fit(data.training());
  std::vector<Index> back(150);
  std::iota(back.rbegin(), back.rend(), Index{0});
  Matrix y(150, 1), twice_y(300, 1);
  std::vector<Index> twice;
  for (Index i = 0; i < 150; ++i) {
    y(i, 0) = data.y(149 - i, 0);
    twice.insert(twice.end(), 2, i);
    twice_y(2 * i, 0) = twice_y(2 * i + 1, 0) = data.y(i, 0);
  }
  const Points x = rows(data.x);
  const Kernel k = parse("rbf(ell=[1, 2])");
  const Model turned = with(25).fit({.K = lazy(k, x.select(back)), .y = y});
  expect_near(turned.scores(fresh), m.scores(fresh), 1e-7);
  expect_near(turned.variances(fresh), m.variances(fresh), 1e-7);
  // Points of weight 2, and with them one of weight 0 that is absent.
  const Model repeated = with(25).fit({.K = lazy(k, x.select(twice)), .y = twice_y});
  Matrix more_x(151, 2), more_y(151, 1, 1e3);
  for (Index i = 0; i < 150; ++i) {
    std::copy_n(data.x.row(i), 2, more_x.row(i));
    more_y(i, 0) = data.y(i, 0);
  }
  Vector weights(151, 2.0);
  weights.back() = 0;
  const Model weighted = with(25).fit({.K = lazy(k, rows(more_x)), .y = more_y, .weights = weights});
  expect_near(repeated.scores(fresh), weighted.scores(fresh), 1e-7);
  expect_near(repeated.variances(fresh), weighted.variances(fresh), 1e-7);
}

TEST(GpInducing, OnePointAndAConstantTarget) {
  const Data data(60, 11);
  const Points fresh = rows(random_matrix(5, 2, 8));
  const Model one = with(1).fit(data.training());
  EXPECT_EQ(one.expansion().size(), 1);
  for (Index i = 0; i < 5; ++i) EXPECT_GT(one.variances(fresh)(i, 0), 0);
  bool said = false;
  for (const std::string& note : one.report().notes) said = said || note.starts_with("more inducing points would help");
  EXPECT_TRUE(said);
  Training constant = data.training();
  constant.y = Matrix(60, 1, 4.25);
  const Model m = GaussianProcess{.inducing = 10}.fit(constant);
  expect_near(m.scores(fresh), Matrix(5, 1, 4.25), 1e-9);
}

TEST(GpInducing, WhatCannotBeIsRefusedInOneLine) {
  const Data data(30, 13);
  expect_error([&] { (void)with(31).fit(data.training()); }, "UsageError", {"31 inducing points of 30"});
  GaussianProcess gp = with(5);
  gp.noise = Learnable::fixed_at(0);
  expect_error([&] { (void)gp.fit(data.training()); }, "UsageError", {"inducing points need noise"});
  gp = with(5);
  gp.loo = true;
  expect_error([&] { (void)gp.fit(data.training()); }, "UsageError", {"leave-one-out"});
  expect_error([&] { (void)with(5).fit({.K = precomputed(gram(rbf(1), rows(data.x))), .y = data.y}); }, "UsageError",
               {"need a kernel"});
  expect_error([&] { (void)GaussianProcess::from({{"fitc", "true"}}); }, "UsageError", {"`inducing`"});
  expect_error([&] { (void)GaussianProcess::from({{"learn_on", "1"}}); }, "UsageError", {"learn_on"});
  const Model m = with(5).fit(data.training());
  expect_error([&] { (void)leave_one_out(m, data.y); }, "UsageError", {"without `inducing`"});
  expect_error([&] { (void)components(m, rows(data.x)); }, "UsageError", {"without `inducing`"});
}

TEST(GpInducing, LearningFromSomePointsPredictsFromAll) {
  const Data data(700, 17);
  GaussianProcess some{.learn_on = 450};
  const Model m = some.fit(data.training("rbf(ell=auto)"));
  EXPECT_EQ(m.expansion().size(), 700);
  const double noise = *m.report().figure("noise"), signal = *m.report().figure("signal");
  const GaussianProcess again{.noise = Learnable::fixed_at(noise),
                              .signal = Learnable::fixed_at(signal),
                              .objective = GaussianProcess::Objective::none};
  const Model same = again.fit({.K = lazy(*m.expansion().parts().kernel, rows(data.x)), .y = data.y});
  const Points fresh = rows(random_matrix(20, 2, 8));
  expect_near(m.variances(fresh), same.variances(fresh), 1e-6);
  const double all = *GaussianProcess{}.fit(data.training("rbf(ell=auto)")).report().figure("log_marginal_likelihood");
  EXPECT_NEAR(*m.report().figure("log_marginal_likelihood"), all, 5);
  EXPECT_LE(*m.report().figure("log_marginal_likelihood"), all + 0.1);
}

// What a plain fit gives up, in order.
TEST(GpInducing, APlainFitOfManyPointsTakesAShortcut) {
  const Machine& gp = machine("gp");
  const auto of = [&](Index n, const Settings& given = {}, std::size_t memory = std::size_t{1} << 34, Index d = 11) {
    return gp.shortcut(given, {.points = n, .weighted = n, .dimension = d, .memory = memory}, {});
  };
  EXPECT_FALSE(of(2500));
  ASSERT_TRUE(of(2501));
  EXPECT_EQ(of(2501)->settings, (Settings{{"learn_on", "2500"}}));
  EXPECT_NE(of(10000)->words.find("2500 of 10000 points"), std::string::npos);
  EXPECT_EQ(of(50000)->settings, (Settings{{"inducing", "1000"}}));
  EXPECT_EQ(of(1000000)->settings, (Settings{{"inducing", "200"}}));
  EXPECT_TRUE(of(10000, {}, std::size_t{1} << 28)->settings.contains("inducing"));  // no room for all pairs
  EXPECT_EQ(of(50000, {}, std::size_t{1} << 34, 10)->settings, (Settings{{"nearest", "30"}}));
  EXPECT_EQ(of(200000, {}, std::size_t{1} << 34, 2)->settings, (Settings{{"nearest", "30"}, {"learn_on", "100000"}}));
  EXPECT_TRUE(of(50000, {}, std::size_t{1} << 34, 0)->settings.contains("inducing"));  // no columns
  EXPECT_FALSE(of(10000, {{"inducing", "0"}}));
  EXPECT_FALSE(of(10000, {{"learn_on", "0"}}));
  EXPECT_FALSE(of(10000, {{"loo", "true"}}));
  EXPECT_FALSE(of(10000, {{"objective", "none"}, {"noise", "0.1"}}));
  // The plan of what it takes says so.
  const Plan plan = plan_for(gp, of(50000)->settings, Extent{.points = 50000, .weighted = 50000, .dimension = 3});
  EXPECT_NE(plan.approximates.find("1000 inducing points"), std::string::npos);
  EXPECT_LT(plan.bytes, 1e9);
}

// Learning that is stopped ends with the best place it saw on its last level.
TEST(GpInducing, AStoppedSearchLeavesAModel) {
  const Data data(300, 19);
  const Points some = rows(data.x).slice({0, 5});
  for (const GaussianProcess& gp :
       {GaussianProcess{.inducing = 20, .starts = 1}, GaussianProcess{.learn_on = 200, .starts = 1}}) {
    const auto fit_until = [&](int last, int& told) {
      Training training = data.training("rbf(ell=auto)");
      training.how.threads = 1;
      training.how.monitor = Monitor([&](const Progress&) { return ++told < last; });
      return gp.fit(training);
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
        const Matrix v = m.variances(some), f = m.scores(some);
        for (Index i = 0; i < 5; ++i) {
          EXPECT_GT(v(i, 0), 0);
          EXPECT_NEAR(f(i, 0), data.y(i, 0), 1.5);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::cancelled);
      }
    }
    EXPECT_GT(left, 0);
  }
}

}  // namespace
}  // namespace mercer::gp_inducing_test
