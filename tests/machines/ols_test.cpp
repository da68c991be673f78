// Least squares without a penalty: directly, of minimum norm, and by gradient descent.
#include "mercer/machines/ols.hpp"

#include "mercer/kernels.hpp"
#include "mercer/machines/gd.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::ols_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;
using test::random_vector;

// A factor exists, of which no digit is right.
TEST(Ols, SingularInAllButTheLastBitIsSingular) {
  const double almost = 1 - 0x1p-53;
  const Model m = KernelLeastSquares{}.fit(precomputed(Matrix{{1, almost}, {almost, 1}}), Vector{1, 2});
  EXPECT_EQ(m.report().figure("rank"), 1);
  EXPECT_NEAR(m.expansion().from_rows(Matrix{{1, almost}})(0, 0), 1.5, 1e-12);
}

TEST(Ols, PassesThroughEveryTarget) {
  const Points x = rows(random_matrix(30, 2, 1));
  const Matrix y = random_matrix(30, 2, 2);
  const Model m = KernelLeastSquares{}.fit({.K = lazy(exponential(1), x), .y = y});
  expect_near(m.predict_targets(x), y, 1e-9);
  EXPECT_EQ(m.report().figure("rank"), 30);
  EXPECT_TRUE(m.report().notes.empty());
}

// The linear kernel in d dimensions has rank d: f is the least-squares line through the origin.
// K of full rank in floating point, and hardly: what is divided by an eigenvalue that is rounding would be, too.
TEST(Ols, UnitsOfTheInputsMoveNothing) {
  Matrix x(60, 1), tripled(60, 1), at(40, 1), at_tripled(40, 1);
  Vector y;
  for (Index i = 0; i < 60; ++i) {
    x(i, 0) = static_cast<double>(i) / 59;
    tripled(i, 0) = 3 * x(i, 0);
    y.push_back(std::sin(7 * x(i, 0)));
  }
  for (Index i = 0; i < 40; ++i) at_tripled(i, 0) = 3 * (at(i, 0) = (static_cast<double>(i) + 0.3) / 40);
  for (const double ell : {0.02, 0.03, 0.04, 0.06, 0.1}) {
    const Model one = KernelLeastSquares{}.fit(lazy(rbf(ell), rows(x.view())), y);
    const Model three = KernelLeastSquares{}.fit(lazy(rbf(3 * ell), rows(tripled.view())), y);
    const Vector a = one.predict(rows(at.view())), b = three.predict(rows(at_tripled.view()));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << ell;
    EXPECT_EQ(one.report().notes.empty(), one.report().figure("rank") == 60) << ell;
  }
}

TEST(Ols, SingularGivesTheSolutionOfMinimumNormAndSaysSo) {
  const Matrix x = random_matrix(25, 3, 1);
  const Vector y = random_vector(25, 2);
  const Model m = KernelLeastSquares{}.fit(lazy(linear(), rows(x.view())), y);
  EXPECT_EQ(m.report().figure("rank"), 3);
  ASSERT_EQ(m.report().notes.size(), 1U);
  EXPECT_NE(m.report().notes[0].find("rank 3 of 25"), std::string::npos);
  // Normal equations of the residual: orthogonal to every column.
  const Vector f = m.predict(rows(x.view()));
  for (Index k = 0; k < 3; ++k) {
    double inner = 0;
    for (Index i = 0; i < 25; ++i) inner += x(i, k) * (y[static_cast<std::size_t>(i)] - f[static_cast<std::size_t>(i)]);
    EXPECT_NEAR(inner, 0, 1e-10);
  }
  // The limit of ridge regression.
  const Points test = rows(random_matrix(5, 3, 7));
  const Vector limit = KernelRidge{.ridge = 1e-6}.fit(lazy(linear(), rows(x.view())), y).predict(test);
  const Vector own = m.predict(test);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(own[i], limit[i], 1e-6);
}

TEST(Ols, DuplicatedPointsShareTheMeanOfTheirTargets) {
  const Model m = KernelLeastSquares{}.fit(lazy(rbf(1), rows(Matrix{{0}, {1}, {1}, {3}})), Vector{1, 2, 4, 0});
  EXPECT_EQ(m.report().figure("rank"), 3);
  const Vector f = m.predict(rows(Matrix{{0}, {1}, {3}}));
  EXPECT_NEAR(f[0], 1, 1e-10);
  EXPECT_NEAR(f[1], 3, 1e-10);
  EXPECT_NEAR(f[2], 0, 1e-10);
  const Model weighted = KernelLeastSquares{}.fit(
      {.K = lazy(rbf(1), rows(Matrix{{0}, {1}, {1}, {3}})), .y = Matrix{{1}, {2}, {4}, {0}}, .weights = {1, 3, 1, 0}});
  EXPECT_NEAR(weighted.predict(rows(Matrix{{1}}))[0], 2.5, 1e-10);
  EXPECT_EQ(weighted.report().figure("rank"), 2);
}

TEST(Ols, ZeroKernelPredictsZero) {
  const Model m = KernelLeastSquares{}.fit(lazy(linear(), rows(Matrix(3, 2))), Vector{1, 2, 3});
  EXPECT_EQ(m.predict(rows(Matrix{{1, 1}}))[0], 0);
  EXPECT_EQ(m.report().figure("rank"), 0);
}

TEST(GradientDescent, ConvergesToOls) {
  const Points x = rows(random_matrix(25, 2, 1)), test = rows(random_matrix(10, 2, 3));
  const Matrix y = random_matrix(25, 2, 2);
  const Vector weights = random_vector(25, 4, 0.5, 2);
  const Training plain{.K = lazy(exponential(0.5), x), .y = y};
  Training weighted = plain;
  weighted.weights = weights;
  for (const Training& t : {plain, weighted}) {
    const Model gd = GradientDescent{.tolerance = 1e-12, .max_iterations = 100000}.fit(t);
    EXPECT_TRUE(gd.report().converged) << gd.report().str();
    EXPECT_EQ(gd.report().stopped, "the residuals no longer change");
    expect_near(gd.predict_targets(test), KernelLeastSquares{}.fit(t).predict_targets(test), 1e-7);
  }
}

// A singular K: alpha may drift along null vectors, f must not.
TEST(GradientDescent, ConvergesToOlsWhereKIsSingular) {
  const Points x = rows(random_matrix(20, 2, 1)), test = rows(random_matrix(10, 2, 3));
  const Vector y = random_vector(20, 2);
  const Gram K = lazy(linear(), x);
  const Vector a = GradientDescent{.tolerance = 1e-13}.fit(K, y).predict(test);
  const Vector b = KernelLeastSquares{}.fit(K, y).predict(test);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

TEST(GradientDescent, TakesTheSteps) {
  const Matrix x = random_matrix(6, 2, 1);
  const Matrix y = random_matrix(6, 1, 2);
  const Gram K = exact(rbf(1), rows(x.view()));
  const Model m = GradientDescent{.step = 0.1, .max_iterations = 3}.fit({.K = K, .y = y});
  Matrix alpha(6, 1);
  for (int step = 0; step < 3; ++step) {
    const Matrix f = test::product(Matrix(K.dense()), alpha);
    for (Index i = 0; i < 6; ++i) alpha(i, 0) += 0.1 * (y(i, 0) - f(i, 0));
  }
  expect_near(m.expansion().parts().alpha, alpha, 1e-14);
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().iterations, 3);
  EXPECT_EQ(m.report().stopped, "iteration limit");
  EXPECT_EQ(m.report().table("path")->rows.rows(), 4);
}

TEST(GradientDescent, TheSafeStepIsBelowTheLimitAndALargerOneIsRefused) {
  const Points x = rows(random_matrix(40, 2, 1));
  const Vector y = random_vector(40, 2);
  const Gram K = lazy(rbf(2), x);
  const Model m = GradientDescent{.max_iterations = 2000}.fit(K, y);
  const Matrix& path = m.report().table("path")->rows;
  EXPECT_LE(path.rows(), 200);
  EXPECT_GT(path.rows(), 50);
  for (Index r = 1; r < path.rows(); ++r) EXPECT_LE(path(r, 1), path(r - 1, 1) * (1 + 1e-12));
  const double lambda = *m.report().figure("largest_eigenvalue");
  EXPECT_NEAR(*m.report().figure("step") * lambda, 1, 1e-12);
  expect_error([&] { GradientDescent{.step = 2.5 / lambda}.fit(K, y); }, "UsageError", {"diverges", "below"});
}

TEST(GradientDescent, StopsEarlyOnTheValidationPoints) {
  const Matrix x = random_matrix(80, 1, 1);
  Vector y = random_vector(80, 2, -1, 1);
  for (Index i = 0; i < 80; ++i) y[static_cast<std::size_t>(i)] += std::sin(2 * x(i, 0));
  const GradientDescent config{.max_iterations = 5000, .validation = 0.25, .patience = 10, .seed = 3};
  const Training training{.K = lazy(rbf(0.3), rows(x.view())), .y = Matrix(MatrixView(y.data(), 80, 1))};
  const Model m = config.fit(training);
  EXPECT_EQ(m.report().stopped, "no better on the validation points");
  EXPECT_EQ(m.expansion().size(), 60);  // the others take no part in the descent
  const Matrix& path = m.report().table("path")->rows;
  double least = std::numeric_limits<double>::infinity();
  for (Index r = 0; r < path.rows(); ++r) least = std::min(least, path(r, 2));
  EXPECT_NEAR(*m.report().figure("validation_rmse"), least, 1e-3);
  // The model returned is the best one and not the last one.
  const Vector f = m.predict(rows(x.view()));
  double total = 0;
  std::size_t s = 0;
  for (Index i = 0; i < 80; ++i) {
    if (s < m.support().size() && m.support()[s] == i) {
      ++s;
    } else {
      total += std::pow(y[static_cast<std::size_t>(i)] - f[static_cast<std::size_t>(i)], 2);
    }
  }
  EXPECT_NEAR(std::sqrt(total / 20), *m.report().figure("validation_rmse"), 1e-9);
  EXPECT_EQ(config.fit(training).expansion().parts().alpha, m.expansion().parts().alpha);
}

TEST(GradientDescent, TargetsThatAreAllZero) {
  const Model m = GradientDescent{}.fit(lazy(rbf(1), rows(random_matrix(5, 2, 1))), Vector(5));
  EXPECT_TRUE(m.report().converged);
  EXPECT_EQ(m.predict(rows(Matrix{{0, 0}}))[0], 0);
}

TEST(GradientDescent, RefusesWhatMakesNoSense) {
  const Gram K = lazy(rbf(1), rows(random_matrix(5, 2, 1)));
  const Vector y(5, 1.0);
  expect_error([&] { GradientDescent{.step = -1}.fit(K, y); }, "UsageError", {"step"});
  expect_error([&] { GradientDescent{.tolerance = std::nan("")}.fit(K, y); }, "UsageError", {"tolerance"});
  expect_error([&] { GradientDescent{.max_iterations = 0}.fit(K, y); }, "UsageError", {"max_iterations"});
  expect_error([&] { GradientDescent{.validation = 1}.fit(K, y); }, "UsageError", {"validation"});
  expect_error([&] { GradientDescent{.validation = 0.01}.fit(K, y); }, "UsageError", {"validation share", "0 of 5"});
}

// Few features and the matrix of all pairs are the same problem: of full rank, of less, with weights and several
// targets.
TEST(Ols, FewFeaturesAreTheMatrixOfAllPairs) {
  for (const bool dependent : {false, true}) {
    Matrix x = random_matrix(90, 4, 21);
    for (Index i = 0; dependent && i < 90; ++i) x(i, 3) = x(i, 0) - 2 * x(i, 1);
    Training few{.K = lazy(parse("linear() + 1"), rows(x)), .y = random_matrix(90, 2, 22)};
    for (Index i = 0; i < 90; ++i) few.weights.push_back(static_cast<double>(1 + i % 3));
    Training all = few;
    all.K = precomputed(gram(parse("linear() + 1"), rows(x)));
    const Model a = KernelLeastSquares{}.fit(few), b = KernelLeastSquares{}.fit(all);
    EXPECT_EQ(*a.report().figure("rank"), dependent ? 4 : 5);
    EXPECT_EQ(*b.report().figure("rank"), dependent ? 4 : 5);
    EXPECT_NEAR(*a.report().figure("largest_eigenvalue"), *b.report().figure("largest_eigenvalue"), 1e-9);
    EXPECT_EQ(a.report().notes, b.report().notes);
    expect_near(few.K.multiply(a.expansion().parts().alpha), few.K.multiply(b.expansion().parts().alpha), 1e-8);
    const Plan plan = plan_for(machine("ols"), {}, extent_of(few));
    EXPECT_EQ(name_of(plan.form), "factor");
  }
}

TEST(Ols, ByName) {
  const Training t{.K = lazy(exponential(1), rows(random_matrix(9, 2, 1))), .y = random_matrix(9, 1, 2)};
  EXPECT_EQ(fit("ols", {}, t).parts().machine, "ols");
  const Model m = fit("gd", {{"step", "0.01"}, {"max_iterations", "5"}}, t);
  EXPECT_EQ(m.report().iterations, 5);
  EXPECT_EQ(*m.report().figure("step"), 0.01);
  EXPECT_EQ(m.parts().settings.at("patience"), "20");
}

}  // namespace
}  // namespace mercer::ols_test
