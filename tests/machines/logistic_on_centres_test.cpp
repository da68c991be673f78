// Logistic regression by few centres, against their features as a matrix.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/logistic.hpp"
#include "mercer/plan.hpp"
#include "support.hpp"

namespace mercer::logistic_on_centres_test {
namespace {

struct Case {
  Index classes;
  double lambda;
  bool bias, weighted;
};

class LogisticOnCentres : public ::testing::TestWithParam<Case> {
 protected:
  Training training(Index n) const {
    const Case& given = GetParam();
    Matrix x = test::random_matrix(n, 2, 1);
    for (Index i = 10; i < 20; ++i) std::copy_n(x.row(i - 10), 2, x.row(i));  // each twice
    const Vector noise = test::random_vector(n, 2, -0.1, 0.1);
    std::vector<std::string> names;
    Training out{.K = lazy(parse("rbf(ell=0.7)"), rows(x))};
    for (Index i = 0; i < n; ++i) {
      const double turn = std::atan2(x(i, 1), x(i, 0)) / (2 * M_PI) + 0.5 + noise[at(i)];
      // Classes of unlike size, and the last of one point.
      const double share = std::pow(turn - std::floor(turn), 1.7);
      names.push_back(i == 5 ? "last"
                             : std::to_string(static_cast<int>(share * static_cast<double>(given.classes - 1))));
      if (given.weighted) out.weights.push_back(i == 5 ? 1 : static_cast<double>(i % 3));
    }
    out.labels = Labels::from(names);
    out.centres = choose_centres(parse("rbf(ell=0.7)"), rows(x), {.count = 30});
    return out;
  }
};

// The problem is convex: where the gradient in w and b is 0, with Phi as a matrix, is its solution.
TEST_P(LogisticOnCentres, HasNoGradientInTheirFeatures) {
  const Case& given = GetParam();
  const Training training = this->training(1025);
  const Model found = KernelLogistic{.lambda = given.lambda, .bias = given.bias, .tolerance = 1e-12}.fit(training);
  EXPECT_TRUE(found.report().converged) << found.report().stopped;
  const Points x = *training.K.points();
  const Centres& z = *training.centres;
  const Matrix Phi = z.features(x), f = found.scores(x), &beta = found.expansion().parts().alpha;
  const Index m = z.size(), outputs = f.cols();
  ASSERT_EQ(beta.rows(), m);
  Matrix gradient(m, outputs);
  Vector of_bias(at(outputs));
  double objective = 0;
  for (Index j = 0; j < m; ++j) {
    for (Index c = 0; c < outputs; ++c) {
      double w = 0;  // L'beta
      for (Index i = j; i < m; ++i) w += z.root()(i, j) * beta(i, c);
      gradient(j, c) = -given.lambda * w;
      objective += given.lambda / 2 * w * w;
    }
  }
  for (Index i = 0; i < x.size(); ++i) {
    const double weight = training.weights.empty() ? 1 : training.weights[at(i)];
    const Index own = training.labels.of[at(i)];
    double sum = outputs == 1 ? 1 : 0;  // two classes: f against 0
    for (Index c = 0; c < outputs; ++c) sum += std::exp(f(i, c));
    objective += weight * (std::log(sum) - (outputs > 1 ? f(i, own) : own == 1 ? f(i, 0) : 0));
    for (Index c = 0; c < outputs; ++c) {
      const double g = weight * (((outputs > 1 ? c : 1) == own ? 1 : 0) - std::exp(f(i, c)) / sum);
      of_bias[at(c)] += g;
      for (Index j = 0; j < m; ++j) gradient(j, c) += Phi(i, j) * g;
    }
  }
  for (Index i = 0; i < m * outputs; ++i) EXPECT_NEAR(gradient.data()[i], 0, 1e-6);
  for (Index c = 0; given.bias && c < outputs; ++c) EXPECT_NEAR(of_bias[at(c)], 0, 1e-6);
  EXPECT_NEAR(found.report().figure("objective").value(), objective, 1e-7 * objective);
  for (Index i = 0; outputs > 1 && i < 20; ++i) {  // the f_c add to 0
    double sum = 0;
    for (Index c = 0; c < outputs; ++c) sum += f(i, c);
    EXPECT_NEAR(sum, 0, 1e-6);
  }
}

// Features as a matrix and all points are another way to the same minimum, which says so where it does not arrive: with
// a small lambda and few features coefficients of points are so large that rounding has the last word.
TEST_P(LogisticOnCentres, IsNotBeatenInTheirFeatures) {
  const Case& given = GetParam();
  const KernelLogistic machine{.lambda = given.lambda, .bias = given.bias};
  const Training training = this->training(250);
  const double found = *machine.fit(training).report().figure("objective");
  Training plain = training;
  plain.centres.reset();
  plain.K = lazy(linear(), rows(training.centres->features(*training.K.points())));
  const Report other =
      KernelLogistic{.lambda = given.lambda, .bias = given.bias, .max_iterations = 12}.fit(plain).report();
  EXPECT_LE(found, *other.figure("objective") * (1 + 1e-6));
  if (other.converged) {
    EXPECT_NEAR(*other.figure("objective"), found, 1e-5 * found);
  }
}

TEST_P(LogisticOnCentres, HasTheSameBitsWhateverTheThreadsAndTheMemory) {
  const Case& given = GetParam();
  const KernelLogistic machine{.lambda = given.lambda, .bias = given.bias, .tolerance = 1e-12};
  Training training = this->training(1100);
  training.how.threads = 1;
  const Model one = machine.fit(training);
  training.how.threads = 2;
  EXPECT_EQ(one.expansion().parts().alpha, machine.fit(training).expansion().parts().alpha);
  training.memory = 100'000;  // k(X, Z) is computed in every pass; that counts for when preconditioners are made anew
  const Model passing = machine.fit(training);
  EXPECT_TRUE(passing.report().converged) << passing.report().stopped;
  EXPECT_NEAR(passing.report().figure("objective").value(), one.report().figure("objective").value(), 1e-9);
  const Points fresh = rows(test::random_matrix(50, 2, 3));
  test::expect_near(one.probabilities(fresh), passing.probabilities(fresh), 1e-5);
}

// A preconditioner that is none would take hundreds.
TEST_P(LogisticOnCentres, TakesFewSteps) {
  const Case& given = GetParam();
  const Report report = KernelLogistic{.lambda = given.lambda, .bias = given.bias}.fit(training(1100)).report();
  EXPECT_LE(*report.figure("conjugate_gradient_steps"), 18 * static_cast<double>(report.iterations));
}

INSTANTIATE_TEST_SUITE_P(Cases, LogisticOnCentres,
                         ::testing::Values(Case{2, 1, true, false}, Case{2, 1e-4, true, true},
                                           Case{2, 0.1, false, true}, Case{5, 1, true, true},
                                           Case{5, 1e-4, true, false}, Case{3, 0.1, false, false}));

// Classes that a plane separates, and hardly a penalty: probabilities go to 0 and 1, and curvature with them.
TEST(LogisticOnCentresAlone, ATinyPenaltyIsReachedThroughLargerOnes) {
  const Matrix x = test::random_matrix(200, 2, 4);
  std::vector<std::string> names;
  for (Index i = 0; i < 200; ++i) names.push_back(x(i, 0) > 0.1 ? "b" : "a");
  Training training{.K = lazy(parse("rbf(ell=1)"), rows(x)), .labels = Labels::from(names)};
  training.centres = choose_centres(parse("rbf(ell=1)"), rows(x), {.count = 25});
  const Model found = KernelLogistic{.lambda = 1e-9}.fit(training);
  EXPECT_TRUE(found.report().converged) << found.report().stopped;
  EXPECT_LT(found.report().figure("objective").value(), 1);
  const std::vector<Index> answers = found.predict_classes(rows(x));
  for (Index i = 0; i < 200; ++i) EXPECT_EQ(answers[at(i)], x(i, 0) > 0.1 ? 1 : 0);
}

TEST(LogisticOnCentresAlone, StoppedItReturnsWhatItHas) {
  const Matrix x = test::random_matrix(300, 2, 5);
  std::vector<std::string> names;
  for (Index i = 0; i < 300; ++i) names.push_back(x(i, 0) * x(i, 1) > 0 ? "b" : "a");
  Training training{.K = lazy(parse("rbf(ell=1)"), rows(x)), .labels = Labels::from(names)};
  training.centres = choose_centres(parse("rbf(ell=1)"), rows(x), {.count = 25});
  int heard = 0;
  training.how.monitor =
      Monitor([&](const Progress& progress) { return progress.stage != "logistic" || ++heard < 12; });
  const Model found = KernelLogistic{}.fit(training);
  EXPECT_FALSE(found.report().converged);
  EXPECT_EQ(found.report().stopped, "interrupted");
  EXPECT_TRUE(std::isfinite(found.report().figure("gradient").value()));
}

TEST(LogisticOnCentresAlone, ThePlanKeepsValuesWhereTheyFindRoom) {
  Extent extent = extent_of(parse("rbf(ell=1)"), rows(Matrix(1, 3)));
  extent.points = extent.weighted = 100'000;
  extent.outputs = 3;
  const auto planned = [&](std::size_t memory) {
    extent.memory = memory;
    return plan_for(machine("logistic"), {}, extent, {.centres = 1000});
  };
  const Plan kept = planned(std::size_t{8} << 30U), not_kept = planned(std::size_t{500} << 20U);
  EXPECT_GT(kept.bytes, 800e6);
  EXPECT_LT(not_kept.bytes, 300e6);
  EXPECT_GT(not_kept.pairs, 10 * kept.pairs);
}

}  // namespace
}  // namespace mercer::logistic_on_centres_test
