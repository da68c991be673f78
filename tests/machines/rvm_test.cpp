#include "mercer/machines/rvm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>

#include "linalg/cholesky.hpp"
#include "machines/sparse_bayes/rvm_solver.hpp"
#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::rvm_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::Sample;

// sin(x)/x at evenly spaced places between -10 and 10.
Sample sinc(Index n, double noise, unsigned seed) {
  return test::sample("sinc", n, 1, seed, [=](Random& random, Index i, double* x) {
    x[0] = -10 + 20 * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    return std::sin(x[0]) / x[0] + noise * random.normal();
  });
}

double rmse(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

TEST(Rvm, SincFromAHandfulOfPoints) {
  const Sample truth = sinc(500, 0, 1);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Sample data = sinc(100, 0.1, seed);
    for (const double ell : {1.5, 2.0, 3.0}) {
      const Model m = Rvm{}.fit(lazy(rbf(ell), data.points()), data.target);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + m.report().str());
      EXPECT_TRUE(m.report().converged);
      EXPECT_LT(m.expansion().size(), 12);
      EXPECT_EQ(m.report().figure("relevance_vectors"), static_cast<double>(m.expansion().size()));
      EXPECT_LE(rmse(m.predict(truth.points()), truth.target), 0.06);
      EXPECT_NEAR(std::sqrt(m.posterior().noise[0]), 0.1, 0.025);
      EXPECT_EQ(m.report().figure("noise"), m.posterior().noise[0]);
    }
  }
}

TEST(Rvm, TheEvidenceNeverFalls) {
  for (const double noise : {0.0, 0.01, 0.1, 1.0}) {
    for (const double ell : {0.3, 2.0, 5.0}) {
      const Sample data = sinc(100, noise, 3);
      const Model m = Rvm{}.fit(lazy(rbf(ell), data.points()), data.target);
      const Report::Table* course = m.report().table("course");
      ASSERT_NE(course, nullptr);
      for (Index r = 1; r < course->rows.rows(); ++r) {
        EXPECT_GE(course->rows(r, 1), course->rows(r - 1, 1) - 1e-7) << "row " << r << "\n" << m.report().str();
      }
      EXPECT_EQ(course->rows(course->rows.rows() - 1, 1), m.report().figure("log_marginal_likelihood"));
    }
  }
}

// ---- The model as a Gaussian process of kernel sum_j phi_j(x) phi_j(y) / alpha_j, by dense algebra ----

struct Oracle {
  Matrix phi;  // columns x points: k(x_j, .), and 1
  Vector y;

  Matrix covariance(const std::vector<Index>& columns, const Vector& alpha, double noise) const {
    Matrix c(phi.cols(), phi.cols());
    for (Index i = 0; i < c.rows(); ++i) {
      for (Index k = 0; k < c.rows(); ++k) {
        for (std::size_t j = 0; j < columns.size(); ++j) c(i, k) += phi(columns[j], i) * phi(columns[j], k) / alpha[j];
      }
      c(i, i) += noise;
    }
    return c;
  }

  double log_evidence(const std::vector<Index>& columns, const Vector& alpha, double noise) const {
    Matrix c = covariance(columns, alpha, noise);
    EXPECT_EQ(linalg::cholesky(c), 0);
    Matrix z(phi.cols(), 1);
    for (Index i = 0; i < c.rows(); ++i) z(i, 0) = y[at(i)];
    linalg::solve_lower(c, z);
    double sum = static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
    for (Index i = 0; i < c.rows(); ++i) sum += 2 * std::log(c(i, i)) + z(i, 0) * z(i, 0);
    return -sum / 2;
  }
};

Oracle oracle_of(const Kernel& k, const Sample& data) {
  const Matrix K = gram(k, data.points());
  Oracle out{Matrix(K.rows() + 1, K.cols(), 1.0), data.target};
  for (Index i = 0; i < K.rows(); ++i) std::copy_n(K.row(i), K.cols(), out.phi.row(i));
  return out;
}

TEST(Rvm, NothingIsToBeGainedAtTheEnd) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Sample data = sinc(60, 0.1, seed);
    const Kernel k = rbf(seed == 3 ? 0.8 : 2.0);
    const Oracle oracle = oracle_of(k, data);
    const detail::RvmBasis basis({.K = exact(k, data.points())}, true);
    const detail::RvmSolution s = detail::solve_rvm(basis, data.target, Vector(60, 1.0), {}, {1e-6, 100000}, {});
    ASSERT_TRUE(s.converged) << s.stopped;
    const double best = oracle.log_evidence(s.columns, s.alpha, s.noise);
    EXPECT_NEAR(s.log_evidence, best, 1e-7);
    // Slopes by the logarithms of what is in the model.
    const double h = 1e-3;
    for (std::size_t j = 0; j < s.alpha.size(); ++j) {
      Vector up = s.alpha, down = s.alpha;
      up[j] *= std::exp(h);
      down[j] *= std::exp(-h);
      const double slope =
          (oracle.log_evidence(s.columns, up, s.noise) - oracle.log_evidence(s.columns, down, s.noise)) / (2 * h);
      EXPECT_NEAR(slope, 0, 1e-4) << "column " << s.columns[j];
    }
    const double by_noise = (oracle.log_evidence(s.columns, s.alpha, s.noise * std::exp(h)) -
                             oracle.log_evidence(s.columns, s.alpha, s.noise * std::exp(-h))) /
                            (2 * h);
    EXPECT_NEAR(by_noise, 0, 1e-4);
    // Any other column, whatever its alpha, lowers the evidence.
    for (Index j = 0; j < basis.columns(); ++j) {
      if (std::count(s.columns.begin(), s.columns.end(), j) > 0) continue;
      for (const double alpha : {0.01, 1.0, 100.0, 1e4, 1e6}) {
        std::vector<Index> more = s.columns;
        Vector alphas = s.alpha;
        more.push_back(j);
        alphas.push_back(alpha);
        EXPECT_LE(oracle.log_evidence(more, alphas, s.noise), best + 1e-5) << "column " << j << ", alpha " << alpha;
      }
    }
  }
}

TEST(Rvm, MeanAndVarianceAreThoseOfTheGaussianProcess) {
  const Sample data = sinc(50, 0.1, 4), test = sinc(20, 0, 1);
  const Kernel k = rbf(2);
  const detail::RvmBasis basis({.K = exact(k, data.points())}, true);
  const detail::RvmSolution s = detail::solve_rvm(basis, data.target, Vector(50, 1.0), {}, {}, {});
  // One model of both sets of points: the covariance of the test points given the others.
  const Oracle oracle = oracle_of(k, data);
  Matrix c = oracle.covariance(s.columns, s.alpha, s.noise);
  ASSERT_EQ(linalg::cholesky(c), 0);
  const Matrix between = cross(k, data.points(), test.points());
  const auto phi = [&](Index column, Index i) { return basis.is_bias(column) ? 1 : between(column, i); };
  Matrix prior(20, 20), across(50, 20), y(50, 1);
  for (std::size_t j = 0; j < s.columns.size(); ++j) {
    const Index column = s.columns[j];
    for (Index i = 0; i < 20; ++i) {
      for (Index l = 0; l < 20; ++l) prior(i, l) += phi(column, i) * phi(column, l) / s.alpha[j];
      for (Index l = 0; l < 50; ++l) across(l, i) += oracle.phi(column, l) * phi(column, i) / s.alpha[j];
    }
  }
  for (Index l = 0; l < 50; ++l) y(l, 0) = data.target[at(l)];
  linalg::solve_lower(c, across);
  linalg::solve_lower(c, y);

  const Model m = Rvm{}.fit(lazy(k, data.points()), data.target);
  const Matrix mean = m.scores(test.points()), variance = m.variances(test.points());
  const Matrix covariance = m.covariance(test.points());
  EXPECT_NE(m.expansion().parts().bias[0], 0);  // or its share would go untested
  for (Index i = 0; i < 20; ++i) {
    double expected = 0;
    for (Index l = 0; l < 50; ++l) expected += across(l, i) * y(l, 0);
    EXPECT_NEAR(mean(i, 0), expected, 1e-8);
    for (Index j = 0; j < 20; ++j) {
      double left = prior(i, j);
      for (Index l = 0; l < 50; ++l) left -= across(l, i) * across(l, j);
      EXPECT_NEAR(covariance(i, j), left, 1e-8);
      if (i == j) {
        EXPECT_NEAR(variance(i, 0), left, 1e-8);
      }
    }
  }
}

TEST(Rvm, OrderStorageAndScaleDoNotMatter) {
  const Sample data = sinc(80, 0.1, 5), test = sinc(30, 0, 1);
  const Kernel k = rbf(2);
  const Model m = Rvm{}.fit(lazy(k, data.points()), data.target);
  const Matrix f = m.scores(test.points()), v = m.variances(test.points());
  const auto expect_same = [&](const Model& other, double scale) {
    EXPECT_EQ(other.expansion().size(), m.expansion().size());
    const Matrix g = other.scores(test.points()), u = other.variances(test.points());
    for (Index i = 0; i < f.rows(); ++i) {
      EXPECT_NEAR(g(i, 0), scale * f(i, 0), 1e-6 * scale);
      EXPECT_NEAR(u(i, 0), scale * scale * v(i, 0), 1e-6 * scale * scale);
    }
    EXPECT_NEAR(other.posterior().noise[0], scale * scale * m.posterior().noise[0], 1e-6 * scale * scale);
  };

  std::vector<Index> order(80);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  Vector shuffled;
  for (const Index i : order) shuffled.push_back(data.target[at(i)]);
  expect_same(Rvm{}.fit(lazy(k, data.points().select(order)), shuffled), 1);

  expect_same(Rvm{}.fit(exact(k, data.points()), data.target), 1);
  Training streamed = {.K = lazy(k, data.points()), .y = Matrix(80, 1), .memory = 1};
  std::copy(data.target.begin(), data.target.end(), streamed.y.data());
  const Model from_tiles = Rvm{}.fit(streamed);
  expect_same(from_tiles, 1);
  EXPECT_EQ(from_tiles.report().notes.size(), 1u);

  Vector larger = data.target;
  for (double& y : larger) y *= 1000;
  expect_same(Rvm{}.fit(lazy(k, data.points()), larger), 1000);
  // Far from 1 targets are solved for in other units, and everything has to come back from these.
  for (const double scale : {0x1p117, 0x1p-117}) {
    Vector far = data.target;
    for (double& y : far) y *= scale;
    expect_same(Rvm{}.fit(lazy(k, data.points()), far), scale);
  }
  expect_same(Rvm{}.fit(lazy(7 * k, data.points()), data.target), 1);
}

TEST(Rvm, AGivenMatrixPredictsFromRows) {
  const Sample data = sinc(60, 0.1, 6), test = sinc(10, 0, 1);
  const Model a = Rvm{}.fit(lazy(rbf(2), data.points()), data.target);
  const Model b = Rvm{}.fit(precomputed(gram(rbf(2), data.points())), data.target);
  expect_near(b.expansion().from_rows(cross(rbf(2), test.points(), data.points())), a.scores(test.points()), 1e-8);
  expect_error([&] { b.variances(test.points()); }, "UsageError", {"rvm"});
}

TEST(Rvm, ColumnsThatAreAllAlike) {
  const Sample data = test::sine(50);
  // Every column is a multiple of one; the bias is another.
  const Model line = Rvm{}.fit(lazy(parse("linear()"), data.points()), data.target);
  EXPECT_TRUE(line.report().converged) << line.report().str();
  EXPECT_LE(line.expansion().size(), 1);
  // Here every column is the bias.
  Vector y = data.target;
  for (double& v : y) v += 3;
  const Model constant = Rvm{}.fit(lazy(rbf(1e9), data.points()), y);
  EXPECT_TRUE(constant.report().converged) << constant.report().str();
  EXPECT_LE(constant.expansion().size(), 1);
  EXPECT_NEAR(constant.predict(data.points())[0], std::accumulate(y.begin(), y.end(), 0.0) / 50, 0.05);
}

TEST(Rvm, PureNoiseHasNoRelevantPoints) {
  Index kept = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Sample data = test::sample("noise", 100, 1, seed, [](Random& random, Index, double* x) {
      x[0] = random.uniform(-3, 3);
      return 5 + random.normal();
    });
    const Model m = Rvm{}.fit(lazy(rbf(1), data.points()), data.target);
    EXPECT_TRUE(m.report().converged);
    kept += m.expansion().size();
    EXPECT_NEAR(m.posterior().noise[0], 1, 0.4);
    EXPECT_NEAR(m.predict(data.points())[0], 5, 1);
    const Matrix variances = m.variances(data.points());
    for (Index i = 0; i < 100; ++i) EXPECT_GE(variances(i, 0), 0);
  }
  EXPECT_LE(kept, 10);
}

TEST(Rvm, ExactData) {
  const Sample data = sinc(100, 0, 1), test = sinc(332, 0, 1);
  const Model m = Rvm{}.fit(lazy(rbf(2), data.points()), data.target);
  EXPECT_TRUE(m.report().converged) << m.report().str();
  EXPECT_LT(rmse(m.predict(test.points()), test.target), 2e-3);
  EXPECT_LT(m.expansion().size(), 30);
}

TEST(Rvm, NoiseGiven) {
  const Sample data = sinc(100, 0.1, 8);
  const Gram K = lazy(rbf(2), data.points());
  const Model fixed = Rvm{.noise = Learnable::fixed_at(0.02)}.fit(K, data.target);
  EXPECT_EQ(fixed.posterior().noise[0], 0.02);
  EXPECT_EQ(Rvm{.noise = {.lower = 0.05}}.fit(K, data.target).posterior().noise[0], 0.05);
  EXPECT_EQ(Rvm{.noise = {.upper = 0.003}}.fit(K, data.target).posterior().noise[0], 0.003);
  const double learnt = Rvm{.noise = {.value = 0.1}}.fit(K, data.target).posterior().noise[0];
  EXPECT_NEAR(learnt, 0.01, 0.003);
  // A target that does not vary is fine where there is nothing to learn from it.
  const Model constant = Rvm{.noise = Learnable::fixed_at(0.1)}.fit(K, Vector(100, 4.0));
  EXPECT_NEAR(constant.predict(data.points())[3], 4, 0.01);
}

TEST(Rvm, SeveralTargetsAreFittedEachByItself) {
  const Sample a = sinc(70, 0.1, 9), b = sinc(70, 0.02, 10), test = sinc(20, 0, 1);
  Matrix y(70, 2);
  Vector second;
  for (Index i = 0; i < 70; ++i) {
    y(i, 0) = a.target[at(i)];
    second.push_back(y(i, 1) = 3 - b.target[at(i)] * a.x(i, 0));
  }
  const Gram K = lazy(rbf(2), a.points());
  const Model both = Rvm{}.fit({.K = K, .y = y});
  const std::vector<Model> alone = {Rvm{}.fit(K, a.target), Rvm{}.fit(K, second)};
  const Matrix f = both.scores(test.points()), v = both.variances(test.points());
  for (Index t = 0; t < 2; ++t) {
    const Matrix mean = alone[at(t)].scores(test.points()), variance = alone[at(t)].variances(test.points());
    const Matrix covariance = both.covariance(test.points(), t);
    for (Index i = 0; i < 20; ++i) {
      EXPECT_NEAR(f(i, t), mean(i, 0), 1e-10);
      EXPECT_NEAR(v(i, t), variance(i, 0), 1e-10);
      EXPECT_NEAR(covariance(i, i), variance(i, 0), 1e-10);
    }
    EXPECT_EQ(both.posterior().noise[at(t)], alone[at(t)].posterior().noise[0]);
  }
  EXPECT_EQ(both.report().figure("noise[2]"), both.posterior().noise[1]);
}

TEST(Rvm, TheNumberOfThreadsDoesNotShow) {
  const Sample data = sinc(1100, 0.1, 13);
  Training training{.K = lazy(rbf(0.5), data.points()), .y = Matrix(MatrixView(data.target.data(), 1100, 1))};
  training.how.threads = 1;
  const Model one = Rvm{.max_iterations = 100}.fit(training);
  training.how.threads = 3;
  const Model three = Rvm{.max_iterations = 100}.fit(training);
  EXPECT_EQ(one.expansion().parts().alpha, three.expansion().parts().alpha);
  EXPECT_EQ(one.posterior().covariance, three.posterior().covariance);
}

TEST(Rvm, AFileKeepsMeanAndVariance) {
  const Sample a = sinc(60, 0.1, 14), test = sinc(20, 0, 1);
  Matrix y(60, 2);
  for (Index i = 0; i < 60; ++i) {
    y(i, 0) = a.target[at(i)];
    y(i, 1) = 5 - a.x(i, 0) * a.target[at(i)];
  }
  const Model m = fit("rvm", {}, {.K = lazy(rbf(2), a.points()), .y = y});
  std::ostringstream bytes;
  save(bytes, m);
  const Model same = load_bytes(bytes.str(), "memory");
  EXPECT_EQ(same.scores(test.points()), m.scores(test.points()));
  EXPECT_EQ(same.variances(test.points()), m.variances(test.points()));
  EXPECT_EQ(same.covariance(test.points(), 1), m.covariance(test.points(), 1));
  EXPECT_EQ(same.posterior().noise, m.posterior().noise);
  EXPECT_EQ(same.report(), m.report());
}

TEST(Rvm, IterationLimit) {
  const Sample data = sinc(100, 0.1, 11);
  const Model limited = fit("rvm", {{"max_iterations", "7"}},
                            {.K = lazy(rbf(2), data.points()), .y = Matrix(MatrixView(data.target.data(), 100, 1))});
  EXPECT_FALSE(limited.report().converged);
  EXPECT_EQ(limited.report().stopped, "iteration limit");
  EXPECT_EQ(limited.report().iterations, 7);
  EXPECT_GT(limited.expansion().size(), 0);
}

// Its last line is the end, in the units of the target.
TEST(Rvm, TheCourseEndsWhereTheReportDoes) {
  for (const double unit : {1.0, 1e-40, 1e35}) {
    Sample data = sinc(60, 0.1, 4);
    for (double& y : data.target) y *= unit;
    const Report report = Rvm{}.fit(lazy(rbf(2), data.points()), data.target).report();
    const Report::Table& course = *report.table("course");
    const Index last = course.rows.rows() - 1;
    EXPECT_NEAR(course.rows(last, 1), *report.figure("log_marginal_likelihood"), 1e-6 * std::abs(course.rows(last, 1)))
        << unit;
    EXPECT_NEAR(course.rows(last, 3), *report.figure("noise"), 1e-6 * course.rows(last, 3)) << unit;
  }
}

TEST(Rvm, OfSeveralTargetsTheFirstThatDidNotEndSaysWhy) {
  const Sample data = sinc(100, 0.1, 11);
  for (const bool first : {true, false}) {
    Matrix y(100, 2, 1.0);
    for (Index i = 0; i < 100; ++i) y(i, first ? 0 : 1) = data.target[at(i)];
    const Report report = fit("rvm", {{"max_iterations", "7"}}, {.K = lazy(rbf(2), data.points()), .y = y}).report();
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.stopped, "iteration limit") << first;
  }
}

// What somebody fixed is no bound that the data pushed against.
TEST(Rvm, OnlyNoiseThatIsLearntIsAsSmallAsItIsLet) {
  const Sample exact = sinc(60, 0, 4);
  const auto notes = [&](const Learnable& noise) {
    const std::vector<std::string> all =
        Rvm{.noise = noise}.fit(lazy(rbf(2), exact.points()), exact.target).report().notes;
    return std::ranges::count_if(all,
                                 [](const std::string& one) { return one.find("as small as it is let") != one.npos; });
  };
  EXPECT_EQ(notes(Learnable::fixed_at(1e-14)), 0);
  EXPECT_EQ(notes({.lower = 1e-3}), 1);
}

TEST(Rvm, BadInput) {
  const Sample data = sinc(20, 0.1, 12);
  const Gram K = lazy(rbf(2), data.points());
  expect_error([&] { Rvm{.noise = Learnable::fixed_at(0)}.fit(K, data.target); }, "UsageError", {"noise", "above 0"});
  expect_error([&] { Rvm{.noise = {.value = 2, .upper = 1}}.fit(K, data.target); }, "UsageError", {"[0, 1]"});
  expect_error([&] { Rvm{.tolerance = 0}.fit(K, data.target); }, "UsageError", {"tolerance"});
  expect_error([&] { Rvm{.max_iterations = 0}.fit(K, data.target); }, "UsageError", {"max_iterations"});
  expect_error([&] { Rvm{}.fit(shifted(K, 1), data.target); }, "UsageError", {"plain"});
  const Training t{.K = K, .y = Matrix(MatrixView(data.target.data(), 20, 1))};
  expect_error([&] { fit("rvm", {{"noise", "-1"}}, t); }, "UsageError", {"rvm: noise", "-1"});
  expect_error([&] { fit("rvm", {{"nois", "1"}}, t); }, "UsageError", {"did you mean noise?"});
}

}  // namespace
}  // namespace mercer::rvm_test
