// Gaussian process regression against scikit-learn, and against results that GPML and george have published.
#include <fstream>
#include <numbers>

#include "linalg/cholesky.hpp"
#include "machines/golden_file.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "paths.hpp"
#include "support.hpp"

namespace mercer::gp_golden_test {
namespace {

using test::expect_near;

const Json& golden() {
  static const Json json = test::golden_file("gp.json");
  return json;
}

Matrix matrix(const Json& json) {
  Matrix out(static_cast<Index>(json.size()), static_cast<Index>(json[0].size()));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) = json[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].number();
    }
  }
  return out;
}

Matrix column(const Vector& v) { return Matrix(MatrixView(v.data(), static_cast<Index>(v.size()), 1)); }

// As scikit-learn has it: no trend, the signal inside the kernel, nothing learnt.
GaussianProcess plain(double noise) {
  return {.noise = Learnable::fixed_at(noise),
          .signal = Learnable::fixed_at(1),
          .mean = Trend::none,
          .objective = GaussianProcess::Objective::none};
}

TEST(GpGolden, EvidenceAndItsGradientEqualScikitLearn) {
  for (const Json& p : golden()["problems"]) {
    if (!p["point_noise"].empty() || p["y"][0].size() > 1) continue;
    SCOPED_TRACE(p["name"].get<std::string>());
    const Kernel k = parse(p["kernel"].get<std::string>());
    const Matrix y = matrix(p["y"]);
    const double noise = p["noise"].number();
    const Evidence evidence = log_marginal_likelihood(k, rows(matrix(p["x"])),
                                                      VectorView(y.data(), static_cast<std::size_t>(y.rows())), noise);
    EXPECT_NEAR(evidence.value, p["lml"].get<double>(), 1e-8);
    const Params params = k.params();
    ASSERT_EQ(static_cast<std::size_t>(params.size()) + 1, p["gradient"].size());
    for (Index i = 0; i < params.size(); ++i) {
      ASSERT_TRUE(p["gradient"].contains(params[i].path)) << params[i].path;
      EXPECT_NEAR(params[i].value * evidence.by_kernel[static_cast<std::size_t>(i)],
                  p["gradient"][params[i].path].get<double>(), 1e-7)
          << params[i].path;
    }
    EXPECT_NEAR(noise * evidence.by_noise, p["gradient"]["noise"].get<double>(), 1e-7);
  }
}

TEST(GpGolden, PosteriorEqualsScikitLearn) {
  for (const Json& p : golden()["problems"]) {
    SCOPED_TRACE(p["name"].get<std::string>());
    GaussianProcess gp = plain(p["noise"].number());
    gp.point_noise = p["point_noise"].get<Vector>();
    const Model m =
        gp.fit({.K = lazy(parse(p["kernel"].get<std::string>()), rows(matrix(p["x"]))), .y = matrix(p["y"])});
    const Points fresh = rows(matrix(p["new"]));
    EXPECT_NEAR(*m.report().figure("log_marginal_likelihood"), p["lml"].get<double>(), 1e-8);
    expect_near(m.scores(fresh), matrix(p["mean"]), 1e-8);
    expect_near(m.covariance(fresh), matrix(p["covariance"]), 1e-8);
    const Matrix variance = m.variances(fresh);
    const auto deviation = p["deviation"].get<Vector>();
    for (Index i = 0; i < variance.rows(); ++i) {
      for (Index t = 0; t < variance.cols(); ++t) {
        EXPECT_NEAR(std::sqrt(variance(i, t)), deviation[static_cast<std::size_t>(i)], 1e-7);
      }
    }
  }
}

TEST(GpGolden, MaunaLoaAtThePublishedOptimum) {
  const Json& p = golden()["mauna_loa"];
  const auto months = p["months"].get<Vector>();
  Vector y = p["ppm"].get<Vector>();
  ASSERT_EQ(y.size(), 521U);
  double mean = 0;
  for (const double ppm : y) mean += ppm / 521;
  for (double& ppm : y) ppm -= mean;
  Matrix x = column(months);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) /= 12;
  const Kernel k = parse(p["kernel"].get<std::string>());
  const Evidence evidence = log_marginal_likelihood(k, rows(x.view()), y, p["noise"].number());
  EXPECT_NEAR(evidence.value, p["lml"].get<double>(), 1e-5);  // condition number 1e8
  EXPECT_NEAR(evidence.value, -115.05, 0.01);                 // of the optimum, printed with three digits
}

// ---- GPML: its demonstrations draw their data from a generator of their own ----

// Park and Miller's x -> 7^5 x mod 2^31 - 1, and the transform of Box and Muller: the first half of the numbers are
// radii, the second half angles; cosines come first.
Vector gpml_normal(double seed, std::size_t n) {
  const std::size_t half = (n + 1) / 2;
  auto state = static_cast<std::uint64_t>(seed * 0x1p31);
  Vector uniform(2 * half);
  for (double& u : uniform) {
    state = 16807 * state % 2147483647;
    u = static_cast<double>(state) * 0x1p-31;
  }
  Vector out(2 * half);
  for (std::size_t i = 0; i < half; ++i) {
    const double radius = std::sqrt(-2 * std::log(uniform[i])), angle = 2 * std::numbers::pi * uniform[half + i];
    out[i] = radius * std::cos(angle);
    out[half + i] = radius * std::sin(angle);
  }
  out.resize(n);
  return out;
}

TEST(GpGolden, GpmlFirstExample) {
  const Vector x = gpml_normal(0.8, 20), noise = gpml_normal(0.9, 20);
  Vector y;
  for (std::size_t i = 0; i < 20; ++i) y.push_back(std::sin(3 * x[i]) + 0.1 * noise[i]);
  GaussianProcess gp{.noise = {.value = std::exp(-2.0)}, .mean = Trend::none};  // GPML's start: log sn = -1
  const Model m = gp.fit(lazy(parse("1*rbf(ell=1)"), rows(column(x))), y);
  const Kernel k = *m.expansion().parts().kernel;
  const double signal = m.posterior().signal[0];
  EXPECT_NEAR(std::log(k.params()[k.params().find("rbf.ell")].value), -0.6352, 1e-3);
  EXPECT_NEAR(0.5 * std::log(signal * k.params()[k.params().find("scale")].value), -0.1045, 1e-3);
  EXPECT_NEAR(0.5 * std::log(m.posterior().noise[0]), -2.3824, 1e-3);
}

TEST(GpGolden, GpmlDemoRegression) {
  const Points x = rows(column(gpml_normal(0.3, 20)));
  const Kernel truth = parse("matern(nu=1.5, ell=0.25)");
  Matrix L = gram(truth, x);
  ASSERT_EQ(linalg::cholesky(L), 0);
  const Vector at_x = gpml_normal(0.3, 20), z = gpml_normal(0.15, 20), e = gpml_normal(0.2, 20);
  Vector rest(20), y(20);  // without and with the mean function 1 + x/2
  for (Index i = 0; i < 20; ++i) {
    const auto a = static_cast<std::size_t>(i);
    rest[a] = 0.1 * e[a];
    for (Index j = 0; j <= i; ++j) rest[a] += L(i, j) * z[static_cast<std::size_t>(j)];
    y[a] = rest[a] + 1 + 0.5 * at_x[a];
  }
  EXPECT_NEAR(log_marginal_likelihood(truth, x, rest, 0.01).value, -11.97, 5e-3);
  const Model m = GaussianProcess{.noise = {.value = 0.01}, .mean = Trend::none}.fit(lazy(parse("1*rbf(ell=1)"), x), y);
  EXPECT_NEAR(*m.report().figure("log_marginal_likelihood"), -14.13, 5e-3);
  EXPECT_NEAR(std::sqrt(m.posterior().noise[0]), 0.15, 5e-3);
}

TEST(GpGolden, George) {
  const auto x = golden()["george"]["x"].get<Vector>();
  ASSERT_EQ(x.size(), 100U);
  Vector y;
  for (const double v : x) y.push_back(std::sin(v));
  const Kernel k = golden()["george"]["scale"].get<double>() * rbf(1);
  EXPECT_NEAR(log_marginal_likelihood(k, rows(column(x)), y, 0.01).value, 133.946394912, 1e-7);
}

}  // namespace
}  // namespace mercer::gp_golden_test
