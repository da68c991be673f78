#include "mercer/expansion.hpp"

#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::expansion_test {
namespace {

using test::expect_error;
using test::expect_near;

struct Example {
  Matrix x = test::random_matrix(20, 2, 1);
  Matrix alpha = test::random_matrix(20, 3, 2);
  Vector bias = {1, -2, 0.5};
  Kernel k = 1.5 * rbf(0.7) + linear();
};

Matrix plain_values(const Example& e, const Matrix& at) {
  Matrix f = test::product(cross(e.k, rows(at.view()), rows(e.x.view())), e.alpha);
  for (Index i = 0; i < f.rows(); ++i) {
    for (Index j = 0; j < f.cols(); ++j) f(i, j) += e.bias[static_cast<std::size_t>(j)];
  }
  return f;
}

TEST(Expansion, IsTheSumOverItsCentres) {
  const Example e;
  const Matrix test = test::random_matrix(7, 2, 3);
  const Expansion f = lazy(e.k, rows(e.x.view())).expansion(e.alpha, e.bias);
  EXPECT_EQ(f.size(), 20);
  EXPECT_EQ(f.outputs(), 3);
  expect_near(f(rows(test.view())), plain_values(e, test), 1e-12);
  EXPECT_EQ(f(rows(Matrix(0, 2))).rows(), 0);
}

TEST(Expansion, DropsRowsThatAreZeroInEveryColumn) {
  Example e;
  for (Index j = 0; j < 3; ++j) e.alpha(4, j) = e.alpha(11, j) = 0;
  e.alpha(5, 1) = 0;
  const Expansion f = lazy(e.k, rows(e.x.view())).expansion(e.alpha, e.bias);
  EXPECT_EQ(f.size(), 18);
  EXPECT_EQ(f.parts().support[4], 5);
  EXPECT_EQ(f.parts().support[10], 12);
  EXPECT_EQ(f.parts().training_size, 20);
  const Matrix test = test::random_matrix(7, 2, 3);
  expect_near(f(rows(test.view())), plain_values(e, test), 1e-12);
}

TEST(Expansion, OwnsItsCentres) {
  Example e;
  auto x = std::make_unique<Matrix>(e.x);
  const Expansion f = lazy(e.k, rows(x->view())).expansion(e.alpha, e.bias);
  std::fill_n(x->data(), 40, 1e9);
  x.reset();
  const Matrix test = test::random_matrix(7, 2, 3);
  expect_near(f(rows(test.view())), plain_values(e, test), 1e-12);
}

TEST(Expansion, WithNothingLeftItIsTheBias) {
  const Example e;
  const Expansion f = lazy(e.k, rows(e.x.view())).expansion(Matrix(20, 3), e.bias);
  EXPECT_EQ(f.size(), 0);
  EXPECT_EQ(f(rows(Matrix{{1, 2}})), (Matrix{{1, -2, 0.5}}));
  EXPECT_EQ(f.norms(), Vector(3));
  EXPECT_EQ(f.from_rows(Matrix(2, 0)).rows(), 2);
  EXPECT_EQ(f.from_rows(Matrix(1, 20, 7.0)), (Matrix{{1, -2, 0.5}}));
  const Expansion numbers = precomputed(gram(e.k, rows(e.x.view()))).expansion(Matrix(20, 3), e.bias);
  EXPECT_EQ(numbers.from_rows(Matrix(1, 20, 7.0)), (Matrix{{1, -2, 0.5}}));
  expect_error([&] { f.from_rows(Matrix(1, 19)); }, "ShapeError", {"19", "20", "0"});
}

TEST(Expansion, RowsOfATrainingSetNeedKnownCentres) {
  const Expansion chosen({.alpha = Matrix(2, 1, 1.0), .training_size = 5});
  EXPECT_EQ(chosen.from_rows(Matrix(1, 2, 3.0)), (Matrix{{6}}));
  expect_error([&] { chosen.from_rows(Matrix(1, 5)); }, "ShapeError", {"5", "2"});
}

TEST(Expansion, RowsOfNumbersGiveTheSameAsPoints) {
  Example e;
  for (Index j = 0; j < 3; ++j) e.alpha(4, j) = 0;
  const Points x = rows(e.x.view()), test = rows(test::random_matrix(7, 2, 3));
  const Expansion f = lazy(e.k, x).expansion(e.alpha, e.bias);
  const Expansion numbers = precomputed(gram(e.k, x)).expansion(e.alpha, e.bias);
  const Matrix expected = f(test);
  expect_near(numbers.from_rows(cross(e.k, test, x)), expected, 1e-12);
  expect_near(numbers.from_rows(cross(e.k, test, x.select(numbers.parts().support))), expected, 1e-12);
  const Vector a = f.norms(), b = numbers.norms();
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a[j], b[j], 1e-10);
  expect_error([&] { numbers(test); }, "UsageError", {"rows of k(x, X)"});
  expect_error([&] { numbers.from_rows(Matrix(1, 5)); }, "ShapeError", {"5", "20", "19"});
}

TEST(Expansion, RefusesPartsThatDoNotFit) {
  const Example e;
  const Points x = rows(e.x.view());
  expect_error([&] { lazy(e.k, x).expansion(Matrix(19, 1, 1.0), {}); }, "ShapeError", {"19", "20"});
  expect_error([&] { lazy(e.k, x).expansion(e.alpha, {1, 2}); }, "ShapeError", {"bias"});
  expect_error([&] { Expansion({.kernel = e.k, .centres = x, .alpha = Matrix(3, 1)}); }, "ShapeError", {"centres"});
  expect_error([&] { Expansion({.kernel = e.k, .alpha = Matrix(3, 1)}); }, "ShapeError", {"kernel"});
  expect_error(
      [&] {
        Expansion({.alpha = Matrix(2, 1), .support = {3, 3}, .training_size = 5});
      },
      "ShapeError", {"increase"});
  expect_error(
      [&] {
        Expansion({.alpha = Matrix(2, 1), .support = {3, 5}, .training_size = 5});
      },
      "ShapeError", {"below 5"});
}

}  // namespace
}  // namespace mercer::expansion_test
