#include "simd/gaussian_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "linalg/lapack.hpp"

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

TEST(GaussianPairs, AgreeWithEigenvaluesOfTheMeanCovariance) {
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
      const auto n = static_cast<Index>(d);
      Matrix mean(n, n);
      for (Index r = 0, e = n; r < n; ++r) {
        for (Index c = 0; c <= r; ++c, ++e) {
          mean(r, c) = (x[static_cast<Size>(e)] + ys[l][static_cast<Size>(e)]) / 2;
        }
      }
      const linalg::Eigen eigen = linalg::eigen(mean);
      double log_determinant = 0, square = 0, trace = 0, squared_slope = 0;
      for (Index k = 0; k < n; ++k) {
        const double value = eigen.values[static_cast<Size>(k)];
        double along = 0;
        for (Index c = 0; c < n; ++c) {
          along += eigen.vectors(k, c) * (x[static_cast<Size>(c)] - ys[l][static_cast<Size>(c)]);
        }
        log_determinant += std::log(value);
        square += along * along / value;
        trace += 1 / value;
        squared_slope += along * along / (value * value);
      }
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
