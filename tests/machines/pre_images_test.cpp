// Back from coordinates to inputs.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels.hpp"
#include "mercer/machines/pca.hpp"
#include "support.hpp"

namespace mercer::pre_images_test {
namespace {

using test::expect_error;
using test::random_matrix;

// Points near a circle.
Matrix noisy_circle(Index n, double noise) {
  const Matrix random = random_matrix(n, 2, 8, -noise, noise);
  Matrix out(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(n);
    out(i, 0) = std::cos(angle) + random(i, 0);
    out(i, 1) = std::sin(angle) + random(i, 1);
  }
  return out;
}

double mean_distance_from_circle(MatrixView x) {
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += std::abs(std::hypot(x(i, 0), x(i, 1)) - 1);
  return sum / static_cast<double>(x.rows());
}

Matrix projected(const Model& m, const Matrix& x) { return m.predict_targets(rows(x.view())); }

TEST(PreImages, TakeTheNoiseOut) {
  const Matrix x = noisy_circle(120, 0.25);
  const Model m = KernelPca{.components = 4}.fit(lazy(rbf(0.8), rows(x.view())));
  const Matrix fixed = pre_images(m, projected(m, x));
  const Matrix learnt = learn_pre_images(m, rbf(1), 0.01).predict_targets(rows(projected(m, x)));
  EXPECT_LT(mean_distance_from_circle(fixed), 0.6 * mean_distance_from_circle(x));
  EXPECT_LT(mean_distance_from_circle(learnt), 0.8 * mean_distance_from_circle(x));
}

// With every component nothing is lost, so that the inputs come back; in the units that they came in.
TEST(PreImages, OfAllComponentsAreTheInputs) {
  const Matrix x = random_matrix(25, 2, 9, 10, 20);
  const Scaling scaling = Scaling::of(Scaling::Kind::standard, rows(x.view()));
  const Model m = KernelPca{.components = INFINITY}
                      .fit(lazy(rbf(0.5), scaling.apply(rows(x.view()))))
                      .with([&](Model::Parts& parts) { parts.scaling = scaling; });
  test::expect_near(pre_images(m, projected(m, x)), x, 1e-4);
  test::expect_near(learn_pre_images(m, rbf(0.5), 1e-10).predict_targets(rows(projected(m, x))), x, 1e-6);
}

TEST(PreImages, SayWhatTheyNeed) {
  const Matrix x = random_matrix(25, 2, 9);
  const Model poly = KernelPca{}.fit(lazy(parse("poly(degree=2, c=1)"), rows(x.view())));
  expect_error([&] { pre_images(poly, projected(poly, x)); }, "KernelError", {"that of rbf", "learn_pre_images"});
  const Model numbers = KernelPca{}.fit(precomputed(gram(rbf(1), rows(x.view()))));
  expect_error([&] { pre_images(numbers, Matrix(1, 2)); }, "UsageError", {"a pca with a kernel is needed"});
  const Model m = KernelPca{}.fit(lazy(rbf(1), rows(x.view())));
  expect_error([&] { pre_images(m, Matrix(1, 3)); }, "ShapeError", {"3 coordinates for 2 components"});
  expect_error([&] { pre_images(m, Matrix{{0, NAN}}); }, "DataError", {"row 1, column 2 is nan"});
  const Model strings =
      KernelPca{}.fit(lazy(parse("spectrum(k=2)"), mercer::strings({"abab", "abba", "baba", "bbbb"})));
  expect_error([&] { learn_pre_images(strings, rbf(1)); }, "DomainError", {"real vectors"});
}

}  // namespace
}  // namespace mercer::pre_images_test
