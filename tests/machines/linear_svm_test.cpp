// LinearSvc and LinearSvr: against a slow solver of the same dual, closed forms, and LIBLINEAR's bias.
#include "mercer/machines/linear_svm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines/svm/linear/features.hpp"
#include "machines/svm_data.hpp"
#include "machines/svm_oracle.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::linear_svm_test {
namespace {

using namespace test;

constexpr double kC = 0.7, kScale = 1.5;

// K + s^2 11', with 1 / (2 C) on the diagonal for squared losses: what takes the bias and the loss into the kernel.
Matrix with_bias_and_loss(Matrix K, MarginLoss loss) {
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < K.cols(); ++j) K(i, j) += kScale * kScale;
    if (loss == MarginLoss::squared) K(i, i) += 1 / (2 * kC);
  }
  return K;
}

// One variable for each sign that b may have.
detail::DualProblem dual_of(const Vector& y, double epsilon, MarginLoss loss, bool classes) {
  const double most = loss == MarginLoss::squared ? 1e9 : kC;
  detail::DualProblem p;
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (classes && y[i] != side) continue;
      p.point.push_back(static_cast<Index>(i));
      p.linear.push_back(side * epsilon - y[i]);
      p.lower.push_back(std::min(0.0, side * most));
      p.upper.push_back(std::max(0.0, side * most));
      p.start.push_back(0);
    }
  }
  return p;
}

// f at the points from the oracle's b, the diagonal of the loss taken out again.
Vector values(const detail::DualProblem& p, const detail::DualSolution& truth, MarginLoss loss) {
  Vector f = truth.f;
  for (std::size_t v = 0; v < p.point.size(); ++v) {
    if (loss == MarginLoss::squared) f[at(p.point[v])] -= truth.b[v] / (2 * kC);
  }
  return f;
}

TEST(LinearSvc, RowAndStructStopAlike) {
  for (const auto& [name, most] :
       {std::pair("linear_svc", LinearSvc{}.max_iterations), std::pair("linear_svr", LinearSvr{}.max_iterations)}) {
    const auto& options = machine(name).options;
    const auto found = std::ranges::find(options, "max_iterations", &MachineOption::name);
    ASSERT_NE(found, options.end());
    EXPECT_EQ(found->fallback, std::to_string(most));
  }
}

TEST(LinearSvc, AgreesWithTheSlowSolver) {
  const Sample s = moons(70, 0.3);
  Vector y;
  for (const double t : s.target) y.push_back(t > 0 ? 1 : -1);
  for (const Kernel& k : {linear(), rbf(0.8), poly(2)}) {
    for (const MarginLoss loss : {MarginLoss::linear, MarginLoss::squared}) {
      const detail::DualProblem p = dual_of(y, 0, loss, true);
      const detail::DualSolution truth = oracle(p, with_bias_and_loss(gram(k, s.points()), loss), 1e-8);
      ASSERT_TRUE(truth.converged);
      const LinearSvc machine{.C = kC, .loss = loss, .bias_scale = kScale, .tolerance = 1e-7, .max_iterations = 100000};
      const Model m = machine.fit(lazy(k, s.points()), s.labels());
      EXPECT_TRUE(m.report().converged) << k.str();
      EXPECT_NEAR(figure(m, "objective_dual"), -truth.objective, 1e-6 * std::abs(truth.objective));
      EXPECT_NEAR(figure(m, "objective_primal"), -truth.objective, 1e-5 * std::abs(truth.objective));
      expect_close(column(m.scores(s.points())), values(p, truth, loss), 1e-4);
    }
  }
}

TEST(LinearSvr, AgreesWithTheSlowSolver) {
  const Sample s = friedman(60);
  for (const Kernel& k : {linear(), rbf(0.8)}) {
    for (const MarginLoss loss : {MarginLoss::linear, MarginLoss::squared}) {
      const detail::DualProblem p = dual_of(s.target, 0.1, loss, false);
      const detail::DualSolution truth = oracle(p, with_bias_and_loss(gram(k, s.points()), loss), 1e-8);
      ASSERT_TRUE(truth.converged);
      const LinearSvr machine{
          .C = kC, .epsilon = 0.1, .loss = loss, .bias_scale = kScale, .tolerance = 1e-7, .max_iterations = 100000};
      const Model m = machine.fit(lazy(k, s.points()), s.target);
      EXPECT_TRUE(m.report().converged) << k.str();
      EXPECT_NEAR(figure(m, "objective_dual"), -truth.objective, 1e-6 * std::abs(truth.objective));
      EXPECT_NEAR(figure(m, "objective_primal"), -truth.objective, 1e-5 * std::abs(truth.objective));
      expect_close(m.predict(s.points()), values(p, truth, loss), 1e-3);
    }
  }
}

// Of x = 1, y = 1 and x = -1, y = -1 the bias is 0 and w = 2 alpha with 1 - w = alpha / (2 C).
TEST(LinearSvc, TwoPointsByHand) {
  const Matrix x{{1}, {-1}};
  const double C = 3, alpha = 1 / (2 + 1 / (2 * C));
  const Model m = LinearSvc{.C = C, .tolerance = 1e-12}.fit(lazy(linear(), rows(x.view())), Labels::from(Vector{1, 0}));
  EXPECT_NEAR(m.scores(rows(x.view()))(0, 0), 2 * alpha, 1e-11);
  EXPECT_NEAR(m.scores(rows(x.view()))(1, 0), -2 * alpha, 1e-11);
  EXPECT_NEAR(figure(m, "objective_dual"), alpha, 1e-11);
}

// Points that no plane divides, at a large C: descent alone takes tens of thousands of passes.
TEST(LinearSvc, SquaredLossesEndWhateverCIs) {
  const Matrix x = random_matrix(3000, 4, 5);
  const Points dense = rows(x.view());
  std::vector<std::string> names;
  Vector y;
  for (Index i = 0; i < 3000; ++i) {
    const double inside = x(i, 0) * x(i, 1) + 0.3 * x(i, 2);
    names.push_back(inside > 0 ? "in" : "out");
    y.push_back(std::sin(9 * inside));
  }
  for (const double C : {1e2, 1e6}) {
    for (const bool classes : {true, false}) {
      const Model m =
          classes ? LinearSvc{.C = C}.fit(lazy(linear(), dense), Labels::from(names))
                  : LinearSvr{.C = C, .epsilon = 0.1, .loss = MarginLoss::squared}.fit(lazy(linear(), dense), y);
      EXPECT_TRUE(m.report().converged) << C;
      EXPECT_LT(m.report().iterations, 200) << C;
      const double primal = figure(m, "objective_primal");
      EXPECT_NEAR(figure(m, "objective_dual"), primal, 1e-6 * primal) << C;
    }
  }
}

// What the hinge loss cannot say of itself is said.
TEST(LinearSvc, TheHingeLossSaysWhatEndsSooner) {
  const Matrix x = random_matrix(400, 2, 6);
  std::vector<std::string> names;
  for (Index i = 0; i < 400; ++i) names.push_back(x(i, 0) * x(i, 1) > 0 ? "a" : "b");
  const Model m = LinearSvc{.C = 1e4, .loss = MarginLoss::linear, .max_iterations = 30}.fit(
      lazy(linear(), rows(x.view())), Labels::from(names));
  EXPECT_FALSE(m.report().converged);
  ASSERT_FALSE(m.report().notes.empty());
  EXPECT_NE(m.report().notes.front().find("smaller C"), std::string::npos);
}

TEST(LinearSvc, TheModelHoldsWeightsAndNoPoints) {
  const Sample s = blobs(90, 3, 0.8);
  const Model m = LinearSvc{}.fit(lazy(linear(), s.points()), s.labels());
  const Expansion::Parts& f = m.parts().f.parts();
  EXPECT_EQ(f.alpha.rows(), 3);
  EXPECT_TRUE(f.support.empty());
  EXPECT_EQ(figure(m, "features"), 2);
  Index right = 0;
  const Vector predicted = m.predict(s.points());
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == s.target[i] ? 1 : 0;
  EXPECT_GT(right, 75);
}

// Far from the optimum, too: after three passes.
TEST(LinearSvc, OrderAndCopiesChangeNoBit) {
  const Sample s = blobs(60, 3, 0.8);
  const Vector numbers = random_vector(60, 9);
  Training weighted{.K = lazy(linear(), s.points()), .labels = s.labels()};
  weighted.y = Matrix(MatrixView(numbers.data(), 60, 1));
  std::vector<Index> which;
  for (Index i = 0; i < 60; ++i) {
    const Index times = (i * 7) % 4;
    weighted.weights.push_back(static_cast<double>(times));
    for (Index k = 0; k < times; ++k) which.push_back(i);
  }
  for (std::size_t i = which.size(); i > 1; --i) std::swap(which[i - 1], which[(i * 37) % i]);
  Training repeated{.K = lazy(linear(), s.points().select(which))};
  std::vector<std::string> classes;
  repeated.y = Matrix(static_cast<Index>(which.size()), 1);
  for (std::size_t i = 0; i < which.size(); ++i) {
    classes.push_back(weighted.labels.classes[at(weighted.labels.of[at(which[i])])]);
    repeated.y(static_cast<Index>(i), 0) = numbers[at(which[i])];
  }
  Training weighted_numbers = weighted, repeated_numbers = repeated;
  weighted.y = repeated.y = {};
  weighted_numbers.labels = {};
  repeated.labels = Labels::from(classes);
  for (const MarginLoss loss : {MarginLoss::linear, MarginLoss::squared}) {
    const LinearSvc classifier{.C = 3, .loss = loss, .max_iterations = 3};
    EXPECT_EQ(classifier.fit(weighted).scores(s.points()), classifier.fit(repeated).scores(s.points()));
    const LinearSvr regressor{.C = 3, .loss = loss, .max_iterations = 3};
    EXPECT_EQ(regressor.fit(weighted_numbers).scores(s.points()), regressor.fit(repeated_numbers).scores(s.points()));
  }
}

TEST(LinearSvc, SparseRowsAreTheSameProblem) {
  const Sample s = squares(80);
  SparseMatrix sparse{.rows = 80, .cols = 2};
  for (Index i = 0; i < 80; ++i) {
    for (Index j = 0; j < 2; ++j) {
      sparse.columns.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(s.x(i, j));
    }
    sparse.offsets.push_back(2 * (i + 1));
  }
  const LinearSvc machine{.tolerance = 1e-9, .max_iterations = 100000};
  const Model dense = machine.fit(lazy(linear(), s.points()), s.labels());
  const Model from_sparse = machine.fit(lazy(linear(), rows(std::move(sparse))), s.labels());
  expect_near(from_sparse.scores(s.points()), dense.scores(s.points()), 1e-7);
}

// Numbers that are all 1 are not read; one that is not must be.
TEST(LinearFeatures, SparseRowsOfOnes) {
  for (const double last : {1.0, 3.0}) {
    SparseMatrix sparse{
        .rows = 3, .cols = 4, .offsets = {0, 2, 2, 5}, .columns = {0, 3, 0, 1, 3}, .values = {1, 1, 1, 1, last}};
    const detail::FeatureMatrix x(rows(std::move(sparse)));
    const Vector w = {1, 10, 100, 1000};
    EXPECT_EQ(x.dot(0, w.data()), 1001);
    EXPECT_EQ(x.dot(1, w.data()), 0);
    EXPECT_EQ(x.dot(2, w.data()), 11 + 1000 * last);
    EXPECT_EQ(x.square(2), 2 + last * last);
    Vector sum(4);
    x.add(2, 2, sum.data());
    EXPECT_EQ(sum, (Vector{2, 2, 0, 2 * last}));
  }
}

TEST(LinearSvc, ShrinkingEndsAtTheSameOptimumAsLongPasses) {
  // Many points at a bound: most leave the passes, and come back for the last one.
  const Sample s = moons(2000, 0.4);
  for (const MarginLoss loss : {MarginLoss::linear, MarginLoss::squared}) {
    const LinearSvc machine{.C = 10, .loss = loss, .tolerance = 1e-4, .max_iterations = 100000};
    const Model m = machine.fit(lazy(linear(), s.points()), s.labels());
    ASSERT_TRUE(m.report().converged);
    EXPECT_LE(figure(m, "gap"), 1e-4);
    EXPECT_LE(figure(m, "duality_gap"), 1e-3 * figure(m, "objective_primal"));
    const Model other = LinearSvc{.C = 10, .loss = loss, .max_iterations = 100000, .seed = 5}.fit(
        lazy(linear(), s.points()), s.labels());
    expect_near(other.scores(s.points()), m.scores(s.points()), 5e-3);
  }
}

TEST(LinearSvc, LimitsAndBadOptions) {
  const Sample s = moons(200, 0.4);
  const Gram K = lazy(linear(), s.points());
  const Model m = LinearSvc{.C = 1000, .loss = MarginLoss::linear, .max_iterations = 2}.fit(K, s.labels());
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().stopped, "iteration limit");
  EXPECT_EQ(m.report().iterations, 2);
  expect_error([&] { LinearSvc{.C = 0}.fit(K, s.labels()); }, "UsageError", {"linear_svc", "C"});
  expect_error([&] { LinearSvc{.bias_scale = -1}.fit(K, s.labels()); }, "UsageError", {"bias_scale"});
  expect_error([&] { LinearSvr{.epsilon = -1}.fit(K, s.target); }, "UsageError", {"linear_svr", "epsilon"});
  expect_error(
      [&] {
        LinearSvc{.class_weight = {.by_name = {{"x", 1}}}}.fit(K, s.labels());
      },
      "UsageError", {"linear_svc", "class_weight"});
}

TEST(LinearSvc, ClassWeightsAreWeightsOfPoints) {
  const Sample s = moons(100, 0.4);
  Training weighted{.K = lazy(linear(), s.points()), .labels = s.labels()};
  for (const double t : s.target) weighted.weights.push_back(t > 0 ? 4 : 1);
  const LinearSvc machine{.tolerance = 1e-9, .max_iterations = 100000};
  LinearSvc by_class = machine;
  by_class.class_weight.by_name = {{s.labels().classes[1], 4}};
  expect_near(by_class.fit(lazy(linear(), s.points()), s.labels()).scores(s.points()),
              machine.fit(weighted).scores(s.points()), 1e-7);
}

TEST(LinearFeatures, OtherKernelsAreFactored) {
  const Sample s = moons(40, 0.3);
  const Matrix K = gram(rbf(0.7), s.points());
  const detail::Features x("linear_svc", {.K = lazy(rbf(0.7), s.points())});
  EXPECT_FALSE(x.are_inputs());
  Matrix F(40, x.columns());
  for (Index i = 0; i < 40; ++i) x.add(i, 1, F.row(i));
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(x.square(i), K(i, i), 1e-12);
    for (Index j = 0; j < 40; ++j) EXPECT_NEAR(x.dot(i, F.row(j)), K(i, j), 1e-12);
  }
}

}  // namespace
}  // namespace mercer::linear_svm_test
