// Conjugate gradients against solutions that are known, in several inner products.
#include "linalg/conjugate_gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support.hpp"

namespace mercer::linalg::conjugate_gradient_test {
namespace {

Matrix times(const Matrix& a, const Matrix& v) { return test::product(a, v); }

void copy(const Matrix& from, MatrixRef to) {
  for (Index i = 0; i < to.rows(); ++i) std::copy_n(from.row(i), to.cols(), to.row(i));
}

// A A' + I, of condition number about n.
Matrix positive(Index n, unsigned seed) {
  const Matrix a = test::random_matrix(n, n, seed, -0.5, 0.5);
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      out(i, j) = i == j ? 1 : 0;
      for (Index k = 0; k < n; ++k) out(i, j) += a(i, k) * a(j, k);
    }
  }
  return out;
}

Matrix wave(Index n) {
  Matrix out(n, 1);
  for (Index i = 0; i < n; ++i) out(i, 0) = std::sin(static_cast<double>(i) + 1);
  return out;
}

LinearSystem system_of(const Matrix& a) {
  return {.apply = [&a](MatrixView v, MatrixView, MatrixRef out) { copy(times(a, Matrix(v)), out); }};
}

using test::expect_near;

TEST(ConjugateGradients, SolvesInAtMostAsManyStepsAsUnknowns) {
  constexpr Index n = 30;
  const Matrix a = positive(n, 1);
  const Matrix x = wave(n);
  const ConjugateGradients found = conjugate_gradients(system_of(a), times(a, x), {.enough = 1e-26, .most = n + 5});
  EXPECT_TRUE(found.all_reached());
  EXPECT_LE(found.most_steps(), n + 5);
  expect_near(found.x, x, 1e-11);
}

TEST(ConjugateGradients, OneStepWithTheInverseAsPreconditioner) {
  constexpr Index n = 12;
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) a(i, i) = std::pow(10.0, static_cast<double>(i) - 5);
  LinearSystem system = system_of(a);
  system.precondition = [&a](MatrixRef v) {
    for (Index i = 0; i < v.rows(); ++i) v(i, 0) /= a(i, i);
  };
  const ConjugateGradients found = conjugate_gradients(system, times(a, wave(n)), {.enough = 1e-20, .most = 5});
  EXPECT_EQ(found.most_steps(), 1);
  expect_near(found.x, wave(n), 1e-14);
}

// H = I + W G is not symmetric as a matrix, but is so in <u, v> = u'G v.
TEST(ConjugateGradients, WorksInAnotherInnerProduct) {
  constexpr Index n = 25;
  const Matrix G = positive(n, 2);
  Matrix H(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) H(i, j) = (i == j ? 1 : 0) + static_cast<double>(i % 4) * G(i, j);
  }
  const LinearSystem system{.apply =
                                [](MatrixView v, MatrixView G_v, MatrixRef out) {
                                  for (Index i = 0; i < v.rows(); ++i)
                                    out(i, 0) = v(i, 0) + static_cast<double>(i % 4) * G_v(i, 0);
                                },
                            .metric = [&G](MatrixView v, MatrixRef out) { copy(times(G, Matrix(v)), out); }};
  const ConjugateGradients found = conjugate_gradients(system, times(H, wave(n)), {.enough = 1e-26, .most = 2 * n});
  EXPECT_TRUE(found.all_reached());
  expect_near(found.x, wave(n), 1e-10);
}

TEST(ConjugateGradients, SaysWhenItStoppedBefore) {
  constexpr Index n = 30;
  const Matrix a = positive(n, 3);
  const ConjugateGradients found = conjugate_gradients(system_of(a), wave(n), {.enough = 1e-26, .most = 3});
  EXPECT_FALSE(found.all_reached());
  EXPECT_EQ(found.most_steps(), 3);
}

TEST(ConjugateGradients, NothingToSolveIsSolved) {
  const Matrix a = positive(4, 4);
  const ConjugateGradients found = conjugate_gradients(system_of(a), Matrix(4, 1), {.enough = 1e-3, .most = 10});
  EXPECT_TRUE(found.all_reached());
  EXPECT_EQ(found.most_steps(), 0);
  expect_near(found.x, Matrix(4, 1), 0);
}

TEST(ConjugateGradients, CanBeStoppedBeforeEachStep) {
  const Matrix a = positive(30, 5);
  int heard = 0;
  const Steps stop{.before = [&](double, const Steps::State&) {
    if (++heard == 4) throw std::runtime_error("enough");
  }};
  EXPECT_THROW(conjugate_gradients(system_of(a), wave(30), {.enough = 1e-26, .most = 30}, stop), std::runtime_error);
  EXPECT_EQ(heard, 4);
}

// Columns that are done, one that is stuck at 0, a preconditioner and a metric: wherever the search is taken up, it
// ends with the same bits after as many steps.
TEST(ConjugateGradients, GoesOnFromAnyStepToTheSameBits) {
  constexpr Index n = 30;
  const Matrix a = positive(n, 8);
  Matrix r = test::random_matrix(n, 4, 9);
  for (Index i = 0; i < n; ++i) r(i, 1) = 0;
  for (Index i = 0; i < n; ++i) r(i, 2) = a(i, 4);
  LinearSystem system = system_of(a);
  system.precondition = [](MatrixRef v) {
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index c = 0; c < v.cols(); ++c) v(i, c) /= static_cast<double>(1 + i % 3);
    }
  };
  for (const bool metric : {false, true}) {
    if (metric) {
      system.metric = [](MatrixView v, MatrixRef out) {
        for (Index i = 0; i < v.rows(); ++i) {
          for (Index c = 0; c < v.cols(); ++c) out(i, c) = 2 * v(i, c);
        }
      };
    }
    const Stop stop{.enough = 1e-20, .most = 100};
    std::vector<Vector> states;
    double done = -1;
    const Steps record{.before = [&](double behind, const Steps::State& state) {
      EXPECT_GE(behind, 0);
      EXPECT_LE(behind, 1);
      done = behind;
      states.push_back(state());
    }};
    const ConjugateGradients whole = conjugate_gradients(system, r, stop, record);
    EXPECT_GT(states.size(), 5u);
    EXPECT_GT(done, 0.5);
    for (const Vector& state : states) {
      const ConjugateGradients rest = conjugate_gradients(system, r, stop, {.from = state});
      EXPECT_EQ(rest.steps, whole.steps);
      EXPECT_EQ(rest.reached, whole.reached);
      EXPECT_TRUE(std::equal(rest.x.data(), rest.x.data() + 4 * n, whole.x.data()));
    }
    Vector wrong = states[1];
    wrong.pop_back();
    EXPECT_THROW((void)conjugate_gradients(system, r, stop, {.from = wrong}), Error);
    EXPECT_THROW((void)conjugate_gradients(system, Matrix(n, 3), stop, {.from = states[1]}), Error);
  }
}

// The easy ones end early and leave the hard one to go on; each is what it is by itself.
TEST(ConjugateGradients, EveryRightSideHasItsOwnStop) {
  constexpr Index n = 40;
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) a(i, i) = static_cast<double>(i + 1);
  Matrix r(n, 4);
  for (Index i = 0; i < n; ++i) {
    r(i, 0) = i == 3 ? 1 : 0;  // an eigenvector: one step
    r(i, 1) = std::sin(static_cast<double>(i));
    r(i, 2) = 0;              // nothing to do
    r(i, 3) = i < 2 ? 1 : 0;  // two eigenvectors
  }
  Index widest = 0, narrowest = 4;
  LinearSystem system;
  system.apply = [&](MatrixView v, MatrixView, MatrixRef out) {
    widest = std::max(widest, v.cols());
    narrowest = std::min(narrowest, v.cols());
    copy(times(a, Matrix(v)), out);
  };
  const ConjugateGradients found = conjugate_gradients(system, r, {.enough = 1e-24, .most = 200});
  EXPECT_TRUE(found.all_reached());
  EXPECT_EQ(found.steps[0], 1);
  EXPECT_GT(found.steps[1], 10);
  EXPECT_EQ(found.steps[2], 0);
  EXPECT_EQ(found.steps[3], 2);
  EXPECT_EQ(widest, 3);
  EXPECT_EQ(narrowest, 1);
  for (Index c = 0; c < 4; ++c) {
    const Matrix own(r.view().block({0, n}, {c, c + 1}));
    const ConjugateGradients alone = conjugate_gradients(system_of(a), own, {.enough = 1e-24, .most = 200});
    EXPECT_EQ(alone.most_steps(), found.steps[static_cast<std::size_t>(c)]);
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(found.x(i, c), alone.x(i, 0));
      EXPECT_NEAR(found.x(i, c), r(i, c) / a(i, i), 1e-12);
    }
  }
}

// A matrix that is not positive definite in one direction only: who meets it stops, the others go on.
TEST(ConjugateGradients, ARightSideThatCannotGoOnDoesNotSpoilTheOthers) {
  Matrix a(3, 3);
  a(0, 0) = 1;
  a(1, 1) = 0;
  a(2, 2) = 2;
  Matrix r(3, 2);
  r(1, 0) = 1;
  r(0, 1) = 1;
  r(2, 1) = 1;
  const ConjugateGradients found = conjugate_gradients(system_of(a), r, {.enough = 1e-24, .most = 10});
  EXPECT_EQ(found.reached[0], 0);
  EXPECT_NE(found.reached[1], 0);
  EXPECT_EQ(found.x(1, 0), 0);
  EXPECT_NEAR(found.x(0, 1), 1, 1e-14);
  EXPECT_NEAR(found.x(2, 1), 0.5, 1e-14);
}

}  // namespace
}  // namespace mercer::linalg::conjugate_gradient_test
