// Kernels with few features: f goes through these, and the answer is that of the rows.
#include <gtest/gtest.h>

#include <cmath>

#include "machines/svm/kernel_rows.hpp"
#include "machines/svm/row_store_state.hpp"
#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/linear_svm.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::svm_features_test {
namespace {

using namespace test;
using detail::Rows;
using detail::RowStore;

// Two classes with a bias that matters: most points are of one of them.
Sample uneven(Index n, Index d, unsigned seed = 3) {
  return sample("uneven", n, d, seed, [=](Random& random, Index, double* x) {
    double sum = 1.5;
    for (Index j = 0; j < d; ++j) {
      x[j] = random.normal() + 0.3;
      sum += (j % 2 == 0 ? 1 : -0.5) * x[j];
    }
    return sum + random.normal() > 0 ? 1.0 : 0.0;
  });
}

TEST(SvmFeatures, RowsAddTheSameThroughThem) {
  const Sample s = uneven(1300, 5);
  std::vector<Index> segment;
  for (const double t : s.target) segment.push_back(static_cast<Index>(t));
  for (const Kernel& k : {linear(), 2 * linear() + 0.5, poly(2, 1.0)}) {
    const Gram K = lazy(k, s.points());
    const Matrix dense = gram(k, s.points());
    const auto store = std::make_shared<RowStore>(K, segment, 0, Execution{});
    ASSERT_TRUE(store->state().features) << k.str();
    for (const int threads : {1, 2}) {
      store->state().small_work = 0;
      for (const std::vector<Index>& classes : {std::vector<Index>{0, 1}, std::vector<Index>{1}}) {
        const Rows rows(store, classes);
        const std::vector<Index> which = {0, 7, rows.size() - 1};
        const Vector weights = {1.5, -2, 1e-3};
        Vector f(at(rows.size()), 0.25), g = f;
        rows.add(which, weights, f, threads);
        rows.add_exact(which, weights, g, threads);
        EXPECT_EQ(f, g);
        for (Index j = 0; j < rows.size(); ++j) {
          double sum = 0.25;
          for (std::size_t a = 0; a < which.size(); ++a) {
            sum += weights[a] * dense(rows.points()[at(which[a])], rows.points()[at(j)]);
          }
          EXPECT_NEAR(f[at(j)], sum, 1e-11 * (1 + std::abs(sum)));
        }
      }
    }
  }
  EXPECT_FALSE(RowStore(lazy(rbf(1), s.points()), segment, 0, Execution{}).state().features);
}

// A matrix of the same numbers knows of no features.
void expect_same(const Model& ours, const Model& other, double within) {
  EXPECT_TRUE(ours.report().converged) << ours.report().stopped;
  EXPECT_LE(figure(ours, "gap"), 1e-3);
  EXPECT_NEAR(figure(ours, "objective_dual"), figure(other, "objective_dual"),
              within * (1 + std::abs(figure(other, "objective_dual"))));
}

TEST(SvmFeatures, TheAnswerIsThatOfTheMatrix) {
  for (const Index n : {4095, 4096, 4600}) {  // from 4096 on coordinate descent begins
    const Sample s = uneven(n, 4);
    const Gram K = lazy(linear(), s.points()), numbers = precomputed(gram(linear(), s.points()));
    for (const double C : {0.01, 3.0}) {
      expect_same(Svc{.C = C}.fit(K, s.labels()), Svc{.C = C}.fit(numbers, s.labels()), 1e-5);
      expect_same(Svc{.C = C, .bias = false}.fit(K, s.labels()), Svc{.C = C, .bias = false}.fit(numbers, s.labels()),
                  1e-5);
    }
    Vector y;
    for (Index i = 0; i < n; ++i) y.push_back(3 + s.x(i, 0) - 2 * s.x(i, 1) * s.x(i, 2));
    expect_same(Svr{.C = 0.1, .epsilon = 0.3}.fit(K, y), Svr{.C = 0.1, .epsilon = 0.3}.fit(numbers, y), 1e-5);
  }
}

// The bias is not penalised, though what it began from had it so.
TEST(SvmFeatures, TheBiasIsThatOfSvc) {
  const Sample s = uneven(5000, 3);
  const Training training{.K = lazy(linear(), s.points()), .labels = s.labels()};
  const Model svc = Svc{.C = 0.001}.fit(training);
  Vector sums(1);
  const Matrix& alpha = svc.expansion().parts().alpha;
  for (Index i = 0; i < alpha.rows(); ++i) sums[0] += alpha(i, 0);
  EXPECT_NEAR(sums[0], 0, 1e-9);
  const Model penalised = LinearSvc{.C = 0.001, .loss = MarginLoss::linear}.fit(training);
  EXPECT_GT(std::abs(svc.expansion().parts().bias[0] - penalised.expansion().parts().bias[0]), 1e-3);
}

TEST(SvmFeatures, ClassesWeightsSparseRowsAndThreads) {
  const Sample s = blobs(6000, 3, 1.2);
  const Training training{.K = lazy(linear(), s.points()), .labels = s.labels()};
  Training two = training;
  two.how.threads = 2;
  const Model one = Svc{.C = 1}.fit(training), other = Svc{.C = 1}.fit(two);
  EXPECT_EQ(one.expansion().parts().alpha, other.expansion().parts().alpha);
  SparseMatrix sparse{.rows = s.size(), .cols = 2};
  for (Index i = 0; i < s.size(); ++i) {
    for (Index j = 0; j < 2; ++j) {
      sparse.columns.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(s.x(i, j));
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.values.size()));
  }
  const Points stored = rows(std::move(sparse));
  const Model of_sparse = Svc{.C = 1}.fit(lazy(linear(), stored), s.labels());
  expect_near(of_sparse.scores(s.points()), one.scores(s.points()), 5e-3);
  // A weight of 2 is the point twice, and one of 0 no point.
  Training weighted = training;
  weighted.weights.assign(at(s.size()), 1.0);
  std::vector<Index> twice;
  for (Index i = 0; i < s.size(); ++i) {
    const double w = i % 7 == 0 ? 2 : i % 11 == 0 ? 0 : 1;
    weighted.weights[at(i)] = w;
    for (double k = 0; k < w; ++k) twice.push_back(i);
  }
  Labels labels = s.labels();
  labels.of.clear();
  for (const Index i : twice) labels.of.push_back(s.labels().of[at(i)]);
  const Model repeated = Svc{.C = 1}.fit(lazy(linear(), s.points().select(twice)), labels);
  EXPECT_NEAR(figure(Svc{.C = 1}.fit(weighted), "objective_dual"), figure(repeated, "objective_dual"), 0.02);
}

}  // namespace
}  // namespace mercer::svm_features_test
