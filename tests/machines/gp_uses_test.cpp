// What is done with a fitted Gaussian process: components, draws, more observations, slopes, leaving one out.
#include <numbers>
#include <numeric>

#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer {
namespace {

using test::expect_error;
using test::expect_near;
using test::product;
using test::random_matrix;
using test::random_vector;

std::size_t pos(Index i) { return static_cast<std::size_t>(i); }

// Gaussian elimination with pivoting, the slow and plain way.
Matrix naive_solve(Matrix a, Matrix b) {
  const Index n = a.rows();
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) pivot = std::abs(a(i, k)) > std::abs(a(pivot, k)) ? i : pivot;
    for (Index j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    for (Index j = 0; j < b.cols(); ++j) std::swap(b(k, j), b(pivot, j));
    for (Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a(i, k) / a(k, k);
      for (Index j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      for (Index j = 0; j < b.cols(); ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < b.cols(); ++j) b(i, j) /= a(i, i);
  }
  return b;
}

Matrix basis(Trend trend, const Matrix& x) {
  Matrix out(x.rows(), trend == Trend::none ? 0 : trend == Trend::constant ? 1 : 1 + x.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = j == 0 ? 1 : x(i, j - 1);
  }
  return out;
}

struct Problem {
  Matrix x = random_matrix(24, 2, 1);
  Matrix y = random_matrix(24, 2, 2);
  Vector weights = random_vector(24, 3, 0.3, 3);
  Matrix fresh = random_matrix(7, 2, 4, -3, 3);
  Kernel k = parse("1.3*rbf(ell=0.7) + 0.5*matern(nu=2.5, ell=[2, 3])*rbf(ell=1.5) + 0.2*linear()");
  double noise = 0.04, signal = 1.7;
  Trend trend = Trend::none;

  GaussianProcess machine() const {
    return {.noise = Learnable::fixed_at(noise),
            .signal = Learnable::fixed_at(signal),
            .mean = trend,
            .objective = GaussianProcess::Objective::none};
  }
  Model fit() const { return machine().fit({.K = lazy(k, rows(x)), .y = y, .weights = weights}); }
};

constexpr Trend kTrends[] = {Trend::none, Trend::constant, Trend::linear};

// Universal kriging in its textbook form: with Q = [A H; H' 0] and q_x = [k_c(X, x); h(x)] for an addend k_c of the
// kernel and some of h, the posterior of what they stand for has mean q_x' Q^-1 [y; 0] and covariance
// k_c(x, x') - q_x' Q^-1 q_x', in units of the signal.
struct Kriging {
  Matrix mean, covariance;

  Kriging(const Problem& p, const std::optional<Kernel>& addend, bool with_trend) {
    const Matrix H = basis(p.trend, p.x), h = basis(p.trend, p.fresh), K = gram(p.k, rows(p.x));
    const Index n = p.x.rows(), m = p.fresh.rows(), all = n + H.cols();
    Matrix Q(all, all), q(all, m), padded(all, p.y.cols());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) Q(i, j) = K(i, j);
      Q(i, i) += p.noise / p.signal / p.weights[pos(i)];
      for (Index j = 0; j < H.cols(); ++j) Q(i, n + j) = Q(n + j, i) = H(i, j);
      for (Index t = 0; t < p.y.cols(); ++t) padded(i, t) = p.y(i, t);
    }
    if (addend) {
      const Matrix side = cross(*addend, rows(p.x), rows(p.fresh));
      for (Index i = 0; i < n; ++i) std::copy_n(side.row(i), m, q.row(i));
    }
    for (Index i = 0; i < m && with_trend; ++i) {
      for (Index j = 0; j < H.cols(); ++j) q(n + j, i) = h(i, j);
    }
    Matrix turned(m, all);
    for (Index i = 0; i < all; ++i) {
      for (Index j = 0; j < m; ++j) turned(j, i) = q(i, j);
    }
    mean = product(turned, naive_solve(Q, padded));
    covariance = addend ? gram(*addend, rows(p.fresh)) : Matrix(m, m);
    const Matrix known = product(turned, naive_solve(Q, q));
    for (Index i = 0; i < m * m; ++i) covariance.data()[i] = p.signal * (covariance.data()[i] - known.data()[i]);
  }
};

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

// ---- draws ----

// The mean and covariance of many draws, against what they should be, within five standard errors.
void expect_moments(const Matrix& draws, const Matrix& mean, const Matrix& covariance) {
  const Index n = draws.rows();
  const auto count = static_cast<double>(draws.cols());
  for (Index i = 0; i < n; ++i) {
    const double average = std::accumulate(draws.row(i), draws.row(i) + draws.cols(), 0.0) / count;
    EXPECT_NEAR(average, mean(i, 0), 5 * std::sqrt(covariance(i, i) / count) + 1e-9) << i;
    for (Index j = 0; j <= i; ++j) {
      double product = 0;
      for (Index d = 0; d < draws.cols(); ++d) {
        product += (draws(i, d) - mean(i, 0)) * (draws(j, d) - mean(j, 0)) / count;
      }
      const double error =
          std::sqrt((covariance(i, i) * covariance(j, j) + covariance(i, j) * covariance(i, j)) / count);
      EXPECT_NEAR(product, covariance(i, j), 5 * error + 1e-9) << i << " " << j;
    }
  }
}

Matrix first_column(const Matrix& m, Index j = 0) {
  Matrix out(m.rows(), 1);
  for (Index i = 0; i < m.rows(); ++i) out(i, 0) = m(i, j);
  return out;
}

TEST(GpSample, MomentsOfThePrior) {
  const Problem p;
  const Matrix draws = sample_prior(p.k, rows(p.fresh), {.draws = 6000, .seed = 5});
  expect_moments(draws, Matrix(7, 1), gram(p.k, rows(p.fresh)));
}

TEST(GpSample, MomentsOfThePosterior) {
  for (const Trend trend : kTrends) {
    for (const bool pathwise : {false, true}) {
      SCOPED_TRACE(std::string(name_of(trend)) + (pathwise ? ", pathwise" : ", exact"));
      Problem p;
      p.trend = trend;
      const Model m = p.fit();
      const Points x = rows(p.fresh);
      Matrix covariance = m.covariance(x, 1);
      const Matrix mean = first_column(m.scores(x), 1);
      Sampling how{.draws = 5000, .seed = 7, .pathwise = pathwise, .output = 1};
      expect_moments(sample_posterior(m, x, how), mean, covariance);
      how.with_noise = true;
      for (Index i = 0; i < 7; ++i) covariance(i, i) += p.noise;
      expect_moments(sample_posterior(m, x, how), mean, covariance);
    }
  }
}

TEST(GpSample, MoreDrawsLeaveTheFirstOnesAndSeedsDiffer) {
  Problem p;
  p.trend = Trend::constant;
  const Model m = p.fit();
  for (const bool pathwise : {false, true}) {
    const Sampling one{.draws = 1, .seed = 3, .pathwise = pathwise, .with_noise = true};
    Sampling many = one, other = one;
    many.draws = 4;
    other.seed = 4;
    const Matrix first = sample_posterior(m, rows(p.fresh), one);
    expect_near(first, first_column(sample_posterior(m, rows(p.fresh), many)), 1e-9);
    EXPECT_EQ(first, sample_posterior(m, rows(p.fresh), one));
    EXPECT_GT(std::abs(first(0, 0) - sample_posterior(m, rows(p.fresh), other)(0, 0)), 1e-6);
  }
  const Matrix prior = sample_prior(p.k, rows(p.fresh), {.draws = 1});
  expect_near(prior, first_column(sample_prior(p.k, rows(p.fresh), {.draws = 3})), 1e-9);
}

// Far more points than a smooth function has degrees of freedom, some of them twice.
TEST(GpSample, SingularCovariances) {
  Matrix x(700, 1);
  for (Index i = 0; i < 700; ++i) x(i, 0) = 0.01 * static_cast<double>(i / 2);
  const Matrix prior = sample_prior(rbf(1), rows(x), {.draws = 3});
  for (Index i = 0; i < 700; i += 2) {
    for (Index d = 0; d < 3; ++d) EXPECT_NEAR(prior(i, d), prior(i + 1, d), 1e-5);
  }
  // At points observed all but exactly, a draw is what was observed.
  Problem p;
  p.k = rbf(0.3);
  p.noise = 1e-10;
  const Model m = p.fit();
  for (const bool pathwise : {false, true}) {
    const Matrix draws = sample_posterior(m, rows(p.x), {.draws = 2, .pathwise = pathwise});
    for (Index i = 0; i < p.x.rows(); ++i) {
      for (Index d = 0; d < 2; ++d) EXPECT_NEAR(draws(i, d), p.y(i, 0), 2e-4);
    }
  }
  const Matrix nothing = sample_prior(constant(0), rows(x), {.draws = 2});
  EXPECT_EQ(nothing, Matrix(700, 2));
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

}  // namespace
}  // namespace mercer
