// Laws of the support vector machines: what must hold whatever the solver does.
#include "mercer/machines/svm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "machines/svm_data.hpp"
#include "machines/svm_oracle.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::svm_test {
namespace {

using namespace test;

// The dual of C-SVC as the tests understand it.
detail::DualProblem svc_dual(const Labels& labels, const Vector& cost, bool bias = true) {
  detail::DualProblem out;
  for (std::size_t i = 0; i < labels.of.size(); ++i) {
    const double y = labels.of[i] == 1 ? 1 : -1;
    out.point.push_back(static_cast<Index>(i));
    out.linear.push_back(-y);
    out.lower.push_back(std::min(0.0, y * cost[i]));
    out.upper.push_back(std::max(0.0, y * cost[i]));
    out.start.push_back(0);
    if (bias) out.group.push_back(0);
  }
  return out;
}

// The largest violation of the KKT conditions of C-SVC by the model, from the definition and in double precision.
double kkt_violation(const Model& m, const Sample& s, const Vector& cost) {
  const Vector f = column(m.scores(s.points())), a = alphas(m);
  const Labels labels = s.labels();
  double worst = 0, sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double y = labels.of[i] == 1 ? 1 : -1, margin = y * f[i];
    EXPECT_GE(y * a[i], 0);
    EXPECT_LE(y * a[i], cost[i] * (1 + 1e-12));
    if (y * a[i] < cost[i]) worst = std::max(worst, 1 - margin);
    if (y * a[i] > 0) worst = std::max(worst, margin - 1);
    sum += a[i];
  }
  const bool bias = m.expansion().parts().bias[0] != 0;
  EXPECT_NEAR(bias ? sum : 0, 0, 1e-9 * std::max(1.0, cost[0]));
  return worst;
}

// ---- against the slow solver ----

TEST(Svc, AgreesWithTheSlowSolver) {
  for (const Sample& s : {moons(80, 0.3), squares(70), blobs(60, 2, 1.5), duplicates(60)}) {
    for (const double C : {0.1, 10.0}) {
      for (const bool bias : {true, false}) {
        SCOPED_TRACE(s.name + " C=" + std::to_string(C) + (bias ? "" : " no bias"));
        const Kernel k = rbf(0.7);
        const Vector cost(at(s.size()), C);
        const detail::DualSolution truth = oracle(svc_dual(s.labels(), cost, bias), gram(k, s.points()));
        ASSERT_TRUE(truth.converged);
        const Model m = Svc{.C = C, .bias = bias, .tolerance = 1e-5}.fit(lazy(k, s.points()), s.labels());
        EXPECT_TRUE(m.report().converged) << m.report().str();
        EXPECT_NEAR(figure(m, "objective_dual"), -truth.objective, 1e-5 * std::abs(truth.objective));
        EXPECT_NEAR(figure(m, "objective_primal"), -truth.objective, 1e-3 * std::abs(truth.objective));
        EXPECT_GE(figure(m, "duality_gap"), -1e-9);
        Vector f = truth.f;
        for (double& value : f) value -= bias ? truth.level[0] : 0;
        expect_close(column(m.scores(s.points())), f, 2e-4);
        EXPECT_LE(kkt_violation(m, s, cost), 1.1e-5);
        EXPECT_EQ(m.expansion().parts().bias[0] == 0, !bias);
      }
    }
  }
}

TEST(Svc, ReportsWhatItDid) {
  const Sample s = moons(120, 0.3);
  const Model m = Svc{.C = 2}.fit(lazy(rbf(0.5), s.points()), s.labels());
  const Report& r = m.report();
  EXPECT_EQ(m.parts().reading, Reading::binary);
  EXPECT_EQ(m.parts().machine, "svc");
  EXPECT_TRUE(r.converged);
  EXPECT_EQ(r.stopped, "optimal to the tolerance");
  EXPECT_GT(r.iterations, 0);
  EXPECT_LE(figure(m, "gap"), 1e-3);
  EXPECT_EQ(figure(m, "support_vectors"), static_cast<double>(m.support().size()));
  EXPECT_EQ(figure(m, "free") + figure(m, "bounded"), figure(m, "support_vectors"));
  EXPECT_EQ(figure(m, "rho"), -m.expansion().parts().bias[0]);
  EXPECT_GT(figure(m, "kernel_rows_computed"), 0);
  EXPECT_FALSE(r.notes.empty());
  const Vector a = alphas(m), Ka = exact(rbf(0.5), s.points()).multiply(VectorView(a));
  const double squares = std::inner_product(a.begin(), a.end(), Ka.begin(), 0.0);
  EXPECT_NEAR(m.rkhs_norm(), std::sqrt(squares), 1e-6);
  EXPECT_EQ(std::count_if(a.begin(), a.end(), [](double v) { return std::abs(v) >= 2; }),
            static_cast<std::ptrdiff_t>(figure(m, "bounded")));
}

// ---- laws ----

TEST(Svc, COverMIsCDividedByTheNumberOfPoints) {
  const Sample s = moons(50, 0.3);
  const Gram K = lazy(rbf(0.6), s.points());
  const Model a = Svc{.C = 100, .C_over_m = true}.fit(K, s.labels()), b = Svc{.C = 2}.fit(K, s.labels());
  EXPECT_EQ(a.scores(s.points()), b.scores(s.points()));
  // Of a pair of classes it is the number of their points.
  const Sample t = blobs(60, 3, 1);
  const Gram L = lazy(rbf(1), t.points());
  EXPECT_EQ((Svc{.C = 40, .C_over_m = true}.fit(L, t.labels()).scores(t.points())),
            (Svc{.C = 1}.fit(L, t.labels()).scores(t.points())));
}

TEST(Svc, HardMarginIsLargeC) {
  const Sample s = blobs(60, 2, 0.4);
  for (const Kernel& k : {linear(), rbf(1)}) {
    const Gram K = lazy(k, s.points());
    const Model hard = Svc{.C = kInf, .tolerance = 1e-6}.fit(K, s.labels());
    const Model soft = Svc{.C = 1e7, .tolerance = 1e-6}.fit(K, s.labels());
    expect_near(hard.scores(s.points()), soft.scores(s.points()), 1e-4);
    EXPECT_EQ(figure(hard, "bounded"), 0);
    EXPECT_NEAR(figure(hard, "objective_primal"), figure(hard, "objective_dual"),
                1e-4 * figure(hard, "objective_dual"));
    const Labels labels = s.labels();
    const Vector f = column(hard.scores(s.points()));
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_GE((labels.of[i] == 1 ? 1 : -1) * f[i], 1 - 1e-5);
    // The margin is 1 / |f|.
    EXPECT_NEAR(hard.rkhs_norm() * hard.rkhs_norm(), 2 * figure(hard, "objective_dual"), 1e-3);
  }
}

TEST(Svc, HardMarginSaysWhenThereIsNone) {
  const Sample overlapping = blobs(80, 2, 2), contradictory = duplicates(60);
  const auto fit = [](const Sample& s, const Kernel& k, bool bias) {
    return [&s, k, bias] { Svc{.C = kInf, .bias = bias, .max_seconds = 20}.fit(lazy(k, s.points()), s.labels()); };
  };
  for (const bool bias : {true, false}) {
    expect_error(fit(overlapping, linear(), bias), "DataError", {"svc", "\"1\" against \"0\"", "linear()", "finite C"});
    expect_error(fit(contradictory, rbf(0.5), bias), "DataError", {"rbf(ell=0.5)", "does not separate", "finite C"});
  }
  EXPECT_EQ(error_of(fit(overlapping, rbf(0.05), true)), "no error");
}

TEST(Svc, ClassWeightsMultiplyC) {
  const Sample s = unbalanced(96);
  const Gram K = lazy(rbf(2), s.points());
  Vector weights(96, 1.0);
  for (std::size_t i = 0; i < 96; ++i) weights[i] = s.target[i] == 1 ? 96.0 / (2 * 8) : 96.0 / (2 * 88);
  const Model balanced = Svc{.class_weight = {.balanced = true}}.fit(K, s.labels());
  const Model named = Svc{.class_weight = {.by_name = {{"1", 6}, {"0", 96.0 / 176}}}}.fit(K, s.labels());
  const Model by_point = Svc{}.fit({.K = K, .labels = s.labels(), .weights = weights});
  expect_near(balanced.scores(s.points()), named.scores(s.points()), 1e-9);
  expect_near(balanced.scores(s.points()), by_point.scores(s.points()), 1e-9);
  const Labels labels = s.labels();
  const auto found = [&](const Model& m) {
    double count = 0;
    for (const double c : m.predict(s.points())) count += c;
    return count;
  };
  EXPECT_GT(found(balanced), found(Svc{}.fit(K, s.labels())));
}

// ---- kinds of data ----

TEST(Svc, Strings) {
  std::vector<std::string> text, names;
  for (int i = 0; i < 40; ++i) {
    const std::string noise(1, static_cast<char>('p' + i % 7));
    text.push_back(i % 2 == 0 ? "abcabc" + noise + "cab" : "acbacb" + noise + "bac");
    names.push_back(i % 2 == 0 ? "forward" : "backward");
  }
  const Points x = strings(text);
  const Model m = Svc{.C = kInf}.fit(lazy(parse("normalize(spectrum(k=3))"), x), Labels::from(names));
  EXPECT_EQ(m.predict_labels(x), names);
  EXPECT_EQ(m.predict_labels(strings({"bcabca", "cbacba"})), (std::vector<std::string>{"forward", "backward"}));
}

}  // namespace
}  // namespace mercer::svm_test
