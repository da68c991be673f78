// What is done with a fitted Gaussian process: components, more observations, slopes, leaving one out.
#include <numbers>

#include "gp_problem.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gpc.hpp"
#include "mercer/machines/ridge.hpp"

namespace mercer::gp_uses_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::Kriging;
using test::kTrends;
using test::pos;
using test::Problem;
using test::random_matrix;

void expect_variances(const Matrix& variance, const Matrix& covariance) {
  ASSERT_EQ(variance.rows(), covariance.rows());
  for (Index i = 0; i < variance.rows(); ++i) {
    for (Index t = 0; t < variance.cols(); ++t) EXPECT_NEAR(variance(i, t), covariance(i, i), 1e-9);
  }
}

// ---- components ----

TEST(GpComponents, EqualKrigingAndAddUp) {
  for (const Trend trend : kTrends) {
    SCOPED_TRACE(name_of(trend));
    Problem p;
    p.trend = trend;
    const Model m = p.fit();
    const std::vector<Component> parts = components(m, rows(p.fresh));
    ASSERT_EQ(parts.size(), trend == Trend::none ? 3U : 4U);
    Matrix total(p.fresh.rows(), 2);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      SCOPED_TRACE(c);
      EXPECT_EQ(parts[c].kernel.has_value(), c < 3);
      const Kriging oracle(p, parts[c].kernel, !parts[c].kernel);
      expect_near(parts[c].mean, oracle.mean, 1e-9);
      expect_variances(parts[c].variance, oracle.covariance);
      for (Index i = 0; i < total.rows() * 2; ++i) total.data()[i] += parts[c].mean.data()[i];
    }
    expect_near(total, m.scores(rows(p.fresh)), 1e-11);
    const Kriging whole(p, p.k, true);
    expect_near(m.scores(rows(p.fresh)), whole.mean, 1e-9);
    expect_variances(m.variances(rows(p.fresh)), whole.covariance);
    expect_near(m.covariance(rows(p.fresh), 1), whole.covariance, 1e-9);
  }
}

TEST(GpComponents, NumbersInFrontOfASumGoToItsAddends) {
  Problem p;
  p.k = parse("3*(rbf(ell=1) + 0.5*(linear() + const(c=2))) + matern(nu=1.5, ell=2)");
  const std::vector<Component> parts = components(p.fit(), rows(p.fresh));
  const std::vector<std::string> texts = {"3*rbf(ell=1)", "1.5*linear()", "1.5*const(c=2)", "matern(nu=1.5, ell=2)"};
  ASSERT_EQ(parts.size(), texts.size());
  for (std::size_t c = 0; c < texts.size(); ++c) {
    EXPECT_EQ(parts[c].kernel->str(), parse(texts[c]).str());
    const Kriging oracle(p, parts[c].kernel, false);
    expect_near(parts[c].mean, oracle.mean, 1e-9);
    expect_variances(parts[c].variance, oracle.covariance);
  }
}

TEST(GpComponents, AKernelThatIsNoSumIsTheWhole) {
  Problem p;
  p.k = rbf(0.9);
  const Model m = p.fit();
  const std::vector<Component> parts = components(m, rows(p.fresh));
  ASSERT_EQ(parts.size(), 1U);
  expect_near(parts[0].mean, m.scores(rows(p.fresh)), 1e-12);
  expect_near(parts[0].variance, m.variances(rows(p.fresh)), 1e-10);
}

// ---- more observations ----

Matrix stacked(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows() + b.rows(), a.cols());
  std::copy_n(a.data(), a.rows() * a.cols(), out.data());
  std::copy_n(b.data(), b.rows() * b.cols(), out.row(a.rows()));
  return out;
}

TEST(GpCondition, EqualsARefit) {
  for (const Trend trend : kTrends) {
    SCOPED_TRACE(name_of(trend));
    Problem p;
    p.trend = trend;
    const Matrix x = random_matrix(9, 2, 11), y = random_matrix(9, 2, 12), test = random_matrix(15, 2, 13, -3, 3);
    const Model grown = condition(p.fit(), rows(x), y);
    const Model twice = condition(condition(p.fit(), rows(x).slice({0, 4}), Matrix(y.view().block({0, 4}, {0, 2}))),
                                  rows(x).slice({4, 9}), Matrix(y.view().block({4, 9}, {0, 2})));
    p.x = stacked(p.x, x);
    p.y = stacked(p.y, y);
    p.weights.resize(33, 1.0);
    const Model refit = p.fit();
    for (const Model* m : {&grown, &twice}) {
      expect_near(m->scores(rows(test)), refit.scores(rows(test)), 1e-9);
      expect_near(m->variances(rows(test)), refit.variances(rows(test)), 1e-9);
      expect_near(m->covariance(rows(test), 1), refit.covariance(rows(test), 1), 1e-9);
      expect_near(m->expansion().parts().alpha, refit.expansion().parts().alpha, 1e-8);
      EXPECT_NEAR(*m->report().figure("log_marginal_likelihood"), *refit.report().figure("log_marginal_likelihood"),
                  1e-8);
      EXPECT_EQ(m->support(), refit.support());
      EXPECT_EQ(m->posterior().noise, refit.posterior().noise);
      ASSERT_EQ(m->report().notes.size(), 1U);
      EXPECT_NE(m->report().notes[0].find("33 in all"), std::string::npos) << m->report().notes[0];
    }
    // Uses of the grown model see all points.
    expect_near(leave_one_out(grown, p.y).mean, leave_one_out(refit, p.y).mean, 1e-8);
  }
}

TEST(GpCondition, LeavesTheModelItComesFromAlone) {
  const Problem p;
  const Model m = p.fit();
  const Matrix before = m.variances(rows(p.fresh));
  const Model same = condition(m, rows(Matrix(0, 2)), Matrix(0, 2));
  const Model grown = condition(m, rows(p.fresh), random_matrix(7, 2, 3));
  EXPECT_EQ(before, m.variances(rows(p.fresh)));
  EXPECT_EQ(before, same.variances(rows(p.fresh)));
  const Matrix after = grown.variances(rows(p.fresh));
  for (Index i = 0; i < 7; ++i) EXPECT_LT(after(i, 0), before(i, 0));
}

TEST(GpCondition, RefusesWhatDoesNotFit) {
  Problem p;
  p.noise = 0;
  p.k = rbf(0.5);
  const Model m = p.fit();
  const Matrix y(7, 2);
  expect_error([&] { condition(m, rows(p.fresh), Matrix(6, 2)); }, "ShapeError", {"condition", "6 x 2", "7 x 2"});
  expect_error([&] { condition(m, rows(Matrix(7, 3)), y); }, "DomainError", {});
  Matrix broken = y;
  broken(2, 1) = std::nan("");
  expect_error([&] { condition(m, rows(p.fresh), broken); }, "DataError", {"condition", "row 3"});
  expect_error([&] { condition(m, rows(p.x).slice({3, 4}), Matrix(1, 2)); }, "NumericError", {"condition", "noise"});
}

// ---- slopes ----

TEST(GpSlope, EqualsCentralDifferences) {
  for (const Trend trend : kTrends) {
    SCOPED_TRACE(name_of(trend));
    Problem p;
    p.trend = trend;
    const Model fitted = p.fit();
    const Scaling scaling{Scaling::Kind::standard, {0.3, -0.2}, {0.5, 2.5}};
    for (const bool scaled : {false, true}) {
      const Model m = scaled ? fitted.with([&](Model::Parts& parts) { parts.scaling = scaling; }) : fitted;
      const PosteriorSlope slope = posterior_slope(m, rows(p.fresh), 1);
      const double step = 1e-4;
      for (Index c = 0; c < 2; ++c) {
        Matrix up = p.fresh, down = p.fresh;
        for (Index i = 0; i < up.rows(); ++i) {
          up(i, c) += step;
          down(i, c) -= step;
        }
        const auto check = [&](const Matrix& ours, const Matrix& above, const Matrix& below) {
          for (Index i = 0; i < up.rows(); ++i) {
            const double expected = (above(i, 1) - below(i, 1)) / (2 * step);
            EXPECT_NEAR(ours(i, c), expected, 1e-5 * std::max(1.0, std::abs(expected)));
          }
        };
        check(slope.mean, m.scores(rows(up)), m.scores(rows(down)));
        check(slope.variance, m.variances(rows(up)), m.variances(rows(down)));
      }
    }
  }
}

// A classifier's posterior has a scale for each centre.
TEST(GpSlope, OfAClassifier) {
  const Problem p;
  Vector classes;
  for (Index i = 0; i < p.x.rows(); ++i) classes.push_back(p.x(i, 0) + 0.5 * p.y(i, 0) > 0 ? 1 : -1);
  const Model m = GaussianProcessClassifier{.learn = false, .signal = Learnable::fixed_at(2)}.fit(
      lazy(p.k, rows(p.x)), Labels::from(VectorView(classes)));
  const PosteriorSlope slope = posterior_slope(m, rows(p.fresh));
  const double step = 1e-4;
  for (Index c = 0; c < 2; ++c) {
    Matrix up = p.fresh, down = p.fresh;
    for (Index i = 0; i < up.rows(); ++i) {
      up(i, c) += step;
      down(i, c) -= step;
    }
    const Matrix above = m.variances(rows(up)), below = m.variances(rows(down));
    for (Index i = 0; i < up.rows(); ++i)
      EXPECT_NEAR(slope.variance(i, c), (above(i, 0) - below(i, 0)) / (2 * step), 1e-5);
  }
  Matrix total(7, 1);
  for (const Component& part : components(m, rows(p.fresh))) {
    for (Index i = 0; i < 7; ++i) total(i, 0) += part.mean(i, 0);
  }
  expect_near(total, m.scores(rows(p.fresh)), 1e-10);
  expect_error([&] { condition(m, rows(p.fresh), Matrix(7, 1)); }, "UsageError", {"condition", "classifier"});
  expect_error([&] { leave_one_out(m, p.y); }, "UsageError", {"leave_one_out", "classifier"});
}

TEST(GpSlope, ManyPointsAreTheSameAsFew) {
  const Problem p;
  const Model m = p.fit();
  const Matrix x = random_matrix(600, 2, 21);
  const PosteriorSlope all = posterior_slope(m, rows(x));
  for (const Index i : {0, 255, 256, 599}) {
    const PosteriorSlope one = posterior_slope(m, rows(x).slice({i, i + 1}));
    for (Index c = 0; c < 2; ++c) {
      EXPECT_NEAR(all.mean(i, c), one.mean(0, c), 1e-10);
      EXPECT_NEAR(all.variance(i, c), one.variance(0, c), 1e-10);
    }
  }
}

// ---- leaving one out ----

TEST(GpLeaveOneOut, EqualsRefits) {
  for (const Trend trend : kTrends) {
    SCOPED_TRACE(name_of(trend));
    Problem p;
    p.trend = trend;
    const LeaveOneOut loo = leave_one_out(p.fit(), p.y);
    double density = 0;
    for (Index i = 0; i < p.x.rows(); ++i) {
      Problem rest = p;
      std::vector<Index> others;
      for (Index j = 0; j < p.x.rows(); ++j) {
        if (j != i) others.push_back(j);
      }
      rest.weights.erase(rest.weights.begin() + i);
      rest.y = Matrix(23, 2);
      rest.x = Matrix(23, 2);
      for (Index j = 0; j < 23; ++j) {
        std::copy_n(p.y.row(others[pos(j)]), 2, rest.y.row(j));
        std::copy_n(p.x.row(others[pos(j)]), 2, rest.x.row(j));
      }
      const Model m = rest.fit();
      const Points left = rows(p.x).slice({i, i + 1});
      for (Index t = 0; t < 2; ++t) {
        const double mean = m.scores(left)(0, t), variance = m.variances(left)(0, t) + p.noise / p.weights[pos(i)];
        EXPECT_NEAR(loo.mean(i, t), mean, 1e-8);
        EXPECT_NEAR(loo.variance(i, t), variance, 1e-8);
        const double error = p.y(i, t) - mean;
        density -= 0.5 * (std::log(2 * std::numbers::pi * variance) + error * error / variance);
      }
    }
    EXPECT_NEAR(loo.log_density, density, 1e-6);
  }
}

TEST(GpLeaveOneOut, NeedsAllTargetsAndPointsToSpare) {
  Problem p;
  expect_error([&] { leave_one_out(p.fit(), Matrix(23, 2)); }, "ShapeError", {"leave_one_out", "23 x 2", "24"});
  Matrix y = p.y;
  y(4, 0) = std::nan("");
  expect_error([&] { leave_one_out(p.fit(), y); }, "DataError", {"row 5"});
  p.x = Matrix{{1, 2}, {2, 1}, {0, 0}};
  p.y = Matrix(3, 1, 1.0);
  p.weights = {};
  p.trend = Trend::linear;
  expect_error([&] { leave_one_out(p.fit(), p.y); }, "NumericError", {"leave_one_out", "trend"});
}

// ---- what all of them refuse ----

TEST(GpUses, AreForGaussianProcesses) {
  const Problem p;
  const Points x = rows(p.fresh);
  const Model ridge = KernelRidge{}.fit({.K = lazy(p.k, rows(p.x)), .y = p.y});
  expect_error([&] { components(ridge, x); }, "UsageError", {"components", "ridge"});
  expect_error([&] { condition(ridge, x, Matrix(7, 2)); }, "UsageError", {"condition", "ridge"});
  expect_error([&] { posterior_slope(ridge, x); }, "UsageError", {"posterior_slope", "ridge"});
  expect_error([&] { leave_one_out(ridge, p.y); }, "UsageError", {"leave_one_out", "ridge"});
  expect_error([&] { sample_posterior(ridge, x, {}); }, "UsageError", {"ridge"});
  const Model numbers = p.machine().fit({.K = precomputed(gram(p.k, rows(p.x))), .y = p.y});
  expect_error([&] { components(numbers, x); }, "UsageError", {"components", "kernel"});
  expect_error([&] { sample_posterior(numbers, x, {.pathwise = true}); }, "UsageError", {"kernel"});
  const Model m = p.fit();
  expect_error([&] { sample_posterior(m, x, {.output = 2}); }, "UsageError", {"output 2"});
  expect_error([&] { posterior_slope(m, x, -1); }, "UsageError", {"output -1"});
  expect_error([&] { sample_posterior(m, x, {.draws = 0}); }, "UsageError", {"0 draws"});
  expect_error([&] { sample_prior(p.k, x, {.with_noise = true}); }, "UsageError", {"with_noise"});
  expect_error([&] { sample_prior(p.k, x, {.pathwise = true}); }, "UsageError", {"pathwise"});
}

TEST(GpUses, WorkOnOtherDomains) {
  const std::vector<std::string> words = {"abab", "abba", "baab", "bbaa", "aabb"};
  const Points x = strings(words);
  Problem p;
  p.k = parse("normalize(spectrum(k=2)) + 0.5*normalize(spectrum(k=1))");
  const Model m = p.machine().fit({.K = lazy(p.k, x), .y = random_matrix(5, 1, 2)});
  const Points fresh = strings({"aaab", "baba"});
  EXPECT_EQ(components(m, fresh).size(), 2U);
  EXPECT_EQ(condition(m, fresh, Matrix(2, 1)).expansion().size(), 7);
  EXPECT_EQ(sample_posterior(m, fresh, {.draws = 3, .pathwise = true}).cols(), 3);
  expect_error([&] { posterior_slope(m, fresh); }, "DomainError", {"posterior_slope", "strings"});
}

// Far from the origin a linear mean is as good as around it: mean, variance, slope, draws of the basis, new points.
TEST(GpTrend, DoesNotNoticeAnOffset) {
  for (const Trend trend : kTrends) {
    Problem near;
    near.trend = trend;
    near.k = parse("1.3*rbf(ell=0.7) + 0.5*matern(nu=2.5, ell=[2, 3])");
    Problem away = near;
    const double offset = 1048576;  // whole numbers of 2^-30 stay exact
    for (Matrix* m : {&near.x, &near.fresh}) {
      for (Index i = 0; i < m->rows() * m->cols(); ++i) m->data()[i] = std::round(m->data()[i] * 0x1p20) * 0x1p-20;
    }
    away.x = near.x;
    away.fresh = near.fresh;
    for (Matrix* m : {&away.x, &away.fresh}) {
      for (Index i = 0; i < m->rows() * m->cols(); ++i) m->data()[i] += offset;
    }
    const Model a = near.fit(), b = away.fit();
    const Points at = rows(near.fresh), there = rows(away.fresh);
    expect_near(b.predict_targets(there), a.predict_targets(at), 1e-8);
    expect_near(b.variances(there), a.variances(at), 1e-8);
    expect_near(b.covariance(there), a.covariance(at), 1e-8);
    expect_near(posterior_slope(b, there).mean, posterior_slope(a, at).mean, 1e-7);
    expect_near(posterior_slope(b, there).variance, posterior_slope(a, at).variance, 1e-7);
    const Matrix more = random_matrix(7, 2, 9);
    const Model c = condition(a, at, more), d = condition(b, there, more);
    expect_near(d.predict_targets(rows(away.x)), c.predict_targets(rows(near.x)), 1e-7);
    expect_near(d.variances(rows(away.x)), c.variances(rows(near.x)), 1e-7);
    if (trend != Trend::none) {
      expect_near(components(b, there).back().mean, components(a, at).back().mean, 1e-7);
    }
    EXPECT_NEAR(*b.report().figure("log_marginal_likelihood"), *a.report().figure("log_marginal_likelihood"), 1e-6);
  }
}

}  // namespace
}  // namespace mercer::gp_uses_test
