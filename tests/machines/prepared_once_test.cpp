// Points are brought into the form that the loops want as seldom as can be. A map within the kernel counts: it is
// applied to every point whenever they are prepared.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "machines/svm_data.hpp"
#include "mercer/bags.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/gpc.hpp"
#include "mercer/machines/logistic.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/similarity.hpp"
#include "mercer/workflow.hpp"
#include "model/posterior/posterior.hpp"
#include "support.hpp"

namespace mercer::prepared_once_test {
namespace {

using namespace test;

constexpr Index kSize = 60;

// rbf of x, and how many times all points have been prepared since it was last asked.
struct Counted {
  std::shared_ptr<std::atomic<Index>> calls = std::make_shared<std::atomic<Index>>(0);
  Kernel k = warp(FeatureMap{"counted",
                             [calls = calls](VectorView x) {
                               ++*calls;
                               return Vector(x.begin(), x.end());
                             }},
                  parse("rbf(ell=0.7)"));

  // Rounded down: one point is looked at when a Gram is made.
  Index times() { return calls->exchange(0) / kSize; }
};

// Mean and variance of f together take one k(x, X): counted by a kernel that is a function of two points.
TEST(PreparedOnce, MeanAndVarianceShareTheKernel) {
  const Sample s = moons(kSize, 0.2);
  auto calls = std::make_shared<std::atomic<Index>>(0);
  const Kernel k = assume_psd(Similarity::function("counted",
                                                   [calls](VectorView x, VectorView y) {
                                                     ++*calls;
                                                     double sum = 0;
                                                     for (std::size_t c = 0; c < x.size(); ++c) {
                                                       sum += (x[c] - y[c]) * (x[c] - y[c]);
                                                     }
                                                     return std::exp(-sum);
                                                   }),
                              "it is rbf");
  for (const Trend trend : {Trend::none, Trend::constant, Trend::linear}) {
    const GaussianProcess gp{.noise = Learnable::fixed_at(0.1),
                             .signal = Learnable::fixed_at(1),
                             .mean = trend,
                             .objective = GaussianProcess::Objective::none};
    const Model m = gp.fit(lazy(k, s.points()), s.target);
    const Points fresh = rows(random_matrix(40, 2, 5));
    const Matrix variances = m.variances(fresh), scores = m.scores(fresh);
    calls->store(0);
    const auto [mean, variance] = detail::moments(m, fresh, {});
    EXPECT_LT(calls->load(), 40 * kSize * 3 / 2);  // and k(x, x)
    EXPECT_EQ(variance, variances);
    expect_near(mean, scores, 1e-12);
  }
}

TEST(PreparedOnce, ByMachines) {
  const Sample s = moons(kSize, 0.2);
  Counted counted;
  const Gram K = lazy(counted.k, s.points());
  EXPECT_EQ(counted.times(), 0);
  Svc{}.fit(K, s.labels());
  EXPECT_LE(counted.times(), 5);  // for the diagonal and for rows, and for proofs in double precision
  const Model m = KernelLogistic{}.fit(K, s.labels());
  EXPECT_EQ(counted.times(), 1);  // Svc has all pairs of so few points by itself
  KernelLogistic{}.fit(K, s.labels());
  EXPECT_EQ(counted.times(), 0);  // K has them
  K.expansion(Matrix(kSize, 1, 1.0));
  EXPECT_EQ(counted.times(), 0);
  KernelRidge{}.fit(K, s.target);
  EXPECT_EQ(counted.times(), 0);
  KernelRidge{}.fit(lazy(counted.k, s.points()), s.target);
  EXPECT_EQ(counted.times(), 1);
}

// The inner product of bags of one point each, and how many times points met themselves since it was last asked.
struct CountedSelves {
  std::shared_ptr<std::atomic<Index>> calls = std::make_shared<std::atomic<Index>>(0);
  Kernel k = mean_embedding(assume_psd(Similarity::function("counted",
                                                            [calls = calls](VectorView x, VectorView y) {
                                                              if (x.data() == y.data()) ++*calls;
                                                              return x[0] * y[0] + x[1] * y[1] + 1;
                                                            }),
                                       "an inner product"));

  Index times() { return calls->exchange(0) / kSize; }
};

TEST(PreparedOnce, ObjectsMeetThemselvesOnce) {
  const Sample s = moons(kSize, 0.2);
  std::vector<Index> offsets;
  for (Index i = 0; i <= kSize; ++i) offsets.push_back(i);
  CountedSelves counted;
  const Gram K = lazy(counted.k, bags(s.points(), offsets));
  const Vector once = K.diagonal();
  EXPECT_EQ(counted.times(), 1);
  EXPECT_EQ(K.diagonal(), once);
  EXPECT_EQ(counted.times(), 0);
  fit("svc", {}, {.K = K, .labels = s.labels()});
  EXPECT_LE(counted.times(), 2);  // within rows of K, and where the solution is proved
}

TEST(PreparedOnce, ByAnEvaluationOfTheEvidence) {
  const Sample s = moons(kSize, 0.2);
  Counted counted;
  EXPECT_FALSE(log_marginal_likelihood(counted.k, s.points(), s.target, 0.1).by_kernel.empty());
  EXPECT_EQ(counted.times(), 1);
  EXPECT_FALSE(log_evidence(counted.k, s.points(), s.labels()).by_kernel.empty());
  EXPECT_EQ(counted.times(), 1);
}

// The variance of f costs far more than f.
TEST(PreparedOnce, ClassesOfAModelThatAverages) {
  const Sample s = moons(kSize, 0.2);
  Counted counted;
  const Model m = GaussianProcessClassifier{.learn = false}.fit(lazy(counted.k, s.points()), s.labels());
  m.predict_classes(s.points());  // the first one makes the factors of variances
  counted.times();
  m.predict_classes(s.points());
  const Index once = counted.times();
  const Dataset data{.points = s.points(), .target_numbers = s.target, .target_name = "class"};
  workflow::predict({.model = m, .source = {.path = "moons", .data = data}});
  EXPECT_EQ(counted.times(), once);
  workflow::score(workflow::ScoreRequest{.model = m, .source = {.path = "moons", .data = data}});
  EXPECT_EQ(counted.times(), once);
}

}  // namespace
}  // namespace mercer::prepared_once_test
