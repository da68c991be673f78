#include "simd/alignments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace mercer::alignments_test {
namespace {

using simd::Size;
using Series = std::vector<double>;  // rows of d numbers

// log gak straight from its recursion, in logarithms of long doubles.
double naive(const Series& x, const Series& y, Size d, double sigma, Size band) {
  const Size rows = x.size() / d, cols = y.size() / d;
  const long double nothing = -1e4000L;
  std::vector<std::vector<long double>> m(rows + 1, std::vector<long double>(cols + 1, nothing));
  m[0][0] = 0;
  for (Size i = 1; i <= rows; ++i) {
    for (Size j = 1; j <= cols; ++j) {
      long double s = 0;
      for (Size k = 0; k < d; ++k) {
        const long double u = static_cast<long double>(x[(i - 1) * d + k]) - y[(j - 1) * d + k];
        s += u * u / (2 * static_cast<long double>(sigma) * sigma);
      }
      const Size apart = i > j ? i - j : j - i;
      const long double weight = band == 0 ? 1 : std::max(0.0L, 1 - static_cast<long double>(apart) / band);
      if (weight == 0) continue;
      const long double top = std::max({m[i - 1][j], m[i][j - 1], m[i - 1][j - 1]});
      const long double sum =
          std::exp(m[i - 1][j] - top) + std::exp(m[i][j - 1] - top) + std::exp(m[i - 1][j - 1] - top);
      m[i][j] = top + std::log(sum) - s + std::log(weight / (2 - weight * std::exp(-s)));
    }
  }
  return static_cast<double>(m[rows][cols]);
}

struct Aligned {
  std::vector<double> logs, slopes;
};

Aligned align(const Series& x, std::vector<Series> ys, Size d, double sigma, Size band = 0) {
  const Size count = ys.size();
  ys.resize(simd::kAlignmentPanel, ys.front());
  std::vector<Size> lengths;
  for (const Series& y : ys) lengths.push_back(y.size() / d);
  const Size longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<double> data(simd::kAlignmentPanel * longest * d, 0.0);
  for (Size l = 0; l < ys.size(); ++l) {
    for (Size e = 0; e < ys[l].size(); ++e) data[simd::kAlignmentPanel * e + l] = ys[l][e];
  }
  std::vector<double> scratch(simd::alignment_scratch(longest, true));
  Aligned out{std::vector<double>(16), std::vector<double>(16)};
  std::vector<double> plain(16);
  const simd::AlignmentPanel panel{data.data(), lengths.data(), longest};
  simd::log_alignments({sigma, band}, x.data(), x.size() / d, panel, d, scratch.data(), out.logs.data(),
                       out.slopes.data());
  simd::log_alignments({sigma, band}, x.data(), x.size() / d, panel, d, scratch.data(), plain.data(), nullptr);
  EXPECT_EQ(plain, out.logs);
  out.logs.resize(count);
  out.slopes.resize(count);
  return out;
}

Series random_series(std::mt19937_64& engine, Size length, Size d, double scale = 1) {
  std::normal_distribution<double> normal(0, scale);
  Series out(length * d);
  for (double& v : out) v = normal(engine);
  return out;
}

// Equal points: the number of alignments (Delannoy). tslearn's documentation has the others.
TEST(Alignments, ValuesFromElsewhere) {
  EXPECT_NEAR(std::exp(align({1, 1, 1}, {{1, 1, 1}}, 1, 2).logs[0]), 13, 1e-12);
  EXPECT_NEAR(std::exp(align({1, 1, 1, 1}, {{1, 1, 1, 1}}, 1, 2).logs[0]), 63, 1e-11);
  EXPECT_NEAR(std::exp(align({1, 2, 3}, {{1, 2, 2, 3}}, 1, 2).logs[0]), 15.3581899985, 1e-9);
}

TEST(Alignments, AgreeWithTheRecursionInLogarithms) {
  std::mt19937_64 engine(3);
  for (const Size d : {1, 3}) {
    for (const Size band : {Size{0}, Size{4}}) {
      for (const double sigma : {0.02, 0.7, 30.0}) {  // the first: far apart, all products are beyond doubles
        std::vector<Series> ys;
        for (Size l = 0; l < 11; ++l) ys.push_back(random_series(engine, 1 + 3 * l, d));
        const Series x = random_series(engine, 14, d);
        const Aligned got = align(x, ys, d, sigma, band);
        for (Size l = 0; l < ys.size(); ++l) {
          const double expected = naive(x, ys[l], d, sigma, band);
          if (expected < -1e300) {
            EXPECT_EQ(got.logs[l], simd::kLogOfZero);
            EXPECT_EQ(got.slopes[l], 0);
            continue;
          }
          EXPECT_NEAR(got.logs[l], expected, 1e-13 * (10 + std::abs(expected))) << l << " " << sigma << " " << band;
          const double h = 1e-4 * sigma;
          const double slope = (naive(x, ys[l], d, sigma + h, band) - naive(x, ys[l], d, sigma - h, band)) / (2 * h);
          EXPECT_NEAR(got.slopes[l], slope, 1e-6 * (1 + std::abs(slope)));
          EXPECT_EQ(got.logs[l], align(ys[l], {x}, d, sigma, band).logs[0]);
        }
      }
    }
  }
}

TEST(Alignments, LongSeriesDoNotOverflow) {
  const Series x(1000, 0.0), y(1000, 1e100);
  EXPECT_NEAR(align(x, {x}, 1, 1).logs[0], naive(x, x, 1, 1, 0), 1e-9);
  EXPECT_TRUE(std::isfinite(align(x, {y}, 1, 1).logs[0]));
  EXPECT_LT(align(x, {y}, 1, 1).logs[0], -1e11);
}

}  // namespace
}  // namespace mercer::alignments_test
