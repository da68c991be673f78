// Which kernel a plain fit takes along one column.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "mercer/choose.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "selection/deciding.hpp"
#include "selection/first_kernel.hpp"
#include "state_space/line.hpp"
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

Vector times_of(const Training& t) {
  Vector out = state_space::times_of(*t.K.points());
  std::sort(out.begin(), out.end());
  return out;
}

// Of points drawn one by one no two would be neighbours, and none would tell how rough f is.
TEST(LineKernels, ASampleIsOfRunsOfNeighbours) {
  const Training all = series(20000, 0);
  const detail::Deciding::Sample some = detail::Deciding(all).sample(1000, detail::Deciding::Drawn::along_lines);
  EXPECT_EQ(some.different, 1000);
  const Vector times = times_of(all), drawn = times_of(some.training);
  Index neighbours = 0;
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    const auto next = std::upper_bound(times.begin(), times.end(), drawn[i - 1]);
    neighbours += next != times.end() && *next == drawn[i] ? 1 : 0;
  }
  EXPECT_EQ(neighbours, 990);
  EXPECT_EQ(drawn.front(), times.front());
  EXPECT_EQ(drawn.back(), times.back());
}

// A length a thousandth of the range is found from where it is, whatever auto is.
TEST(LineKernels, ShortLengthsAreFound) {
  Training t = series(4000, 0);
  Matrix x(4000, 1);
  for (Index i = 0; i < 4000; ++i) x(i, 0) = 0.1 * static_cast<double>(i);
  const Vector e = test::random_vector(4000, 3, -1, 1);
  double f = 0;
  for (Index i = 0; i < 4000; ++i) t.y(i, 0) = f = 0.8 * f + e[at(i)];  // ell 0.45 of 400
  t.K = lazy(matern(1.5, 100), rows(Matrix(x)));
  const std::string k = chosen(t).kernel->str();
  EXPECT_NE(k.find("nu=0.5"), std::string::npos) << k;
}

}  // namespace
}  // namespace mercer::line_kernels_test
