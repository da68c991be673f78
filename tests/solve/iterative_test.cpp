// Conjugate gradients as a solved system, against Cholesky factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/lapack.hpp"
#include "mercer/error.hpp"
#include "mercer/kernels.hpp"
#include "solve/partial_cholesky.hpp"
#include "solve/system.hpp"
#include "support.hpp"

namespace mercer::solve::iterative_test {
namespace {

Equations cloud(Index n, double shift) {
  Vector scale;
  for (Index i = 0; i < n; ++i) scale.push_back(1 + 0.3 * std::cos(static_cast<double>(i)));
  return {.K = lazy(parse("rbf(ell=0.5)"), rows(test::random_matrix(n, 3, 7))), .scale = scale, .shift = {shift}};
}

Matrix sides(Index n, Index columns) { return test::random_matrix(n, columns, 9); }

// |x - y|_A^2 / |y|_A^2 of a column
double energy_error(const Equations& e, const Matrix& x, const Matrix& y) {
  Matrix d = x;
  for (Index i = 0; i < d.rows(); ++i) d(i, 0) -= y(i, 0);
  const Matrix A_d = product(e, d, {}), A_y = product(e, y, {});
  double up = 0, down = 0;
  for (Index i = 0; i < d.rows(); ++i) {
    up += d(i, 0) * A_d(i, 0);
    down += y(i, 0) * A_y(i, 0);
  }
  return std::sqrt(up / down);
}

TEST(IterativeSystem, AgreesWithCholeskyToItsTolerance) {
  for (const Index n : {1, 2, 37, 143, 144, 145, 300}) {
    for (const double shift : {1e-1, 1e-3}) {
      const Equations e = cloud(n, shift);
      const Matrix b = sides(n, 2);
      Matrix exact = b;
      system_for(e, {.method = Method::dense}, {}).system->solve(exact);
      for (const double tolerance : {1e-3, 1e-9}) {
        const Made made = system_for(e, {.method = Method::iterative, .tolerance = tolerance}, {});
        EXPECT_EQ(made.system->certificate().method, "conjugate gradients");
        Matrix x = b;
        const Accuracy found = made.system->solve(x);
        EXPECT_TRUE(found.reached && !found.direct && !found.cancelled);
        EXPECT_LE(found.residual, tolerance);
        // The residual is what it says, and the error in the norm of A is below its bound.
        const Matrix A_x = product(e, x, {});
        double worst = 0;
        for (Index c = 0; c < 2; ++c) {
          double up = 0, down = 0;
          for (Index i = 0; i < n; ++i) {
            up += (b(i, c) - A_x(i, c)) * (b(i, c) - A_x(i, c));
            down += b(i, c) * b(i, c);
          }
          worst = std::max(worst, std::sqrt(up / down));
        }
        EXPECT_NEAR(found.residual, worst, 1e-13);
        EXPECT_LE(energy_error(e, x, exact), found.energy_error * (1 + 1e-9) + 1e-13);
      }
    }
  }
}

// Steps multiply K in single precision; what is reached is measured with K itself, far below that.
TEST(IterativeSystem, SinglePrecisionOfStepsIsNotThatOfSolutions) {
  for (const Index columns : {1, 2}) {
    const Equations e = cloud(500, 1e-2);
    const Made made = system_for(e, {.method = Method::iterative, .tolerance = 1e-13, .rank = 30}, {});
    Matrix x = sides(500, columns), exact = x;
    const Accuracy found = made.system->solve(x);
    EXPECT_TRUE(found.reached) << found.residual;
    EXPECT_LE(found.residual, 1e-13);
    system_for(e, {.method = Method::dense}, {}).system->solve(exact);
    for (Index i = 0; i < 500 * columns; ++i) EXPECT_NEAR(x.data()[i], exact.data()[i], 1e-9);
  }
}

// As far below the trace as single precision cannot go: K itself is multiplied, and no restart is needed.
TEST(IterativeSystem, SmallShiftsAreNotRounded) {
  const Equations e = cloud(300, 1e-6);
  const Made made = system_for(e, {.method = Method::iterative, .tolerance = 1e-10, .rank = 75}, {});
  Matrix x = sides(300, 1);
  EXPECT_TRUE(made.system->solve(x).reached);
}

// The same whatever is kept of K, and whatever the threads.
TEST(IterativeSystem, MemoryForNumbersChangesNoBit) {
  const Equations e = cloud(600, 1e-2);
  const auto solved = [&](double kept, int threads) {
    const Execution how{.threads = threads};
    const Made made = system_for(e, {.method = Method::iterative, .kept = kept}, how);
    Matrix x = sides(600, 1);
    EXPECT_TRUE(made.system->solve(x).reached);
    return x;
  };
  const Matrix all = solved(1e9, 1);
  for (const double kept : {0.0, 3e5, 1e9}) {
    for (const int threads : {1, 2}) {
      const Matrix other = solved(kept, threads);
      for (Index i = 0; i < 600; ++i) ASSERT_EQ(all(i, 0), other(i, 0)) << kept << ' ' << threads;
    }
  }
}

// Memory that is free decides about the rank only where it is too little, and that is said.
TEST(IterativeSystem, RankDoesNotDependOnMemoryUnlessItIsShort) {
  const Equations e{.K = lazy(parse("laplace(ell=0.3)"), rows(test::random_matrix(2000, 3, 7))), .shift = {1e-3}};
  const auto certificate = [&](double room) {
    return system_for(e, {.method = Method::iterative, .room = room}, {}).system->certificate();
  };
  const Certificate much = certificate(1e12), enough = certificate(1e9), little = certificate(4e6);
  EXPECT_EQ(much.rank, enough.rank);
  EXPECT_FALSE(much.cut_short);
  EXPECT_FALSE(enough.cut_short);
  EXPECT_EQ(little.rank, 75);
  EXPECT_TRUE(little.cut_short);
}

TEST(IterativeSystem, OneStepWhereTheFactorIsAll) {
  const Equations e = cloud(80, 1e-2);
  const Made made = system_for(e, {.method = Method::iterative, .rank = 80}, {});
  Matrix x = sides(80, 1);
  EXPECT_LE(made.system->solve(x).steps, 2);
  EXPECT_LE(made.system->certificate().rest, 1e-12);
}

TEST(IterativeSystem, ColumnsTogetherAreColumnsAlone) {
  const Equations e = cloud(300, 1e-2);
  const Made made = system_for(e, {.method = Method::iterative, .tolerance = 1e-10, .rank = 20}, {});
  const Matrix b = sides(300, 3);
  Matrix together = b;
  made.system->solve(together);
  for (Index c = 0; c < 3; ++c) {
    Matrix alone(300, 1);
    for (Index i = 0; i < 300; ++i) alone(i, 0) = b(i, c);
    made.system->solve(alone);
    for (Index i = 0; i < 300; ++i) EXPECT_NEAR(alone(i, 0), together(i, c), 1e-7 * std::abs(together(i, c)) + 1e-7);
  }
}

// Twelve points on a line.
double on_line(Index i) { return (static_cast<double>(i) + 0.3 * std::sin(static_cast<double>(i))) / 4; }
Equations line() {
  Matrix x(12, 1);
  for (Index i = 0; i < 12; ++i) x(i, 0) = on_line(i);
  return {.K = lazy(parse("1.5*matern(nu=1.5, ell=0.8)"), rows(std::move(x))), .shift = {0.05}};
}

// Any z has 2 z'y - z'A z <= y'A^-1 y <= that + r'P^-1 r, and the lower end rises with every step; y'A^-1 y from
// 40-digit arithmetic.
TEST(IterativeSystem, HoldsTheQuadraticFormBetweenBoundsAtEveryStep) {
  const Equations e = line();
  Matrix y(12, 1);
  for (Index i = 0; i < 12; ++i) y(i, 0) = std::sin(on_line(i)) + 0.5 * std::cos(3 * on_line(i));
  double before = 0;
  for (int steps = 1; steps <= 12; ++steps) {
    Matrix z = y;
    const Made made =
        system_for(e, {.method = Method::iterative, .tolerance = 1e-15, .rank = 2, .most_steps = steps}, {});
    const Accuracy found = made.system->solve(z);
    const Matrix A_z = product(e, z, {});
    double linear = 0, square = 0;
    for (Index i = 0; i < 12; ++i) {
      linear += z(i, 0) * y(i, 0);
      square += z(i, 0) * A_z(i, 0);
    }
    const double low = 2 * linear - square, high = low + found.energy_error * found.energy_error * square;
    EXPECT_LE(low, 1.84634323298113 + 1e-12) << steps;
    EXPECT_GE(high, 1.84634323298113 - 1e-12) << steps;
    EXPECT_GE(low, before - 1e-12) << steps;
    before = low;
  }
  EXPECT_NEAR(before, 1.84634323298113, 1e-10);
}

// |e_t|_A <= 2 ((q - 1) / (q + 1))^t |e_0|_A, q^2 = 1 + |R| / s: what a preconditioner below A promises of every step.
TEST(IterativeSystem, EveryStepIsWithinItsBound) {
  constexpr Index n = 200, kRank = 40;
  const double shift = 2e-5;  // K itself is multiplied
  const Equations e{.K = lazy(parse("matern(nu=1.5, ell=2)"), rows(test::random_matrix(n, 3, 7))), .shift = {shift}};
  PartialCholesky factor({.K = e.K}, kRank, 1);
  factor.grow(kRank, {});
  Matrix R = assembled({.K = e.K}, {});
  linalg::multiply_left_transposed(-1, factor.factor(), factor.factor(), 1, R);
  const double q = std::sqrt(1 + linalg::eigenvalues(R).back() / shift);
  const Matrix b = sides(n, 1);
  Matrix exact = b;
  system_for(e, {.method = Method::dense}, {}).system->solve(exact);
  for (const int steps : {1, 2, 5, 10, 20, 40}) {
    Matrix x = b;
    system_for(e, {.method = Method::iterative, .tolerance = 1e-15, .rank = kRank, .most_steps = steps}, {})
        .system->solve(x);
    EXPECT_LE(energy_error(e, x, exact), 2 * std::pow((q - 1) / (q + 1), steps) + 1e-9) << steps;
  }
}

// P^-1 P v = v to the rounding that P allows, where the factor holds all of K: then P is A, and one step is all.
TEST(IterativeSystem, ThePreconditionerIsInvertedToItsRounding) {
  constexpr Index n = 100;
  for (const double share : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    Equations e{.K = exact(parse("matern(nu=0.5, ell=1)"), rows(test::random_matrix(n, 3, 7)))};  // not rounded
    e.shift = {share * n};                                                                        // tr K = n
    Matrix x = sides(n, 1);
    const Made made = system_for(e, {.method = Method::iterative, .tolerance = 1e-16, .rank = n, .most_steps = 1}, {});
    EXPECT_LE(made.system->solve(x).residual, 10 * std::numeric_limits<double>::epsilon() / share) << share;
  }
}

// log |A| from 40-digit arithmetic. The interval holds it for every rank.
TEST(IterativeSystem, HoldsTheDeterminantBetweenBounds) {
  const Equations e = line();
  double width = 1e9;
  for (const Index rank : {1, 4, 8, 12}) {
    const Interval found = system_for(e, {.method = Method::iterative, .rank = rank}, {}).system->log_determinant();
    EXPECT_LE(found.low, -11.5722873195538 + 1e-11);
    EXPECT_GE(found.high, -11.5722873195538 - 1e-11);
    EXPECT_LT(found.high - found.low, width);
    width = found.high - found.low;
  }
  EXPECT_LT(width, 1e-10);
}

TEST(IterativeSystem, TinyShiftsGoByReflections) {
  const Equations e = cloud(200, 1e-9);
  const Made made = system_for(e, {.method = Method::iterative, .tolerance = 1e-4, .rank = 120}, {});
  Matrix x = sides(200, 1);
  const Accuracy found = made.system->solve(x);
  EXPECT_TRUE(found.reached) << found.residual;
  EXPECT_LE(found.residual, 1e-4);
}

TEST(IterativeSystem, SaysWhereItDidNotGetThere) {
  const Equations e = cloud(300, 1e-6);
  const Made made = system_for(e, {.method = Method::iterative, .rank = 1, .most_steps = 3}, {});
  Matrix x = sides(300, 1);
  const Accuracy found = made.system->solve(x);
  EXPECT_FALSE(found.reached);
  EXPECT_EQ(found.steps, 3);
  EXPECT_GT(found.residual, 1e-6);
}

TEST(IterativeSystem, OneColumnThatIsThereIsNotAll) {
  const Equations e = cloud(300, 1e-6);
  const Made made = system_for(e, {.method = Method::iterative, .rank = 1, .most_steps = 2}, {});
  for (const Index easy : {0, 1}) {
    Matrix x = sides(300, 2);
    for (Index i = 0; i < 300; ++i) x(i, easy) = 0;
    EXPECT_FALSE(made.system->solve(x).reached) << easy;
    for (Index i = 0; i < 300; ++i) EXPECT_EQ(x(i, easy), 0);
  }
}

TEST(IterativeSystem, CancelledItGivesWhatItHas) {
  const Equations e = cloud(300, 1e-6);
  double heard = 0;
  bool begun = false;
  const Monitor monitor([&](const Progress& p) {  // who said stop says it again
    if (!begun) return true;
    EXPECT_TRUE(p.stage != "solve" || p.fraction >= heard) << p.fraction;
    if (p.stage == "solve") heard = p.fraction;
    return heard < 0.1;
  });
  const Made made = system_for(e, {.method = Method::iterative, .rank = 10}, {.monitor = monitor});
  Matrix x = sides(300, 1);
  begun = true;
  const Accuracy found = made.system->solve(x);
  EXPECT_TRUE(found.cancelled);
  EXPECT_FALSE(found.reached);
  EXPECT_GT(found.steps, 0);
  EXPECT_GE(heard, 0.1);
  EXPECT_LT(heard, 1);
  EXPECT_GT(found.residual, 0);
}

TEST(IterativeSystem, RefusesWhatItDoesNotKnow) {
  Made made = system_for(cloud(30, 0.1), {.method = Method::iterative}, {});
  Matrix x(1, 30);
  EXPECT_THROW(made.system->solve_root(x), Error);
  EXPECT_THROW(std::move(*made.system).inverse({}), Error);
}

TEST(IterativeSystem, IsTakenByItselfOnlyWhereAToleranceIsEnough) {
  const Equations e = cloud(50, 0.1);
  EXPECT_EQ(system_for(e, {}, {}).system->certificate().method, "Cholesky");
  EXPECT_EQ(system_for(e, {.to_tolerance = true}, {}).system->certificate().method, "Cholesky");  // few points
  Equations several = e;
  several.shift.assign(50, 0.1);
  EXPECT_EQ(system_for(several, {.method = Method::iterative}, {}).system->certificate().method, "Cholesky");
}

}  // namespace
}  // namespace mercer::solve::iterative_test
