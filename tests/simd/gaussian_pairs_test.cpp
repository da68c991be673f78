#include "simd/gaussian_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

namespace mercer::gaussian_pairs_test {
namespace {

using simd::Size;

// The numbers of a random Gaussian: mean, lower triangle.
std::vector<double> random_gaussian(std::mt19937_64& engine, Size d) {
  std::normal_distribution<double> normal;
  std::vector<double> factor(d * d), out;
  for (double& v : factor) v = normal(engine);
  for (Size k = 0; k < d; ++k) out.push_back(normal(engine));
  for (Size r = 0; r < d; ++r) {
    for (Size c = 0; c <= r; ++c) {
      double sum = r == c ? 0.5 : 0;
      for (Size k = 0; k < d; ++k) sum += factor[r * d + k] * factor[c * d + k];
      out.push_back(sum);
    }
  }
  return out;
}

// C^-1 and log |det C| by Gauss and Jordan's elimination with pivots, in long double. C is d x d, row by row.
std::pair<std::vector<long double>, long double> inverse(std::vector<long double> c, Size d) {
  std::vector<long double> out(d * d);
  for (Size k = 0; k < d; ++k) out[k * d + k] = 1;
  long double log_determinant = 0;
  for (Size k = 0; k < d; ++k) {
    Size pivot = k;
    for (Size r = k + 1; r < d; ++r) {
      if (std::abs(c[r * d + k]) > std::abs(c[pivot * d + k])) pivot = r;
    }
    const long double value = c[pivot * d + k];
    log_determinant += std::log(std::abs(value));
    for (std::vector<long double>* const m : {&c, &out}) {
      for (Size j = 0; j < d; ++j) {
        std::swap((*m)[k * d + j], (*m)[pivot * d + j]);
        (*m)[k * d + j] /= value;
      }
    }
    for (Size r = 0; r < d; ++r) {
      const long double times = r == k ? 0 : c[r * d + k];
      for (Size j = 0; j < d; ++j) {
        c[r * d + j] -= times * c[k * d + j];
        out[r * d + j] -= times * out[k * d + j];
      }
    }
  }
  return {out, log_determinant};
}

TEST(GaussianPairs, AgreeWithTheInverseOfTheMeanCovariance) {
  std::mt19937_64 engine(5);
  for (const Size d : {1, 2, 7, 20}) {
    const std::vector<double> x = random_gaussian(engine, d);
    const Size numbers = simd::gaussian_numbers(d);
    std::vector<std::vector<double>> ys;
    std::vector<double> panel(8 * numbers), scratch(simd::gaussian_scratch(d));
    for (Size l = 0; l < 8; ++l) {
      ys.push_back(l == 3 ? x : random_gaussian(engine, d));
      for (Size e = 0; e < numbers; ++e) panel[8 * e + l] = ys[l][e];
    }
    simd::GaussianPairs got{};
    simd::gaussian_pairs(x.data(), panel.data(), d, true, scratch.data(), got);
    for (Size l = 0; l < 8; ++l) {
      std::vector<long double> mean(d * d);
      for (Size r = 0, e = d; r < d; ++r) {
        for (Size c = 0; c <= r; ++c, ++e) mean[r * d + c] = mean[c * d + r] = (x[e] + ys[l][e]) / 2;
      }
      const auto [inverted, logarithm] = inverse(mean, d);
      long double quadratic = 0, diagonal = 0, length = 0;
      for (Size r = 0; r < d; ++r) {
        long double along = 0;  // of C^-1 u
        for (Size c = 0; c < d; ++c) along += inverted[r * d + c] * (x[c] - ys[l][c]);
        quadratic += along * (x[r] - ys[l][r]);
        diagonal += inverted[r * d + r];
        length += along * along;
      }
      const auto log_determinant = static_cast<double>(logarithm), square = static_cast<double>(quadratic),
                 trace = static_cast<double>(diagonal), squared_slope = static_cast<double>(length);
      EXPECT_NEAR(got.log_determinant[l], log_determinant, 1e-11);
      EXPECT_NEAR(got.square[l], square, 1e-10 * (1 + square));
      EXPECT_NEAR(got.trace[l], trace, 1e-10 * trace);
      EXPECT_NEAR(got.squared_slope[l], squared_slope, 1e-10 * (1 + squared_slope));
    }
    EXPECT_EQ(got.square[3], 0);
  }
}

}  // namespace
}  // namespace mercer::gaussian_pairs_test
