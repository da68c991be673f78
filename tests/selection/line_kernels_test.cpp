// Which kernel a plain fit takes along one column.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "mercer/choose.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "selection/first_kernel.hpp"
#include "support.hpp"

namespace mercer::line_kernels_test {
namespace {

Training series(Index n, double height) {
  Matrix t = test::random_matrix(n, 1, 1, 0, 100);
  const Vector e = test::random_vector(n, 2, -1, 1);
  Training out{.K = lazy(matern(1.5, 1), rows(Matrix(t)))};
  out.y = Matrix(n, 1);
  for (Index i = 0; i < n; ++i) {
    out.y(i, 0) = std::sin(0.05 * t(i, 0)) + height * std::sin(2 * std::numbers::pi * t(i, 0) / 1.7) + 0.5 * e[at(i)];
  }
  return out;
}

Choice chosen(const Training& t, Settings given = {}) {
  given.emplace("starts", "1");
  return choose(machine("gp"), given, false, t);
}

TEST(LineKernels, ACycleIsFound) {
  const std::string with = chosen(series(2600, 1)).kernel->str();
  const std::size_t place = with.find("periodic(period=");
  ASSERT_NE(place, std::string::npos) << with;
  EXPECT_NEAR(std::stod(with.substr(place + 16)), 1.7, 0.003);
  const Choice without = chosen(series(2600, 0));
  EXPECT_EQ(without.kernel->str().find("periodic"), std::string::npos) << without.kernel->str();
  // A smooth function: not the rough one.
  EXPECT_EQ(without.kernel->str().find("nu=0.5"), std::string::npos) << without.words;
}

TEST(LineKernels, OnlyOfManyPointsAndWhereNoOtherWayIsAsked) {
  EXPECT_TRUE(chosen(series(2500, 1)).words.empty());
  for (const char* const other : {"inducing", "nearest"}) {
    EXPECT_TRUE(chosen(series(2600, 1), {{other, "20"}}).words.empty()) << other;
  }
  EXPECT_TRUE(chosen(series(2600, 1), {{"objective", "none"}, {"noise", "1"}}).words.empty());
}

TEST(LineKernels, TheFirstOneHasAStateSpace) {
  const Points line = rows(test::random_matrix(2501, 1, 1)), few = rows(test::random_matrix(2500, 1, 1));
  const Points plane = rows(test::random_matrix(2501, 2, 1));
  EXPECT_EQ(detail::first_kernel(machine("gp"), line), "matern(nu=1.5, ell=auto)");
  EXPECT_EQ(detail::first_kernel(machine("gp"), few), machine("gp").kernel);
  EXPECT_EQ(detail::first_kernel(machine("gp"), plane), machine("gp").kernel);
  EXPECT_EQ(detail::first_kernel(machine("ridge"), line), machine("ridge").kernel);
}

}  // namespace
}  // namespace mercer::line_kernels_test
