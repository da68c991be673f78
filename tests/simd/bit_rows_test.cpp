// Rows of kernel values of zeros and ones against plain loops, on every instruction set.
#include "simd/bit_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::bit_rows_test {
namespace {

using simd::FloatProfile;
using simd::Size;
using Kind = FloatProfile::Kind;

constexpr Size kPanel = simd::kFloatPanel;
constexpr float kUntouched = -12345;

// Points of zeros and ones; every fifth is all ones, every seventh all zeros.
struct Bits {
  Bits(Size n_, Size d_, double share) : n(n_), d(d_), bits(n * d) {
    Random random(n + 1000 * d);
    std::vector<float> panels(simd::padded_to(n, kPanel) * d);
    for (Size i = 0; i < n; ++i) {
      for (Size k = 0; k < d; ++k) {
        const bool set = i % 5 == 4 || (i % 7 != 6 && random.uniform() < share);
        bits[i * d + k] = set ? 1 : 0;
        panels[i / kPanel * kPanel * d + k * kPanel + i % kPanel] = set ? 1.0F : 0.0F;
      }
    }
    packed.assign(simd::padded_to(n, simd::kBitPanel) * simd::bit_symbols(d), 255);
    simd::pack_bits(panels.data(), simd::padded_to(n, kPanel), d, packed.data());
  }
  std::vector<std::uint8_t> rows(const std::vector<Size>& which) const {
    const Size symbols = simd::bit_symbols(d);
    std::vector<std::uint8_t> out(which.size() * symbols);
    for (Size r = 0; r < which.size(); ++r) {
      simd::copy_bit_point(packed.data(), which[r], symbols, out.data() + r * symbols);
    }
    return out;
  }
  simd::BitColumns columns() const { return {packed.data(), simd::bit_symbols(d), d}; }
  Size panels() const { return (n + kPanel - 1) / kPanel; }
  // The squared distance, or the inner product.
  Size sum(Kind kind, Size i, Size j) const {
    Size out = 0;
    for (Size k = 0; k < d; ++k) {
      const bool a = bits[i * d + k] != 0, b = bits[j * d + k] != 0;
      out += (kind == Kind::exponential ? a != b : a && b) ? 1 : 0;
    }
    return out;
  }

  Size n, d;
  std::vector<char> bits;
  std::vector<std::uint8_t> packed;
};

double value(const FloatProfile& p, Size sum) {
  const auto s = static_cast<double>(sum), factor = static_cast<double>(p.factor);
  const auto scale = static_cast<double>(p.scale), shift = static_cast<double>(p.shift);
  if (p.kind == Kind::exponential) return scale * std::exp(-factor * s);
  return p.kind == Kind::linear ? scale * factor * s : scale * std::pow(factor * s + shift, p.degree);
}

std::vector<FloatProfile> profiles(Size d) {
  const float share = 2 / static_cast<float>(d);
  return {{.kind = Kind::exponential, .factor = share, .scale = 1.5F},
          {.kind = Kind::linear, .factor = share, .scale = 0.5F},
          {.kind = Kind::power, .factor = share, .shift = 0.5F, .degree = 3}};
}

void expect_rows(const Bits& points, const std::vector<Size>& which, Size first) {
  const Size last = points.panels(), width = (last - first) * kPanel;
  const std::vector<std::uint8_t> x = points.rows(which);
  for (const FloatProfile& profile : profiles(points.d)) {
    std::vector<float> out(which.size() * (width + 1), kUntouched);
    std::vector<float*> to;
    for (Size r = 0; r < which.size(); ++r) to.push_back(out.data() + r * (width + 1));
    simd::bit_rows(profile, {x.data(), which.size()}, points.columns(), first, last, to.data());
    Vector values;
    for (Size s = 0; s <= points.d; ++s) values.push_back(value(profile, s));
    const Vector weights = test::random_vector(static_cast<Index>(which.size()), 3);
    Vector sums(width + 1, 0.25);
    simd::add_exact_bit_rows(profile.kind, values.data(), {x.data(), which.size()}, weights.data(), points.columns(),
                             first, last, sums.data());
    for (Size j = first * kPanel; j < points.n; ++j) {
      double expected = 0.25, size = 0.25;
      for (Size r = 0; r < which.size(); ++r) {
        const double k = values[points.sum(profile.kind, which[r], j)];
        ASSERT_NEAR(static_cast<double>(to[r][j - first * kPanel]), k, 1e-6 * k + 1e-30) << which[r] << ' ' << j;
        expected += weights[r] * k;
        size += std::abs(weights[r] * k);
      }
      ASSERT_NEAR(sums[j - first * kPanel], expected, 1e-14 * size) << j;
    }
    for (Size r = 0; r < which.size(); ++r) EXPECT_EQ(to[r][width], kUntouched) << "wrote behind the end";
    EXPECT_EQ(sums[width], 0.25) << "wrote behind the end";
  }
}

TEST(BitRows, MatchPlainLoopsForAllNumbersOfColumns) {
  test::for_each_target([] {
    // Around a symbol, the columns whose sums fill a byte, and many of those.
    for (const Size d : {1, 3, 4, 5, 63, 64, 65, 123, 251, 252, 253, 255, 256, 257, 300, 1024}) {
      SCOPED_TRACE(d);
      const Bits points(60, d, 0.3);
      expect_rows(points, {0, 4, 6, 17, 34, 59, 17, 3, 20}, 0);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(BitRows, MatchPlainLoopsForAllNumbersOfPointsAndRows) {
  test::for_each_target([] {
    for (const Size n : {1, 47, 48, 49, 191, 192, 193, 385, 400}) {
      SCOPED_TRACE(n);
      const Bits points(n, 21, 0.5);
      for (const Size count : {1, 3, 4, 5, 8, 9}) {
        std::vector<Size> which;
        for (Size r = 0; r < count; ++r) which.push_back((r * 17 + 5) % n);
        for (Size first = 0; first < points.panels(); first += 4) expect_rows(points, which, first);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// Many columns of which few are set: sums fit a byte although the columns do not.
TEST(BitRows, FewBitsOfManyColumns) {
  test::for_each_target([] {
    const Size n = 50, d = 900;
    std::vector<float> panels(2 * kPanel * d);
    const auto set = [](Size i, Size k) { return (k * 31 + i * 7) % 90 == 0; };
    for (Size i = 0; i < n; ++i) {
      for (Size k = 0; k < d; ++k) panels[i / kPanel * kPanel * d + k * kPanel + i % kPanel] = set(i, k) ? 1.0F : 0.0F;
    }
    const Size symbols = simd::bit_symbols(d);
    std::vector<std::uint8_t> packed(simd::kBitPanel * symbols), row(symbols);
    simd::pack_bits(panels.data(), 2 * kPanel, d, packed.data());
    simd::copy_bit_point(packed.data(), 11, symbols, row.data());
    std::vector<float> out(2 * kPanel);
    float* to = out.data();
    simd::bit_rows({.kind = Kind::exponential, .factor = 0.1F}, {row.data(), 1}, {packed.data(), symbols, 30}, 0, 2,
                   &to);
    for (Size j = 0; j < n; ++j) {
      double distance = 0;
      for (Size k = 0; k < d; ++k) distance += set(11, k) != set(j, k) ? 1 : 0;
      ASSERT_LE(distance, 30);
      EXPECT_NEAR(static_cast<double>(out[j]), std::exp(-0.1 * distance), 1e-6);
    }
  });
}

}  // namespace
}  // namespace mercer::bit_rows_test
