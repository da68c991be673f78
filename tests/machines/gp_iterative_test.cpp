// Gaussian processes whose system is solved step by step, against those of all pairs.
#include <limits>
#include <sstream>

#include "machines/gp_problem.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"

namespace mercer::gp_iterative_test {
namespace {

using test::expect_error;
using test::random_matrix;

struct Data {
  Matrix x, y;
  explicit Data(Index n, unsigned seed = 1) : x(random_matrix(n, 2, seed)), y(n, 1) {
    const Matrix noise = random_matrix(n, 1, seed + 100, -0.2, 0.2);
    for (Index i = 0; i < n; ++i) y(i, 0) = 3 + std::sin(1.5 * x(i, 0)) + 0.5 * x(i, 1) + noise(i, 0);
  }
  Training training(const char* kernel = "matern(nu=1.5, ell=[1, 2])") const {
    return {.K = lazy(parse(kernel), rows(x)), .y = y};
  }
};

GaussianProcess fixed(GaussianProcess::Solver solver) {
  return {.noise = Learnable::fixed_at(0.02),
          .signal = Learnable::fixed_at(1.2),
          .objective = GaussianProcess::Objective::none,
          .solver = solver};
}
using Solver = GaussianProcess::Solver;

TEST(GpIterative, TwoThousandPointsAreTheirProcess) {
  const Data data(2000);
  const Points fresh = rows(random_matrix(40, 2, 9));
  for (const Trend mean : {Trend::none, Trend::constant, Trend::linear}) {
    GaussianProcess dense = fixed(Solver::dense), steps = fixed(Solver::iterative);
    dense.mean = steps.mean = mean;
    const Model exact = dense.fit(data.training()), m = steps.fit(data.training());
    const double evidence = *exact.report().figure("log_marginal_likelihood"),
                 low = *m.report().figure("log_marginal_likelihood"),
                 high = *m.report().figure("log_marginal_likelihood_at_most");
    EXPECT_LE(low, evidence);
    EXPECT_GE(high, evidence);
    EXPECT_LT(high - low, 40);  // of 2,000 points
    EXPECT_EQ(*m.report().figure("probes"), 16);
    const Matrix a = exact.scores(fresh), b = m.scores(fresh), v = exact.variances(fresh), w = m.variances(fresh);
    for (Index i = 0; i < fresh.size(); ++i) {
      EXPECT_NEAR(b(i, 0), a(i, 0), 1e-4 * std::sqrt(v(i, 0)));
      EXPECT_NEAR(w(i, 0), v(i, 0), 1e-5 * v(i, 0));
    }
  }
}

TEST(GpIterative, LearningFindsWhatAllPairsFind) {
  const Data data(900, 3);
  GaussianProcess gp{.solver = Solver::dense};
  const Model exact = gp.fit(data.training("matern(nu=2.5, ell=auto)"));
  gp.solver = Solver::iterative;
  const Model m = gp.fit(data.training("matern(nu=2.5, ell=auto)"));
  const double evidence = *exact.report().figure("log_marginal_likelihood");
  EXPECT_LE(*m.report().figure("log_marginal_likelihood"), evidence + 1e-6 * std::abs(evidence));
  EXPECT_GE(*m.report().figure("log_marginal_likelihood_at_most"), evidence - 1);
  EXPECT_NEAR(*m.report().figure("noise") / *exact.report().figure("noise"), 1, 0.1);
}

TEST(GpIterative, AFileChangesNothing) {
  const Data data(600, 5);
  GaussianProcess gp = fixed(Solver::iterative);
  Training one = data.training(), three = data.training();
  one.how.threads = 1;
  three.how.threads = 3;
  const Model m = gp.fit(one);
  const Points fresh = rows(random_matrix(30, 2, 8));
  std::ostringstream file;
  save(file, m);
  const Model loaded = load_bytes(file.str(), "iterative");
  EXPECT_TRUE(loaded.scores(fresh) == m.scores(fresh));
  EXPECT_TRUE(loaded.variances(fresh) == m.variances(fresh));
  EXPECT_TRUE(gp.fit(three).variances(fresh) == m.variances(fresh));
}

// Its evidence is an interval, too.
TEST(GpIterative, AStoppedSearchLeavesAModel) {
  const Data data(450, 7);
  const auto fit_until = [&](int last, int& told) {
    Training training = data.training("matern(nu=2.5, ell=auto)");
    training.how.threads = 1;
    training.how.monitor = Monitor([&](const Progress&) { return ++told < last; });
    return GaussianProcess{.solver = Solver::iterative, .starts = 2, .screen = 100}.fit(training);
  };
  int all = 0, left = 0;
  (void)fit_until(std::numeric_limits<int>::max(), all);
  for (int share = 20; share < 100; share += 15) {
    try {
      int told = 0;
      const Model m = fit_until(all * share / 100, told);
      if (m.report().stopped != "interrupted") continue;
      ++left;
      EXPECT_FALSE(m.report().converged);
      EXPECT_GT(*m.report().figure("log_marginal_likelihood_at_most"), *m.report().figure("log_marginal_likelihood"));
      EXPECT_GT(m.variances(rows(data.x).slice({0, 2}))(0, 0), 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
  }
  EXPECT_GT(left, 0);
}

TEST(GpIterative, WhatCannotBeIsRefusedInOneLine) {
  const Data data(40, 13);
  GaussianProcess gp = fixed(Solver::iterative);
  const auto refused = [&](const char* why) {
    expect_error([&] { (void)gp.fit(data.training()); }, "UsageError", {why});
  };
  gp.noise = Learnable::fixed_at(0);
  refused("needs noise");
  gp = fixed(Solver::iterative);
  gp.loo = true;
  refused("leave-one-out");
  gp = fixed(Solver::iterative);
  gp.point_noise = Vector(40, 0.1);
  refused("the same noise at all points");
  gp = fixed(Solver::iterative);
  Training weighted = data.training();
  weighted.weights = Vector(40, 1.0);
  weighted.weights[3] = 2;
  expect_error([&] { (void)gp.fit(weighted); }, "UsageError", {"weights"});
  const Model m = gp.fit(data.training());
  expect_error([&] { (void)leave_one_out(m, data.y); }, "UsageError", {"a factor of A"});
  expect_error([&] { (void)m.covariance(rows(data.x), 0); }, "UsageError", {"a factor of A"});
}

}  // namespace
}  // namespace mercer::gp_iterative_test
