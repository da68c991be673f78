// Points are brought into the form that the loops want as seldom as can be. A map within the kernel counts: it is
// applied to every point whenever they are prepared.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/gpc.hpp"
#include "mercer/machines/logistic.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/machines/svm.hpp"
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

TEST(PreparedOnce, ByMachines) {
  const Sample s = moons(kSize, 0.2);
  Counted counted;
  const Gram K = lazy(counted.k, s.points());
  EXPECT_EQ(counted.times(), 0);
  Svc{}.fit(K, s.labels());
  EXPECT_LE(counted.times(), 5);  // for the diagonal and for rows, and for proofs in double precision
  const Model m = KernelLogistic{}.fit(K, s.labels());
  EXPECT_EQ(counted.times(), 0);  // K has them
  K.expansion(Matrix(kSize, 1, 1.0));
  EXPECT_EQ(counted.times(), 0);
  KernelRidge{}.fit(K, s.target);
  EXPECT_EQ(counted.times(), 0);
  KernelRidge{}.fit(lazy(counted.k, s.points()), s.target);
  EXPECT_EQ(counted.times(), 1);
}

TEST(PreparedOnce, ByAnEvaluationOfTheEvidence) {
  const Sample s = moons(kSize, 0.2);
  Counted counted;
  EXPECT_FALSE(log_marginal_likelihood(counted.k, s.points(), s.target, 0.1).by_kernel.empty());
  EXPECT_EQ(counted.times(), 1);
  EXPECT_FALSE(log_evidence(counted.k, s.points(), s.labels()).by_kernel.empty());
  EXPECT_EQ(counted.times(), 1);
}

}  // namespace
}  // namespace mercer::prepared_once_test
