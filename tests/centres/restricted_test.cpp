// Least squares of centres against normal equations in closed form, points left out one by one, and published numbers.
#include "centres/restricted.hpp"

#include <gtest/gtest.h>

#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::centres::restricted_test {
namespace {

struct Data {
  Kernel k = parse("matern(nu=1.5, ell=0.9)");
  Matrix X, y;
  Vector weights;
  Centres z;
  Pass pass;

  Data(Index n, Index m, bool weighted)
      : X(test::random_matrix(n, 2, 1)),
        y(test::random_matrix(n, 2, 2)),
        z(choose_centres(k, rows(X), {.count = m})),
        pass(k, z.points(), pieces_of(rows(X))) {
    for (Index i = 0; i < n; ++i) {
      y(i, 0) = std::sin(3 * X(i, 0)) + 0.2 * y(i, 0);
      if (weighted) weights.push_back(i % 7 == 0 ? 0 : 0.5 + static_cast<double>(i % 3));
    }
  }
  LeastSquares problem() const { return {z, pass, y, weights}; }
};

// beta of (K_mn V K_nm + ridge K_mm) beta = K_mn V y, without the points that are left out.
Matrix beta_of(const Data& data, double ridge, Index without = -1) {
  const Matrix K = cross(data.k, rows(data.X), data.z.points());
  Matrix weighted = K, A = gram(data.k, data.z.points()), b(K.cols(), data.y.cols());
  for (Index i = 0; i < K.rows(); ++i) {
    const double v = i == without ? 0 : data.problem().weight(i);
    for (Index j = 0; j < K.cols(); ++j) weighted(i, j) *= v;
  }
  linalg::multiply_left_transposed(1, K, weighted, ridge, A);
  linalg::multiply_left_transposed(1, weighted, data.y, 0, b);
  EXPECT_EQ(linalg::cholesky(A), 0);
  linalg::cholesky_solve(A, b);
  return b;
}

Matrix values_at(const Data& data, const Matrix& beta, const Points& x) {
  return multiply(data.k, x, data.z.points(), beta);
}

TEST(AllRidges, SolveTheNormalEquations) {
  for (const bool weighted : {false, true}) {
    const Data data(400, 30, weighted);
    const LeastSquares problem = data.problem();
    const AllRidges all(problem, {});
    const Points fresh = rows(test::random_matrix(20, 2, 3));
    for (const double ridge : {1e-3, 0.1, 10.0}) {
      const Matrix f = data.z.expansion(all.w(ridge), {}, 400)(fresh);
      test::expect_near(f, values_at(data, beta_of(data, ridge), fresh), 1e-8);
      double squares = 0;
      const Matrix own = data.z.expansion(all.w(ridge), {}, 400)(rows(data.X));
      for (Index i = 0; i < 400; ++i) {
        for (Index t = 0; t < 2; ++t)
          squares += problem.weight(i) * (data.y(i, t) - own(i, t)) * (data.y(i, t) - own(i, t));
      }
      EXPECT_NEAR(all.squares(ridge), squares, 1e-9 * squares);
    }
  }
}

// As many centres as points meet all targets: what is left is rounding, and not less than nothing.
TEST(AllRidges, SquaresAreNotBelowZero) {
  for (const Index n : {20, 30, 40, 50}) {
    const Data data(n, n, false);
    const AllRidges all(data.problem(), {});
    for (const double ridge : {1e-12, 1e-14, 1e-18}) EXPECT_GE(all.squares(ridge), 0) << n << " points, " << ridge;
  }
}

// Two centres: the eigenvalues are the roots of a square.
TEST(AllRidges, TheConditionIsThatOfTheSystem) {
  for (const bool weighted : {false, true}) {
    const Data data(50, 2, weighted);
    const LeastSquares problem = data.problem();
    const AllRidges all(problem, {});
    const Matrix phi = data.z.features(rows(data.X), {});
    double a = 0, b = 0, c = 0;  // of the matrix (a, b; b, c)
    for (Index i = 0; i < 50; ++i) {
      a += problem.weight(i) * phi(i, 0) * phi(i, 0);
      b += problem.weight(i) * phi(i, 0) * phi(i, 1);
      c += problem.weight(i) * phi(i, 1) * phi(i, 1);
    }
    const double half = std::hypot(0.5 * (a - c), b);
    for (const double ridge : {1e-3, 1.0, 100.0}) {
      const double middle = 0.5 * (a + c) + ridge;
      EXPECT_NEAR(all.condition(ridge), (middle + half) / (middle - half), 1e-9 * all.condition(ridge));
    }
  }
}

// GCV takes the moments of one pass; leaving points out, the second one, where it is asked for.
TEST(AllRidges, GcvNeedsNoPointsLeftOut) {
  const Data data(300, 25, true);
  const Training training{.K = lazy(data.k, rows(data.X)), .y = data.y, .weights = data.weights, .centres = data.z};
  const auto fitted = [&](KernelRidge::Criterion criterion, bool loo) {
    return KernelRidge{.ridge = std::nullopt, .criterion = criterion, .loo = loo}.fit(training).report();
  };
  const Report by_loo = fitted(KernelRidge::Criterion::loo, false), alone = fitted(KernelRidge::Criterion::gcv, false),
               both = fitted(KernelRidge::Criterion::gcv, true);
  using Names = std::vector<std::string>;
  EXPECT_EQ(alone.table("path")->columns, (Names{"ridge", "gcv", "degrees_of_freedom"}));
  EXPECT_EQ(both.table("path")->columns, (Names{"ridge", "leave_one_out_rmse", "gcv", "degrees_of_freedom"}));
  test::expect_near(both.table("path")->rows, by_loo.table("path")->rows, 0);
  EXPECT_FALSE(alone.figure("leave_one_out_rmse"));
  EXPECT_EQ(*alone.figure("ridge"), *both.figure("ridge"));
  EXPECT_EQ(*alone.figure("gcv"), *both.figure("gcv"));
  const Matrix &one_pass = alone.table("path")->rows, &two = both.table("path")->rows;
  double least = std::numeric_limits<double>::infinity();
  for (Index r = 0; r < one_pass.rows(); ++r) {
    EXPECT_EQ(one_pass(r, 0), two(r, 0));
    EXPECT_EQ(one_pass(r, 1), two(r, 2));
    EXPECT_EQ(one_pass(r, 2), two(r, 3));
    least = std::min(least, one_pass(r, 1));
  }
  EXPECT_EQ(*alone.figure("gcv"), least);
}

TEST(AllRidges, LeaveOneOutIsThatOfFitsWithoutThePoint) {
  for (const bool weighted : {false, true}) {
    const Data data(60, 15, weighted);
    const LeastSquares problem = data.problem();
    const AllRidges all(problem, {});
    const Vector ridges = {0.01, 1};
    const Vector found = all.left_out(ridges, {});
    for (std::size_t r = 0; r < 2; ++r) {
      double expected = 0;
      for (Index i = 0; i < 60; ++i) {
        if (problem.weight(i) == 0) continue;
        const Matrix f = values_at(data, beta_of(data, ridges[r], i), rows(data.X).slice({i, i + 1}));
        for (Index t = 0; t < 2; ++t)
          expected += problem.weight(i) * (data.y(i, t) - f(0, t)) * (data.y(i, t) - f(0, t));
      }
      EXPECT_NEAR(found[r], expected, 1e-8 * expected);
    }
  }
}

TEST(AllRidges, FreedomIsTheTraceOfTheSmoother) {
  const Data data(100, 12, false);
  const LeastSquares problem = data.problem();
  const AllRidges all(problem, {});
  // df = sum_i d f(x_i) / d y_i
  double expected = 0;
  for (Index i = 0; i < 100; ++i) {
    Matrix unit(100, 1);
    unit(i, 0) = 1;
    const LeastSquares one{data.z, data.pass, unit, {}};
    expected += data.z.expansion(AllRidges(one, {}).w(0.5), {}, 100)(rows(data.X).slice({i, i + 1}))(0, 0);
  }
  EXPECT_NEAR(all.freedom(0.5), expected, 1e-9 * expected);
}

TEST(BySteps, ReachWhatTheyClaim) {
  for (const bool weighted : {false, true}) {
    const Data data(3000, 120, weighted);
    const LeastSquares problem = data.problem();
    const AllRidges all(problem, {});
    for (const double ridge : {0.01, 1.0}) {
      for (const double tolerance : {1e-3, 1e-10}) {
        const BySteps found = by_steps(problem, ridge, tolerance, 500, {});
        EXPECT_TRUE(found.accuracy.reached);
        EXPECT_LE(found.accuracy.residual, tolerance);
        EXPECT_LE(found.accuracy.steps, tolerance < 1e-6 ? 60 : 20);
        const Matrix exact = all.w(ridge);
        // |e|_A / |w|_A is at most the bound.
        const Matrix F = data.z.features(rows(data.X));
        double largest = 0;
        for (Index t = 0; t < 2; ++t) {
          double error = 0, size = 0;
          for (Index j = 0; j < 120; ++j) {
            error += ridge * std::pow(found.w(j, t) - exact(j, t), 2);
            size += ridge * std::pow(found.w(j, t), 2);
          }
          for (Index i = 0; i < 3000; ++i) {
            double of_error = 0, of_w = 0;
            for (Index j = 0; j < 120; ++j) {
              of_error += F(i, j) * (found.w(j, t) - exact(j, t));
              of_w += F(i, j) * found.w(j, t);
            }
            error += problem.weight(i) * of_error * of_error;
            size += problem.weight(i) * of_w * of_w;
          }
          EXPECT_LE(std::sqrt(error / size), found.accuracy.energy_error + 1e-12);
          // The bound is |r| / sqrt(ridge) over |w|_A, r from the data.
          Vector r;
          for (Index j = 0; j < 120; ++j) r.push_back(-ridge * found.w(j, t));
          for (Index i = 0; i < 3000; ++i) {
            double left = data.y(i, t);
            for (Index j = 0; j < 120; ++j) left -= F(i, j) * found.w(j, t);
            for (Index j = 0; j < 120; ++j) r[static_cast<std::size_t>(j)] += problem.weight(i) * left * F(i, j);
          }
          double squares = 0;
          for (const double value : r) squares += value * value;
          if (tolerance > 1e-6) largest = std::max(largest, std::sqrt(squares / ridge / size));
        }
        if (tolerance > 1e-6) {
          EXPECT_NEAR(found.accuracy.energy_error, largest, 1e-6 * largest);
        }
      }
    }
  }
}

// Of the sketch, that is, where twice as many rows as centres stand for all.
TEST(BySteps, KnowTheFreedomAbout) {
  const Data data(4000, 100, true);
  const LeastSquares problem = data.problem();
  const AllRidges all(problem, {});
  for (const double ridge : {0.1, 10.0, 1000.0}) {
    const BySteps found = by_steps(problem, ridge, 1e-3, 100, {});
    ASSERT_TRUE(found.freedom);
    EXPECT_NEAR(*found.freedom, all.freedom(ridge), 0.15 * all.freedom(ridge)) << ridge;
  }
}

// Whatever the unit of the targets: a stop that is absolute would end at once, or never.
TEST(BySteps, DoNotDependOnTheUnitOfTheTargets) {
  Data data(500, 40, false);
  const BySteps plain = by_steps(data.problem(), 0.1, 1e-6, 100, {});
  for (const double unit : {0x1p-27, 0x1p27}) {  // powers of two: nothing is rounded
    Data scaled(500, 40, false);
    for (Index i = 0; i < 1000; ++i) scaled.y.data()[i] *= unit;
    const BySteps found = by_steps(scaled.problem(), 0.1, 1e-6, 100, {});
    EXPECT_EQ(found.accuracy.steps, plain.accuracy.steps);
    for (Index i = 0; i < 80; ++i) EXPECT_EQ(found.w.data()[i] / unit, plain.w.data()[i]);
  }
}

TEST(BySteps, ATargetOfZerosIsSolvedByZero) {
  Data data(200, 20, false);
  data.y = Matrix(200, 2);
  const BySteps found = by_steps(data.problem(), 0.1, 1e-6, 100, {});
  EXPECT_TRUE(found.accuracy.reached);
  EXPECT_EQ(found.w, Matrix(20, 2));
}

// Each target is held to its own size.
TEST(BySteps, ATargetOfZerosBesideAnotherIsDone) {
  Data data(500, 40, false);
  for (Index i = 0; i < 500; ++i) data.y(i, 0) = 0;
  const BySteps found = by_steps(data.problem(), 0.1, 1e-6, 100, {});
  EXPECT_TRUE(found.accuracy.reached);
  EXPECT_LE(found.accuracy.residual, 1e-6);
}

// Weights are in the preconditioner too: where they differ by far, one without them would be no help.
TEST(BySteps, UnequalWeightsTakeNoMoreSteps) {
  Data data(3000, 120, true);
  const int usual = by_steps(data.problem(), 0.01, 1e-8, 500, {}).accuracy.steps;
  for (Index i = 0; i < 3000; ++i) data.weights[static_cast<std::size_t>(i)] = i % 10 == 0 ? 1000 : 1e-3;
  EXPECT_LE(by_steps(data.problem(), 0.01, 1e-8, 500, {}).accuracy.steps, 2 * usual);
}

TEST(BySteps, SayWhenTheyDidNotArrive) {
  const Data data(2000, 100, false);
  const BySteps found = by_steps(data.problem(), 1e-6, 1e-12, 2, {});
  EXPECT_FALSE(found.accuracy.reached);
  EXPECT_GT(found.accuracy.residual, 1e-12);
}

TEST(BySteps, SameBitsWhateverTheThreads) {
  const Data data(5000, 60, true);
  EXPECT_EQ(by_steps(data.problem(), 0.1, 1e-6, 100, {.threads = 1}).w,
            by_steps(data.problem(), 0.1, 1e-6, 100, {.threads = 2}).w);
}

// Twelve points on a line, four of them centres; the numbers are from 40-digit arithmetic.
TEST(Restricted, KnownCoefficients) {
  Matrix x(12, 1), y(12, 1), z(4, 1);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = (static_cast<double>(i) + 0.3 * std::sin(static_cast<double>(i))) / 4;
    y(i, 0) = std::sin(x(i, 0)) + 0.5 * std::cos(3 * x(i, 0));
    if (i % 3 == 0) z(i / 3, 0) = x(i, 0);
  }
  const Kernel k = parse("1.5*matern(nu=1.5, ell=0.8)");
  const Training training{.K = lazy(k, rows(x)), .y = y, .centres = Centres(k, rows(z))};
  const Vector expected = {.526537416992923, -.432283125037538, .554654459917277, .487483563735741};
  for (const auto solver : {KernelRidge::Solver::normal, KernelRidge::Solver::falkon}) {
    const Model m = KernelRidge{.ridge = 12e-3, .solver = solver, .tolerance = 1e-13}.fit(training);
    ASSERT_EQ(m.expansion().size(), 4);
    for (Index j = 0; j < 4; ++j) {
      EXPECT_NEAR(m.expansion().parts().alpha(j, 0), expected[static_cast<std::size_t>(j)], 1e-12);
    }
  }
}

}  // namespace
}  // namespace mercer::centres::restricted_test
