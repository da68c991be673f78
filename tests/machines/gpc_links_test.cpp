// Links and their averages, against long arithmetic and long sums.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/likelihood.hpp"
#include "model/posterior/averaged.hpp"
#include "support.hpp"

namespace mercer::gpc_links_test {
namespace {

using test::random_matrix;

// Each row is in the list under its own name.
TEST(GpcLinks, RowsOfTheList) {
  std::vector<std::string> names;
  for (const Likelihood one : likelihoods()) {
    names.emplace_back(one->name);
    EXPECT_EQ(one->terms != nullptr, one->of == Likelihood::Of::two_classes) << one->name;
    EXPECT_EQ(one->average != nullptr, one->of == Likelihood::Of::two_classes) << one->name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"none", "logistic", "probit", "softmax"}));
}

// Derivatives of every row that states them.
TEST(GpcLinks, TermsAreDerivatives) {
  for (const Likelihood one : likelihoods()) {
    if (one->terms == nullptr) continue;
    for (const double y : {1.0, -1.0}) {
      for (const double f : {-6.0, -1.3, 0.0, 0.4, 2.5}) {
        const double h = 1e-5;
        const Likelihood::Terms here = one->terms(y, f), up = one->terms(y, f + h), down = one->terms(y, f - h);
        EXPECT_NEAR(here.slope, (up.log_p - down.log_p) / (2 * h), 1e-8) << one->name << " " << f;
        EXPECT_NEAR(-here.curvature, (up.slope - down.slope) / (2 * h), 1e-8) << one->name << " " << f;
        EXPECT_NEAR(-here.curvature * here.skew, (down.curvature - up.curvature) / (2 * h), 1e-8) << one->name << f;
      }
    }
  }
}

TEST(GpcLinks, ProbitFarInTheTails) {
  using Long = long double;
  for (double z = -40; z <= 12; z += 0.37) {
    const Long t = z, Phi = 0.5L * erfcl(-t / sqrtl(2)), r = expl(-t * t / 2) / sqrtl(2 * M_PIl) / Phi;
    for (const double y : {1.0, -1.0}) {
      const Likelihood::Terms terms = Likelihood::probit->terms(y, y * z);
      const auto near = [&](double found, Long expected, double tolerance) {
        EXPECT_NEAR(found, static_cast<double>(expected), tolerance * std::abs(static_cast<double>(expected))) << z;
      };
      near(terms.log_p, t > 0 ? log1pl(-0.5L * erfcl(t / sqrtl(2))) : logl(Phi), 1e-12);
      near(terms.slope, y * r, 1e-12);
      near(terms.curvature, r * (t + r), 1e-11);
      EXPECT_NEAR(terms.skew, static_cast<double>(-y * ((t + r) * (t + 2 * r) - 1) / (t + r)), 1e-10) << z;
    }
  }
  const Likelihood::Terms far = Likelihood::probit->terms(1, -1e8);
  EXPECT_DOUBLE_EQ(far.slope, 1e8);
  EXPECT_DOUBLE_EQ(far.curvature, 1);
  EXPECT_NEAR(far.log_p / -5e15, 1, 1e-12);
  const Likelihood::Terms sure = Likelihood::probit->terms(-1, -1e8);
  EXPECT_EQ(sure.log_p, 0);
  EXPECT_EQ(sure.curvature, 0);
  EXPECT_TRUE(std::isfinite(sure.skew));
  for (const double f : {-1e4, -800.0, 0.0, 800.0, 1e4}) {
    const Likelihood::Terms l = Likelihood::logistic->terms(1, f);
    EXPECT_NEAR(l.log_p, f < 0 ? f : f > 0 ? 0 : -std::log(2), 1e-12 * (1 + std::abs(f)));
    EXPECT_TRUE(l.curvature >= 0 && l.curvature <= 0.25);
  }
}

// Against sums at so small a distance that they are exact, and against an expansion where f varies widely.
TEST(GpcLinks, AveragesOfTheLogistic) {
  const auto average = [](double mean, double deviation) {
    const double z = mean / deviation, density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    if (deviation >= 100) {
      return 0.5 * std::erfc(-z / std::sqrt(2)) - M_PI * M_PI / 6 * z * density / (deviation * deviation);
    }
    double sum = 0, weights = 0;
    for (int i = -900; i <= 900; ++i) {
      const double at_z = 0.01 * i, w = std::exp(-at_z * at_z / 2);
      sum += w / (1 + std::exp(-mean - deviation * at_z));
      weights += w;
    }
    return sum / weights;
  };
  for (const double variance : {0.0, 1e-4, 0.1, 0.5, 0.999, 1.0, 7.0, 100.0, 1e4, 1e8}) {
    for (const double mean : {-300.0, -20.0, -3.0, -0.4, 0.0, 0.01, 1.0, 9.0, 1e4}) {
      const double found = Likelihood::logistic->average(mean, variance);
      const double expected = variance == 0 ? 1 / (1 + std::exp(-mean)) : average(mean, std::sqrt(variance));
      EXPECT_NEAR(found, expected, variance < 1e4 ? 1e-12 : 3e-8) << mean << " " << variance;
      EXPECT_NEAR(Likelihood::logistic->average(-mean, variance) + found, 1, 1e-14);
    }
  }
  EXPECT_NEAR(Likelihood::probit->average(1.2, 3), 0.5 * std::erfc(-0.6 / std::sqrt(2)), 1e-15);
}

TEST(GpcLinks, AveragesOfSoftmax) {
  const detail::SoftmaxAverage average(3);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Matrix a = random_matrix(3, 3, seed, -2, 2);
    const Matrix mean = random_matrix(1, 3, seed + 20, -3, 3);
    Matrix covariance(3, 3);
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        for (Index l = 0; l < 3; ++l) covariance(i, j) += a(i, l) * a(j, l);
      }
    }
    Vector expected(3), found(3);
    double weights = 0;
    const double step = 0.2;
    for (double u = -6; u <= 6; u += step) {
      for (double v = -6; v <= 6; v += step) {
        for (double w = -6; w <= 6; w += step) {
          const double weight = std::exp(-(u * u + v * v + w * w) / 2);
          Vector f(3);
          double sum = 0;
          for (Index c = 0; c < 3; ++c) {
            sum += f[at(c)] = std::exp(mean(0, c) + a(c, 0) * u + a(c, 1) * v + a(c, 2) * w);
          }
          for (std::size_t c = 0; c < 3; ++c) expected[c] += weight * f[c] / sum;
          weights += weight;
        }
      }
    }
    average(mean.data(), covariance.data(), found.data());
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c] / weights, 2e-4) << seed;
  }
  // Nothing to average, and what all classes have in common.
  const Vector mean = {1, 0, -1}, none(9, 0.0), common(9, 5.0);
  Vector sharp(3), same(3);
  average(mean.data(), none.data(), sharp.data());
  average(mean.data(), common.data(), same.data());
  const double sum = std::exp(1) + 1 + std::exp(-1);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(sharp[c], std::exp(mean[c]) / sum, 1e-12);
    EXPECT_NEAR(same[c], sharp[c], 1e-12);
  }
  // Equal in every respect: a third each.
  const Vector even(3, 0.0), alike = {9, 0, 0, 0, 9, 0, 0, 0, 9};
  average(even.data(), alike.data(), same.data());
  for (const double p : same) EXPECT_NEAR(p, 1.0 / 3, 1e-3);
  Vector wide(100), tenth(10);
  for (std::size_t c = 0; c < 10; ++c) wide[11 * c] = 20;
  detail::SoftmaxAverage(10)(Vector(10, 0.0).data(), wide.data(), tenth.data());
  for (const double p : tenth) EXPECT_NEAR(p, 0.1, 3e-3);
}

}  // namespace
}  // namespace mercer::gpc_links_test
