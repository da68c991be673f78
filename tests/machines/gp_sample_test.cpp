// Draws from the prior and the posterior of a Gaussian process.
#include <fmt/format.h>

#include <numeric>

#include "gp_problem.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gpc.hpp"

namespace mercer::gp_sample_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::kTrends;
using test::Problem;
using test::random_matrix;

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

// With a scale for each centre: the approximation of a classifier.
TEST(GpSample, MomentsOfAClassifier) {
  const Problem p;
  Vector classes;
  for (Index i = 0; i < p.x.rows(); ++i) classes.push_back(p.x(i, 0) + 0.5 * p.y(i, 0) > 0 ? 1 : -1);
  const Model m = GaussianProcessClassifier{.learn = false, .signal = Learnable::fixed_at(2)}.fit(
      lazy(p.k, rows(p.x)), Labels::from(VectorView(classes)));
  const Points x = rows(p.fresh);
  for (const bool pathwise : {false, true}) {
    SCOPED_TRACE(pathwise);
    expect_moments(sample_posterior(m, x, {.draws = 5000, .seed = 2, .pathwise = pathwise}), m.scores(x),
                   m.covariance(x));
  }
  expect_error([&] { sample_posterior(m, x, {.with_noise = true}); }, "UsageError", {"gpc", "noise"});
}

TEST(GpSample, CanBeCancelled) {
  const Problem p;
  const Model m = p.fit();
  const Execution stopped{.monitor = Monitor([](const Progress&) { return false; })};
  const auto text = [&](bool pathwise) {
    return test::error_of([&] { sample_posterior(m, rows(p.fresh), {.pathwise = pathwise}, stopped); });
  };
  EXPECT_TRUE(text(false).starts_with("Cancelled")) << text(false);
  EXPECT_TRUE(text(true).starts_with("Cancelled")) << text(true);
}

TEST(GpSample, RefusesWhatIsNoCovarianceWithTheFigure) {
  const Points x = rows(Matrix{{1}, {2}, {3}});
  const auto assumed = [](const char* formula) { return parse(fmt::format("assume_psd({}, \"a wish\")", formula)); };
  expect_error([&] { sample_prior(assumed("-x*y"), x, {}); }, "NumericError", {"smallest eigenvalue is -14,"});
  expect_error([&] { sample_prior(assumed("abs(x-y)"), x, {}); }, "NumericError", {"smallest eigenvalue is -2"});
  expect_error([&] { sample_prior(parse("exp(linear())"), rows(Matrix{{1}, {30}}), {}); }, "NumericError", {"row 2"});
  EXPECT_EQ(sample_prior(parse("const(c=0)"), x, {}), Matrix(3, 1));
}

}  // namespace
}  // namespace mercer::gp_sample_test
