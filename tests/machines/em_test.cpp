// Expectation and maximisation: the likelihood never falls, and a step is an exact maximum.
#include "machines/clusters/em.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/gaussians.hpp"
#include "support.hpp"

namespace mercer::em_test {
namespace {

using detail::fit_mixture;
using detail::MixtureFound;

Matrix clouds() {
  Matrix z = test::random_matrix(120, 3, 1);
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index d = 0; d < 3; ++d) z(i, d) = z(i, d) * (1 + static_cast<double>(d)) + static_cast<double>(i % 3) * 2.5;
  }
  return z;
}

MixtureFound fitted(const Matrix& z, Index components, Index directions, double floor, double tolerance = 1e-9) {
  const Vector weights = test::random_vector(z.rows(), 2, 0.5, 2);
  return fit_mixture({.z = z, .weights = weights, .components = components, .directions = directions, .floor = floor},
                     {.starts = 2, .tolerance = tolerance}, {});
}

TEST(EmTest, TheLikelihoodNeverFalls) {
  const Matrix z = clouds();
  for (const Index components : {1, 2, 3, 5}) {
    for (const Index directions : {0, 1, 2, 3}) {
      for (const double floor : {1e-6, 0.5, 3.0}) {  // the last two hold variances up
        const MixtureFound found = fitted(z, components, directions, floor);
        for (std::size_t t = 1; t < found.course.size(); ++t) {
          EXPECT_GE(found.course[t], found.course[t - 1] - 1e-9 * std::abs(found.course[t]))
              << components << " components, " << directions << " directions, floor " << floor << ", step " << t;
        }
        EXPECT_EQ(found.course.back(), found.log_likelihood);
      }
    }
  }
}

// One component is the maximum itself: no other mean, variance or direction is likelier.
TEST(EmTest, AStepIsAMaximum) {
  const Matrix z = clouds();
  const Vector ones(static_cast<std::size_t>(z.rows()), 1.0);
  for (const Index directions : {1, 3}) {
    for (const double floor : {1e-6, 2.5}) {
      const MixtureFound found =
          fit_mixture({.z = z, .weights = ones, .components = 1, .directions = directions, .floor = floor}, {}, {});
      const auto likelihood = [&](const Matrix& mixture) {
        const Vector logs = detail::log_sums(detail::log_joint(mixture, z));
        return std::accumulate(logs.begin(), logs.end(), 0.0);
      };
      EXPECT_NEAR(likelihood(found.mixture), found.log_likelihood, 1e-9 * std::abs(found.log_likelihood));
      for (Index d = 0; d < 3; ++d) {
        for (const double step : {-0.05, 0.05}) {
          Matrix other = found.mixture;
          other(0, 2 + d) += step;
          EXPECT_LT(likelihood(other), found.log_likelihood);
        }
      }
      // A variance of the first direction that is larger; smaller ones where the floor allows them.
      for (const double factor : {0.9, 1.1}) {
        Matrix other = found.mixture;
        double inverse = 0;
        for (Index d = 0; d < 3; ++d) inverse += other(0, 5 + d) * other(0, 5 + d);
        if (1 / (inverse * factor * factor) < floor) continue;
        for (Index d = 0; d < 3; ++d) other(0, 5 + d) *= factor;
        other(0, 1) += std::log(factor);
        EXPECT_LT(likelihood(other), found.log_likelihood);
      }
    }
  }
}

TEST(EmTest, TheResidualVarianceIsTheMeanOfWhatIsLeft) {
  const Matrix z = clouds();
  const MixtureFound full = fitted(z, 1, 3, 1e-9), few = fitted(z, 1, 1, 1e-9);
  const auto variance = [](const Matrix& mixture, Index direction) {
    double inverse = 0;
    for (Index d = 0; d < 3; ++d) inverse += std::pow(mixture(0, 5 + 3 * direction + d), 2);
    return 1 / inverse;
  };
  EXPECT_NEAR(variance(few.mixture, 0), variance(full.mixture, 0), 1e-9);
  const double rest = (variance(full.mixture, 1) + variance(full.mixture, 2)) / 2;
  EXPECT_NEAR(variance(few.mixture, 1), rest, 1e-9);
  EXPECT_NEAR(variance(few.mixture, 2), rest, 1e-9);
}

// Each iteration looks, on one thread and on several, and what is returned is what it had.
TEST(EmTest, EveryIterationLooks) {
  const Matrix z = test::random_matrix(3000, 8, 21);
  const Vector weights(3000, 1.0);
  const detail::MixtureProblem problem{.z = z, .weights = weights, .components = 6, .directions = 8, .floor = 1e-4};
  for (const int threads : {1, 2}) {
    Index looks = 0, stop = -1;
    const Execution how{.threads = threads,
                        .monitor = Monitor([&](const Progress& p) { return p.stage != "mixture" || ++looks != stop; })};
    const detail::MixtureSearch search{.starts = 1, .max_iterations = 40, .tolerance = 1e-12};
    const MixtureFound whole = fit_mixture(problem, search, how);
    EXPECT_EQ(whole.course.size(), 40u);
    EXPECT_GE(looks, 3 * 40);
    looks = 0;
    stop = 60;
    const MixtureFound part = fit_mixture(problem, search, how);
    EXPECT_LE(looks, stop + threads);  // others may be just about to look
    EXPECT_EQ(part.stopped, "interrupted");
    EXPECT_FALSE(part.converged);
    ASSERT_LE(part.course.size(), 20u);
    for (std::size_t t = 0; t < part.course.size(); ++t) EXPECT_EQ(part.course[t], whole.course[t]);
  }
}

TEST(EmTest, SharesAreDecreasingAndAddToOne) {
  const MixtureFound found = fitted(clouds(), 4, 3, 1e-4);
  double sum = 0;
  for (Index c = 0; c < found.mixture.rows(); ++c) {
    sum += found.mixture(c, 0);
    EXPECT_LE(found.mixture(c, 0), c > 0 ? found.mixture(c - 1, 0) : 1);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(EmTest, FewerPointsThanComponentsAreRefused) {
  const Matrix z(10, 2, 1.0);
  const Vector ones(10, 1.0);
  test::expect_error(
      [&] { fit_mixture({.z = z, .weights = ones, .components = 2, .directions = 2, .floor = 1e-3}, {}, {}); },
      "DataError", {"2 components", "fewer"});
}

}  // namespace
}  // namespace mercer::em_test
