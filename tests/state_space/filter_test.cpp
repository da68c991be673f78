// The filter against matrices: golden values of 40-digit arithmetic, and the dense system.
#include "state_space/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "state_space/line.hpp"
#include "state_space/sums.hpp"
#include "support.hpp"

namespace mercer::state_space::filter_test {
namespace {

using test::random_vector;

Points on_line(const Vector& t) { return rows(Matrix(MatrixView(t.data(), static_cast<Index>(t.size()), 1))); }

Matrix column(const Vector& v) { return Matrix(MatrixView(v.data(), static_cast<Index>(v.size()), 1)); }

// The data of the golden values.
struct Golden {
  Vector t, y;
  Golden() {
    for (int i = 0; i < 12; ++i) {
      t.push_back((i + 0.3 * std::sin(i)) / 4);
      y.push_back(std::sin(t.back()) + 0.5 * std::cos(3 * t.back()));
    }
  }
};

double evidence(const Kernel& k, const Vector& t, const Vector& y, double noise) {
  const Filter f(*state_space_of(k), {.times = t, .shift = {noise}}, {});
  EXPECT_EQ(f.failed_at(), 0);
  Matrix a = column(y);
  f.solve(a);
  double q = 0;
  for (std::size_t i = 0; i < y.size(); ++i) q += a(static_cast<Index>(i), 0) * y[i];
  const double value = -0.5 * (q + f.log_determinant());
  EXPECT_NEAR(log_density(*state_space_of(k), {.times = t, .shift = {noise}}, y), value, 1e-12 * std::abs(value));
  return value - 0.5 * static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
}

TEST(Filter, EvidenceOfTheReading) {
  const Golden d;
  const auto of = [&](const char* text) { return evidence(parse(text), d.t, d.y, 0.05); };
  EXPECT_NEAR(of("1.5*matern(nu=0.5, ell=0.8)"), -10.4994335433284, 1e-12);
  EXPECT_NEAR(of("1.5*exponential(ell=0.8)"), -10.4994335433284, 1e-12);
  EXPECT_NEAR(of("1.5*laplace(ell=0.8)"), -10.4994335433284, 1e-12);
  EXPECT_NEAR(of("1.5*matern(nu=1.5, ell=0.8)"), -6.16429035516973, 1e-12);
  EXPECT_NEAR(of("1.5*matern(nu=2.5, ell=0.8)"), -4.73367583485813, 1e-12);
  EXPECT_NEAR(of("1.5*sho(omega=2, q=1)"), -5.44465130424169, 1e-12);
}

TEST(Filter, EvidenceOfSumsAndProductsOfTheReading) {
  const Golden d;
  EXPECT_NEAR(evidence(parse("1.5*matern(nu=1.5, ell=0.8) + 1.5*sho(omega=2, q=1)"), d.t, d.y, 0.05), -8.30871453549065,
              1e-12);
  EXPECT_NEAR(evidence(parse("1.5*matern(nu=1.5, ell=0.8)*(1.5*sho(omega=2, q=1))"), d.t, d.y, 0.05), -9.88822885981205,
              1e-12);
}

TEST(Filter, PeriodicHasAsManyHarmonicsAsItNeeds) {
  const auto states = [](double ell) { return state_space_of(periodic(1, ell))->states(); };
  EXPECT_EQ(states(1), 2 * 13 + 1);
  EXPECT_EQ(states(0.5), 2 * 20 + 1);
  EXPECT_EQ(states(1e4), 3);
  const StateSpace model = *state_space_of(periodic(1, 1));
  Matrix phi(2, model.features());
  for (const double r : {0.0, 0.1, 0.37, 0.5, 0.99}) {
    model.features(Vector{12.25, 12.25 + r}, phi);
    double k = 0;
    for (Index j = 0; j < phi.cols(); ++j) k += phi(0, j) * phi(1, j);
    EXPECT_NEAR(k, std::exp(-2 * std::pow(std::sin(std::numbers::pi * r), 2)), 1e-13);
  }
}

const char* const kKernels[] = {
    "matern(nu=0.5, ell=0.7)",
    "2*matern(nu=1.5, ell=0.7)",
    "matern(nu=2.5, ell=3)",
    "matern(nu=3.5, ell=2)",
    "0.5*matern(nu=4.5, ell=2)",
    "0.3*wave(period=2) + matern(nu=0.5, ell=4)",
    "wave(period=3)*matern(nu=1.5, ell=2) + wave(period=3)*wave(period=0.7)",
    "sho(omega=3, q=4)",
    "sho(omega=3, q=0.5)",
    "sho(omega=3, q=0.1)",
    "0.0001*sho(omega=3, q=2)*poly(degree=2, c=1.5)",
    "2*periodic(period=3, ell=1) + const(c=2)",
    "matern(nu=1.5, ell=2) + 0.7*periodic(period=3, ell=1)",
    "0.001*linear() + const(c=3) + matern(nu=2.5, ell=1)",
    "matern(nu=1.5, ell=9)*periodic(period=3, ell=1.5)",
    "matern(nu=0.5, ell=2)*matern(nu=2.5, ell=3)*sho(omega=1, q=2)",
    "poly(degree=2, c=2)*laplace(ell=5) + 2*(matern(nu=1.5, ell=3) + 3*sho(omega=2, q=0.7))",
    "periodic(period=3, ell=3)*periodic(period=7, ell=4)*(1.5*matern(nu=0.5, ell=9))",
    "(matern(nu=1.5, ell=2) + const(c=1))^2",
};

// A on points with equal times, shifts and factors of their own, and one without a gap for long.
struct Problem {
  Vector t, y, shift, factors;
  explicit Problem(Index n)
      : t(random_vector(n, 1, 0, 20)), y(random_vector(n, 2)), shift(random_vector(n, 3, 0.05, 0.3)) {
    std::sort(t.begin(), t.end());
    t[10] = t[11] = t[12];
    for (Index i = n / 2; i < n; ++i) t[at(i)] += 50;
    factors = random_vector(n, 4, 0.5, 2);
    factors[20] = 0;
  }
  Matrix dense(const Kernel& k) const {
    Matrix A = gram(k, on_line(t));
    for (Index i = 0; i < A.rows(); ++i) {
      for (Index j = 0; j < A.rows(); ++j) A(i, j) *= factors[at(i)] * factors[at(j)];
      A(i, i) += shift[at(i)];
    }
    return A;
  }
};

double value_of(Matrix A, const Matrix& b) {
  EXPECT_EQ(linalg::cholesky(A), 0);
  Matrix z = b;
  linalg::cholesky_solve(A, z);
  double value = 0;
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index t = 0; t < b.cols(); ++t) value -= 0.5 * b(i, t) * z(i, t);
    value -= static_cast<double>(b.cols()) * std::log(A(i, i));
  }
  return value;
}

TEST(Filter, SolvesAsTheMatrixDoes) {
  const Problem p(300);
  for (const char* text : kKernels) {
    const Kernel k = parse(text);
    Matrix A = p.dense(k);
    const Filter f(*state_space_of(k), {.times = p.t, .factors = p.factors, .shift = p.shift}, {});
    ASSERT_EQ(linalg::cholesky(A), 0);
    double log_determinant = 0;
    for (Index i = 0; i < A.rows(); ++i) log_determinant += 2 * std::log(A(i, i));
    EXPECT_NEAR(f.log_determinant(), log_determinant, 1e-10 * std::abs(log_determinant)) << text;
    Matrix b = test::random_matrix(300, 3, 5), z = b, root = b, identity(300, 300);
    f.solve(z);
    f.forward(root);
    Matrix expected = b;
    linalg::cholesky_solve(A, expected);
    for (Index i = 0; i < 300; ++i) identity(i, i) = 1;
    linalg::cholesky_solve(A, identity);
    const Vector diagonal = f.inverse_diagonal();
    for (Index t = 0; t < 3; ++t) {
      double squares = 0, product = 0;
      for (Index i = 0; i < 300; ++i) {
        EXPECT_NEAR(z(i, t), expected(i, t), 1e-9) << text;
        squares += root(i, t) * root(i, t);
        product += b(i, t) * expected(i, t);
      }
      EXPECT_NEAR(squares, product, 1e-9 * product) << text;
    }
    for (Index i = 0; i < 300; ++i) EXPECT_NEAR(diagonal[at(i)] / identity(i, i), 1, 1e-9) << text << " " << i;
  }
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), b.cols());
  linalg::multiply(1, a, b, 0, out);
  return out;
}

// What is asked of columns that the filter was given, and of combinations of them.
TEST(Filter, KnowsOfItsSidesWhatTheMatrixDoes) {
  const Problem p(200);
  for (const char* text : kKernels) {
    const Kernel k = parse(text);
    Matrix A = p.dense(k);
    ASSERT_EQ(linalg::cholesky(A), 0);
    for (const Index count : {1, 2, 4}) {
      const Matrix sides = test::random_matrix(200, count, 5), mix = test::random_matrix(count, 2, 6);
      const Filter f(*state_space_of(k), {.times = p.t, .factors = p.factors, .shift = p.shift}, sides, {});
      Matrix solved = sides, expected = times(sides, mix), found(200, 2);
      const Matrix b = expected;
      linalg::cholesky_solve(A, solved);
      linalg::cholesky_solve(A, expected);
      f.solve_sides(mix, found);
      const Matrix products = f.products();
      const Vector quadratics = f.quadratics(mix);
      for (Index c = 0; c < count; ++c) {
        for (Index d = 0; d < count; ++d) {
          double sum = 0;
          for (Index i = 0; i < 200; ++i) sum += sides(i, c) * solved(i, d);
          EXPECT_NEAR(products(c, d), sum, 1e-9 * 200) << text;
        }
      }
      for (Index t = 0; t < 2; ++t) {
        double sum = 0;
        for (Index i = 0; i < 200; ++i) sum += b(i, t) * expected(i, t);
        EXPECT_NEAR(quadratics[at(t)], sum, 1e-9 * (1 + sum)) << text;
        for (Index i = 0; i < 200; ++i) EXPECT_NEAR(found(i, t), expected(i, t), 1e-9) << text;
      }
    }
  }
}

TEST(Filter, VariancesAsTheMatrixHasThem) {
  const Problem p(300);
  Vector t = random_vector(80, 9, -3, 80);
  t.insert(t.end(), {p.t.front(), p.t[11], p.t.back()});
  std::sort(t.begin(), t.end());
  for (const char* text : kKernels) {
    const Kernel k = parse(text);
    Matrix A = p.dense(k), cross_values = cross(k, on_line(p.t), on_line(t));
    const Filter f(*state_space_of(k), {.times = p.t, .factors = p.factors, .shift = p.shift}, {});
    for (Index i = 0; i < 300; ++i) {
      for (Index j = 0; j < cross_values.cols(); ++j) cross_values(i, j) *= p.factors[at(i)];
    }
    ASSERT_EQ(linalg::cholesky(A), 0);
    Matrix solved = cross_values;
    linalg::cholesky_solve(A, solved);
    const Vector prior = diagonal(k, on_line(t)), found = f.variances(t);
    for (std::size_t j = 0; j < t.size(); ++j) {
      double expected = prior[j];
      for (Index i = 0; i < 300; ++i)
        expected -= cross_values(i, static_cast<Index>(j)) * solved(i, static_cast<Index>(j));
      EXPECT_NEAR(found[j], expected, 1e-9 * prior[j]) << text << " at " << t[j];
      // Whatever else is asked.
      EXPECT_EQ(f.variances(Vector{t[j]}).front(), found[j]);
    }
  }
}

// Pieces of a series meet at multiples of 1,024 points and fewer.
TEST(Filter, BordersOfPieces) {
  for (const Index n : {1, 2, 31, 32, 33, 1023, 1024, 1025}) {
    const Vector t = random_vector(n, 6, 0, 5), y = random_vector(n, 7);
    Vector ordered = t;
    std::sort(ordered.begin(), ordered.end());
    for (const char* text : {"matern(nu=1.5, ell=1)", "matern(nu=0.5, ell=1) + periodic(period=2, ell=2)"}) {
      const Kernel k = parse(text);
      Matrix A = gram(k, on_line(ordered));
      for (Index i = 0; i < n; ++i) A(i, i) += 0.2;
      EXPECT_NEAR(evidence(k, ordered, y, 0.2),
                  value_of(A, column(y)) - 0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi),
                  1e-9 * static_cast<double>(n));
      const Matrix sums = Sums(*state_space_of(k), t, column(y)).at_times(t, {});
      const Matrix expected = multiply(k, on_line(t), on_line(t), column(y));
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(sums(i, 0), expected(i, 0), 1e-11 * static_cast<double>(n));
    }
  }
}

// Of its sides a filter keeps few numbers of a point, however many states there are; else all gains.
TEST(Filter, KeepsFewNumbersOfAPointForItsSides) {
  const Index n = 50000;
  const Vector t = random_vector(n, 6, 0, 1000);
  Vector ordered = t;
  std::sort(ordered.begin(), ordered.end());
  const StateSpace model = *state_space_of(parse("matern(nu=1.5, ell=1) + periodic(period=3, ell=1)"));
  const Series series{.times = ordered, .shift = {0.1}};
  const double numbers = static_cast<double>(n) * sizeof(double);
  EXPECT_LT(Filter(model, series, column(t), {}).bytes(), 12 * numbers);
  EXPECT_GT(Filter(model, series, {}).bytes(), static_cast<double>(model.states()) * numbers);
}

// Slopes and solutions go through the pieces from the end, each from what was kept before it; values pass over them
// once.
TEST(Filter, SidesOfSeveralPieces) {
  for (const Index n : {33, 1024, 1025, 2600}) {
    Vector t = random_vector(n, 6, 0, static_cast<double>(n) / 20);
    std::sort(t.begin(), t.end());
    const Vector y = random_vector(n, 7);
    const Matrix alone(1, 1, 1.0);
    for (const char* text : {"matern(nu=1.5, ell=1)", "sho(omega=2, q=3)", "matern(nu=0.5, ell=1) + wave(period=2)"}) {
      const Kernel k = parse(text);
      const auto value = [&](const Kernel& at, double shift) {
        return log_density(*state_space_of(at), {.times = t, .shift = {shift}}, y);
      };
      const Filter sides(*state_space_of(k), {.times = t, .shift = {0.2}}, column(y), {});
      const Filter::Slopes slopes = sides.gradient(alone);
      const Params params = k.params();
      for (Index i = 0; i < params.size(); ++i) {
        const double h = 1e-6 * params[i].value;
        const double expected = (value(k.with(params[i].path, params[i].value + h), 0.2) -
                                 value(k.with(params[i].path, params[i].value - h), 0.2)) /
                                (2 * h);
        EXPECT_NEAR(slopes.by_parameter[at(i)], expected, 1e-4 * (1 + std::abs(expected))) << text << " " << n;
      }
      const double by_shift = std::accumulate(slopes.by_shift.begin(), slopes.by_shift.end(), 0.0);
      const double expected = (value(k, 0.2 + 1e-6) - value(k, 0.2 - 1e-6)) / 2e-6;
      EXPECT_NEAR(by_shift, expected, 1e-5 * std::abs(expected)) << text << " " << n;
      Matrix solved = column(y), found(n, 1);
      Filter(*state_space_of(k), {.times = t, .shift = {0.2}}, {}).solve(solved);
      sides.solve_sides(alone, found);
      for (Index i = 0; i < n; ++i) ASSERT_NEAR(found(i, 0), solved(i, 0), 1e-9) << text << " " << n << " " << i;
    }
  }
}

// Of all parameters and of each shift, by central differences of the dense value.
TEST(Filter, SlopesAreTheDerivatives) {
  const Problem p(120);
  const Matrix sides = test::random_matrix(120, 3, 8), mix = test::random_matrix(3, 2, 9), b = times(sides, mix);
  for (const char* text : kKernels) {
    const Kernel k = parse(text);
    const Filter f(*state_space_of(k), {.times = p.t, .factors = p.factors, .shift = p.shift}, sides, {});
    const Filter::Slopes slopes = f.gradient(mix);
    const Params params = k.params();
    ASSERT_EQ(static_cast<Index>(slopes.by_parameter.size()), params.size());
    for (Index i = 0; i < params.size(); ++i) {
      // The data see many periods, and a small scale moves the value little beyond its rounding.
      const double step = params[i].path.ends_with("period") ? 1e-7 : params[i].path.ends_with("scale") ? 1e-4 : 1e-5;
      const double h = step * params[i].value;
      const double up = value_of(p.dense(k.with(params[i].path, params[i].value + h)), b);
      const double down = value_of(p.dense(k.with(params[i].path, params[i].value - h)), b);
      const double expected = (up - down) / (2 * h);
      EXPECT_NEAR(slopes.by_parameter[at(i)], expected, 5e-6 * (1 + std::abs(expected)))
          << text << " " << params[i].path;
    }
    for (const Index i : {0, 11, 20, 119}) {
      Problem up = p, down = p;
      up.shift[at(i)] += 1e-5;
      down.shift[at(i)] -= 1e-5;
      const double expected = (value_of(up.dense(k), b) - value_of(down.dense(k), b)) / 2e-5;
      EXPECT_NEAR(slopes.by_shift[at(i)], expected, 5e-6 * (1 + std::abs(expected))) << text;
    }
  }
}

// Where the noise is 1e-10 of the variance and points are near, P less a difference would have no digit left.
TEST(Filter, LittleNoise) {
  Vector t, y;
  for (int i = 0; i < 400; ++i) {
    t.push_back(1e-3 * i);
    y.push_back(std::sin(t.back()));
  }
  // matern(0.5): A^-1 is known in closed form as the noise goes to 0: y'A^-1 y and log|A| of a Markov chain.
  const double noise = 0;
  double q = y[0] * y[0], log_determinant = 0;
  for (std::size_t i = 1; i < t.size(); ++i) {
    const double a = std::exp(-(t[i] - t[i - 1])), v = -std::expm1(-2 * (t[i] - t[i - 1]));
    q += (y[i] - a * y[i - 1]) * (y[i] - a * y[i - 1]) / v;
    log_determinant += std::log(v);
  }
  const double expected = -0.5 * (q + log_determinant + static_cast<double>(t.size()) * std::log(2 * std::numbers::pi));
  EXPECT_NEAR(evidence(laplace(1), t, y, noise), expected, 1e-11 * std::abs(expected));
}

// Without noise a time that was seen already says nothing new: which point it was is told.
TEST(Filter, EqualTimesWithoutNoiseAreNotPositiveDefinite) {
  for (const char* text :
       {"matern(nu=0.5, ell=1)", "matern(nu=2.5, ell=1)", "matern(nu=1.5, ell=1) + periodic(period=3, ell=1)"}) {
    const Filter f(*state_space_of(parse(text)), {.times = {0, 0.5, 0.5, 2}, .shift = {0}}, {});
    EXPECT_EQ(f.failed_at(), 3) << text;
    const Filter noisy(*state_space_of(parse(text)), {.times = {0, 0.5, 0.5, 2}, .shift = {1e-8}}, {});
    EXPECT_EQ(noisy.failed_at(), 0) << text;
  }
}

TEST(Filter, WhatHasNoStateSpace) {
  for (const char* text : {"rbf(ell=1)", "rq(ell=1, alpha=2)", "matern(nu=5.5, ell=1)", "matern(nu=1, ell=1)",
                           "matern(nu=1.5, ell=1) + rbf(ell=2)", "cosine()", "periodic(period=1, ell=0.01)", "min()"}) {
    EXPECT_FALSE(state_space_of(parse(text))) << text;
  }
  EXPECT_FALSE(on_a_line(rows(Matrix{{1, 2}})));
}

}  // namespace
}  // namespace mercer::state_space::filter_test
