// The evidence by inducing points: golden values, the exact process where they are all points, laws of the bounds.
#include <numeric>

#include "linalg/cholesky.hpp"
#include "machines/gp_problem.hpp"
#include "machines/processes/evidence.hpp"
#include "machines/processes/inducing_process.hpp"
#include "mercer/kernels.hpp"

namespace mercer::inducing_test {
namespace {

using detail::Approach;
using detail::InducingBy;
using detail::InducingProcess;
using detail::ProcessData;
using detail::ProcessSystem;
using test::pos;

double place(Index i) { return (static_cast<double>(i) + 0.3 * std::sin(static_cast<double>(i))) / 4; }

// Data D of the golden values: computed in 40 digits.
ProcessData series() {
  Matrix x(12, 1), y(12, 1);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = place(i);
    y(i, 0) = std::sin(x(i, 0)) + 0.5 * std::cos(3 * x(i, 0));
  }
  const Points points = rows(x);
  return {.K = lazy(linear(), points), .x = points, .y = y, .H = Matrix(12, 0), .shape = Vector(12, 1.0)};
}

const char* const kMatern = "1.5*matern(nu=1.5, ell=0.8)";
constexpr double kNoise = 0.05;

Points fourth(const ProcessData& data) { return data.x->select(std::vector<Index>{0, 3, 6, 9}); }

InducingProcess at_points(const ProcessData& data, InducingBy by, const Points& z, const Execution& how = {}) {
  return InducingProcess(data, {.by = by, .points = z}, how);
}

double figure(const Approach::Solution& s, std::string_view name) {
  for (const Report::Figure& one : s.figures) {
    if (one.name == name) return one.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

TEST(Inducing, TheBoundHasItsGoldenValues) {
  const ProcessData data = series();
  InducingProcess process = at_points(data, InducingBy::bound, fourth(data));
  const Approach::At at{parse(kMatern), kNoise, 1.0};
  const Approach::Value v = process.evaluate(at, true);
  EXPECT_NEAR(v.objective, -22.5907228076914, 1e-10);
  EXPECT_NEAR(v.by_noise, 335.782904646069, 1e-8);
  const Approach::Solution s = process.solve(at);
  EXPECT_NEAR(s.log_likelihood.low, -22.5907228076914, 1e-10);
  EXPECT_NEAR(s.log_likelihood.high, -1.68835404029322, 1e-10);
  EXPECT_NEAR(figure(s, "trace_left_out"), 1.67299834243581 / 18, 1e-12);
  const Matrix beta = s.alpha, k = cross(parse(kMatern), rows(Matrix{{1.03}}), *s.centres);
  EXPECT_NEAR(test::product(k, beta)(0, 0), 0.505906707439234, 1e-12);
  // k(x, x) - |L^-1 k|^2 + |F^-1 L^-1 k|^2
  Matrix L = gram(parse(kMatern), *s.centres), phi(4, 1);
  ASSERT_EQ(linalg::cholesky(L), 0);
  for (Index j = 0; j < 4; ++j) phi(j, 0) = k(0, j);
  linalg::solve_lower(L, phi);
  double variance = 1.5;
  for (Index j = 0; j < 4; ++j) variance -= phi(j, 0) * phi(j, 0);
  linalg::solve_lower(s.posterior->covariance, phi);
  for (Index j = 0; j < 4; ++j) variance += phi(j, 0) * phi(j, 0);
  EXPECT_NEAR(variance, 0.175558802006933, 1e-12);
}

TEST(Inducing, FitcHasItsGoldenValue) {
  const ProcessData data = series();
  InducingProcess process = at_points(data, InducingBy::fitc, fourth(data));
  EXPECT_NEAR(process.evaluate({parse(kMatern), kNoise, 1.0}, false).objective, -7.55620671316584, 1e-10);
}

TEST(Inducing, TheProcessItselfHasItsGoldenValues) {
  const ProcessData data = series();
  for (const auto& [kernel, value] :
       {std::pair{"1.5*rbf(ell=0.8)", -3.34660737608171}, std::pair{kMatern, -6.16429035516973}}) {
    const Approach::At at{parse(kernel), kNoise, 1.0};
    EXPECT_NEAR(ProcessSystem(data, GaussianProcess::Objective::lml, {}).evaluate(at, false).objective, value, 1e-12);
    for (const InducingBy by : {InducingBy::bound, InducingBy::fitc}) {
      EXPECT_NEAR(at_points(data, by, *data.x).evaluate(at, false).objective, value, 1e-10);
    }
  }
}

// The slope by a weight of u(x) u(y), whose points have u in a second column: it adds up the slopes by all entries of
// K(Z, X), K(Z, Z) and the diagonal of K where u is not 0.
double slope(InducingBy by, const std::pair<Index, double>& of_points, const std::pair<Index, double>& of_centres) {
  ProcessData data = series();
  Matrix x(12, 2), z(4, 2);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = place(i);
    if (i % 3 == 0) z(i / 3, 0) = place(i);
  }
  x(of_points.first, 1) = of_points.second;
  z(of_centres.first, 1) = of_centres.second;
  data.x = rows(x);
  data.K = lazy(linear(), *data.x);
  constexpr double kNearlyNothing = 1e-14;
  const Kernel k = parse("1.5*on(1, matern(nu=1.5, ell=0.8)) + 1e-14*on(2, linear())");
  const Params params = k.params();
  const Vector slopes = at_points(data, by, rows(z)).evaluate({k, kNoise, 1.0}, true).by_kernel;
  for (Index p = 0; p < params.size(); ++p) {
    if (params[p].value == kNearlyNothing) return slopes[pos(p)];
  }
  ADD_FAILURE();
  return 0;
}

TEST(Inducing, SlopesByEntriesHaveTheirGoldenValues) {
  // Opposite signs leave the entry between the two, and nothing of their own diagonals.
  const auto across = [](InducingBy by) { return (slope(by, {5, 1}, {1, 1}) - slope(by, {5, -1}, {1, 1})) / 2; };
  const auto among_centres = [](InducingBy by) { return slope(by, {0, 0}, {2, 1}); };
  EXPECT_NEAR(across(InducingBy::bound), 10.8317641647775, 1e-8);
  EXPECT_NEAR(among_centres(InducingBy::bound), -21.0276571674298, 1e-8);
  EXPECT_NEAR(across(InducingBy::fitc), 1.76114546185277, 1e-8);
  EXPECT_NEAR(among_centres(InducingBy::fitc), -3.51100627201977, 1e-8);
}

// A problem with all that a process can have.
ProcessData problem(Index n, Index targets, Index columns_of_trend, bool known, unsigned seed) {
  const Matrix x = test::random_matrix(n, 3, seed);
  const Points points = rows(x);
  ProcessData out{.K = lazy(linear(), points), .x = points, .y = test::random_matrix(n, targets, seed + 1)};
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < targets; ++t) out.y(i, t) += std::sin(2 * x(i, 0)) + static_cast<double>(t) * x(i, 1);
  }
  out.H = Matrix(n, columns_of_trend, 1.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 1; j < columns_of_trend; ++j) out.H(i, j) = x(i, j - 1);
  }
  out.shape = test::random_vector(n, seed + 2, 0.5, 2);
  if (known) out.known = test::random_vector(n, seed + 3, 0.1, 0.5);
  return out;
}

const char* const kArd = "rbf(ell=[0.8, 1.3, 2]) + 0.3*matern(nu=2.5, ell=1.1) + 0.2*linear()";

TEST(Inducing, AllPointsAreTheProcessItself) {
  for (const InducingBy by : {InducingBy::bound, InducingBy::fitc}) {
    for (const bool known : {false, true}) {
      for (const Index functions : {0, 1, 4}) {
        const ProcessData data = problem(70, 2, functions, known, 5);
        InducingProcess few = at_points(data, by, *data.x);
        ProcessSystem all(data, GaussianProcess::Objective::lml, {});
        const Approach::At at{parse(kArd), 0.2, known ? std::optional(1.3) : std::nullopt};
        const Approach::Value a = few.evaluate(at, true);
        const Approach::Value b = all.evaluate(at, true);
        EXPECT_NEAR(a.objective, b.objective, 1e-9 * std::abs(b.objective));
        EXPECT_NEAR(a.by_noise, b.by_noise, 1e-8 * std::abs(b.by_noise));
        EXPECT_NEAR(a.by_signal, b.by_signal, 1e-8 * (1 + std::abs(b.by_signal)));
        ASSERT_EQ(a.by_kernel.size(), b.by_kernel.size());
        for (std::size_t p = 0; p < a.by_kernel.size(); ++p) {
          EXPECT_NEAR(a.by_kernel[p], b.by_kernel[p], 1e-8 * (1 + std::abs(b.by_kernel[p]))) << p;
        }
        const Approach::Solution s = few.solve(at), exact = all.solve(at);
        EXPECT_NEAR(s.log_likelihood.high, b.objective, 1e-8 * std::abs(b.objective));
        const Points fresh = rows(test::random_matrix(9, 3, 77));
        test::expect_near(test::product(cross(*at.kernel, fresh, *s.centres), s.alpha),
                          test::product(cross(*at.kernel, fresh, *data.x), exact.alpha), 1e-8);
        test::expect_near(s.b, exact.b, 1e-8);
        for (std::size_t t = 0; t < s.signal.size(); ++t) EXPECT_NEAR(s.signal[t], exact.signal[t], 1e-9);
      }
    }
  }
}

TEST(Inducing, SlopesAreThoseOfDifferences) {
  for (const InducingBy by : {InducingBy::bound, InducingBy::fitc}) {
    for (const bool known : {false, true}) {
      const ProcessData data = problem(90, 2, 2, known, 11);
      const Points z = data.x->select(std::vector<Index>{2, 17, 33, 41, 50, 66, 88});
      InducingProcess process = at_points(data, by, z);
      const Kernel k = parse(kArd);
      const double noise = 0.15, signal = 1.4;
      const auto value = [&](const Kernel& kernel, double at_noise, double at_signal) {
        return process.evaluate({kernel, at_noise, known ? std::optional(at_signal) : std::nullopt}, false).objective;
      };
      const Approach::Value v = process.evaluate({k, noise, known ? std::optional(signal) : std::nullopt}, true);
      constexpr double h = 1e-5;
      EXPECT_NEAR(v.by_noise, (value(k, noise + h, signal) - value(k, noise - h, signal)) / (2 * h),
                  1e-5 * std::abs(v.by_noise));
      if (known) {
        EXPECT_NEAR(v.by_signal, (value(k, noise, signal + h) - value(k, noise, signal - h)) / (2 * h),
                    1e-5 * (1 + std::abs(v.by_signal)));
      }
      const Params params = k.params();
      for (Index p = 0; p < params.size(); ++p) {
        const auto moved = [&](double by_how_much) {
          std::vector<Parameter> list(params.begin(), params.end());
          list[pos(p)].value += by_how_much;
          return value(k.with(Params(std::move(list))), noise, signal);
        };
        EXPECT_NEAR(v.by_kernel[pos(p)], (moved(h) - moved(-h)) / (2 * h), 1e-5 * (1 + std::abs(v.by_kernel[pos(p)])))
            << params[p].path;
      }
    }
  }
}

TEST(Inducing, TheEvidenceLiesBetweenTheBoundsAndMorePointsRaiseTheLower) {
  const ProcessData data = problem(80, 1, 1, false, 21);
  const Approach::At at{parse("rbf(ell=1.2)"), 0.3, 0.9};
  const double exact = ProcessSystem(data, GaussianProcess::Objective::lml, {}).evaluate(at, false).objective;
  std::vector<Index> which(80);
  std::iota(which.begin(), which.end(), Index{0});
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::shuffle(which.begin(), which.end(), std::mt19937_64(seed));
    double before = -std::numeric_limits<double>::infinity();
    for (Index m = 1; m <= 40; m += m < 10 ? 1 : 10) {
      const std::vector<Index> some(which.begin(), which.begin() + m);
      const Approach::Solution s = at_points(data, InducingBy::bound, data.x->select(some)).solve(at);
      EXPECT_GE(s.log_likelihood.low, before);
      EXPECT_LE(s.log_likelihood.low, exact);
      EXPECT_GE(s.log_likelihood.high, exact);
      before = s.log_likelihood.low;
    }
  }
}

// 2,500 rows are three pieces, and several strips of the reverse pass.
TEST(Inducing, ThreadsChangeNoBit) {
  const ProcessData data = problem(2500, 1, 1, false, 31);
  const Points z = data.x->slice({100, 140});
  const Approach::At at{parse(kArd), 0.1, std::nullopt};
  for (const InducingBy by : {InducingBy::bound, InducingBy::fitc}) {
    const Approach::Value one = at_points(data, by, z, {.threads = 1}).evaluate(at, true);
    const Approach::Value two = at_points(data, by, z, {.threads = 3}).evaluate(at, true);
    EXPECT_EQ(one.objective, two.objective);
    EXPECT_EQ(one.by_kernel, two.by_kernel);
    EXPECT_EQ(one.by_noise, two.by_noise);
  }
}

// Slopes over several pieces and strips: a row given twice is one of half the noise.
TEST(Inducing, ARowOfHalfTheNoiseIsTwoRows) {
  const ProcessData once = problem(1025, 1, 1, false, 41);
  ProcessData twice = once, half = once;
  const Points z = once.x->slice({0, 20});
  std::vector<Index> which;
  for (Index i = 0; i < 1025; ++i) which.insert(which.end(), 2, i);
  twice = once.select(which);
  for (double& shape : half.shape) shape /= 2;
  const Approach::At at{parse(kArd), 0.1, 1.1};
  const Approach::Solution a = at_points(twice, InducingBy::bound, z).solve(at);
  const Approach::Solution b = at_points(half, InducingBy::bound, z).solve(at);
  test::expect_near(a.alpha, b.alpha, 1e-7);
  test::expect_near(a.b, b.b, 1e-9);
  test::expect_near(a.posterior->covariance, b.posterior->covariance, 1e-9);
}

}  // namespace
}  // namespace mercer::inducing_test
