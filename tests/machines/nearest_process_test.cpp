// Gaussian processes from neighbours: values of Vecchia's formula in 40 digits, the exact process where all points are
// neighbours, and laws.
#include "machines/processes/nearest/nearest_process.hpp"

#include <fmt/format.h>

#include <numeric>
#include <sstream>

#include "machines/processes/evidence.hpp"
#include "mercer/kernels.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::nearest_process_test {

namespace {

using detail::Approach;
using detail::NearestProcess;
using detail::ProcessData;
using detail::ProcessSystem;
using test::expect_error;
using test::expect_near;
using test::random_matrix;
using test::random_vector;
using Objective = GaussianProcess::Objective;

std::vector<Index> natural(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// x_i = (i + .3 sin i)/4, y_i = sin x_i + .5 cos 3x_i
ProcessData wave() {
  Matrix x(12, 1), y(12, 1);
  for (Index i = 0; i < 12; ++i) {
    const auto place = static_cast<double>(i);
    x(i, 0) = (place + 0.3 * std::sin(place)) / 4;
    y(i, 0) = std::sin(x(i, 0)) + 0.5 * std::cos(3 * x(i, 0));
  }
  const Points points = rows(std::move(x));
  return {.K = lazy(rbf(1), points), .x = points, .y = std::move(y), .H = Matrix(12, 0), .shape = Vector(12, 1.0)};
}

double value_of(const char* kernel, double noise, Index neighbours) {
  const ProcessData data = wave();
  return NearestProcess(data, neighbours, natural(12), {}).evaluate({parse(kernel), noise, 1.0}, false).objective;
}

TEST(NearestProcess, HasTheValuesOfVecchiasFormula) {
  const char* const matern = "1.5*matern(nu=1.5, ell=0.8)";
  EXPECT_NEAR(value_of(matern, 0.05, 1), -6.83512070323176, 1e-12);
  EXPECT_NEAR(value_of(matern, 0.05, 3), -6.17143525578413, 1e-12);
  EXPECT_NEAR(value_of(matern, 0.05, 11), -6.16429035516973, 1e-12);
}

TEST(NearestProcess, IsExactForAMarkovProcessOnALine) {
  EXPECT_NEAR(value_of("1.5*matern(nu=0.5, ell=0.8)", 0, 1), -9.90734672213703, 1e-12);
}

TEST(NearestProcess, HasTheSeedOfVecchiasFormula) {
  const ProcessData data = wave();
  NearestProcess process(data, 3, natural(12), {});
  const Matrix W = process.summed_seed({parse("1.5*matern(nu=1.5, ell=0.8)"), 0.05, 1.0});
  EXPECT_NEAR(W(4, 4), -3.93254712733965, 1e-11);
  EXPECT_NEAR(2 * W(7, 5), -0.855938429686703, 1e-11);
}

// Points in the plane, some of them several times, two targets, a linear trend, weights.
ProcessData plane(Index n, bool repeated, bool known = false) {
  Matrix x = random_matrix(n, 2, 5);
  if (repeated) {
    for (Index i = 0; i < n / 4; ++i) std::copy_n(x.row(i % 3), 2, x.row(n - 1 - i));
  }
  Matrix H(n, 3, 1.0);
  for (Index i = 0; i < n; ++i) std::copy_n(x.row(i), 2, H.row(i) + 1);
  const Points points = rows(std::move(x));
  ProcessData out{.K = lazy(rbf(1), points), .x = points, .y = random_matrix(n, 2, 6), .H = std::move(H)};
  out.shape = random_vector(n, 7, 0.3, 3);
  if (known) out.known = random_vector(n, 8, 0.01, 0.2);
  return out;
}

const char* const kKernels[] = {"1.3*rbf(ell=[0.7, 1.9])", "matern(nu=1.5, ell=0.8) + 0.3*linear()",
                                "rq(ell=0.9, alpha=2)*periodic(period=3, ell=1.1)", "matern(nu=2.5, ell=[0.4, 2])"};

void expect_same(const Approach::Value& a, const Approach::Value& b, double tolerance) {
  EXPECT_NEAR(a.objective, b.objective, tolerance * std::abs(b.objective));
  ASSERT_EQ(a.by_kernel.size(), b.by_kernel.size());
  const auto near = [&](double one, double other) {
    EXPECT_NEAR(one, other, tolerance * std::max(10.0, std::abs(other)));
  };
  for (std::size_t p = 0; p < a.by_kernel.size(); ++p) near(a.by_kernel[p], b.by_kernel[p]);
  near(a.by_noise, b.by_noise);
  near(a.by_signal, b.by_signal);
  for (std::size_t t = 0; t < a.signal.size(); ++t) near(a.signal[t], b.signal[t]);
}

TEST(NearestProcess, WithAllPointsAsNeighboursIsTheExactOne) {
  for (const bool repeated : {false, true}) {
    for (const char* const kernel : kKernels) {
      SCOPED_TRACE(fmt::format("{}, {}", kernel, repeated));
      const ProcessData data = plane(41, repeated);
      for (const std::optional<double> signal : {std::optional<double>(1.7), std::optional<double>()}) {
        const Approach::At where{parse(kernel), 0.1, signal};
        expect_same(NearestProcess(data, 40, std::uint64_t{1}, {}).evaluate(where, true),
                    ProcessSystem(data, Objective::lml, {}).evaluate(where, true), 1e-10);
      }
    }
  }
  const ProcessData known = plane(41, true, true);
  const Approach::At where{parse(kKernels[0]), 0.1, 1.7};
  expect_same(NearestProcess(known, 40, std::uint64_t{1}, {}).evaluate(where, true),
              ProcessSystem(known, Objective::lml, {}).evaluate(where, true), 1e-10);
}

TEST(NearestProcess, HasTheDerivativesOfItsValue) {
  for (const char* const text : kKernels) {
    SCOPED_TRACE(text);
    const ProcessData data = plane(70, true, true);
    const Kernel kernel = parse(text);
    const double noise = 0.2, signal = 1.4;
    // One search for all: a step must not change who is near.
    NearestProcess process(data, 6, std::uint64_t{3}, {});
    const Approach::Value at = process.evaluate({kernel, noise, signal}, true);
    const auto value = [&](const Kernel& k, double n, double s) {
      return process.evaluate({k, n, s}, false).objective;
    };
    const auto expect_slope = [](double high, double low, double step, double slope) {
      EXPECT_NEAR((high - low) / (2 * step), slope, 2e-5 * std::max(1.0, std::abs(slope)));
    };
    const Params params = kernel.params();
    for (Index p = 0; p < params.size(); ++p) {
      const double step = 1e-5 * params[p].value;
      const auto moved = [&](double by) {
        std::vector<Parameter> list(params.begin(), params.end());
        list[static_cast<std::size_t>(p)].value += by;
        return kernel.with(Params(std::move(list)));
      };
      expect_slope(value(moved(step), noise, signal), value(moved(-step), noise, signal), step,
                   at.by_kernel[static_cast<std::size_t>(p)]);
    }
    expect_slope(value(kernel, noise + 1e-6, signal), value(kernel, noise - 1e-6, signal), 1e-6, at.by_noise);
    expect_slope(value(kernel, noise, signal + 1e-6), value(kernel, noise, signal - 1e-6), 1e-6, at.by_signal);
  }
}

TEST(NearestProcess, CountsRepeatedPlacesOnce) {  // and its noise has the derivative of that
  const ProcessData data = plane(60, true);
  NearestProcess process(data, 5, std::uint64_t{3}, {});
  const Kernel kernel = parse("rbf(ell=0.8)");
  const Approach::Value at = process.evaluate({kernel, 0.3, std::nullopt}, true);
  const double high = process.evaluate({kernel, 0.3 + 1e-6, std::nullopt}, false).objective,
               low = process.evaluate({kernel, 0.3 - 1e-6, std::nullopt}, false).objective;
  EXPECT_NEAR((high - low) / 2e-6, at.by_noise, 1e-5 * std::abs(at.by_noise));
}

TEST(NearestProcess, DoesNotDependOnTheOrderOfTheRows) {
  const ProcessData data = plane(300, true);
  std::vector<Index> turned = natural(300);
  std::reverse(turned.begin(), turned.end());
  const ProcessData other = data.select(turned);
  const Approach::At where{parse("1.3*rbf(ell=[0.7, 1.9])"), 0.1, std::nullopt};
  expect_same(NearestProcess(other, 7, std::uint64_t{1}, {}).evaluate(where, true),
              NearestProcess(data, 7, std::uint64_t{1}, {}).evaluate(where, true), 1e-10);
}

TEST(NearestProcess, DoesNotDependOnThreads) {
  const ProcessData data = plane(1025, true);
  const Approach::At where{parse("1.3*rbf(ell=[0.7, 1.9])"), 0.1, std::nullopt};
  const Approach::Value one = NearestProcess(data, 9, std::uint64_t{1}, {.threads = 1}).evaluate(where, true),
                        three = NearestProcess(data, 9, std::uint64_t{1}, {.threads = 3}).evaluate(where, true);
  EXPECT_EQ(one.objective, three.objective);
  EXPECT_EQ(one.by_kernel, three.by_kernel);
  EXPECT_EQ(one.by_noise, three.by_noise);
}

// ---- as a machine ----

struct Task {
  Matrix x, y, fresh;
  Vector weights = {};
};
Task smooth(Index n, Index columns = 2) {
  Task out{random_matrix(n, columns, 11, 0, 1), Matrix(n, 1), random_matrix(30, columns, 12, -0.1, 1.1)};
  const Matrix noise = random_matrix(n, 1, 13, -0.3, 0.3);
  for (Index i = 0; i < n; ++i) {
    out.y(i, 0) = std::sin(6 * out.x(i, 0)) + std::cos(5 * out.x(i, columns - 1)) + 3 + noise(i, 0);
  }
  return out;
}

GaussianProcess fixed_process(Index nearest, Trend mean = Trend::constant) {
  return {.noise = Learnable::fixed_at(0.03),
          .signal = Learnable::fixed_at(1.2),
          .mean = mean,
          .objective = Objective::none,
          .nearest = nearest};
}

Model fitted(const GaussianProcess& gp, const char* kernel, const Task& task) {
  return gp.fit({.K = lazy(parse(kernel), rows(task.x)), .y = task.y, .weights = task.weights});
}

TEST(NearestModel, WithAllPointsAsNeighboursIsTheExactOne) {
  for (const Trend mean : {Trend::none, Trend::constant, Trend::linear}) {
    Task task = smooth(50);
    for (Index i = 0; i < 10; ++i) std::copy_n(task.x.row(i), 2, task.x.row(40 + i));
    task.weights = Vector(50, 1.0);
    task.weights[3] = 2;
    task.weights[7] = 0;
    const Model near = fitted(fixed_process(60, mean), "matern(nu=1.5, ell=0.4)", task),
                exact = fitted(fixed_process(0, mean), "matern(nu=1.5, ell=0.4)", task);
    const Points fresh = rows(task.fresh);
    expect_near(near.scores(fresh), exact.scores(fresh), 1e-10);
    expect_near(near.variances(fresh), exact.variances(fresh), 1e-10);
    expect_near(near.covariance(fresh), exact.covariance(fresh), 1e-10);
    expect_near(near.expansion()(fresh), exact.expansion()(fresh), 1e-9);
    EXPECT_NEAR(*near.report().figure("log_marginal_likelihood"), *exact.report().figure("log_marginal_likelihood"),
                1e-9);
  }
}

// A point by itself is given the same few neighbours by both, each with the noise of its own weight.
TEST(NearestModel, TheCovarianceOfAPointIsItsVariance) {
  Task task = smooth(80);
  for (Index i = 0; i < 80; ++i) task.weights.push_back(0.1 + static_cast<double>(i % 9));
  const Model m = fitted(fixed_process(6), "matern(nu=1.5, ell=0.4)", task);
  for (Index i = 0; i < 5; ++i) {
    const Points one = rows(task.fresh).slice({i, i + 1});
    EXPECT_NEAR(m.covariance(one)(0, 0), m.variances(one)(0, 0), 1e-10);
  }
}

// More neighbours than there are points: all are used, and plan, report and settings say how many that is.
TEST(NearestModel, SaysHowManyNeighboursThereAre) {
  const Task task = smooth(40);
  const auto asked_for = [&](const char* nearest) {
    return fit("gp", {{"nearest", nearest}, {"starts", "1"}},
               {.K = lazy(parse("rbf(ell=0.5)"), rows(task.x)), .y = task.y});
  };
  const Model many = asked_for("500"), all = asked_for("39"), some = asked_for("10");
  EXPECT_EQ(many.parts().settings.at("nearest"), "39");
  EXPECT_EQ(some.parts().settings.at("nearest"), "10");
  EXPECT_EQ(many.parts().settings, all.parts().settings);
  EXPECT_EQ(many.report().figure("neighbours"), 39);
  ASSERT_TRUE(many.report().plan.has_value());
  EXPECT_EQ(many.report().plan->solver.substr(0, 21), "39 nearest neighbours");
  expect_near(many.scores(rows(task.fresh)), all.scores(rows(task.fresh)), 0);
}

TEST(NearestModel, IsNearTheExactOneAtTwoThousandPoints) {
  const Task task = smooth(2000);
  const Model near = fitted(fixed_process(30), "matern(nu=1.5, ell=0.4)", task),
              exact = fitted(fixed_process(0), "matern(nu=1.5, ell=0.4)", task);
  EXPECT_NEAR(*near.report().figure("log_marginal_likelihood"), *exact.report().figure("log_marginal_likelihood"),
              0.005 * 2000);
  EXPECT_LE(*near.report().figure("change_by_twice_the_neighbours"), 0.01);
  const Points fresh = rows(task.fresh);
  const Matrix mean = near.scores(fresh), wanted = exact.scores(fresh), variance = near.variances(fresh),
               wanted_variance = exact.variances(fresh), joint = near.covariance(fresh);
  for (Index i = 0; i < mean.rows(); ++i) {
    EXPECT_NEAR(mean(i, 0), wanted(i, 0), 0.2 * std::sqrt(wanted_variance(i, 0))) << i;
    EXPECT_GE(variance(i, 0), wanted_variance(i, 0) * (1 - 1e-9)) << i;  // fewer points tell less
    EXPECT_LE(variance(i, 0), wanted_variance(i, 0) * 1.2) << i;
    EXPECT_LE(joint(i, i), variance(i, 0) * (1 + 1e-9)) << i;
  }
}

TEST(NearestModel, LearnsWhatTheExactOneLearns) {
  const Task task = smooth(300);
  GaussianProcess gp{.starts = 2};
  const Model exact = fitted(gp, "matern(nu=2.5, ell=0.5)", task);
  gp.nearest = 40;
  const Model near = fitted(gp, "matern(nu=2.5, ell=0.5)", task);
  EXPECT_NEAR(*near.report().figure("log_marginal_likelihood"), *exact.report().figure("log_marginal_likelihood"), 2);
  EXPECT_NEAR(*near.report().figure("noise"), *exact.report().figure("noise"), 0.1 * *exact.report().figure("noise"));
}

TEST(NearestModel, IsTheSameAfterAFile) {
  const Task task = smooth(200, 3);
  const Model m = fitted(fixed_process(10, Trend::linear), "rbf(ell=[0.4, 0.8, 0.5])", task);
  std::stringstream file;
  save(file, m);
  const Model again = load_bytes(file.str(), "memory");
  const Points fresh = rows(task.fresh);
  expect_near(again.scores(fresh), m.scores(fresh), 0);
  expect_near(again.variances(fresh), m.variances(fresh), 0);
  EXPECT_NE(file.str().find("\"kind\":\"nearest\""), std::string::npos);
}

TEST(NearestModel, TakesObjectsAndOnePoint) {
  const Points words = strings({"abab", "abba", "bbaa", "baba", "aabb", "abaa", "bbbb", "aaab"});
  const Vector y = random_vector(8, 3);
  const auto fit = [&](Index nearest, const Points& x, const char* kernel, const Vector& targets) {
    return fixed_process(nearest).fit(lazy(parse(kernel), x), targets);
  };
  const char* const kernel = "normalize(spectrum(k=2))";
  expect_near(fit(7, words, kernel, y).scores(words), fit(0, words, kernel, y).scores(words), 1e-10);
  const Points fresh = strings({"abbb", "bab"});
  EXPECT_EQ(fit(3, words, kernel, y).variances(fresh).rows(), 2);
  const Points one = rows(Matrix(1, 2, 0.5)), other = rows(Matrix(1, 2, 0.7));
  const Model near = fit(4, one, "rbf(ell=1)", {2.0}), exact = fit(0, one, "rbf(ell=1)", {2.0});
  expect_near(near.scores(other), exact.scores(other), 1e-12);
  expect_near(near.variances(other), exact.variances(other), 1e-12);
}

TEST(NearestModel, PassesThroughTargetsWithoutNoise) {
  Task task = smooth(80);
  std::copy_n(task.x.row(0), 2, task.x.row(79));
  task.y(79, 0) = task.y(0, 0);
  GaussianProcess gp = fixed_process(10);
  gp.noise = Learnable::fixed_at(0);
  const Model m = fitted(gp, "matern(nu=1.5, ell=0.4)", task);
  expect_near(m.scores(rows(task.x)), task.y, 1e-9);
  for (Index i = 0; i < 80; ++i) EXPECT_NEAR(m.variances(rows(task.x))(i, 0), 0, 1e-9);
  task.y(79, 0) += 1;
  expect_error([&] { fitted(gp, "matern(nu=1.5, ell=0.4)", task); }, "DataError", {"rows 1 and 80", "noise above 0"});
}

TEST(NearestModel, SaysWhatItCannotDo) {
  const Task task = smooth(40);
  const auto fit = [&](const GaussianProcess& gp) { return fitted(gp, "rbf(ell=0.5)", task); };
  expect_error([&] { fit({.objective = Objective::loo, .nearest = 5}); }, "UsageError",
               {"leave-one-out", "objective=lml"});
  expect_error([&] { fit({.nearest = 501}); }, "UsageError", {"nearest=501", "500"});
  const Matrix K = gram(parse("rbf(ell=0.5)"), rows(task.x));
  expect_error([&] { fixed_process(5).fit({.K = precomputed(K), .y = task.y}); }, "UsageError",
               {"needs points and a kernel"});
  const Model m = fit(fixed_process(5));
  EXPECT_EQ(sample_posterior(m, rows(task.fresh), {.draws = 2}).cols(), 2);
  expect_error([&] { sample_posterior(m, rows(task.fresh), {.pathwise = true}); }, "UsageError",
               {"neighbours alone", "without nearest"});
  expect_error([&] { condition(m, rows(task.fresh), Matrix(30, 1)); }, "UsageError", {"without nearest"});
}

TEST(NearestModel, TakesMoreNeighboursWhereTheyMatter) {
  const Task task = smooth(1500, 3);
  const Model m = fitted(fixed_process(2), "rbf(ell=0.6)", task);
  EXPECT_GT(*m.report().figure("neighbours"), 2);
  EXPECT_GE(m.posterior().neighbours, static_cast<Index>(*m.report().figure("neighbours")));
}

}  // namespace

}  // namespace mercer::nearest_process_test
