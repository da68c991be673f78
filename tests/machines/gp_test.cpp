#include "mercer/machines/gp.hpp"

#include <numbers>

#include "laws/random_kernels.hpp"
#include "machines/processes/evidence.hpp"
#include "machines/processes/scale.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::gp_test {

namespace {

using detail::ProcessData;
using detail::ProcessSystem;
using Objective = GaussianProcess::Objective;
using test::expect_error;
using test::expect_near;
using test::product;
using test::random_matrix;

// ---- a naive Gaussian process: Gauss-Jordan, no structure ----

struct Inverse {
  Matrix inverse;
  double log_determinant = 0;
};
Inverse invert(Matrix a) {
  const Index n = a.rows();
  Matrix inverse(n, n);
  double log_determinant = 0;
  for (Index i = 0; i < n; ++i) inverse(i, i) = 1;
  for (Index c = 0; c < n; ++c) {
    const double pivot = a(c, c);
    log_determinant += std::log(pivot);
    for (Index j = 0; j < n; ++j) a(c, j) /= pivot, inverse(c, j) /= pivot;
    for (Index i = 0; i < n; ++i) {
      const double factor = a(i, c);
      if (i == c) continue;
      for (Index j = 0; j < n; ++j) a(i, j) -= factor * a(c, j), inverse(i, j) -= factor * inverse(c, j);
    }
  }
  return {inverse, log_determinant};
}

Matrix transposed(const Matrix& a) {
  Matrix out(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

Matrix basis(const Matrix& x, Trend trend) {
  const Index columns = trend == Trend::none ? 0 : trend == Trend::constant ? 1 : 1 + x.cols();
  Matrix h(x.rows(), columns, 1.0);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 1; j < columns; ++j) h(i, j) = x(i, j - 1);
  }
  return h;
}

struct Naive {
  Matrix mean, covariance;
  double log_likelihood;
};
// Rasmussen & Williams 2006, (2.41) and (2.42) with a vague prior on b; noise on the diagonal is given point by point.
Naive naive(const Kernel& k, const Matrix& x, const Matrix& y, const Vector& noise, Trend trend, const Matrix& test) {
  Matrix a = gram(k, rows(x.view()));
  for (Index i = 0; i < a.rows(); ++i) a(i, i) += noise[static_cast<std::size_t>(i)];
  const Inverse inverse = invert(a);
  const Matrix H = basis(x, trend), Ht = basis(test, trend), Ks = cross(k, rows(test.view()), rows(x.view()));
  Matrix b(H.cols(), y.cols()), trend_inverse;
  Matrix rest = y;
  if (H.cols() > 0) {
    trend_inverse = invert(product(transposed(H), product(inverse.inverse, H))).inverse;
    b = product(trend_inverse, product(transposed(H), product(inverse.inverse, y)));
    const Matrix fitted = product(H, b);
    for (Index i = 0; i < y.rows() * y.cols(); ++i) rest.data()[i] -= fitted.data()[i];
  }
  const Matrix alpha = product(inverse.inverse, rest);
  Naive out{product(Ks, alpha), gram(k, rows(test.view())), 0};
  const Matrix explained = product(Ks, product(inverse.inverse, transposed(Ks)));
  for (Index i = 0; i < explained.rows() * explained.cols(); ++i) out.covariance.data()[i] -= explained.data()[i];
  if (H.cols() > 0) {
    const Matrix fitted = product(Ht, b), known = product(Ks, product(inverse.inverse, H));
    Matrix r = Ht;
    for (Index i = 0; i < r.rows() * r.cols(); ++i) r.data()[i] -= known.data()[i];
    const Matrix unsure = product(r, product(trend_inverse, transposed(r)));
    for (Index i = 0; i < fitted.rows() * fitted.cols(); ++i) out.mean.data()[i] += fitted.data()[i];
    for (Index i = 0; i < unsure.rows() * unsure.cols(); ++i) out.covariance.data()[i] += unsure.data()[i];
  }
  for (Index t = 0; t < y.cols(); ++t) {
    double q = 0;
    for (Index i = 0; i < y.rows(); ++i) q += rest(i, t) * alpha(i, t);
    out.log_likelihood -=
        0.5 * (q + inverse.log_determinant + static_cast<double>(y.rows()) * std::log(2 * std::numbers::pi));
  }
  return out;
}

// A smooth function of two inputs with noise.
struct Sample {
  Matrix x, y;
};
Sample sample(Index n, unsigned seed, double noise = 0.1, Index targets = 1) {
  Sample out{random_matrix(n, 2, seed), Matrix(n, targets)};
  const Matrix e = random_matrix(n, targets, seed + 1000, -1, 1);
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < targets; ++t) {
      const double shift = static_cast<double>(t);
      out.y(i, t) = (1 + 10 * shift) * (std::sin(2 * out.x(i, 0) + shift) + 0.5 * out.x(i, 1)) + 3 + noise * e(i, t);
    }
  }
  return out;
}
Vector column(const Matrix& m, Index j = 0) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  return out;
}
Training training(const Kernel& k, const Sample& s) { return {.K = lazy(k, rows(s.x.view())), .y = s.y}; }

const GaussianProcess kAsGiven{.noise = Learnable::fixed_at(0.05), .mean = Trend::none, .objective = Objective::none};

// ---- predictions ----

TEST(GpTest, AgreesWithANaiveProcess) {
  const Matrix test = random_matrix(7, 2, 99, -3, 3);
  const Kernel k = parse("1.5*rbf(ell=[0.8, 1.7]) + 0.3*matern(nu=1.5, ell=0.5)*linear()");
  for (const Trend trend : {Trend::none, Trend::constant, Trend::linear}) {
    for (const Index targets : {1, 3}) {
      const Sample s = sample(30, 5, 0.1, targets);
      Training t = training(k, s);
      t.weights = test::random_vector(30, 8, 0.5, 3);
      GaussianProcess config = kAsGiven;
      config.mean = trend;
      config.point_noise = test::random_vector(30, 9, 0, 0.1);
      Vector noise;
      for (std::size_t i = 0; i < 30; ++i) noise.push_back(0.05 / t.weights[i] + config.point_noise[i]);
      const Model m = config.fit(t);
      const Naive wanted = naive(k, s.x, s.y, noise, trend, test);
      expect_near(m.scores(rows(test.view())), wanted.mean, 1e-9);
      expect_near(m.covariance(rows(test.view())), wanted.covariance, 1e-9);
      const Matrix variances = m.variances(rows(test.view()));
      ASSERT_EQ(variances.cols(), targets);
      for (Index i = 0; i < 7; ++i) EXPECT_NEAR(variances(i, targets - 1), wanted.covariance(i, i), 1e-10);
      EXPECT_NEAR(*m.report().figure("log_marginal_likelihood"), wanted.log_likelihood, 1e-8);
      EXPECT_NEAR(m.posterior().noise[0], 0.05, 1e-15);
    }
  }
}

TEST(GpTest, MeanIsThatOfRidge) {
  const Sample s = sample(60, 3);
  const Kernel k = parse("2*matern(nu=2.5, ell=1.3)");
  const Matrix test = random_matrix(20, 2, 4, -3, 3);
  const Model gp = kAsGiven.fit(training(k, s));
  const Model ridge = KernelRidge{.ridge = 0.05}.fit(training(k, s));
  expect_near(gp.scores(rows(test.view())), ridge.scores(rows(test.view())), 1e-10);
}

// f(x) = phi(x)'w with w ~ N(0, I), seen through noise: w has mean A^-1 Phi'y / noise and covariance A^-1 with
// A = Phi'Phi / noise + I.
TEST(GpTest, IsTheBayesianLinearModelOfItsFeatures) {
  const FeatureMap phi{"phi", [](VectorView x) { return Vector{1, x[0], x[1], x[0] * x[1], std::sin(x[0])}; }};
  const Sample s = sample(40, 7);
  const Matrix test = random_matrix(9, 2, 5, -3, 3);
  const double noise = 0.05;
  const auto features_of = [&](const Matrix& x) {
    Matrix out(x.rows(), 5);
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector row = phi.apply(VectorView(x.row(i), 2));
      std::copy(row.begin(), row.end(), out.row(i));
    }
    return out;
  };
  const Matrix P = features_of(s.x), Pt = features_of(test);
  Matrix A = product(transposed(P), P);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) A(i, j) = A(i, j) / noise + (i == j ? 1 : 0);
  }
  const Matrix S = invert(A).inverse;
  Matrix mean = product(Pt, product(S, product(transposed(P), s.y)));
  for (Index i = 0; i < mean.rows(); ++i) mean(i, 0) /= noise;
  const Model gp = kAsGiven.fit(training(features(phi), s));
  expect_near(gp.scores(rows(test.view())), mean, 1e-10);
  expect_near(gp.covariance(rows(test.view())), product(Pt, product(S, transposed(Pt))), 1e-10);
}

TEST(GpTest, VarianceIsNeverNegativeAndPriorFarAway) {
  const Sample s = sample(200, 11, 0);
  GaussianProcess config = kAsGiven;
  config.noise = Learnable::fixed_at(1e-12);
  const Model m = config.fit(training(parse("2*rbf(ell=1.5)"), s));
  const Matrix at_data = m.variances(rows(s.x.view()));
  for (Index i = 0; i < at_data.rows(); ++i) {
    EXPECT_GE(at_data(i, 0), 0);
    EXPECT_LT(at_data(i, 0), 1e-6);
  }
  EXPECT_NEAR(m.variances(rows(Matrix{{100, 100}}))(0, 0), 2, 1e-12);
}

TEST(GpTest, PrecomputedNumbersGiveTheSameMeanAndNoVariance) {
  const Sample s = sample(40, 13);
  const Kernel k = parse("rbf(ell=1.1)");
  const Matrix test = random_matrix(5, 2, 6);
  GaussianProcess config{.noise = {.value = 0.1}, .starts = 1};
  const Model numbers = config.fit({.K = precomputed(gram(k, rows(s.x.view()))), .y = s.y});
  const Model points = config.fit(training(parse("rbf(ell=fixed(1.1))"), s));
  expect_near(numbers.expansion().from_rows(cross(k, rows(test.view()), rows(s.x.view()))),
              points.scores(rows(test.view())), 1e-7);
  EXPECT_FALSE(numbers.has_posterior());
  expect_error([&] { numbers.variances(rows(test.view())); }, "UsageError", {"gp", "matrix of numbers"});
}

TEST(GpTest, FilesKeepEverything) {
  const Matrix test = random_matrix(9, 2, 5, -3, 3);
  const Sample s = sample(40, 7, 0.1, 2);
  GaussianProcess config{.mean = Trend::linear, .starts = 1};
  const Model m = config.fit(training(parse("rbf(ell=[auto])"), s));
  std::ostringstream file;
  save(file, m);
  const Model again = load_bytes(file.str(), "memory");
  EXPECT_EQ(m.scores(rows(test.view())), again.scores(rows(test.view())));
  expect_near(again.variances(rows(test.view())), m.variances(rows(test.view())), 1e-12);
  expect_near(again.covariance(rows(test.view()), 1), m.covariance(rows(test.view()), 1), 1e-12);
  EXPECT_EQ(again.posterior().noise, m.posterior().noise);
  EXPECT_EQ(again.posterior().signal, m.posterior().signal);
  EXPECT_EQ(again.report(), m.report());
}

// ---- evidence and its derivatives ----

ProcessData data_of(const Kernel& k, const Sample& s, Trend trend, bool known) {
  const auto n = static_cast<std::size_t>(s.x.rows());
  ProcessData out{.K = lazy(k, rows(s.x.view())), .x = rows(s.x.view()), .y = s.y, .H = basis(s.x, trend)};
  out.shape = test::random_vector(s.x.rows(), 21, 0.5, 2);
  if (known) out.known = test::random_vector(s.x.rows(), 22, 0.01, 0.2);
  EXPECT_EQ(out.shape.size(), n);
  return out;
}

void expect_gradient(const Kernel& k, const ProcessData& data, Objective objective, std::optional<double> signal) {
  ProcessSystem system(data, objective, {});
  const double noise = 0.3;
  const ProcessSystem::Value v = system.evaluate({k, noise, signal}, true);
  ASSERT_TRUE(std::isfinite(v.objective)) << k.str();
  const auto value = [&](const Kernel& kernel, double g, std::optional<double> s) {
    return system.evaluate({kernel, g, s}, false).objective;
  };
  const double h = 1e-5, scale = 1 + std::abs(v.objective);
  EXPECT_NEAR(v.by_noise, (value(k, noise + h, signal) - value(k, noise - h, signal)) / (2 * h), 2e-6 * scale);
  if (signal) {
    EXPECT_NEAR(v.by_signal, (value(k, noise, *signal + h) - value(k, noise, *signal - h)) / (2 * h), 2e-6 * scale);
  }
  const Params params = k.params();
  ASSERT_EQ(static_cast<Index>(v.by_kernel.size()), params.size());
  for (const Index p : params.free()) {
    const double at = params[p].value, step = h * at;
    if (at + step > params[p].upper || at - step < params[p].lower) continue;
    const double slope = (value(k.with(params[p].path, at + step), noise, signal) -
                          value(k.with(params[p].path, at - step), noise, signal)) /
                         (2 * step);
    EXPECT_NEAR(v.by_kernel[static_cast<std::size_t>(p)] * at, slope * at, 5e-6 * scale)
        << params[p].path << " of " << k.str();
  }
}

TEST(GpTest, GradientsOfRandomKernels) {
  RandomKernels random(31, 2);
  for (int i = 0; i < 25; ++i) {
    const Kernel k = random.tree(i % 3).resolve(rows(random_matrix(12, 2, 4)));
    const Sample s = sample(12, static_cast<unsigned>(40 + i), 0.1, 1 + i % 2);
    const Trend trend = static_cast<Trend>(i % 3);
    for (const Objective objective : {Objective::lml, Objective::loo}) {
      expect_gradient(k, data_of(k, s, trend, false), objective, std::nullopt);
      expect_gradient(k, data_of(k, s, trend, true), objective, 1.7);
    }
  }
}

TEST(GpTest, SignalInClosedFormIsTheBestOne) {
  const Sample s = sample(25, 17, 0.1, 2);
  const Kernel k = parse("rbf(ell=0.9)");
  for (const Objective objective : {Objective::lml, Objective::loo}) {
    Sample one = s;
    one.y = Matrix(25, 1);
    for (Index i = 0; i < 25; ++i) one.y(i, 0) = s.y(i, 1);
    const ProcessData data = data_of(k, one, Trend::constant, false);
    ProcessSystem system(data, objective, {});
    const ProcessSystem::Value best = system.evaluate({k, 0.1, std::nullopt}, false);
    const double signal = best.signal[0];
    EXPECT_NEAR(system.evaluate({k, 0.1, signal}, true).by_signal, 0, 1e-9);
    EXPECT_NEAR(system.evaluate({k, 0.1, signal}, false).objective, best.objective, 1e-10);
    EXPECT_LT(system.evaluate({k, 0.1, 1.1 * signal}, false).objective, best.objective);
    EXPECT_LT(system.evaluate({k, 0.1, 0.9 * signal}, false).objective, best.objective);
  }
}

TEST(GpTest, EvidenceOfAKernelByItself) {
  const Sample s = sample(20, 2);
  const Kernel k = parse("2*rbf(ell=0.7)");
  const Evidence e = log_marginal_likelihood(k, rows(s.x.view()), column(s.y), 0.2);
  EXPECT_NEAR(e.value, naive(k, s.x, s.y, Vector(20, 0.2), Trend::none, s.x).log_likelihood, 1e-9);
  EXPECT_EQ(e.by_kernel.size(), 2u);
  EXPECT_EQ(log_marginal_likelihood(k, rows(s.x.view()), column(s.y), 0.2, false).value, e.value);
}

TEST(GpTest, EvidenceWithAllThatAFitTakes) {
  const Sample s = sample(20, 2);
  const Vector weights = test::random_vector(20, 5, 0.5, 2), known = test::random_vector(20, 6, 0.01, 0.2);
  const auto value = [&](double ell, double noise, double signal, Trend mean) {
    const GaussianProcess gp{.noise = {.value = noise},
                             .signal = {.value = signal},
                             .mean = mean,
                             .objective = GaussianProcess::Objective::none,
                             .point_noise = known};
    const Training training{.K = lazy(rbf(ell), rows(s.x.view())), .y = s.y, .weights = weights};
    const Evidence e = log_marginal_likelihood(gp, training);
    EXPECT_NEAR(e.value, *gp.fit(training).report().figure("log_marginal_likelihood"), 1e-9);
    EXPECT_EQ(log_marginal_likelihood(gp, training, false).value, e.value);
    return e;
  };
  for (const Trend mean : {Trend::none, Trend::constant, Trend::linear}) {
    const Evidence e = value(0.7, 0.2, 1.5, mean);
    constexpr double h = 1e-5;
    const auto slope = [&](double a, double b, double c) {
      return (value(0.7 + a, 0.2 + b, 1.5 + c, mean).value - value(0.7 - a, 0.2 - b, 1.5 - c, mean).value) / (2 * h);
    };
    EXPECT_NEAR(e.by_kernel.at(0), slope(h, 0, 0), 1e-6);
    EXPECT_NEAR(e.by_noise, slope(0, h, 0), 1e-6);
    EXPECT_NEAR(e.by_signal, slope(0, 0, h), 1e-6);
  }
}

// ---- learning ----

TEST(GpTest, LearnsAStationaryPointThatNoStartBeats) {
  const Sample s = sample(60, 23);
  const Model m = GaussianProcess{}.fit(training(parse("rbf(ell=[auto])"), s));
  EXPECT_TRUE(m.report().converged) << m.report().str();
  const Kernel k = *m.expansion().parts().kernel;
  const ProcessData data{.K = lazy(k, rows(s.x.view())),
                         .x = rows(s.x.view()),
                         .y = s.y,
                         .H = basis(s.x, Trend::constant),
                         .shape = Vector(60, 1.0)};
  const double signal = m.posterior().signal[0], noise = m.posterior().noise[0];
  const ProcessSystem::Value v =
      ProcessSystem(data, Objective::lml, {}).evaluate({k, noise / signal, std::nullopt}, true);
  EXPECT_NEAR(v.objective, *m.report().figure("log_marginal_likelihood"), 1e-9);
  EXPECT_NEAR(v.by_noise * noise / signal, 0, 0.05);
  for (std::size_t p = 0; p < 2; ++p) EXPECT_NEAR(v.by_kernel[p] * k.params()[static_cast<Index>(p)].value, 0, 0.05);
  EXPECT_NEAR(std::sqrt(noise), 0.1 / std::sqrt(3.0), 0.02);  // noise is uniform in [-0.1, 0.1]
}

TEST(GpTest, AKernelWithAScaleOfItsOwnReachesTheSameEvidence) {
  const Sample s = sample(50, 29);
  const Model closed = GaussianProcess{}.fit(training(parse("rbf(ell=[auto])"), s));
  const Model own = GaussianProcess{}.fit(training(parse("1*rbf(ell=[auto])"), s));
  EXPECT_EQ(own.posterior().signal[0], 1);
  EXPECT_NEAR(*own.report().figure("log_marginal_likelihood"), *closed.report().figure("log_marginal_likelihood"),
              1e-3);
  EXPECT_NEAR(own.expansion().parts().kernel->params()[0].value / closed.posterior().signal[0], 1, 0.02);
}

TEST(GpTest, EveryTargetHasItsOwnSignal) {
  Sample s = sample(50, 37);
  Matrix y(50, 2);
  for (Index i = 0; i < 50; ++i) y(i, 0) = s.y(i, 0), y(i, 1) = 1000 * s.y(i, 0);
  s.y = y;
  const Model m = GaussianProcess{.starts = 1}.fit(training(parse("rbf(ell=auto)"), s));
  EXPECT_NEAR(m.posterior().signal[1] / m.posterior().signal[0], 1e6, 1);
  EXPECT_NEAR(m.posterior().noise[1] / m.posterior().noise[0], 1e6, 1);
}

TEST(GpTest, FixedParametersBoundsAndPriorsAreRespected) {
  const Sample s = sample(50, 41);
  const auto learnt = [&](const char* kernel, const GaussianProcess& config) {
    return config.fit(training(parse(kernel), s));
  };
  const Model fixed = learnt("rbf(ell=fixed(0.3))", {.noise = Learnable::fixed_at(0.2)});
  EXPECT_EQ(fixed.expansion().parts().kernel->params()[0].value, 0.3);
  EXPECT_NEAR(fixed.posterior().noise[0], 0.2, 1e-12);

  const Model bounded = learnt("rbf(ell=0.3 in [0.2, 0.5])", {});
  EXPECT_NEAR(bounded.expansion().parts().kernel->params()[0].value, 0.5, 1e-9);
  ASSERT_FALSE(bounded.report().notes.empty());
  EXPECT_NE(bounded.report().notes[0].find("rbf.ell = 0.5 is at its upper bound"), std::string::npos);

  const double free = learnt("rbf(ell=1)", {}).expansion().parts().kernel->params()[0].value;
  const Model believed = learnt("rbf(ell=1)", {.priors = {{"rbf.ell", Prior::log_normal(std::log(0.3), 0.01)}}});
  EXPECT_NEAR(believed.expansion().parts().kernel->params()[0].value, 0.3, 0.05);
  EXPECT_GT(free, 0.6);
  EXPECT_NEAR(
      learnt("rbf(ell=1)", {.priors = {{"noise", Prior::log_normal(std::log(0.5), 0.01)}}}).posterior().noise[0], 0.5,
      0.05);
  expect_error(
      [&] {
        learnt("rbf(ell=1)", {.priors = {{"rbf.el", Prior::half_normal(1)}}});
      },
      "UsageError", {"rbf.el", "did you mean rbf.ell"});
}

TEST(GpTest, LeaveOneOutObjectiveLearnsToo) {
  const Sample s = sample(60, 43);
  const Model lml = GaussianProcess{.loo = true}.fit(training(parse("rbf(ell=[auto])"), s));
  const Model loo =
      GaussianProcess{.objective = Objective::loo, .loo = true}.fit(training(parse("rbf(ell=[auto])"), s));
  EXPECT_GE(*loo.report().figure("leave_one_out_log_density"),
            *lml.report().figure("leave_one_out_log_density") - 1e-6);
  EXPECT_GE(*lml.report().figure("log_marginal_likelihood"), *loo.report().figure("log_marginal_likelihood") - 1e-6);
}

TEST(GpTest, StopsWhenAsked) {
  const Sample s = sample(80, 47);
  Training t = training(parse("rbf(ell=[auto])"), s);
  int calls = 0;
  t.how.monitor = Monitor([&](const Progress&) { return ++calls < 40; });
  const Model m = GaussianProcess{}.fit(t);
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().stopped, "interrupted");
  EXPECT_EQ(m.variances(rows(s.x.view())).rows(), 80);
  EXPECT_EQ(calls, 40);  // nothing is done, and nobody asked, after the wish to stop
  // What is returned is the solution at the place that it names, as a fit that learns nothing finds it.
  Training fixed = training(*m.expansion().parts().kernel, s);
  const Model there = GaussianProcess{.noise = Learnable::fixed_at(*m.report().figure("noise")),
                                      .signal = Learnable::fixed_at(*m.report().figure("signal")),
                                      .objective = Objective::none}
                          .fit(fixed);
  test::expect_near(m.scores(rows(s.x.view())), there.scores(rows(s.x.view())), 1e-8);
  test::expect_near(m.variances(rows(s.x.view())), there.variances(rows(s.x.view())), 1e-8);
  // A target that there is nothing to learn from is there too, between two that are learnt from.
  Training several = training(parse("rbf(ell=[auto])"), s);
  Matrix y(80, 3, 5.0);
  for (Index i = 0; i < 80; ++i) y(i, 0) = several.y(i, 0), y(i, 2) = -several.y(i, 0);
  several.y = y;
  calls = 0;
  several.how.monitor = Monitor([&](const Progress&) { return ++calls < 40; });
  const Matrix f = GaussianProcess{}.fit(several).scores(rows(s.x.view()));
  for (Index i = 0; i < 80; ++i) {
    EXPECT_DOUBLE_EQ(f(i, 1), 5);
    EXPECT_NEAR(f(i, 0), -f(i, 2), 1e-8);
    EXPECT_NE(f(i, 0), 0);
  }
  const Model limited = GaussianProcess{.starts = 1, .max_iterations = 2}.fit(training(parse("rbf(ell=[auto])"), s));
  EXPECT_EQ(limited.report().stopped, "iteration limit");
  EXPECT_FALSE(limited.report().converged);
  const Model late = GaussianProcess{.max_seconds = 1e-9}.fit(training(parse("rbf(ell=[auto])"), s));
  EXPECT_EQ(late.report().stopped, "time limit");
}

TEST(GpTest, AWeightOfTwoIsAPointTwice) {
  Sample s = sample(20, 53);
  Training weighted = training(parse("rbf(ell=0.8)"), s);
  weighted.weights = Vector(20, 1.0);
  weighted.weights[3] = 2;
  weighted.weights[7] = 0;
  Sample twice{Matrix(20, 2), Matrix(20, 1)};
  for (Index i = 0; i < 20; ++i) {
    const Index from = i == 7 ? 3 : i;
    twice.x(i, 0) = s.x(from, 0), twice.x(i, 1) = s.x(from, 1), twice.y(i, 0) = s.y(from, 0);
  }
  const Matrix test = random_matrix(6, 2, 1);
  const Model a = kAsGiven.fit(weighted), b = kAsGiven.fit(training(parse("rbf(ell=0.8)"), twice));
  expect_near(a.scores(rows(test.view())), b.scores(rows(test.view())), 1e-9);
  expect_near(a.variances(rows(test.view())), b.variances(rows(test.view())), 1e-9);
}

// Data drawn from the model itself: the share of new points inside the 95 % band is binomial.
TEST(GpTest, BandsCoverWhatTheyShould) {
  const Matrix x = random_matrix(260, 1, 61, 0, 10);
  const Kernel k = parse("2*matern(nu=2.5, ell=0.8)");
  double inside = 0, total = 0;
  for (std::uint64_t draw = 1; draw <= 6; ++draw) {
    const Matrix y = sample_prior(k, rows(x.view()), {.draws = 1, .seed = draw});
    const Matrix e = sample_prior(parse("0.04*rbf(ell=1e-6)"), rows(x.view()), {.draws = 1, .seed = 100 + draw});
    Sample s{Matrix(x.view().block({0, 130}, {0, 1})), Matrix(130, 1)};
    for (Index i = 0; i < 130; ++i) s.y(i, 0) = y(i, 0) + e(i, 0);
    const Points test = rows(x.view().block({130, 260}, {0, 1}));
    const Model m =
        GaussianProcess{.mean = Trend::none, .starts = 2}.fit(training(parse("1*matern(nu=2.5, ell=1)"), s));
    const Matrix mean = m.scores(test), variance = m.variances(test);
    for (Index i = 0; i < 130; ++i, ++total) {
      const double deviation = std::sqrt(variance(i, 0) + m.posterior().noise[0]);
      inside += std::abs(y(130 + i, 0) + e(130 + i, 0) - mean(i, 0)) < 1.959964 * deviation ? 1 : 0;
    }
  }
  // Four standard deviations of a binomial with 780 trials are 0.031; hyper-parameters are estimated, a little more.
  EXPECT_NEAR(inside / total, 0.95, 0.04);
}

// ---- matrices at the edge ----

TEST(GpTest, JitterIsReportedAndContradictionsAreNamed) {
  Sample s{Matrix{{1, 1}, {2, 0}, {1, 1}, {3, 1}}, Matrix{{1}, {2}, {1}, {0}}};
  GaussianProcess exact = kAsGiven;
  exact.noise = Learnable::fixed_at(0);
  const Model m = exact.fit(training(parse("rbf(ell=1)"), s));
  ASSERT_TRUE(m.report().figure("jitter").has_value());
  EXPECT_GT(*m.report().figure("jitter"), 0);
  EXPECT_LT(*m.report().figure("jitter"), 1e-10);
  EXPECT_NE(m.report().notes.at(0).find("added to its diagonal"), std::string::npos);
  EXPECT_NEAR(m.scores(rows(s.x.view()))(2, 0), 1, 1e-6);

  s.y(2, 0) = 1.5;
  expect_error([&] { exact.fit(training(parse("rbf(ell=1)"), s)); }, "DataError",
               {"rows 1 and 3", "1", "1.5", "noise"});
  // Almost the same everywhere: rank one, and some jitter.
  const Sample many = sample(50, 3, 0);
  const Model flat = exact.fit(training(parse("rbf(ell=1e8)"), {many.x, Matrix(50, 1, 2.0)}));
  EXPECT_GT(*flat.report().figure("jitter"), 0);
}

TEST(GpTest, BadInput) {
  const Sample s = sample(10, 3);
  const auto fit = [&](const GaussianProcess& config, const char* k = "rbf(ell=auto)") {
    return config.fit(training(parse(k), s));
  };
  expect_error([&] { fit({.noise = {.value = -1}}); }, "UsageError", {"noise", "-1"});
  expect_error([&] { fit({.noise = {.value = 0}}); }, "UsageError", {"noise=fixed(0)"});
  expect_error([&] { fit({.signal = {.value = 0}}); }, "UsageError", {"signal"});
  expect_error([&] { fit({.objective = Objective::none}); }, "UsageError", {"give the noise"});
  expect_error([&] { fit({.point_noise = {1, 2}}); }, "ShapeError", {"2", "10"});
  expect_error([&] { fit({.point_noise = Vector(10, -1.0)}); }, "DataError", {"-1"});
  const Sample one{Matrix{{1, 2}}, Matrix{{3}}};
  expect_error([&] { GaussianProcess{}.fit(training(parse("rbf(ell=1)"), one)); }, "DataError", {"one point"});
  EXPECT_NEAR(kAsGiven.fit(training(parse("rbf(ell=1)"), one)).scores(rows(one.x.view()))(0, 0), 3 / 1.05, 1e-12);
  Sample collinear = s;
  for (Index i = 0; i < 10; ++i) collinear.x(i, 1) = 2;
  expect_error(
      [&] { GaussianProcess{.mean = Trend::linear, .starts = 1}.fit(training(parse("rbf(ell=1)"), collinear)); },
      "NumericError", {"mean function", "constant"});
  const Training words{.K = lazy(parse("spectrum(k=2)"), strings({"abab", "baba", "aabb"})),
                       .y = Matrix{{1}, {2}, {4}}};
  expect_error([&] { GaussianProcess{.mean = Trend::linear}.fit(words); }, "DomainError", {"mean=linear"});
  EXPECT_TRUE(GaussianProcess{.starts = 1}.fit(words).has_posterior());
  expect_error([&] { parse("rbf(ell=3 in [4, 5])"); }, "KernelError", {"ell", "4"});
}

TEST(GpTest, FreeScales) {
  for (const char* k : {"2*rbf(ell=1)", "2*rbf(ell=1) + 3*linear()", "const(c=2)*rbf(ell=1)", "on(x, 2*rbf(ell=1))"}) {
    EXPECT_TRUE(detail::has_free_scale(parse(k))) << k;
  }
  for (const char* k : {"rbf(ell=1)", "2*rbf(ell=1) + linear()", "fixed(2)*rbf(ell=1)", "normalize(2*linear())"}) {
    EXPECT_FALSE(detail::has_free_scale(parse(k))) << k;
  }
  EXPECT_EQ(detail::addends(parse("rbf(ell=1) + 2*linear() + rbf(ell=3)*linear()")).size(), 3u);
}

}  // namespace

}  // namespace mercer::gp_test
