// Conjugate gradients against solutions that are known, in several inner products.
#include "linalg/conjugate_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support.hpp"

namespace mercer::linalg::conjugate_gradient_test {
namespace {

Vector times(const Matrix& a, VectorView v) {
  Vector out(static_cast<std::size_t>(a.rows()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out[static_cast<std::size_t>(i)] += a(i, j) * v[static_cast<std::size_t>(j)];
  }
  return out;
}

void copy(const Vector& from, VectorRef to) { std::copy(from.begin(), from.end(), to.begin()); }

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

Vector wave(Index n) {
  Vector out;
  for (Index i = 0; i < n; ++i) out.push_back(std::sin(static_cast<double>(i) + 1));
  return out;
}

LinearSystem system_of(const Matrix& a) {
  return {.apply = [&a](VectorView v, VectorView, VectorRef out) { copy(times(a, v), out); }};
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance);
}

TEST(ConjugateGradients, SolvesInAtMostAsManyStepsAsUnknowns) {
  constexpr Index n = 30;
  const Matrix a = positive(n, 1);
  const Vector x = wave(n);
  const ConjugateGradients found = conjugate_gradients(system_of(a), times(a, x), 1e-26, n + 5);
  EXPECT_TRUE(found.reached);
  EXPECT_LE(found.steps, n + 5);
  expect_near(found.x, x, 1e-11);
}

TEST(ConjugateGradients, OneStepWithTheInverseAsPreconditioner) {
  constexpr Index n = 12;
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) a(i, i) = std::pow(10.0, static_cast<double>(i) - 5);
  LinearSystem system = system_of(a);
  system.precondition = [&a](VectorRef v) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] /= a(static_cast<Index>(i), static_cast<Index>(i));
  };
  const ConjugateGradients found = conjugate_gradients(system, times(a, wave(n)), 1e-20, 5);
  EXPECT_EQ(found.steps, 1);
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
                                [](VectorView v, VectorView G_v, VectorRef out) {
                                  for (std::size_t i = 0; i < v.size(); ++i)
                                    out[i] = v[i] + static_cast<double>(i % 4) * G_v[i];
                                },
                            .metric = [&G](VectorView v, VectorRef out) { copy(times(G, v), out); }};
  const ConjugateGradients found = conjugate_gradients(system, times(H, wave(n)), 1e-26, 2 * n);
  EXPECT_TRUE(found.reached);
  expect_near(found.x, wave(n), 1e-10);
}

TEST(ConjugateGradients, SaysWhenItStoppedBefore) {
  constexpr Index n = 30;
  const Matrix a = positive(n, 3);
  const ConjugateGradients found = conjugate_gradients(system_of(a), wave(n), 1e-26, 3);
  EXPECT_FALSE(found.reached);
  EXPECT_EQ(found.steps, 3);
}

TEST(ConjugateGradients, NothingToSolveIsSolved) {
  const Matrix a = positive(4, 4);
  const ConjugateGradients found = conjugate_gradients(system_of(a), Vector(4), 1e-3, 10);
  EXPECT_TRUE(found.reached);
  EXPECT_EQ(found.steps, 0);
  EXPECT_EQ(found.x, Vector(4));
}

TEST(ConjugateGradients, CanBeStoppedBeforeEachStep) {
  const Matrix a = positive(30, 5);
  int heard = 0;
  const auto stop = [&] {
    if (++heard == 4) throw std::runtime_error("enough");
  };
  EXPECT_THROW(conjugate_gradients(system_of(a), wave(30), 1e-26, 30, stop), std::runtime_error);
  EXPECT_EQ(heard, 4);
}

}  // namespace
}  // namespace mercer::linalg::conjugate_gradient_test
