// Ridge regression by few features is ridge regression by the matrix of all pairs.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::ridge_factor_test {
namespace {

using test::expect_near;
using test::random_matrix;

constexpr Index kSize = 60;

struct Case {
  Matrix x = random_matrix(kSize, 3, 80), others = random_matrix(9, 3, 81), y = random_matrix(kSize, 2, 82);
  Vector weights;

  Case() {
    for (Index i = 0; i < kSize; ++i) weights.push_back(i % 7 == 0 ? 0 : 0.5 + static_cast<double>(i % 3));
    for (Index i = 0; i < kSize; ++i) y(i, 0) += 3 * x(i, 0) - x(i, 2) + 5;
  }
  // `numbers`: the same matrix, of which no factor is known.
  Training training(const Kernel& k, bool numbers) const {
    const Points points = rows(x.view());
    return {.K = numbers ? precomputed(gram(k, points)) : lazy(k, points), .y = y, .weights = weights};
  }
};

TEST(RidgeByFactor, IsTheSameFitAndTheSameReport) {
  const Case c;
  for (const char* const text : {"linear() + 1", "2*linear()", "(1 + on(1:2, linear()))^2"}) {
    const Kernel k = parse(text);
    for (const std::optional<double> ridge : {std::optional(10.0), std::optional(1e-3), std::optional<double>()}) {
      for (const auto criterion : {KernelRidge::Criterion::loo, KernelRidge::Criterion::gcv}) {
        const KernelRidge config{.ridge = ridge, .criterion = criterion, .loo = true};
        const Model m = config.fit(c.training(k, false)), same = config.fit(c.training(k, true));
        expect_near(m.scores(rows(c.others.view())),
                    same.expansion().from_rows(cross(k, rows(c.others.view()), rows(c.x.view()))), 1e-8);
        EXPECT_EQ(m.support(), same.support());
        for (const char* const figure : {"ridge", "condition_bound", "leave_one_out_rmse", "gcv"}) {
          const auto a = m.report().figure(figure), b = same.report().figure(figure);
          ASSERT_EQ(a.has_value(), b.has_value()) << figure;
          if (a) {
            EXPECT_NEAR(*a, *b, 1e-8 * std::abs(*b)) << figure;
          }
        }
        ASSERT_EQ(m.report().tables.size(), same.report().tables.size());
        if (ridge) continue;
        expect_near(m.report().table("path")->rows, same.report().table("path")->rows, 1e-5);
      }
      expect_near(leave_one_out({.ridge = ridge}, c.training(k, false)),
                  leave_one_out({.ridge = ridge}, c.training(k, true)), 1e-6);
    }
  }
}

// f and what the model keeps of what it leaves make up the targets, though (y - f) / ridge as coefficients of f would
// lose digits where the ridge is small.
TEST(RidgeByFactor, SmallRidgesKeepTheirDigits) {
  const Case c;
  const Kernel k = parse("linear() + 1");
  const Points x = rows(c.x.view());
  for (const double ridge : {1e-6, 1e-9}) {
    Training training = c.training(k, false);
    training.weights = {};
    const Model m = KernelRidge{.ridge = ridge}.fit(training);
    const Matrix f = m.scores(x);
    const Report::Table* const left = m.report().table("residuals");
    ASSERT_NE(left, nullptr);
    double worst = 0;
    for (Index i = 0; i < kSize; ++i) {
      for (Index t = 0; t < 2; ++t) worst = std::max(worst, std::abs(f(i, t) + left->rows(i, 1 + t) - c.y(i, t)));
    }
    EXPECT_LE(worst, 1e-11) << ridge;
  }
}

TEST(RidgeByFactor, NeedsNoMatrixOfAllPairs) {
  const Matrix x = random_matrix(20000, 4, 83);
  Vector y;
  for (Index i = 0; i < x.rows(); ++i) y.push_back(2 * x(i, 0) - x(i, 3) + 1);
  Training training{.K = lazy(parse("linear() + 1"), rows(x.view())),
                    .y = Matrix(MatrixView(y.data(), x.rows(), 1)),
                    .memory = std::size_t{16} << 20};  // the matrix is 3.2 GB
  const Model m = KernelRidge{.ridge = 1e-3}.fit(training);
  const Matrix new_points = random_matrix(5, 4, 84), f = m.scores(rows(new_points.view()));
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(f(i, 0), 2 * new_points(i, 0) - new_points(i, 3) + 1, 1e-5);
}

}  // namespace
}  // namespace mercer::ridge_factor_test
