// A density is one over the inputs as they come, however the model scales them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <sstream>

#include "mercer/kernels.hpp"
#include "mercer/machines/kde.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::density_test {
namespace {

using test::random_matrix;

Model scaled_density(const char* kernel, const Points& x, Scaling::Kind kind) {
  const Scaling scaling = Scaling::of(kind, x);
  return KernelDensity{}.fit(lazy(parse(kernel), scaling.apply(x))).with([&](Model::Parts& parts) {
    parts.scaling = scaling;
  });
}

Model reloaded(const Model& m) {
  std::ostringstream out;
  save(out, m);
  return load_bytes(out.str(), "m.mercer");
}

// The integral over a box, by midpoints.
double mass(const std::function<Vector(const Points&)>& density, const Vector& low, const Vector& high, Index steps) {
  const auto d = static_cast<Index>(low.size());
  const Index count = d == 1 ? steps : steps * steps;
  Matrix grid(count, d);
  double cell = 1;
  for (Index k = 0; k < d; ++k) {
    const auto column = static_cast<std::size_t>(k);
    const double width = (high[column] - low[column]) / static_cast<double>(steps);
    cell *= width;
    for (Index i = 0; i < count; ++i) {
      grid(i, k) = low[column] + (static_cast<double>(k == 0 ? i % steps : i / steps) + 0.5) * width;
    }
  }
  double sum = 0;
  for (const double value : density(rows(std::move(grid)))) sum += value;
  return sum * cell;
}

TEST(Density, IntegratesToOneInTheUnitsOfTheData) {
  Matrix line(9, 1);
  for (Index i = 0; i < 9; ++i) line(i, 0) = 1000 * static_cast<double>(i + 1);
  Matrix plane = random_matrix(12, 2, 3, 0, 1);
  for (Index i = 0; i < 12; ++i) plane(i, 0) = 500 + 200 * plane(i, 0);
  for (const auto kind : {Scaling::Kind::none, Scaling::Kind::standard, Scaling::Kind::minmax}) {
    const char* const kernel = kind == Scaling::Kind::none ? "rbf(ell=700)" : "rbf(ell=0.3)";
    const Model one = scaled_density(kernel, rows(Matrix(line)), kind);
    for (const Model& m : {one, reloaded(one)}) {
      EXPECT_NEAR(mass([&](const Points& x) { return m.predict(x); }, {-15000}, {25000}, 4000), 1, 1e-6);
    }
  }
  for (const char* const kernel :
       {"rbf(ell=[0.3, 0.4])", "on(1, rbf(ell=0.3))*on(2, rbf(ell=0.4))", "on([2, 1], rbf(ell=0.4))"}) {
    for (const auto kind : {Scaling::Kind::standard, Scaling::Kind::minmax}) {
      const Model m = scaled_density(kernel, rows(Matrix(plane)), kind);
      EXPECT_NEAR(mass([&](const Points& x) { return m.predict(x); }, {-100, -2}, {1300, 3}, 300), 1, 1e-5) << kernel;
    }
  }
}

TEST(Density, IsTheSameByEveryRoad) {
  const Points x = rows(random_matrix(8, 2, 4, 100, 300)), z = rows(random_matrix(5, 2, 5, 100, 300));
  const Model m = scaled_density("rbf(ell=0.5)", x, Scaling::Kind::standard);
  const Vector density = m.predict(z);
  const Matrix scores = m.scores(z), targets = m.predict_targets(z), from_scores = m.targets_of(scores);
  for (Index i = 0; i < 5; ++i) {
    const double expected = density[static_cast<std::size_t>(i)];
    EXPECT_GT(expected, 0);
    EXPECT_EQ(scores(i, 0), expected);
    EXPECT_EQ(targets(i, 0), expected);
    EXPECT_EQ(from_scores(i, 0), expected);
  }
}

// A column that does not vary is left in its own units.
TEST(Density, OfAConstantColumnIntegratesToOne) {
  Matrix values = random_matrix(10, 2, 6, 1000, 3000);
  for (Index i = 0; i < 10; ++i) values(i, 1) = 7;
  const Model m = scaled_density("rbf(ell=0.5)", rows(std::move(values)), Scaling::Kind::standard);
  EXPECT_NEAR(mass([&](const Points& x) { return m.predict(x); }, {-3000, 2}, {7000, 12}, 300), 1, 1e-6);
}

TEST(Density, BeyondFloatingPointIsRefused) {
  Matrix values(2, 100);
  for (Index k = 0; k < 100; ++k) values(1, k) = 1e-10;
  const Model m = scaled_density("rbf(ell=1)", rows(Matrix(values)), Scaling::Kind::standard);
  test::expect_error([&] { m.predict(rows(values)); }, "NumericError", {"density", "rescale"});
}

}  // namespace
}  // namespace mercer::density_test
