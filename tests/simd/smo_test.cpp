// The loops of sequential minimal optimisation against plain ones, at every length up to several vectors, on every
// instruction set.
#include "simd/smo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::smo_test {
namespace {

using simd::Size;

constexpr Size kLongest = 70;

template <class T>
constexpr T kNever = -std::numeric_limits<T>::infinity();
template <class T>
constexpr T kLeast = static_cast<T>(1e-12);

template <class T>
class Smo : public ::testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Smo, Precisions);

template <class T>
std::vector<T> draw(Size n, unsigned seed, double low = -2, double high = 2) {
  const Vector values = test::random_vector(static_cast<Index>(n), seed, low, high);
  return std::vector<T>(values.begin(), values.end());
}

// 0 or -inf: some pattern of `seed`, 0 for all open, 1 for all closed.
template <class T>
std::vector<T> mask(Size n, unsigned seed) {
  std::vector<T> out(n, seed == 1 ? kNever<T> : T{0});
  if (seed < 2) return out;
  const Vector values = test::random_vector(static_cast<Index>(n), seed, 0, 1);
  for (Size k = 0; k < n; ++k) out[k] = values[k] < 0.4 ? kNever<T> : T{0};
  return out;
}

// Few different values, so that the best one is met several times.
template <class T>
std::vector<T> coarse(std::vector<T> values) {
  for (T& value : values) value = std::round(value);
  return values;
}

template <class T>
void expect_extremes(const simd::Extremes<T>& found, const std::vector<T>& up, const std::vector<T>& low,
                     const std::vector<T>& g) {
  Size grow = 0;
  T best = kNever<T>, lowest = kNever<T>;
  for (Size k = 0; k < up.size(); ++k) {
    if (up[k] - g[k] > best) {
      best = up[k] - g[k];
      grow = k;
    }
    lowest = std::max(lowest, low[k] + g[k]);
  }
  EXPECT_EQ(found.up, best);
  EXPECT_EQ(found.low, lowest);
  EXPECT_EQ(found.grow, grow);
}

TYPED_TEST(Smo, StepOfAPairMovesTheGradientAndFindsTheExtremes) {
  using T = TypeParam;
  test::for_each_target([] {
    for (Size n = 1; n <= kLongest; ++n) {
      for (const unsigned seed : {0U, 1U, 2U, 3U}) {
        for (const bool ties : {false, true}) {
          SCOPED_TRACE(::testing::Message() << "n = " << n << ", masks " << seed << (ties ? ", ties" : ""));
          const std::vector<T> up = mask<T>(n, seed), low = mask<T>(n, seed == 3 ? 1 : seed * 10);
          const std::vector<T> start = ties ? coarse(draw<T>(n, 5)) : draw<T>(n, 5);
          const std::vector<T> ri = ties ? coarse(draw<T>(n, 6)) : draw<T>(n, 6);
          const std::vector<T> rj = ties ? coarse(draw<T>(n, 7)) : draw<T>(n, 7);
          const T t = static_cast<T>(ties ? 2 : 0.7);
          std::vector<T> g = start;
          expect_extremes(simd::step_pair<T>(0, nullptr, nullptr, up.data(), low.data(), n, g.data()), up, low, start);
          EXPECT_EQ(g, start);
          g.push_back(T{77});
          const auto found = simd::step_pair<T>(t, ri.data(), rj.data(), up.data(), low.data(), n, g.data());
          EXPECT_EQ(g.back(), T{77}) << "wrote behind the end";
          g.pop_back();
          for (Size k = 0; k < n; ++k) {
            EXPECT_NEAR(g[k], start[k] + t * (ri[k] - rj[k]), 16 * std::numeric_limits<T>::epsilon());
          }
          expect_extremes(found, up, low, g);
        }
      }
    }
  });
}

template <class T>
Size plain_partner(T best, T kii, T least, const std::vector<T>& ri, const std::vector<T>& diagonal,
                   const std::vector<T>& low, const std::vector<T>& g) {
  Size out = 0;
  T most = 0;
  for (Size k = 0; k < ri.size(); ++k) {
    const T violation = best + low[k] + g[k];
    if (!(violation > 0)) continue;
    const T gain = violation * violation / std::max(least, kii + diagonal[k] - 2 * ri[k]);
    if (gain > most) {
      most = gain;
      out = k;
    }
  }
  return out;
}

TYPED_TEST(Smo, PartnerIsTheFirstOfThoseThatGainMost) {
  using T = TypeParam;
  test::for_each_target([] {
    for (Size n = 1; n <= kLongest; ++n) {
      for (const unsigned seed : {0U, 1U, 2U, 3U}) {
        for (const bool ties : {false, true}) {
          SCOPED_TRACE(::testing::Message() << "n = " << n << ", masks " << seed << (ties ? ", ties" : ""));
          const std::vector<T> low = mask<T>(n, seed);
          const std::vector<T> g = ties ? coarse(draw<T>(n, 8)) : draw<T>(n, 8);
          std::vector<T> ri = ties ? std::vector<T>(n, T{0.5}) : draw<T>(n, 9, -0.4, 0.9);
          const std::vector<T> diagonal = ties ? std::vector<T>(n, T{1}) : draw<T>(n, 10, 1, 2);
          for (const T best : {T{-1}, T{0.25}, T{1.5}}) {
            EXPECT_EQ(simd::partner<T>(best, 1, kLeast<T>, ri.data(), diagonal.data(), low.data(), g.data(), n),
                      plain_partner<T>(best, 1, kLeast<T>, ri, diagonal, low, g));
          }
          // Points that are the same: their distance vanishes, or comes out below 0.
          for (Size k = 0; k < n; k += 5) ri[k] = (1 + diagonal[k]) / 2;
          for (Size k = 3; k < n; k += 7) ri[k] = (1 + diagonal[k]) / 2 + static_cast<T>(1e-3);
          EXPECT_EQ(simd::partner<T>(T{0.25}, 1, kLeast<T>, ri.data(), diagonal.data(), low.data(), g.data(), n),
                    plain_partner<T>(T{0.25}, 1, kLeast<T>, ri, diagonal, low, g));
        }
      }
    }
  });
}

template <class T>
void expect_single(const simd::Single<T>& found, const std::vector<T>& diagonal, const std::vector<T>& up,
                   const std::vector<T>& low, const std::vector<T>& g) {
  Size index = 0;
  T most = 0, worst = 0;
  for (Size k = 0; k < g.size(); ++k) {
    const T violation = std::max({T{0}, up[k] - g[k], low[k] + g[k]});
    worst = std::max(worst, violation);
    const T gain = violation * violation / std::max(kLeast<T>, diagonal[k]);
    if (gain > most) {
      most = gain;
      index = k;
    }
  }
  EXPECT_EQ(found.violation, worst);
  EXPECT_EQ(found.index, index);
}

TYPED_TEST(Smo, StepOfOneMovesTheGradientAndFindsTheBestSingle) {
  using T = TypeParam;
  test::for_each_target([] {
    for (Size n = 1; n <= kLongest; ++n) {
      for (const unsigned seed : {0U, 1U, 2U, 3U}) {
        for (const bool ties : {false, true}) {
          SCOPED_TRACE(::testing::Message() << "n = " << n << ", masks " << seed << (ties ? ", ties" : ""));
          const std::vector<T> up = mask<T>(n, seed), low = mask<T>(n, seed == 3 ? 1 : seed * 10);
          const std::vector<T> start = ties ? coarse(draw<T>(n, 11)) : draw<T>(n, 11);
          const std::vector<T> ri = ties ? coarse(draw<T>(n, 12)) : draw<T>(n, 12);
          std::vector<T> diagonal = ties ? std::vector<T>(n, T{1}) : draw<T>(n, 13, 0.5, 2);
          if (!ties && n > 3) diagonal[n / 2] = 0;
          const T t = static_cast<T>(ties ? 2 : -0.7);
          std::vector<T> g = start;
          expect_single(
              simd::step_single<T>(0, kLeast<T>, nullptr, diagonal.data(), up.data(), low.data(), n, g.data()),
              diagonal, up, low, start);
          EXPECT_EQ(g, start);
          g.push_back(T{77});
          const auto found =
              simd::step_single<T>(t, kLeast<T>, ri.data(), diagonal.data(), up.data(), low.data(), n, g.data());
          EXPECT_EQ(g.back(), T{77}) << "wrote behind the end";
          g.pop_back();
          for (Size k = 0; k < n; ++k) {
            EXPECT_NEAR(g[k], start[k] + t * ri[k], 16 * std::numeric_limits<T>::epsilon());
          }
          expect_single(found, diagonal, up, low, g);
        }
      }
    }
  });
}

}  // namespace
}  // namespace mercer::smo_test
