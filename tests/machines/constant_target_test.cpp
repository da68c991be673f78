// Targets without spread: machines that learn noise and length scales predict the constant, and say what it told them.
#include <gtest/gtest.h>

#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/rvm.hpp"
#include "support.hpp"

namespace mercer::constant_target_test {
namespace {

using test::random_matrix;

bool notes_a_constant(const Model& m) {
  for (const std::string& note : m.report().notes) {
    if (note.starts_with("the target is constant")) return true;
  }
  return false;
}

TEST(ConstantTarget, GaussianProcessPredictsIt) {
  const Points x = rows(random_matrix(20, 2, 1)), at_test = rows(random_matrix(5, 2, 2));
  for (const Trend mean : {Trend::none, Trend::constant, Trend::linear}) {
    for (const double level : {4.5, 0.1, 0.0}) {
      GaussianProcess gp{.mean = mean, .starts = 2};
      const Model m = gp.fit(lazy(parse("rbf(ell=[auto])"), x), Vector(20, level));
      for (const double f : m.predict(at_test)) EXPECT_NEAR(f, level, mean == Trend::none ? 0.3 : 1e-9);
      const bool told_nothing = mean != Trend::none || level == 0;
      EXPECT_EQ(notes_a_constant(m), told_nothing);
      const Matrix variances = m.variances(at_test);
      for (Index i = 0; i < 5; ++i) EXPECT_TRUE(variances(i, 0) >= 0 && std::isfinite(variances(i, 0)));
    }
  }
}

TEST(ConstantTarget, AmongOthersDoesNotMatterToThem) {
  const Points x = rows(random_matrix(30, 2, 3)), at_test = rows(random_matrix(5, 2, 4));
  const Matrix first = random_matrix(30, 1, 5);
  Matrix both(30, 2, 7.0);
  for (Index i = 0; i < 30; ++i) both(i, 0) = std::sin(2 * first(i, 0));
  const Matrix alone(both.view().block({0, 30}, {0, 1}));
  const Gram K = lazy(parse("rbf(ell=1)"), x);
  const GaussianProcess gp{.starts = 2};
  const Model one = gp.fit({.K = K, .y = alone}), two = gp.fit({.K = K, .y = both});
  EXPECT_TRUE(notes_a_constant(two));
  const Matrix expected = one.scores(at_test), found = two.scores(at_test);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(found(i, 0), expected(i, 0), 1e-6);
    EXPECT_NEAR(found(i, 1), 7, 1e-9);
  }
}

TEST(ConstantTarget, RelevanceVectorsPredictIt) {
  const Points x = rows(random_matrix(20, 2, 6)), at_test = rows(random_matrix(5, 2, 7));
  for (const double level : {2.5, -1e6, 0.0}) {
    const Model m = Rvm{}.fit(lazy(rbf(1), x), Vector(20, level));
    for (const double f : m.predict(at_test)) EXPECT_NEAR(f, level, 1e-6 * std::abs(level));
    EXPECT_TRUE(m.report().converged);
    EXPECT_TRUE(notes_a_constant(m));
  }
}

}  // namespace
}  // namespace mercer::constant_target_test
