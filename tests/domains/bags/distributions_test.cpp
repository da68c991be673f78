#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "domains/bags/gaussians.hpp"
#include "domains/bags/row.hpp"
#include "linalg/lapack.hpp"
#include "mercer/mercer.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::distributions_test {
namespace {

using test::expect_error;
using test::random_matrix;
using test::to_sparse;
using testing::broken_laws;
const std::vector<std::string> none;

const Points two = gaussians(Matrix{{0}, {1}}, Matrix{{1}, {4}});  // N(0, 1) and N(1, 2^2)

double integral(double rho) {
  const auto density = [](long double x, long double mean, long double deviation) {
    const long double u = (x - mean) / deviation;
    return std::exp(-u * u / 2) / (deviation * std::sqrt(2 * 3.141592653589793238462643L));
  };
  long double sum = 0;
  const long double step = 0.001L;
  for (long double x = -60; x < 60; x += step)
    sum += step * std::pow(density(x, 0, 1) * density(x, 1, 2), (long double)rho);
  return static_cast<double>(sum);
}

TEST(Distributions, ValuesFromQuadrature) {
  EXPECT_NEAR(gram(bhattacharyya(), two)(0, 1), 0.8508054622, 1e-10);
  EXPECT_NEAR(gram(expected_likelihood(), two)(0, 1), 0.1614342259, 1e-10);
  for (const double rho : {0.2, 0.5, 0.7, 1.0, 2.5}) {
    EXPECT_NEAR(gram(probability_product(rho), two)(0, 1), integral(rho), 1e-10) << rho;
  }
  EXPECT_EQ(gram(bhattacharyya(), two)(0, 0), 1);
  EXPECT_EQ(gram(probability_product(0.5), two), gram(bhattacharyya(), two));
  EXPECT_EQ(gram(probability_product(1), two), gram(expected_likelihood(), two));
  // A ridge is a wider Gaussian.
  EXPECT_NEAR(gram(bhattacharyya(0.5), two)(0, 1),
              gram(bhattacharyya(), gaussians(Matrix{{0}, {1}}, Matrix{{1.5}, {4.5}}))(0, 1), 1e-15);
}

// The formula of Jebara, Kondor & Howard with inverses, in two dimensions.
TEST(Distributions, AgreesWithThePublishedFormula) {
  const Points x = detail::sample_gaussians(6, 8);
  const auto store = find_objects<Gaussians>(x);
  const double rho = 0.8;
  const Matrix K = gram(probability_product(rho), x);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      const double *a = store->numbers().row(i), *b = store->numbers().row(j);
      const auto determinant = [](const double* s) { return s[0] * s[2] - s[1] * s[1]; };
      const auto inverse = [&](const double* s) {
        const double d = determinant(s);
        return std::array<double, 3>{s[2] / d, -s[1] / d, s[0] / d};
      };
      const auto p = inverse(a + 2), q = inverse(b + 2);
      const double sum[3] = {p[0] + q[0], p[1] + q[1], p[2] + q[2]};
      const auto times = [](const auto& s, const double* u, int r) {
        return r == 0 ? s[0] * u[0] + s[1] * u[1] : s[1] * u[0] + s[2] * u[1];
      };
      const double middle[2] = {times(p, a, 0) + times(q, b, 0), times(p, a, 1) + times(q, b, 1)};
      const auto dagger = inverse(sum);
      const double exponent = a[0] * times(p, a, 0) + a[1] * times(p, a, 1) + b[0] * times(q, b, 0) +
                              b[1] * times(q, b, 1) - middle[0] * times(dagger, middle, 0) -
                              middle[1] * times(dagger, middle, 1);
      const double expected = std::pow(2 * M_PI, 1 - 2 * rho) / rho / std::sqrt(determinant(sum)) *
                              std::pow(determinant(a + 2) * determinant(b + 2), -rho / 2) *
                              std::exp(-rho / 2 * exponent);
      EXPECT_NEAR(K(i, j), expected, 1e-12 * expected);
    }
  }
}

TEST(Distributions, ObeyTheLaws) {
  const Points given = detail::sample_gaussians(21, 3), bagged = detail::sample_bags(21, 5);
  for (const char* text :
       {"bhattacharyya(ridge=0.2)", "expected_likelihood(ridge=0.1)", "probability_product(rho=0.7, ridge=0.3)",
        "normalize(2*probability_product(rho=1.2, ridge=0.1))"}) {
    EXPECT_EQ(broken_laws(parse(text), given), none) << text;
    EXPECT_EQ(broken_laws(parse(text), bagged), none) << text;
  }
  EXPECT_EQ(broken_laws(bhattacharyya(), given), none);
}

// The laws move every parameter, and histograms have no ridge.
TEST(Distributions, SlopeInRhoOfHistograms) {
  const Points x = rows(Matrix{{1, 3, 0, 2}, {2, 2, 4, 0}, {0, 1, 5, 1}}), y = rows(Matrix{{1, 1, 0, 0}, {0, 0, 0, 2}});
  const Matrix w{{1, -2}, {0.5, 3}, {2, 1}};
  for (const char* text : {"probability_product(rho=0.7)", "normalize(probability_product(rho=1.3))"}) {
    const Kernel k = parse(text);
    const auto total = [&](double rho) {
      const Matrix K = cross(k.with("rho", rho), x, y);
      return std::inner_product(K.data(), K.data() + 6, w.data(), 0.0);
    };
    const double rho = k.params()[0].value, h = 1e-5;
    EXPECT_NEAR(gradient(k, x, y, w)[0], (total(rho + h) - total(rho - h)) / (2 * h), 1e-8) << text;
  }
}

TEST(Distributions, HistogramsAreDividedByTheirSums) {
  const Matrix counts{{1, 3, 0}, {2, 2, 4}, {0, 0, 0}, {0, 0, 5}};
  const Matrix K = gram(bhattacharyya(), rows(counts));
  EXPECT_NEAR(K(0, 1), std::sqrt(0.25 * 0.25) + std::sqrt(0.75 * 0.25), 1e-15);
  EXPECT_NEAR(K(0, 0), 1, 1e-15);
  EXPECT_EQ(K(0, 3), 0);
  EXPECT_EQ(K(2, 2), 0);  // an empty histogram
  EXPECT_EQ(gram(normalize(bhattacharyya()), rows(counts))(2, 2), 0);
  EXPECT_NEAR(gram(expected_likelihood(), rows(counts))(0, 1), 0.25 * 0.25 + 0.75 * 0.25, 1e-15);
  const Matrix sparse = gram(bhattacharyya(), rows(to_sparse(counts)));
  for (Index e = 0; e < 16; ++e) EXPECT_NEAR(sparse.data()[e], K.data()[e], 1e-15);
  expect_error([&] { gram(bhattacharyya(), rows(Matrix{{1, -2}})); }, "DomainError", {"bhattacharyya()", "-2"});
  expect_error([&] { gram(bhattacharyya(1), rows(counts)); }, "DomainError", {"ridge", "histograms"});
  expect_error([&] { input_gradient(bhattacharyya(), rows(counts), rows(counts), Matrix(4, 4, 1)); }, "UsageError",
               {"no gradient with respect to its inputs"});
}

TEST(Distributions, NarrowDensitiesAreNormalisedAmongLogarithms) {
  Matrix means(2, 80), covariances(160, 80);
  for (Index k = 0; k < 80; ++k) {
    covariances(k, k) = 1e-12;
    covariances(80 + k, k) = 2e-12;
  }
  const Points x = gaussians(means, covariances);
  EXPECT_NEAR(gram(normalize(expected_likelihood()), x)(0, 1), std::pow(2 * std::sqrt(2.0) / 3, 40), 1e-9);
  expect_error([&] { gram(expected_likelihood(), x); }, "NumericError", {"inf", "beyond double precision"});
}

TEST(Distributions, GaussianOfABag) {
  // Two points in five dimensions: far too few, and still positive definite.
  Vector numbers(static_cast<std::size_t>(gaussian_numbers(5)));
  estimate_gaussian(random_matrix(2, 5, 1), numbers.data());
  Matrix covariance(5, 5);
  for (Index r = 0, e = 5; r < 5; ++r) {
    for (Index c = 0; c <= r; ++c, ++e) covariance(r, c) = numbers[static_cast<std::size_t>(e)];
  }
  EXPECT_GT(linalg::eigenvalues(covariance).front(), 1e-3);
  // Of many points it is nearly their own covariance; in one dimension it is that.
  const Matrix many = random_matrix(4000, 2, 3, 0, 1);
  Vector wide(5);
  estimate_gaussian(many, wide.data());
  EXPECT_NEAR(wide[2], 1 / 12.0, 3e-3);
  EXPECT_NEAR(wide[3], 0, 3e-3);
  Vector line(2);
  estimate_gaussian(Matrix{{1}, {2}, {6}}, line.data());
  EXPECT_DOUBLE_EQ(line[0], 3);
  EXPECT_DOUBLE_EQ(line[1], 14 / 3.0);
}

TEST(Distributions, ShrinkageByHand) {
  // S = diag(2, 0): tr S = 2, tr S^2 = 4, d = 2, n = 4: (0 + 4) / ((4 + 1 - 1)(4 - 2)) = 1/2.
  Vector numbers(5);
  estimate_gaussian(Matrix{{-2, 0}, {2, 0}, {0, 0}, {0, 0}}, numbers.data());
  EXPECT_DOUBLE_EQ(numbers[2], 1.5);
  EXPECT_DOUBLE_EQ(numbers[3], 0);
  EXPECT_DOUBLE_EQ(numbers[4], 0.5);
}

TEST(Distributions, BadInput) {
  expect_error(
      [] {
        gaussians(Matrix{{0, 0}, {0, 0}}, Matrix{{1, 0}, {0, 1}, {1, 2}, {2, 1}});
      },
      "DataError", {"covariance of number 2", "not positive semi-definite", "-1"});
  expect_error([] { gaussians(Matrix{{0, 0}}, Matrix{{1, 0.5}, {0, 1}}); }, "DataError", {"number 1", "not symmetric"});
  expect_error([] { gaussians(Matrix{{0, std::nan("")}}, Matrix{{1, 0}, {0, 1}}); }, "DataError", {"number 1"});
  expect_error([] { gaussians(Matrix{{0, 0}}, Matrix{{1, 0}}); }, "ShapeError", {"2 x 2", "1 x 2"});
  const Points singular = gaussians(Matrix{{0, 0}, {0, 0}}, Matrix{{1, 0}, {0, 1}, {1, 1}, {1, 1}});
  expect_error([&] { gram(bhattacharyya(), singular); }, "DataError", {"Gaussian 2", "singular", "ridge"});
  EXPECT_NEAR(gram(bhattacharyya(0.1), singular)(1, 1), 1, 1e-15);
  const Points alone = bags(rows(Matrix{{1, 2}, {3, 4}, {0, 1}}), {0, 2, 3});
  expect_error([&] { gram(bhattacharyya(), alone); }, "DataError", {"bag 2", "covariance 0", "ridge"});
  EXPECT_NEAR(gram(bhattacharyya(0.1), alone)(1, 1), 1, 1e-15);
  expect_error([&] { gram(bhattacharyya(), strings({"a"})); }, "DomainError", {"Gaussians", "histograms", "strings"});
  expect_error([&] { gram(bhattacharyya(), bags(strings({"a"}), {0, 1})); }, "DomainError", {"rows of numbers"});
  expect_error([&] { cross(bhattacharyya(1), two, singular); }, "DomainError", {"1 and on 2 dimensions"});
}

}  // namespace
}  // namespace mercer::distributions_test
