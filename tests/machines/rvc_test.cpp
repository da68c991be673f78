#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "io/files.hpp"
#include "linalg/cholesky.hpp"
#include "machines/sparse_bayes/rvm_solver.hpp"
#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/logistic.hpp"
#include "mercer/machines/rvm.hpp"
#include "support.hpp"

namespace mercer::rvc_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::Sample;

double accuracy(const Model& m, const Sample& s) {
  const Vector predicted = m.predict(s.points());
  double right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == s.target[i] ? 1 : 0;
  return right / static_cast<double>(predicted.size());
}

TEST(Rvc, MoonsAsWellAsLogisticFromAHandfulOfPoints) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Sample train = test::moons(200, 0.2, seed), test = test::moons(1000, 0.2, seed + 100);
    const Gram K = exact(rbf(0.5), train.points());
    const Model m = Rvc{}.fit(K, train.labels()), dense = KernelLogistic{.lambda = 0.1}.fit(K, train.labels());
    SCOPED_TRACE(m.report().str());
    EXPECT_TRUE(m.report().converged);
    EXPECT_LT(m.expansion().size(), 15);
    EXPECT_GE(accuracy(m, test), accuracy(dense, test) - 0.025);
    // Probabilities that are right as often as they say.
    const Matrix p = m.probabilities(test.points());
    double sum = 0, ones = 0;
    for (Index i = 0; i < 1000; ++i) {
      EXPECT_NEAR(p(i, 0) + p(i, 1), 1, 1e-12);
      sum += p(i, 1);
      ones += test.target[at(i)];
    }
    EXPECT_NEAR(sum, ones, 40);
  }
}

// Laplace's evidence of some columns, found naively: the mode by many small steps of Newton's method.
double laplace_evidence(const Matrix& phi, const std::vector<bool>& positive, const std::vector<Index>& columns,
                        const Vector& alpha) {
  const auto m = static_cast<Index>(columns.size());
  Matrix w(m, 1);
  for (int round = 0;; ++round) {
    Matrix hessian(m, m), slope(m, 1);
    double objective = 0;
    for (Index a = 0; a < m; ++a) {
      hessian(a, a) = alpha[at(a)];
      slope(a, 0) = -alpha[at(a)] * w(a, 0);
      objective += alpha[at(a)] * w(a, 0) * w(a, 0) / 2;
    }
    for (Index i = 0; i < phi.cols(); ++i) {
      double f = 0;
      for (Index a = 0; a < m; ++a) f += w(a, 0) * phi(columns[at(a)], i);
      const double p = 1 / (1 + std::exp(-f));
      objective += std::log1p(std::exp(positive[at(i)] ? -f : f));
      for (Index a = 0; a < m; ++a) {
        slope(a, 0) += ((positive[at(i)] ? 1 : 0) - p) * phi(columns[at(a)], i);
        for (Index b = 0; b < m; ++b) hessian(a, b) += p * (1 - p) * phi(columns[at(a)], i) * phi(columns[at(b)], i);
      }
    }
    EXPECT_EQ(linalg::cholesky(hessian), 0);
    linalg::cholesky_solve(hessian, slope);
    if (round == 400) {
      double evidence = -objective;
      for (Index a = 0; a < m; ++a) evidence += std::log(alpha[at(a)]) / 2 - std::log(hessian(a, a));
      return evidence;
    }
    for (Index a = 0; a < m; ++a) w(a, 0) += (round < 100 ? 0.1 : 0.5) * slope(a, 0);
  }
}

// The highest evidence that a search along one logarithm of an alpha after the other finds from there.
double best_evidence(const Matrix& phi, const std::vector<bool>& positive, const std::vector<Index>& columns,
                     Vector alpha) {
  double best = laplace_evidence(phi, positive, columns, alpha);
  for (const double step : {0.3, 0.03}) {
    for (std::size_t m = 0; m < alpha.size(); ++m) {
      for (const double factor : {std::exp(step), std::exp(-step)}) {
        Vector other = alpha;
        other[m] *= factor;
        const double there = laplace_evidence(phi, positive, columns, other);
        if (there > best) {
          best = there;
          alpha = other;
        }
      }
    }
  }
  return best;
}

TEST(Rvc, TheEvidenceIsThatOfLaplaceAndNoAlphasGiveMore) {
  const Sample data = test::moons(80, 0.25, 3);
  const detail::RvmBasis basis({.K = exact(rbf(0.6), data.points())}, true);
  Matrix phi(81, 80);
  for (Index j = 0; j < 81; ++j) {
    const Vector column = basis.column(j);
    std::copy(column.begin(), column.end(), phi.row(j));
  }
  std::vector<bool> positive;  // in the order of the basis, which is not that of the data
  for (Index i = 0; i < 80; ++i) positive.push_back(data.target[at(basis.training_point(i))] == 1);
  const detail::RvmSolution s = detail::solve_rvc(basis, positive, Vector(80, 1.0), {1e-7, 100000}, {});
  EXPECT_TRUE(s.converged) << s.stopped;
  ASSERT_GE(s.columns.size(), 3U);
  EXPECT_NEAR(s.log_evidence, laplace_evidence(phi, positive, s.columns, s.alpha), 1e-6);
  EXPECT_LE(best_evidence(phi, positive, s.columns, s.alpha), s.log_evidence + 1e-6);
  // What others leave stationary, the evidence with the curvature held fixed, is another place: or this shows nothing.
  double apart = 0;
  for (std::size_t j = 0; j < s.alpha.size(); ++j) {
    const auto k = static_cast<Index>(j);
    apart = std::max(apart, std::abs(s.alpha[j] * (s.mean[j] * s.mean[j] + s.covariance(k, k)) - 1));
  }
  EXPECT_GT(apart, 1e-3);
}

TEST(Rvc, SeveralClassesAndWeights) {
  const Sample train = test::blobs(150, 3, 0.8), test = test::blobs(600, 3, 0.8, 2);
  const Gram K = exact(rbf(1.5), train.points());
  const Model m = Rvc{}.fit(K, train.labels()), dense = KernelLogistic{.lambda = 0.1}.fit(K, train.labels());
  EXPECT_TRUE(m.report().converged) << m.report().str();
  EXPECT_GE(accuracy(m, test), accuracy(dense, test) - 0.02);
  EXPECT_LT(m.expansion().size(), 30);
  const Matrix p = m.probabilities(test.points());
  for (Index i = 0; i < p.rows(); ++i) EXPECT_NEAR(p(i, 0) + p(i, 1) + p(i, 2), 1, 1e-12);

  // A point of weight 2 is two points, one of weight 0 none.
  Training weighted{.K = K, .labels = train.labels(), .weights = Vector(150, 1.0)};
  std::vector<Index> which;
  Vector target;
  for (Index i = 0; i < 150; ++i) {
    weighted.weights[at(i)] = static_cast<double>(i % 4 == 0 ? 0 : i % 2 + 1);
    for (Index k = 0; k < (i % 4 == 0 ? 0 : i % 2 + 1); ++k) {
      which.push_back(i);
      target.push_back(train.target[at(i)]);
    }
  }
  const Model a = Rvc{}.fit(weighted);
  const Model b = Rvc{}.fit(lazy(rbf(1.5), train.points().select(which)), Labels::from(VectorView(target)));
  expect_near(a.probabilities(test.points()), b.probabilities(test.points()), 1e-4);
}

TEST(Rvc, SeparableClasses) {
  const Sample train = test::blobs(60, 2, 0.2);
  for (const double ell : {0.3, 1.0, 5.0}) {
    const Model m = Rvc{}.fit(lazy(rbf(ell), train.points()), train.labels());
    EXPECT_TRUE(m.report().converged) << m.report().str();
    EXPECT_EQ(accuracy(m, train), 1) << ell;
    EXPECT_LT(m.expansion().size(), 15);
  }
}

TEST(Rvc, PointsThatComeManyTimes) {
  const Sample data = test::duplicates(200);
  const Model m = Rvc{}.fit(lazy(rbf(1.5), data.points()), data.labels());
  EXPECT_TRUE(m.report().converged) << m.report().str();
  EXPECT_LE(m.expansion().size(), 16);
  EXPECT_GE(accuracy(m, data), 0.75);
}

TEST(Rvc, IrisAsWellAsLogistic) {
  const std::string path = io_test::shared_file("small_classification/iris.csv.gz");
  if (path.empty()) GTEST_SKIP() << "iris is not on this machine";
  const Dataset d = read_data(path, {.target = "5"});
  const std::vector<std::string> target = d.target();
  std::vector<Index> fold[2];
  std::vector<std::string> names[2];
  for (Index i = 0; i < d.points.size(); ++i) {
    fold[i % 2].push_back(i);
    names[i % 2].push_back(target[at(i)]);
  }
  const Gram K = lazy(rbf(1.5), d.points.select(fold[0]));
  const auto right = [&](const Model& m) {
    const auto predicted = m.predict_labels(d.points.select(fold[1]));
    int count = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) count += predicted[i] == names[1][i] ? 1 : 0;
    return count;
  };
  const Model m = Rvc{}.fit(K, Labels::from(names[0]));
  EXPECT_LT(m.expansion().size(), 20);
  EXPECT_GE(right(m), right(KernelLogistic{.lambda = 0.1}.fit(K, Labels::from(names[0]))) - 3);
  EXPECT_GE(right(m), 69);
}

TEST(Rvc, StopsWhenToldAndRefusesBadInput) {
  const Sample data = test::moons(60, 0.2);
  const Gram K = exact(rbf(0.5), data.points());
  const Model limited = Rvc{.max_iterations = 3}.fit(K, data.labels());
  EXPECT_FALSE(limited.report().converged);
  EXPECT_EQ(limited.report().stopped, "iteration limit");
  EXPECT_EQ(limited.report().iterations, 3);
  Training training{.K = K, .labels = data.labels()};
  int left = 8;
  training.how.monitor = Monitor([&](const Progress&) { return left-- > 0; });
  const Model m = Rvc{}.fit(training);
  EXPECT_EQ(m.report().stopped, "interrupted");
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.probabilities(data.points()).rows(), 60);

  expect_error([&] { Rvc{}.fit(K, Labels::from(VectorView(Vector(60, 1.0)))); }, "DataError", {"every label"});
  expect_error([&] { Rvc{.tolerance = -1}.fit(K, data.labels()); }, "UsageError", {"rvc", "tolerance"});
  Labels third = data.labels();
  third.classes.push_back("x");
  expect_error([&] { Rvc{}.fit(K, third); }, "DataError", {"\"x\"", "leave the class out"});
  expect_error([&] { fit("rvc", {{"noise", "1"}}, {.K = K, .labels = data.labels()}); }, "UsageError", {"noise"});
  expect_error([&] { limited.variances(data.points()); }, "UsageError", {});
}

}  // namespace
}  // namespace mercer::rvc_test
