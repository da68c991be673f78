// Rows of kernel values of bytes against plain loops in whole numbers, on every instruction set that multiplies bytes.
#include "simd/byte_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::byte_rows_test {
namespace {

using simd::ExactProfile;
using simd::FloatProfile;
using simd::Size;
using Kind = FloatProfile::Kind;

constexpr Size kPanel = simd::kFloatPanel;
constexpr float kUntouched = -12345;

struct Bytes {
  Bytes(Size n_, Size d_, const std::function<int(Size, Size)>& number)
      : n(n_), d(d_), padded(simd::padded_to(n, kPanel)), numbers(n * d), norms(padded), sums(padded) {
    std::vector<float> panels(padded * d);
    for (Size i = 0; i < n; ++i) {
      for (Size k = 0; k < d; ++k) {
        numbers[i * d + k] = number(i, k);
        panels[i / kPanel * kPanel * d + k * kPanel + i % kPanel] = static_cast<float>(numbers[i * d + k]);
      }
    }
    packed.resize(padded * simd::byte_columns(d));
    simd::pack_bytes(panels.data(), padded, d, packed.data(), norms.data(), sums.data());
  }
  double dot(Size i, Size j) const {
    double out = 0;
    for (Size k = 0; k < d; ++k) out += static_cast<double>(numbers[i * d + k]) * numbers[j * d + k];
    return out;
  }

  Size n, d, padded;
  std::vector<int> numbers;
  std::vector<std::int8_t> packed;
  std::vector<std::int32_t> norms, sums;
};

void expect_rows(const Bytes& points, const std::vector<Size>& which, Size first) {
  const Size last = points.padded / kPanel, width = (last - first) * kPanel, d4 = simd::byte_columns(points.d);
  std::vector<std::uint8_t> x(which.size() * d4);
  std::vector<std::int32_t> norms, sums;
  for (Size r = 0; r < which.size(); ++r) {
    simd::copy_byte_point(points.packed.data(), which[r], points.d, x.data() + r * d4);
    norms.push_back(points.norms[which[r]]);
    sums.push_back(points.sums[which[r]]);
  }
  const simd::ByteRows rows{x.data(), norms.data(), sums.data(), which.size()};
  const simd::ByteColumns columns{points.packed.data(), points.norms.data()};
  const double share = 1 / (255.0 * 255 * static_cast<double>(points.d));
  const Vector weights = test::random_vector(static_cast<Index>(which.size()), 8);
  for (const ExactProfile& p : {ExactProfile{.kind = Kind::exponential, .factor = 3 * share, .scale = 1.5},
                                ExactProfile{.kind = Kind::linear, .factor = share, .scale = 0.3},
                                ExactProfile{.kind = Kind::power, .factor = share, .shift = 1, .degree = 3}}) {
    const FloatProfile profile{.kind = p.kind,
                               .factor = static_cast<float>(p.factor),
                               .shift = static_cast<float>(p.shift),
                               .degree = p.degree,
                               .scale = static_cast<float>(p.scale)};
    std::vector<float> out(which.size() * (width + 1), kUntouched);
    std::vector<float*> to;
    for (Size r = 0; r < which.size(); ++r) to.push_back(out.data() + r * (width + 1));
    simd::byte_rows(profile, rows, columns, first, last, points.d, to.data());
    Vector exact(width + 1, 0.125);
    simd::add_exact_byte_rows(p, rows, weights.data(), columns, first, last, points.d, exact.data());
    for (Size j = first * kPanel; j < points.n; ++j) {
      double expected = 0.125, size = 0.125;
      for (Size r = 0; r < which.size(); ++r) {
        const double dot = points.dot(which[r], j);
        const double r2 = points.dot(which[r], which[r]) + points.dot(j, j) - 2 * dot;
        const double value = p.kind == Kind::exponential ? p.scale * std::exp(-p.factor * r2)
                             : p.kind == Kind::linear    ? p.scale * p.factor * dot
                                                         : p.scale * std::pow(p.factor * dot + p.shift, p.degree);
        ASSERT_NEAR(static_cast<double>(to[r][j - first * kPanel]), value, 2e-6 * value + 1e-12) << r << ' ' << j;
        expected += weights[r] * value;
        size += std::abs(weights[r] * value);
      }
      ASSERT_NEAR(exact[j - first * kPanel], expected, 1e-13 * size) << j;
    }
    for (Size r = 0; r < which.size(); ++r) EXPECT_EQ(to[r][width], kUntouched) << "wrote behind the end";
    EXPECT_EQ(exact[width], 0.125) << "wrote behind the end";
  }
}

void on_each_target(const std::function<void()>& body) {
  test::for_each_target([&] {
    if (simd::byte_rows_available()) body();
  });
}

TEST(ByteRows, MatchPlainLoops) {
  on_each_target([] {
    for (const Size d : {1, 3, 4, 5, 17, 784}) {
      const Bytes points(100, d,
                         [&](Size i, Size k) { return static_cast<int>((i * 101 + k * k * 37 + i * k) % 256); });
      for (const Size count : {1, 3, 4, 5, 8, 9, 21}) {
        std::vector<Size> which;
        for (Size r = 0; r < count; ++r) which.push_back((r * 17 + 5) % points.n);
        for (const Size first : {0, 1, 2}) expect_rows(points, which, first);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// Nothing saturates: all columns at either end, and at the middle where bytes change sign.
TEST(ByteRows, ExtremeNumbers) {
  on_each_target([] {
    for (const Size d : {4, 7, 256, 8000}) {
      const Bytes points(12, d, [&](Size i, Size k) {
        const int ends[] = {0, 255, 127, 128, static_cast<int>(k % 2) * 255, k < d / 2 ? 255 : 1};
        return ends[i % 6];
      });
      expect_rows(points, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 0);
    }
  });
}

// Columns that are 0 in all rows of a block are left out.
TEST(ByteRows, RowsOfMostlyZeros) {
  on_each_target([] {
    const Bytes points(60, 90, [](Size i, Size k) { return i % 10 != 0 && k / 9 == i % 10 ? 200 : 0; });
    expect_rows(points, {0, 10, 20, 30, 1, 11, 21, 31, 2, 3, 4, 5, 0}, 0);
  });
}

}  // namespace
}  // namespace mercer::byte_rows_test
