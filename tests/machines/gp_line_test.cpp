// Gaussian processes along a line: by a state space all numbers are those of the dense system.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/mercer.hpp"
#include "support.hpp"

namespace mercer::gp_line_test {
namespace {

using Solver = GaussianProcess::Solver;
using test::expect_error;
using test::expect_near;
using test::random_matrix;

struct Problem {
  Matrix x, y, test;
  explicit Problem(Index n) : x(random_matrix(n, 1, 1, 0, 40)), y(n, 1), test(random_matrix(200, 1, 3, -5, 45)) {
    const Matrix e = random_matrix(n, 1, 2, -0.3, 0.3);
    for (Index i = 0; i < n; ++i) y(i, 0) = std::sin(x(i, 0)) + 0.1 * x(i, 0) + e(i, 0);  // not in order
    x(5, 0) = x(9, 0);
  }
};

Training training(const Problem& p, const char* kernel) {
  Training out{.K = lazy(parse(kernel), rows(Matrix(p.x)))};
  out.y = p.y;
  return out;
}

GaussianProcess fixed(Solver solver, Trend mean = Trend::constant) {
  GaussianProcess gp{.noise = Learnable::fixed_at(0.05), .signal = Learnable::fixed_at(1.5), .mean = mean};
  gp.objective = GaussianProcess::Objective::none;
  gp.solver = solver;
  return gp;
}

constexpr const char* kSeries = "matern(nu=1.5, ell=3) + 0.5*periodic(period=6.3, ell=1.5)";

TEST(GpLine, AllNumbersAreThoseOfTheDenseSystem) {
  const Problem p(2000);
  for (const Trend mean : {Trend::none, Trend::constant, Trend::linear}) {
    for (const char* kernel : {"matern(nu=2.5, ell=2)", kSeries}) {
      Training t = training(p, kernel);
      t.weights.assign(2000, 1.0);
      for (Index i = 0; i < 2000; i += 7) t.weights[static_cast<std::size_t>(i)] = 2;
      t.weights[3] = t.weights[1999] = 0;
      const Model line = fixed(Solver::automatic, mean).fit(t), dense = fixed(Solver::dense, mean).fit(t);
      ASSERT_TRUE(line.report().figure("states")) << kernel;
      ASSERT_FALSE(dense.report().figure("states"));
      const Points test = rows(Matrix(p.test));
      expect_near(line.scores(test), dense.scores(test), 1e-9);
      expect_near(line.variances(test), dense.variances(test), 1e-9);
      const double evidence = *dense.report().figure("log_marginal_likelihood");
      EXPECT_NEAR(*line.report().figure("log_marginal_likelihood"), evidence, 1e-9 * std::abs(evidence));
      // Estimates of the same number, each within a small factor.
      EXPECT_NEAR(std::log10(*line.report().figure("condition")), std::log10(*dense.report().figure("condition")), 0.5);
      Matrix y(1998, 1);
      for (Index i = 0, to = 0; i < 2000; ++i) {
        if (i != 3 && i != 1999) y(to++, 0) = p.y(i, 0);
      }
      const LeaveOneOut one = leave_one_out(line, y), other = leave_one_out(dense, y);
      expect_near(one.mean, other.mean, 1e-8);
      expect_near(one.variance, other.variance, 1e-8);
      EXPECT_NEAR(one.log_density, other.log_density, 1e-8 * std::abs(other.log_density));
      EXPECT_NEAR(line.covariance(rows(Matrix{{1}, {2}, {30}}))(0, 1),
                  dense.covariance(rows(Matrix{{1}, {2}, {30}}))(0, 1), 1e-9);
    }
  }
}

void expect_same(const Evidence& line, const Evidence& dense, const char* kernel) {
  EXPECT_NEAR(line.value, dense.value, 1e-9 * std::abs(dense.value)) << kernel;
  ASSERT_EQ(line.by_kernel.size(), dense.by_kernel.size());
  for (std::size_t i = 0; i < dense.by_kernel.size(); ++i) {
    EXPECT_NEAR(line.by_kernel[i], dense.by_kernel[i], 1e-8 * (1 + std::abs(dense.by_kernel[i]))) << kernel << " " << i;
  }
  EXPECT_NEAR(line.by_noise, dense.by_noise, 1e-9 * std::abs(dense.by_noise)) << kernel;
}

TEST(GpLine, GradientsAreThoseOfTheDenseSystem) {
  const Problem p(900);
  for (const char* kernel :
       {"2*matern(nu=1.5, ell=3)", kSeries, "matern(nu=0.5, ell=9)*sho(omega=1, q=3) + linear()"}) {
    Training t = training(p, kernel);
    GaussianProcess gp{.noise = Learnable::fixed_at(0.05), .signal = Learnable::fixed_at(1.5)};
    gp.mean = Trend::linear;
    gp.point_noise.assign(900, 0.02);
    gp.point_noise[7] = 1;
    gp.solver = Solver::state_space;
    const Evidence line = log_marginal_likelihood(gp, t);
    gp.solver = Solver::dense;
    const Evidence dense = log_marginal_likelihood(gp, t);
    expect_same(line, dense, kernel);
    EXPECT_NEAR(line.by_signal, dense.by_signal, 1e-8 * std::abs(dense.by_signal));
  }
}

TEST(GpLine, LearnsWhatTheDenseSystemLearns) {
  const Problem p(500);
  GaussianProcess gp{.starts = 1};
  const Model line = gp.fit(training(p, "matern(nu=1.5, ell=1)"));
  gp.solver = Solver::dense;
  const Model dense = gp.fit(training(p, "matern(nu=1.5, ell=1)"));
  ASSERT_TRUE(line.report().figure("states"));
  for (const char* figure : {"log_marginal_likelihood", "noise", "signal"}) {
    EXPECT_NEAR(*line.report().figure(figure) / *dense.report().figure(figure), 1, 1e-4) << figure;
  }
  const Points test = rows(Matrix(p.test));
  expect_near(line.scores(test), dense.scores(test), 1e-3);
}

TEST(GpLine, SeveralTargetsShareTheFilter) {
  const Problem p(300);
  Training t = training(p, "matern(nu=1.5, ell=2)");
  t.y = Matrix(300, 2);
  for (Index i = 0; i < 300; ++i) {
    t.y(i, 0) = p.y(i, 0);
    t.y(i, 1) = 5 - 2 * p.y(i, 0) * p.y(i, 0);
  }
  GaussianProcess gp{.starts = 1};
  const Model line = gp.fit(t);
  gp.solver = Solver::dense;
  const Model dense = gp.fit(t);
  ASSERT_TRUE(line.report().figure("states"));
  expect_near(line.scores(rows(Matrix(p.test))), dense.scores(rows(Matrix(p.test))), 1e-3);
  expect_near(line.variances(rows(Matrix(p.test))), dense.variances(rows(Matrix(p.test))), 1e-3);
}

// Whoever stops the search has the model of the best place that it saw: that of the dense system there.
TEST(GpLine, AStoppedSearchLeavesAModel) {
  const Problem p(450);
  const auto fit_until = [&](int last, int& told) {
    Training t = training(p, kSeries);
    t.how.threads = 1;
    t.how.monitor = Monitor([&](const Progress&) { return ++told < last; });
    return GaussianProcess{.mean = Trend::linear, .solver = Solver::state_space, .starts = 2, .screen = 100}.fit(t);
  };
  int all = 0, left = 0;
  (void)fit_until(std::numeric_limits<int>::max(), all);
  const Points test = rows(Matrix(p.test));
  for (int share = 20; share < 100; share += 15) {
    try {
      int told = 0;
      const Model m = fit_until(all * share / 100, told);
      if (m.report().stopped != "interrupted" || m.expansion().size() != 450) continue;
      ++left;
      EXPECT_FALSE(m.report().converged);
      GaussianProcess there = fixed(Solver::dense, Trend::linear);
      there.noise = Learnable::fixed_at(*m.report().figure("noise"));
      there.signal = Learnable::fixed_at(*m.report().figure("signal"));
      const Model dense = there.fit(training(p, m.expansion().parts().kernel->str().c_str()));
      expect_near(m.scores(test), dense.scores(test), 1e-6);
      expect_near(m.variances(test), dense.variances(test), 1e-6);
      EXPECT_NEAR(*m.report().figure("log_marginal_likelihood"), *dense.report().figure("log_marginal_likelihood"),
                  1e-5);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
  }
  EXPECT_GT(left, 0);
}

// Few points for the states, objectives that need all pairs, two columns, other kernels: auto is dense.
TEST(GpLine, AutoIsDenseWhereALineIsNoShorterWay) {
  const auto takes_line = [](const Training& t, const GaussianProcess& gp) {
    return gp.fit(t).report().figure("states").has_value();
  };
  EXPECT_FALSE(takes_line(training(Problem(40), "matern(nu=1.5, ell=2)"), fixed(Solver::automatic)));
  EXPECT_TRUE(takes_line(training(Problem(41), "matern(nu=1.5, ell=2)"), fixed(Solver::automatic)));
  EXPECT_TRUE(takes_line(training(Problem(20), "matern(nu=1.5, ell=2)"), fixed(Solver::state_space)));
  EXPECT_FALSE(takes_line(training(Problem(200), "rbf(ell=2)"), fixed(Solver::automatic)));
  EXPECT_FALSE(takes_line(training(Problem(200), "matern(nu=1.5, ell=2)"), fixed(Solver::dense)));
  GaussianProcess loo{.objective = GaussianProcess::Objective::loo, .starts = 1};
  EXPECT_FALSE(takes_line(training(Problem(60), "matern(nu=1.5, ell=2)"), loo));
}

TEST(GpLine, WhatCannotBeIsRefused) {
  const GaussianProcess gp = fixed(Solver::state_space);
  expect_error([&] { gp.fit(training(Problem(50), "rbf(ell=1)")); }, "UsageError",
               {"rbf(ell=1) has no state space", "matern"});
  Training two{.K = lazy(matern(1.5, 1), rows(random_matrix(50, 2, 1)))};
  two.y = Matrix(50, 1, 1.0);
  expect_error([&] { gp.fit(two); }, "UsageError", {"not one column"});
  GaussianProcess loo{.objective = GaussianProcess::Objective::loo, .solver = Solver::state_space};
  expect_error([&] { loo.fit(training(Problem(50), "matern(nu=1.5, ell=1)")); }, "UsageError", {"objective=loo"});
  GaussianProcess noiseless = fixed(Solver::state_space);
  noiseless.noise = Learnable::fixed_at(0);
  expect_error([&] { noiseless.fit(training(Problem(50), "matern(nu=1.5, ell=1)")); }, "DataError", {"rows 6 and 10"});
}

// No noise, and the same target at the same time: what cannot be told apart is made so by a jitter that is told.
TEST(GpLine, EqualPointsWithoutNoise) {
  Problem p(60);
  p.y(5, 0) = p.y(9, 0);
  GaussianProcess gp = fixed(Solver::state_space);
  gp.noise = Learnable::fixed_at(0);
  const Model m = gp.fit(training(p, "matern(nu=1.5, ell=2)"));
  EXPECT_TRUE(m.report().figure("jitter"));
  expect_near(m.scores(rows(Matrix(p.x))), p.y, 1e-5);
}

TEST(GpLine, RidgeTakesItToo) {
  const Problem p(700);
  const Model ridge =
      KernelRidge{.ridge = 0.1}.fit(lazy(matern(1.5, 2), rows(Matrix(p.x))), Vector(p.y.data(), p.y.data() + 700));
  const Model dense = KernelRidge{.ridge = 0.1, .solver = KernelRidge::Solver::cholesky}.fit(
      lazy(matern(1.5, 2), rows(Matrix(p.x))), Vector(p.y.data(), p.y.data() + 700));
  expect_near(ridge.scores(rows(Matrix(p.test))), dense.scores(rows(Matrix(p.test))), 1e-9);
}

// A point has the same answer whatever else is asked, and whatever the threads.
TEST(GpLine, AnswersDoNotDependOnEachOther) {
  const Problem p(500);
  const Model m = fixed(Solver::automatic).fit(training(p, kSeries));
  const Matrix all = m.scores(rows(Matrix(p.test)), {.threads = 1}),
               again = m.scores(rows(Matrix(p.test)), {.threads = 3});
  const Matrix variances = m.variances(rows(Matrix(p.test)));
  EXPECT_EQ(all, again);
  for (const Index i : {0, 57, 199}) {
    const Matrix one(MatrixView(p.test.row(i), 1, 1));
    EXPECT_EQ(m.scores(rows(Matrix(one)))(0, 0), all(i, 0));
    EXPECT_EQ(m.variances(rows(Matrix(one)))(0, 0), variances(i, 0));
  }
}

// Readings of five instruments at times of their own, in any order; of the last there are two.
struct Instruments {
  Matrix t, y;
  std::vector<std::string> names;
  explicit Instruments(Index n) : t(random_matrix(n, 1, 4, 0, 20)), y(n, 1) {
    const Matrix e = random_matrix(n, 1, 5, -0.3, 0.3);
    for (Index i = 0; i < n; ++i) {
      const Index which = i < 2 ? 4 : i % 4;
      names.push_back("i" + std::to_string(which));
      y(i, 0) = std::sin(t(i, 0) + static_cast<double>(which)) + e(i, 0);
    }
  }
  Points points() const { return table({{"t", rows(Matrix(t))}, {"instrument", strings(names)}}); }
  Training training(const char* kernel) const {
    Training out{.K = lazy(parse(kernel), points())};
    out.y = y;
    return out;
  }
};

constexpr const char* kApart[] = {
    "on(t, 2*matern(nu=1.5, ell=1.5) + periodic(period=6, ell=2))*on(instrument, equal())",
    "0.5*on(t, matern(nu=0.5, ell=3))*on(instrument, equal()) + on(instrument, equal())*on(t, linear() + const(c=2))"};

TEST(GpLine, SeriesThatShareAKernelAreTheDenseProcessOfItsProductWithEqual) {
  const Instruments p(1500);
  const Points test = table({{"t", rows(Matrix{{3}, {-1}, {8.5}, {25}, {3}})},
                             {"instrument", strings({"i1", "i1", "i3", "i4", "never seen"})}});
  for (const char* const kernel : kApart) {
    const Training t = p.training(kernel);
    const Model line = fixed(Solver::state_space).fit(t), dense = fixed(Solver::dense).fit(t);
    EXPECT_EQ(line.report().figure("series"), 5);
    const double evidence = *dense.report().figure("log_marginal_likelihood");
    EXPECT_NEAR(*line.report().figure("log_marginal_likelihood"), evidence, 1e-9 * std::abs(evidence));
    for (const Points& x : {test, p.points()}) {
      expect_near(line.scores(x), dense.scores(x), 1e-9);
      expect_near(line.variances(x), dense.variances(x), 1e-9);
    }
    const LeaveOneOut one = leave_one_out(line, p.y), other = leave_one_out(dense, p.y);
    expect_near(one.mean, other.mean, 1e-8);
    expect_near(one.variance, other.variance, 1e-8);
    EXPECT_NEAR(line.covariance(test)(0, 1), dense.covariance(test)(0, 1), 1e-9);
    EXPECT_EQ(line.scores(test, {.threads = 1}), line.scores(test, {.threads = 4}));

    GaussianProcess gp{.noise = Learnable::fixed_at(0.1), .signal = Learnable::fixed_at(1.5)};
    gp.point_noise.assign(1500, 0.02);
    gp.point_noise[7] = 1;
    gp.solver = Solver::state_space;
    const Evidence along = log_marginal_likelihood(gp, t);
    gp.solver = Solver::dense;
    const Evidence pairs = log_marginal_likelihood(gp, t);
    expect_same(along, pairs, kernel);
    const Kernel k = parse(kernel);
    const Vector y(p.y.data(), p.y.data() + 1500);
    EXPECT_NEAR(log_marginal_likelihood(k, p.points(), y, 0.1, false).value,
                log_marginal_likelihood(k, p.points(), y, 0.1, true).value, 1e-9 * std::abs(pairs.value));
  }
}

// Columns of numbers may tell series apart too, and what they share has no state of each.
TEST(GpLine, WhichKernelsSeeSeries) {
  const Instruments p(300);
  Matrix x(300, 2);
  for (Index i = 0; i < 300; ++i) {
    x(i, 0) = static_cast<double>(p.names[static_cast<std::size_t>(i)].back());
    x(i, 1) = p.t(i, 0);
  }
  const auto fitted = [&](const char* kernel, Solver solver) {
    Training t{.K = lazy(parse(kernel), rows(Matrix(x)))};
    t.y = p.y;
    return fixed(solver).fit(t);
  };
  const char* const apart = "on(2, matern(nu=2.5, ell=2))*on(1, equal())";
  const Model line = fitted(apart, Solver::automatic);
  EXPECT_EQ(line.report().figure("series"), 5);
  expect_near(line.scores(rows(Matrix(x))), fitted(apart, Solver::dense).scores(rows(Matrix(x))), 1e-9);
  for (const char* const shared : {"on(2, matern(nu=2.5, ell=2))*on(1, equal()) + on(2, matern(nu=0.5, ell=2))",
                                   "on(2, matern(nu=2.5, ell=2))*on(1, matern(nu=0.5, ell=2))"}) {
    EXPECT_FALSE(fitted(shared, Solver::automatic).report().figure("states")) << shared;
    expect_error([&] { fitted(shared, Solver::state_space); }, "UsageError", {"has no state space", "equal()"});
  }
}

// equal() along the line itself: what a time has by itself, and readings at that time share.
TEST(GpLine, WhiteAlongTheLine) {
  Problem p(400);
  for (Index i = 0; i < 100; ++i) p.x(i, 0) = p.x(i + 100, 0);
  for (const char* const kernel : {"matern(nu=1.5, ell=3) + 0.2*equal()", "matern(nu=0.5, ell=3)*equal()"}) {
    const Model line = fixed(Solver::state_space).fit(training(p, kernel)),
                dense = fixed(Solver::dense).fit(training(p, kernel));
    for (const Matrix& x : {p.x, p.test}) {
      expect_near(line.scores(rows(Matrix(x))), dense.scores(rows(Matrix(x))), 1e-9);
      expect_near(line.variances(rows(Matrix(x))), dense.variances(rows(Matrix(x))), 1e-9);
    }
  }
}

}  // namespace
}  // namespace mercer::gp_line_test
