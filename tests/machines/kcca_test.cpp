#include "mercer/machines/kcca.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::kcca_test {
namespace {

using test::expect_error;
using test::random_matrix;

Matrix columns(Index rows, Index count, unsigned seed, const Matrix* common = nullptr, double share = 0) {
  Matrix out = random_matrix(rows, count, seed);
  for (Index i = 0; i < rows && common != nullptr; ++i) out(i, 0) += share * (*common)(i, 0);
  return out;
}

double mean_of(const Matrix& f, Index c) {
  double sum = 0;
  for (Index i = 0; i < f.rows(); ++i) sum += f(i, c);
  return sum / static_cast<double>(f.rows());
}

double covariance(const Matrix& f, Index a, const Matrix& g, Index b) {
  double sum = 0;
  for (Index i = 0; i < f.rows(); ++i) sum += f(i, a) * g(i, b);
  return sum / static_cast<double>(f.rows()) - mean_of(f, a) * mean_of(g, b);
}

// tr(C): the mean of k(x,x) after centring.
double variance_of(const Kernel& k, const Points& x) {
  const Vector own = centred(exact(k, x)).diagonal();
  double sum = 0;
  for (const double value : own) sum += value;
  return sum / static_cast<double>(x.size());
}

struct Views {
  Matrix common = random_matrix(60, 1, 1);
  Matrix a = columns(60, 3, 2, &common, 2), b = columns(60, 2, 3, &common, -1.5);
  Points x = rows(a), y = rows(b);
};

// The conditions that define the solution: both constraints, pairs uncorrelated with each other, mean 0.
TEST(Kcca, MeetsItsConstraints) {
  const Views v;
  const Kernel k = rbf(2), l = parse("rbf(ell=1.5) + linear()");
  const KernelCca::Views both = KernelCca{.components = 3, .ridge = 0.05}.fit_both(lazy(k, v.x), lazy(l, v.y));
  const Matrix f = both.x.predict_targets(v.x), g = both.y.predict_targets(v.y);
  const Report::Table* table = both.x.report().table("components");
  const auto norms = [](const Model& m) { return m.expansion().norms(); };
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(mean_of(f, c), 0, 1e-10);
    EXPECT_NEAR(mean_of(g, c), 0, 1e-10);
    const auto at = static_cast<std::size_t>(c);
    EXPECT_NEAR(covariance(f, c, f, c) + 0.05 * variance_of(k, v.x) * std::pow(norms(both.x)[at], 2), 1, 1e-9);
    EXPECT_NEAR(covariance(g, c, g, c) + 0.05 * variance_of(l, v.y) * std::pow(norms(both.y)[at], 2), 1, 1e-9);
    EXPECT_NEAR(covariance(f, c, g, c), table->rows(c, 1), 1e-9);
    EXPECT_NEAR(covariance(f, c, g, c) / std::sqrt(covariance(f, c, f, c) * covariance(g, c, g, c)), table->rows(c, 2),
                1e-9);
    for (Index other = 0; other < 3; ++other) {
      if (other == c) continue;
      EXPECT_NEAR(covariance(f, c, g, other), 0, 1e-9);
    }
    double largest = 0;
    for (Index i = 0; i < 60; ++i) largest = std::abs(f(i, c)) > std::abs(largest) ? f(i, c) : largest;
    EXPECT_GT(largest, 0);
  }
  EXPECT_GE(table->rows(0, 1), table->rows(1, 1));
}

// Of one column each there is nothing to choose: the correlation of the columns.
TEST(Kcca, OfSingleColumnsIsTheirCorrelation) {
  const Views v;
  const Points x = v.x.columns(Columns("1")), y = v.y.columns(Columns("1"));
  const Model m = KernelCca{.ridge = 1e-9}.fit_both(lazy(linear(), x), lazy(linear(), y)).x;
  EXPECT_EQ(m.expansion().outputs(), 1);
  const double r = covariance(v.a, 0, v.b, 0) / std::sqrt(covariance(v.a, 0, v.a, 0) * covariance(v.b, 0, v.b, 0));
  EXPECT_NEAR(m.report().table("components")->rows(0, 2), std::abs(r), 1e-8);
}

// numpy: singular values of Q_a' Q_b, with Q from the QR decompositions of the centred columns.
TEST(Kcca, WithLinearKernelsAndATinyRidgeIsCca) {
  const Matrix a = {{0.288, 2.089, 0.347},   {-0.57, 0.746, 0.777},  {2.481, 1.018, 1.061},   {-0.074, -0.71, -0.215},
                    {0.244, -0.761, -0.711}, {2.228, 1.142, -0.502}, {-0.34, -0.079, -0.693}, {-0.344, -0.593, 0.788},
                    {0.019, -0.445, -0.482}, {-0.38, 0.494, 0.5},    {-0.486, 0.792, 0.171},  {-0.094, -1.754, 0.63}};
  const Matrix b = {{-0.646, -0.091}, {0.549, -0.475}, {0.211, -2.858}, {0.347, -0.941},
                    {-0.567, 0.026},  {0.414, -1.563}, {-0.51, 1.562},  {0.517, 0.74},
                    {-0.301, -0.445}, {-1.118, 1.808}, {0.499, 0.472},  {-0.706, -0.731}};
  const Training t{.K = lazy(linear(), rows(a)), .y = b};
  const Model m = KernelCca{.ridge = 1e-10}.fit(t);
  const Report::Table* table = m.report().table("components");
  EXPECT_NEAR(table->rows(0, 2), 0.8375402657197736, 1e-8);
  EXPECT_NEAR(table->rows(1, 2), 0.17879421789395866, 1e-8);
}

TEST(Kcca, PermutationsTellCorrelationFromChance) {
  const Views v;
  const KernelCca config{.components = 1, .ridge = 0.1, .permutations = 99};
  const auto p_value = [&](const Points& x, const Points& y) {
    return config.fit_both(lazy(rbf(2), x), lazy(rbf(2), y)).x.report().table("components")->rows(0, 3);
  };
  EXPECT_EQ(p_value(v.x, v.y), 0.01);
  EXPECT_GT(p_value(v.x, rows(random_matrix(60, 2, 77))), 0.05);
}

// The eigenvectors of x, of y, and of what they have in common: each looks for the wish to stop, and ends by it.
TEST(Kcca, StopsInEachOfItsParts) {
  const Matrix a = random_matrix(300, 3, 5), b = random_matrix(300, 3, 6);
  Index parts = 0, looks = 0, stop_at = 100;
  double before = 1;
  Training training{.K = lazy(rbf(1), rows(a))};
  training.how.monitor = Monitor([&](const Progress& p) {
    if (p.stage != "eigen") return true;
    parts += p.fraction < before ? 1 : 0;
    before = p.fraction;
    ++looks;
    return parts < stop_at;
  });
  (void)KernelCca{}.fit_both(training, lazy(rbf(1), rows(b)));
  EXPECT_EQ(parts, 3);
  EXPECT_GE(looks, 3 * 50);
  for (stop_at = 1; stop_at <= 3; ++stop_at) {
    parts = 0;
    before = 1;
    expect_error([&] { (void)KernelCca{}.fit_both(training, lazy(rbf(1), rows(b))); }, "Cancelled", {});
    EXPECT_EQ(parts, stop_at);
  }
}

// Of four points there are 24 pairings: the p-value is the share of those with at least this correlation.
TEST(Kcca, EveryPairingIsEquallyLikely) {
  const Matrix a{{0}, {1}, {2.5}, {3.1}};
  for (const std::vector<Index>& as : {std::vector<Index>{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 2, 3, 1}, {2, 0, 3, 1}}) {
    Matrix b(4, 1);
    const double values[] = {0.2, 0.9, 2, 3.7};
    for (Index i = 0; i < 4; ++i) b(i, 0) = values[as[static_cast<std::size_t>(i)]];
    const KernelCca cca{.components = 1, .ridge = 0.3};
    const Gram K = lazy(linear(), rows(a));
    const auto rho = [&](const Matrix& y) {
      return cca.fit_both(K, lazy(linear(), rows(y))).x.report().table("components")->rows(0, 1);
    };
    std::vector<Index> order{0, 1, 2, 3};
    double reached = 0;
    do {
      Matrix y(4, 1);
      for (Index i = 0; i < 4; ++i) y(i, 0) = b(order[static_cast<std::size_t>(i)], 0);
      reached += rho(y) >= rho(b) - 1e-9 ? 1 : 0;
    } while (std::next_permutation(order.begin(), order.end()));
    KernelCca test = cca;
    test.permutations = 6000;
    const double p = test.fit_both(K, lazy(linear(), rows(b))).x.report().table("components")->rows(0, 3);
    EXPECT_NEAR(p, reached / 24, 0.025);  // four standard errors
  }
}

// Points and targets that are their own mirror image: f and g keep their signs in any order, together.
TEST(Kcca, BothSidesHaveTheirSignsFromTheData) {
  const Index n = 20;
  Matrix a = random_matrix(n, 2, 5), b(n, 1);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < 2; ++c) a(i, c) = i < n / 2 ? a(i, c) : -a(i - n / 2, c);
    b(i, 0) = a(i, 0) + 0.1 * std::pow(a(i, 1), 3);
  }
  const KernelCca cca{.components = 2};
  const auto first = cca.fit_both(lazy(rbf(1), rows(a)), lazy(linear() + rbf(1), rows(b)));
  for (Index shift = 1; shift < n; shift += 2) {
    Matrix x(n, 2), y(n, 1);
    for (Index i = 0; i < n; ++i) {
      const Index from = (7 * i + shift) % n;
      std::copy_n(a.row(from), 2, x.row(i));
      y(i, 0) = b(from, 0);
    }
    const auto again = cca.fit_both(lazy(rbf(1), rows(x)), lazy(linear() + rbf(1), rows(y)));
    test::expect_near(again.x.predict_targets(rows(a)), first.x.predict_targets(rows(a)), 1e-8);
    test::expect_near(again.y.predict_targets(rows(b)), first.y.predict_targets(rows(b)), 1e-8);
  }
}

TEST(Kcca, RefusesWhatCannotBe) {
  const Views v;
  const Gram x = lazy(linear(), v.x), y = lazy(linear(), v.y);
  expect_error([&] { KernelCca{.ridge = 0}.fit_both(x, y); }, "UsageError", {"ridge", "all correlations would be 1"});
  expect_error([&] { KernelCca{.components = 3}.fit_both(x, y); }, "UsageError", {"3 components", "there are 2"});
  expect_error([&] { KernelCca{}.fit_both(x, lazy(linear(), rows(Matrix(60, 2, 1.0)))); }, "DataError",
               {"view of y", "nothing varies"});
  expect_error([&] { KernelCca{}.fit_both(x, lazy(linear(), v.y.slice({0, 5}))); }, "ShapeError", {"60 points", "5"});
  Training weighted{.K = x, .weights = Vector(60, 1.0)};
  weighted.weights[3] = 2;
  expect_error([&] { KernelCca{.permutations = 9}.fit_both(weighted, y); }, "UsageError", {"equal weight"});
}

}  // namespace
}  // namespace mercer::kcca_test
