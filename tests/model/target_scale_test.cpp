// Mean and deviation of targets: weights are multiplicities.
#include "model/target_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::target_scale_test {
namespace {

using detail::target_scales;
using detail::TargetScale;

void expect_scale(const TargetScale& found, double mean, double deviation) {
  EXPECT_NEAR(found.mean, mean, 1e-15 * (1 + std::abs(mean)));
  EXPECT_NEAR(found.deviation, deviation, 1e-15 * deviation);
}

TEST(TargetScales, WeightsAreMultiplicities) {
  const std::vector<TargetScale> once = target_scales(Matrix{{1, 5}, {4, 5}, {9, 7}, {-100, 0}}, Vector{2, 1, 3, 0});
  const std::vector<TargetScale> repeated = target_scales(Matrix{{1, 5}, {1, 5}, {4, 5}, {9, 7}, {9, 7}, {9, 7}}, {});
  expect_scale(once[0], 5.5, std::sqrt(13.25));
  for (std::size_t t = 0; t < 2; ++t) expect_scale(once[t], repeated[t].mean, repeated[t].deviation);
}

// What rounding leaves of a constant is no spread, and a spread that cannot be told is none.
TEST(TargetScales, ConstantsKeepTheirUnit) {
  EXPECT_EQ(target_scales(Matrix(37, 1, 0.1), {})[0].deviation, 1);
  EXPECT_EQ(target_scales(Matrix{{1e200}, {-1e200}}, {})[0].deviation, 1);
}

}  // namespace
}  // namespace mercer::target_scale_test
