// The Laplace approximation against its definition, against scikit-learn and against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "laws/random_kernels.hpp"
#include "machines/golden_classifiers.hpp"
#include "machines/gpc_data.hpp"
#include "machines/processes/laplace.hpp"
#include "mercer/kernels.hpp"
#include "paths.hpp"

namespace mercer::gpc_evidence_test {
namespace {

using test::Data;
using test::expect_near;
using test::Gpc;
using test::names_of;
using test::random_matrix;
using test::sectors;

// ---- a naive oracle: matrices of all classes at once, inverted by elimination ----

struct Elimination {
  Matrix inverse;
  double log_determinant = 0;
};

Elimination eliminate(Matrix a) {
  const Index n = a.rows();
  Elimination out{Matrix(n, n)};
  for (Index i = 0; i < n; ++i) out.inverse(i, i) = 1;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k; i < n; ++i) pivot = std::abs(a(i, k)) > std::abs(a(pivot, k)) ? i : pivot;
    std::swap_ranges(a.row(k), a.row(k) + n, a.row(pivot));
    std::swap_ranges(out.inverse.row(k), out.inverse.row(k) + n, out.inverse.row(pivot));
    const double p = a(k, k);
    out.log_determinant += std::log(std::abs(p));
    for (Index j = 0; j < n; ++j) {
      a(k, j) /= p;
      out.inverse(k, j) /= p;
    }
    for (Index i = 0; i < n; ++i) {
      const double factor = i == k ? 0 : a(i, k);
      for (Index j = 0; j < n; ++j) {
        a(i, j) -= factor * a(k, j);
        out.inverse(i, j) -= factor * out.inverse(k, j);
      }
    }
  }
  return out;
}

double log_p(Likelihood link, const double* f, Index own, Index classes) {
  if (link == Likelihood::logistic) return -std::log1p(std::exp(own == 1 ? -f[0] : f[0]));
  if (link == Likelihood::probit) return std::log(0.5 * std::erfc((own == 1 ? -f[0] : f[0]) / std::sqrt(2.0)));
  double sum = 0;
  for (Index c = 0; c < classes; ++c) sum += std::exp(f[c]);
  return f[own] - std::log(sum);
}

// W of all outputs by differences of log p, in the order (output, point).
Matrix curvature(Likelihood link, const Matrix& f, const std::vector<Index>& of, const Vector& weights, Index classes) {
  const Index n = f.rows(), outputs = f.cols();
  const double h = 1e-4;
  Matrix W(n * outputs, n * outputs);
  for (Index i = 0; i < n; ++i) {
    for (Index a = 0; a < outputs; ++a) {
      for (Index b = 0; b < outputs; ++b) {
        double sum = 0;
        for (const auto& [sa, sb] : {std::pair{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}) {
          Vector v(f.row(i), f.row(i) + outputs);
          v[at(a)] += sa * h;
          v[at(b)] += sb * h;
          sum += sa * sb * log_p(link, v.data(), of[at(i)], classes);
        }
        W(a * n + i, b * n + i) = -weights[at(i)] * sum / (4 * h * h);
      }
    }
  }
  return W;
}

struct Oracle {
  double log_evidence;
  Matrix variances;   // at the training points
  double optimality;  // the largest |d psi / d f|
};

// At the mode found by the machine, which must be one.
Oracle oracle(const Matrix& K, const Matrix& alpha, Likelihood link, const std::vector<Index>& of,
              const Vector& weights, Index classes) {
  const Index n = K.rows(), outputs = alpha.cols();
  const Matrix f = test::product(K, alpha);
  Oracle out{0, Matrix(n, outputs), 0};
  for (Index i = 0; i < n; ++i) {
    out.log_evidence += weights[at(i)] * log_p(link, f.row(i), of[at(i)], classes);
    for (Index c = 0; c < outputs; ++c) {
      out.log_evidence -= 0.5 * alpha(i, c) * f(i, c);
      Vector up(f.row(i), f.row(i) + outputs), down = up;
      up[at(c)] += 1e-6;
      down[at(c)] -= 1e-6;
      const double slope =
          (log_p(link, up.data(), of[at(i)], classes) - log_p(link, down.data(), of[at(i)], classes)) / 2e-6;
      out.optimality = std::max(out.optimality, std::abs(weights[at(i)] * slope - alpha(i, c)));
    }
  }
  Matrix all(n * outputs, n * outputs);
  for (Index c = 0; c < outputs; ++c) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) all(c * n + i, c * n + j) = K(i, j);
    }
  }
  const Matrix W = curvature(link, f, of, weights, classes);
  Matrix B = test::product(all, W);
  for (Index i = 0; i < B.rows(); ++i) B(i, i) += 1;
  const Elimination e = eliminate(std::move(B));
  out.log_evidence -= 0.5 * e.log_determinant;
  const Matrix covariance = test::product(e.inverse, all);  // (I + K W)^-1 K
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) out.variances(i, c) = covariance(c * n + i, c * n + i);
  }
  return out;
}

TEST(GpcEvidence, AgreesWithTheDefinition) {
  for (const auto& [link, count] : {std::pair{Likelihood::logistic, Index{2}},
                                    {Likelihood::probit, 2},
                                    {Likelihood::softmax, 2},
                                    {Likelihood::softmax, 3},
                                    {Likelihood::softmax, 4}}) {
    SCOPED_TRACE(std::string(link->name) + " " + std::to_string(count));
    const Data data = sectors(14, count, 1);
    const Vector weights = test::random_vector(14, 3, 0.2, 2.5);
    const Kernel k = parse("rbf(ell=0.9)");
    const double signal = 3.7;
    const Model m = Gpc{.link = link, .learn = false, .signal = {.value = signal}}.fit(
        {.K = lazy(k, rows(data.x)), .labels = data.labels(), .weights = weights});
    EXPECT_TRUE(m.report().converged) << m.report().str();
    Matrix K = gram(k, rows(data.x)), alpha = m.expansion().parts().alpha;
    for (Index i = 0; i < 14 * 14; ++i) K.data()[i] *= signal;
    for (Index i = 0; i < 14 * alpha.cols(); ++i) alpha.data()[i] /= signal;
    const Oracle expected = oracle(K, alpha, link, data.classes, weights, count);
    EXPECT_LT(expected.optimality, 1e-8);
    EXPECT_NEAR(*m.report().figure("log_evidence"), expected.log_evidence, 1e-5);
    expect_near(m.variances(rows(data.x)), expected.variances, 1e-5);
    expect_near(m.scores(rows(data.x)), test::product(K, alpha), 1e-10);
    for (Index c = 0; c < alpha.cols(); ++c) {
      const Matrix covariance = m.covariance(rows(data.x), c);
      for (Index i = 0; i < 14; ++i) EXPECT_NEAR(covariance(i, i), expected.variances(i, c), 1e-5);
    }
  }
}

TEST(GpcEvidence, AgreesWithScikitLearn) {
  for (const Json& golden : test::golden_file("gpc.json")) {
    SCOPED_TRACE(golden.at("name").get<std::string>());
    const Points x = rows(test::matrix_in(golden.at("x"))), at_test = rows(test::matrix_in(golden.at("test")));
    const Labels labels = Labels::from(names_of(golden.at("labels").get<std::vector<Index>>()));
    const Kernel k = parse(golden.at("kernel").get<std::string>());
    const ClassEvidence found = log_evidence(k, x, labels);
    EXPECT_NEAR(found.value, golden.at("log_evidence").get<double>(), 1e-6);
    const auto gradient = golden.at("gradient").get<Vector>();
    const Params params = k.params();
    std::vector<Index> free = params.free();
    ASSERT_EQ(free.size(), gradient.size());
    for (std::size_t p = 0; p < free.size(); ++p) {
      EXPECT_NEAR(found.by_kernel[at(free[p])] * params[free[p]].value, gradient[p], 1e-5);
    }
    const Model m = Gpc{.learn = false}.fit(lazy(k, x), labels);
    EXPECT_NEAR(*m.report().figure("log_evidence"), found.value, 1e-9);
    const Matrix mean = m.scores(at_test), variance = m.variances(at_test), p = m.probabilities(at_test);
    const auto means = golden.at("mean").get<Vector>(), variances = golden.at("variance").get<Vector>();
    for (Index i = 0; i < mean.rows(); ++i) {
      EXPECT_NEAR(mean(i, 0), means[at(i)], 1e-5 * (1 + std::abs(means[at(i)])));
      EXPECT_NEAR(variance(i, 0), variances[at(i)], 1e-6 * (1 + variances[at(i)]));
    }
    expect_near(p, test::matrix_in(golden.at("probabilities")), 3e-3);
    if (!golden.contains("best_log_evidence")) continue;
    const Model learnt = Gpc{}.fit(lazy(k, x), labels);
    EXPECT_TRUE(learnt.report().converged) << learnt.report().str();
    EXPECT_GT(*learnt.report().figure("log_evidence"), golden.at("best_log_evidence").get<double>() - 1e-4);
    const auto theta = golden.at("best_theta").get<Vector>();
    for (std::size_t t = 0; t < theta.size(); ++t) {
      EXPECT_NEAR(std::log(learnt.expansion().parts().kernel->params()[free[t]].value), theta[t], 2e-2);
    }
  }
}

TEST(GpcEvidence, GradientsOfRandomKernels) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RandomKernels random(seed, 2);
    const Points x = random.points(13);
    const Kernel k = random.tree(2);
    for (const auto& [link, count] : test::kLinkCases) {
      std::vector<Index> of;
      for (Index i = 0; i < 13; ++i) of.push_back((i * 7 + i / 3) % count);
      const Labels labels = Labels::from(names_of(of));
      SCOPED_TRACE(k.str() + " " + std::string(link->name));
      const ClassEvidence found = log_evidence(k, x, labels, link);
      ASSERT_TRUE(std::isfinite(found.value));
      const Vector exact = k.params().chain(found.by_kernel), theta = k.params().theta();
      for (std::size_t t = 0; t < theta.size(); ++t) {
        Vector up = theta, down = theta;
        up[t] += 1e-4;
        down[t] -= 1e-4;
        const double slope = (log_evidence(k.with(up), x, labels, link, false).value -
                              log_evidence(k.with(down), x, labels, link, false).value) /
                             2e-4;
        EXPECT_NEAR(exact[t], slope, 2e-6 * (1 + std::abs(slope))) << t;
      }
    }
  }
}

// By the log of the signal: the derivative by K as a whole, with weights, at signals where the mode is far out.
TEST(GpcEvidence, GradientOfTheSignalWithWeights) {
  for (const auto& [link, count] : test::kLinkCases) {
    const Data data = sectors(20, count, 8);
    for (const double signal : {1e-2, 1.0, 1e2, 1e4}) {
      detail::Observations classes = detail::observed(link, count, data.classes);
      classes.weights = test::random_vector(20, 9, 0.1, 3);
      const auto value = [&](double s, double* slope) {
        Matrix K = gram(parse("rbf(ell=0.8)"), rows(data.x));
        for (Index i = 0; i < 400; ++i) K.data()[i] *= s;
        const auto system = detail::laplace_system(classes);
        detail::Mode mode;
        const double out = detail::laplace_evidence(*system, K, mode, {});
        EXPECT_TRUE(mode.converged);
        if (slope == nullptr) return out;
        const MatrixRef by_K = detail::laplace_gradient(*system, K, mode, {});
        *slope = 0;
        for (Index i = 0; i < 20; ++i) {
          for (Index j = 0; j <= i; ++j) *slope += (j < i ? 2 : 1) * by_K(i, j) * K(i, j);
        }
        return out;
      };
      double slope = 0;
      value(signal, &slope);
      const double h = 1e-4;
      const double expected = (value(signal * std::exp(h), nullptr) - value(signal * std::exp(-h), nullptr)) / (2 * h);
      EXPECT_NEAR(slope, expected, 1e-6 * (1 + std::abs(expected))) << link->name << " " << signal;
    }
  }
}

// A likelihood is a row: one of counts that no list has, and everything follows from its three derivatives.
Likelihood::Terms poisson_terms(double y, double f) {
  return {y * f - std::exp(f) - std::lgamma(y + 1), y - std::exp(f), std::exp(f), 1};
}

TEST(GpcEvidence, OfAnyRow) {
  static constexpr Likelihood::Row row{.name = "poisson", .of = Likelihood::Of::numbers, .terms = poisson_terms};
  // One point: log of the integral of p(y | f) N(f; 0, v), which the approximation meets where y says much.
  for (const double y : {0.0, 3.0, 40.0, 2000.0}) {
    const double v = 9;
    const auto system = detail::laplace_system({Likelihood(row), 1, {y}, {1}});
    detail::Mode mode;
    const double found = detail::laplace_evidence(*system, Matrix{{v}}, mode, {});
    double sum = 0;
    for (double f = -40; f < 12; f += 1e-4) {
      sum += 1e-4 * std::exp(poisson_terms(y, f).log_p - f * f / (2 * v)) / std::sqrt(2 * M_PI * v);
    }
    EXPECT_TRUE(mode.converged);
    EXPECT_NEAR(mode.f(0, 0) / v, y - std::exp(mode.f(0, 0)), 1e-9 * (1 + y));
    EXPECT_NEAR(found, std::log(sum), 0.1 / std::max(1.0, y)) << y;
  }
  const Matrix x = test::random_matrix(15, 1, 3);
  detail::Observations counts{Likelihood(row), 1, {}, test::random_vector(15, 9, 0.1, 3)};
  for (Index i = 0; i < 15; ++i) counts.y.push_back(static_cast<double>(i % 4));
  const auto value = [&](double ell, double* slope) {
    const Kernel k = rbf(ell);
    const Matrix K = gram(k, rows(x));
    const auto system = detail::laplace_system(counts);
    detail::Mode mode;
    const double out = detail::laplace_evidence(*system, K, mode, {});
    if (slope == nullptr) return out;
    const MatrixRef by_K = detail::laplace_gradient(*system, K, mode, {});
    Matrix w(15, 15);
    for (Index i = 0; i < 15; ++i) {
      for (Index j = 0; j <= i; ++j) w(i, j) = (j < i ? 2 : 1) * by_K(i, j);
    }
    *slope = gradient(k, rows(x), w)[0];
    return out;
  };
  double slope = 0;
  value(0.8, &slope);
  EXPECT_NEAR(slope, (value(0.8 + 1e-5, nullptr) - value(0.8 - 1e-5, nullptr)) / 2e-5, 1e-6 * (1 + std::abs(slope)));
}

// Two functions of one kernel differ by a function of twice that kernel.
TEST(GpcEvidence, SoftmaxOfTwoClassesIsLogistic) {
  const Data data = sectors(40, 2, 2);
  const Points x = rows(data.x), at_test = rows(random_matrix(15, 2, 5, -4, 4));
  const Kernel k = parse("3*matern(nu=2.5, ell=0.8)"), twice = parse("6*matern(nu=2.5, ell=0.8)");
  const ClassEvidence soft = log_evidence(k, x, data.labels(), Likelihood::softmax),
                      one = log_evidence(twice, x, data.labels());
  EXPECT_NEAR(soft.value, one.value, 1e-9);
  EXPECT_NEAR(soft.by_kernel[0] * 3, one.by_kernel[0] * 6, 1e-8);
  const Params params = k.params();
  for (const Index p : params.free()) {
    if (params[p].path == "matern.ell") {
      EXPECT_NEAR(soft.by_kernel[at(p)], one.by_kernel[at(p)], 1e-8);
    }
  }
  const Model a = Gpc{.link = Likelihood::softmax, .learn = false}.fit(lazy(k, x), data.labels());
  const Model b = Gpc{.learn = false}.fit(lazy(twice, x), data.labels());
  expect_near(a.probabilities(at_test), b.probabilities(at_test), 1e-9);
  EXPECT_EQ(a.predict(at_test), b.predict(at_test));
}

}  // namespace
}  // namespace mercer::gpc_evidence_test
