// Regression, novelty and the nu machines; bad input; problems made to hang a solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machines/svm_data.hpp"
#include "machines/svm_oracle.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::svm_others_test {
namespace {

using namespace test;

Training on(const Sample& s, const Kernel& k) {
  return {.K = lazy(k, s.points()), .y = Matrix(MatrixView(s.target.data(), s.size(), 1))};
}

// ---- against the slow solver ----

detail::DualProblem svr_dual(const Sample& s, double C, double epsilon, double nu, bool bias) {
  const auto n = at(s.size());
  detail::DualProblem out;
  double left[2] = {nu * C * static_cast<double>(n) / 2, nu * C * static_cast<double>(n) / 2};
  for (std::size_t v = 0; v < 2 * n; ++v) {
    const double sign = v < n ? 1 : -1;
    const std::size_t side = v < n ? 0 : 1;
    out.point.push_back(static_cast<Index>(v % n));
    out.linear.push_back(sign * epsilon - s.target[v % n]);
    out.lower.push_back(v < n ? 0 : -C);
    out.upper.push_back(v < n ? C : 0);
    const double begin = std::min(C, left[side]);
    left[side] -= begin;
    out.start.push_back(sign * begin);
    if (bias) out.group.push_back(nu > 0 && v >= n);
  }
  return out;
}

TEST(Svr, AgreesWithTheSlowSolver) {
  for (const Sample& s : {sine(60), friedman(50)}) {
    const Kernel k = rbf(0.6);
    const Matrix K = gram(k, s.points());
    for (const bool bias : {true, false}) {
      const detail::DualSolution truth = oracle(svr_dual(s, 5, 0.1, 0, bias), K);
      const Model m = Svr{.C = 5, .epsilon = 0.1, .bias = bias, .tolerance = 1e-5}.fit(on(s, k));
      EXPECT_EQ(m.parts().reading, Reading::value);
      EXPECT_NEAR(figure(m, "objective_dual"), -truth.objective, 1e-5 * std::abs(truth.objective));
      EXPECT_NEAR(figure(m, "objective_primal"), -truth.objective, 1e-3 * std::abs(truth.objective));
      Vector f = truth.f;
      for (double& value : f) value -= bias ? truth.level[0] : 0;
      expect_close(m.predict(s.points()), f, 2e-4);
    }
    const detail::DualSolution truth = oracle(svr_dual(s, 5, 0, 0.4, true), K);
    const Model m = NuSvr{.C = 5, .nu = 0.4, .tolerance = 1e-5}.fit(on(s, k));
    EXPECT_NEAR(figure(m, "objective_dual"), -truth.objective, 1e-5 * std::abs(truth.objective));
    EXPECT_NEAR(figure(m, "objective_primal"), -truth.objective, 1e-3 * std::abs(truth.objective));
    EXPECT_NEAR(figure(m, "epsilon"), (truth.level[1] - truth.level[0]) / 2, 1e-4);
  }
}

// ---- laws ----

TEST(Svr, COverMIsCDividedByTheWeightOfAllPoints) {
  const Sample s = friedman(40);
  Training t = on(s, rbf(0.6));
  for (Index i = 0; i < 40; ++i) t.weights.push_back(i % 4 == 0 ? 4 : i % 4 == 1 ? 2 : 1);  // 80 in all
  EXPECT_EQ((Svr{.C = 160, .C_over_m = true}.fit(t).scores(*t.K.points())), (Svr{.C = 2}.fit(t).scores(*t.K.points())));
}

TEST(Svr, NuSvrIsSvrAtTheTubeItFinds) {
  const Sample s = sine(80);
  const Model nu = NuSvr{.C = 3, .nu = 0.3, .tolerance = 1e-7}.fit(on(s, rbf(0.5)));
  const double epsilon = figure(nu, "epsilon");
  EXPECT_GT(epsilon, 0);
  const Model fixed = Svr{.C = 3, .epsilon = epsilon, .tolerance = 1e-7}.fit(on(s, rbf(0.5)));
  expect_close(nu.predict(s.points()), fixed.predict(s.points()), 1e-4);
  // At most a fraction nu of the points is outside the tube, at least a fraction nu are support vectors.
  const Vector f = nu.predict(s.points());
  double outside = 0;
  for (std::size_t i = 0; i < f.size(); ++i) outside += std::abs(f[i] - s.target[i]) > epsilon + 1e-5;
  EXPECT_LE(outside, 0.3 * 80);
  EXPECT_GE(figure(nu, "support_vectors"), 0.3 * 80 - 1);
}

TEST(Svr, SeveralTargetsAreSeveralProblems) {
  const Sample s = friedman(60);
  Training training = on(s, rbf(1));
  training.y = Matrix(60, 2);
  for (Index i = 0; i < 60; ++i) training.y(i, 0) = s.target[at(i)], training.y(i, 1) = s.x(i, 0) - s.x(i, 1);
  const Model both = Svr{.C = 3, .tolerance = 1e-6}.fit(training);
  const Matrix f = both.predict_targets(s.points());
  ASSERT_EQ(f.cols(), 2);
  for (Index t = 0; t < 2; ++t) {
    const Model alone = Svr{.C = 3, .tolerance = 1e-6}.fit(training.K, column(training.y, t));
    expect_close(column(f, t), alone.predict(s.points()), 1e-4);
  }
}

TEST(Svr, StartsFromAModel) {
  const Sample s = friedman(150);
  Training training = on(s, rbf(0.8));
  const Model cold = Svr{.C = 10}.fit(training), nu = NuSvr{.C = 10}.fit(training);
  training.start = Svr{.C = 9}.fit(training);
  const Model warm = Svr{.C = 10}.fit(training);
  EXPECT_LT(warm.report().iterations, cold.report().iterations / 2);
  EXPECT_NEAR(figure(warm, "objective_dual"), figure(cold, "objective_dual"), 1e-3 * figure(cold, "objective_dual"));
  training.start = nu;
  EXPECT_LT(NuSvr{.C = 10}.fit(training).report().iterations, nu.report().iterations / 2);
  expect_error([&] { Svr{}.fit(training); }, "UsageError", {"svr", "nusvr"});
}

TEST(NuSvc, IsSvcAtTheCThatItsMarginGives) {
  const Sample s = moons(80, 0.3);
  const Gram K = lazy(rbf(0.6), s.points());
  const Model nu = NuSvc{.nu = 0.3, .tolerance = 1e-5}.fit(K, s.labels());
  const double margin = figure(nu, "margin");
  const Model svc = Svc{.C = 1 / margin, .tolerance = 1e-5}.fit(K, s.labels());
  expect_near(nu.scores(s.points()), svc.scores(s.points()), 1e-4);
  EXPECT_GE(figure(nu, "support_vectors"), 0.3 * 80);
  EXPECT_LE(figure(nu, "bounded"), 0.3 * 80);
  EXPECT_NEAR(figure(nu, "objective_primal"), figure(nu, "objective_dual"),
              1e-4 * std::abs(figure(nu, "objective_dual")));
}

TEST(NuSvc, SaysTheLargestFeasibleNu) {
  const Sample s = unbalanced(60);  // 5 points of 60
  const Gram K = lazy(rbf(2), s.points());
  expect_error([&] { NuSvc{.nu = 0.5}.fit(K, s.labels()); }, "DataError",
               {"nu = 0.5", "largest feasible nu is 0.166666"});
  EXPECT_TRUE(NuSvc{.nu = 0.166666}.fit(K, s.labels()).report().converged);
  EXPECT_TRUE(NuSvc{.nu = 2.0 * 5 / 60}.fit(K, s.labels()).report().converged);
  Vector weights(60, 1.0);
  for (std::size_t i = 0; i < 60; ++i) weights[i] = s.target[i] == 1 ? 11 : 1;
  EXPECT_TRUE((NuSvc{.nu = 1}.fit({.K = K, .labels = s.labels(), .weights = weights}).report().converged));
}

TEST(OneClass, NuBoundsTheStrangers) {
  const Sample s = rings(100, 2);
  for (const double nu : {0.05, 0.3, 1.0}) {
    const Model m = OneClass{.nu = nu, .tolerance = 1e-6}.fit(lazy(rbf(0.8), s.points()));
    EXPECT_EQ(m.parts().reading, Reading::novelty);
    const Vector a = alphas(m), f = column(m.scores(s.points()));
    EXPECT_NEAR(std::accumulate(a.begin(), a.end(), 0.0), nu * 100, 1e-9);
    EXPECT_LE(std::count_if(f.begin(), f.end(), [](double v) { return v < -1e-5; }), nu * 100 + 1e-9);
    EXPECT_GE(figure(m, "support_vectors"), nu * 100 - 1e-9);
    EXPECT_NEAR(figure(m, "objective_primal"), figure(m, "objective_dual"),
                1e-3 * std::abs(figure(m, "objective_dual")));
    Training training{.K = lazy(rbf(0.8), s.points()), .start = m};
    EXPECT_LT(OneClass{.nu = nu}.fit(training).report().iterations, std::max<Index>(2, m.report().iterations / 4));
  }
  const Matrix far{{30, 30}};
  EXPECT_EQ(OneClass{.nu = 0.1}.fit(lazy(rbf(0.8), s.points())).predict(rows(far.view())), Vector{-1});
}

// ---- bad input ----

TEST(SvmBadInput, OneLineEach) {
  const Sample s = moons(20, 0.2), r = sine(20);
  const Gram K = lazy(rbf(1), s.points());
  const Labels labels = s.labels();
  const auto svc = [&](const Svc& machine) { return [&, machine] { machine.fit(K, labels); }; };
  for (const double C : {0.0, -1.0, std::nan("")}) {
    expect_error(svc({.C = C}), "UsageError", {"svc: C is", "above 0"});
    expect_error([&] { Svr{.C = C}.fit(on(r, rbf(1))); }, "UsageError", {"svr: C is"});
    expect_error([&] { NuSvr{.C = C}.fit(on(r, rbf(1))); }, "UsageError", {"nusvr: C is"});
  }
  expect_error([&] { Svr{.C = kInf}.fit(on(r, rbf(1))); }, "UsageError", {"finite"});
  for (const double nu : {0.0, -0.1, 1.1, std::nan("")}) {
    expect_error([&] { NuSvc{.nu = nu}.fit(K, labels); }, "UsageError", {"nusvc: nu is"});
    expect_error([&] { NuSvr{.nu = nu}.fit(on(r, rbf(1))); }, "UsageError", {"nusvr: nu is"});
    expect_error([&] { OneClass{.nu = nu}.fit(K); }, "UsageError", {"oneclass: nu is"});
  }
  expect_error([&] { Svr{.epsilon = -1}.fit(on(r, rbf(1))); }, "UsageError", {"epsilon is -1"});
  expect_error(svc({.tolerance = 0}), "UsageError", {"tolerance is 0"});
  expect_error(svc({.max_iterations = -1}), "UsageError", {"max_iterations is -1"});
  expect_error(svc({.max_seconds = 0}), "UsageError", {"max_seconds is 0"});
  expect_error(svc({.class_weight = {.by_name = {{"7", 1}}}}), "UsageError", {"\"7\"", "no class"});
  expect_error(svc({.class_weight = {.by_name = {{"1", 0}}}}), "UsageError", {"weight of \"1\" is 0"});
  expect_error(
      [&] {
        fit("svc", {{"class_weight", "1:2"}}, {.K = K, .labels = labels});
      },
      "UsageError", {"class_weight", "NAME=WEIGHT"});
}

TEST(SvmBadInput, OnePoint) {
  const Matrix x{{1, 2}};
  const Gram K = lazy(rbf(1), rows(x.view()));
  expect_error([&] { Svc{}.fit(K, Labels::from(Vector{1})); }, "DataError", {"two classes"});
  EXPECT_NEAR(Svr{}.fit(K, Vector{3}).predict(rows(x.view()))[0], 3, 0.1 + 1e-9);
  EXPECT_NEAR(NuSvr{}.fit(K, Vector{3}).predict(rows(x.view()))[0], 3, 1e-3);
  EXPECT_EQ(OneClass{}.fit(K).support(), std::vector<Index>{0});
}

TEST(SvmByName, OptionsAreReadFromTexts) {
  const Sample s = blobs(60, 3, 1), r = sine(40);
  const Training classes{.K = lazy(rbf(1), s.points()), .labels = s.labels()};
  const auto same = [](const Model& a, const Model& b, const Sample& of) {
    EXPECT_EQ(a.scores(of.points()), b.scores(of.points()));
    EXPECT_EQ(a.parts().calibration, b.parts().calibration);
  };
  same(fit("svc", {}, classes), Svc{}.fit(classes), s);
  same(fit("svc",
           {{"C", "7"},
            {"C_over_m", "true"},
            {"class_weight", "1=2, 2=0.5"},
            {"multi_class", "one_vs_rest"},
            {"probability", "true"},
            {"no_bias", "true"},
            {"tolerance", "0.01"}},
           classes),
       Svc{.C = 7,
           .C_over_m = true,
           .class_weight = {.by_name = {{"1", 2}, {"2", 0.5}}},
           .multi_class = MultiClass::one_vs_rest,
           .probability = true,
           .bias = false,
           .tolerance = 0.01}
           .fit(classes),
       s);
  same(fit("svc", {{"class_weight", "balanced"}}, classes), Svc{.class_weight = {.balanced = true}}.fit(classes), s);
  same(fit("nusvc", {{"nu", "0.3"}}, classes), NuSvc{.nu = 0.3}.fit(classes), s);
  const Training values = on(r, rbf(1));
  same(fit("svr", {{"C", "3"}, {"epsilon", "0.2"}}, values), Svr{.C = 3, .epsilon = 0.2}.fit(values), r);
  same(fit("nusvr", {{"C", "3"}, {"nu", "0.2"}}, values), NuSvr{.C = 3, .nu = 0.2}.fit(values), r);
  same(fit("oneclass", {{"nu", "0.2"}}, {.K = values.K}), OneClass{.nu = 0.2}.fit(values.K), r);
}

// ---- never hangs ----

// Whatever happens, it ends with a model that says how it ended, and finite numbers.
void expect_ends(const Model& m, const Points& x, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_FALSE(m.report().stopped.empty());
  EXPECT_TRUE(!m.report().converged || figure(m, "gap") <= 1e-3);
  for (const double f : column(m.scores(x))) EXPECT_TRUE(std::isfinite(f));
  EXPECT_TRUE(std::isfinite(figure(m, "objective_primal")));
  EXPECT_TRUE(std::isfinite(figure(m, "objective_dual")));
}

TEST(SvmNeverHangs, ExtremeCAndGamma) {
  const double seconds = 0.05;
  Sample constant = moons(40, 0.3);
  for (Index i = 0; i < 40; ++i) constant.x(i, 1) = 7;
  Sample same = moons(30, 0.3);
  for (Index i = 0; i < 30; ++i) same.x(i, 0) = same.x(i, 1) = 1;
  for (const Sample& s : {duplicates(40), constant, same}) {
    for (const double C : {1e-8, 1.0, 1e8}) {
      for (const double gamma : {1e-8, 1.0, 1e8}) {
        const std::string what = s.name + " C=" + std::to_string(C) + " gamma=" + std::to_string(gamma);
        const Gram K = lazy(rbf(std::sqrt(0.5 / gamma)), s.points());
        expect_ends(Svc{.C = C, .max_seconds = seconds}.fit(K, s.labels()), s.points(), what);
        expect_ends(Svc{.C = C, .bias = false, .max_seconds = seconds}.fit(K, s.labels()), s.points(), what);
        expect_ends(Svr{.C = C, .max_seconds = seconds}.fit(K, s.target), s.points(), what);
        expect_ends(NuSvr{.C = C, .max_seconds = seconds}.fit(K, s.target), s.points(), what);
        if (C != 1) continue;
        const auto nusvc = [&] { return NuSvc{.nu = 0.2, .max_seconds = seconds}.fit(K, s.labels()); };
        // Only points that all stand apart have a margin at so small a nu.
        if (s.x(0, 1) == 7 && gamma == 1e8) {
          expect_ends(nusvc(), s.points(), what);
        } else {
          expect_error(nusvc, "DataError", {"nusvc", "infeasible"});
        }
        expect_ends(OneClass{.nu = 0.2, .max_seconds = seconds}.fit(K), s.points(), what);
      }
    }
  }
}

TEST(SvmNeverHangs, OnePointPerClass) {
  const Sample s = blobs(6, 6, 0.5);
  for (const MultiClass way : {MultiClass::one_vs_one, MultiClass::one_vs_rest}) {
    const Model m = Svc{.C = 10, .multi_class = way, .probability = true}.fit(lazy(rbf(1), s.points()), s.labels());
    EXPECT_TRUE(m.report().converged);
    EXPECT_EQ(Svc{.C = kInf}.fit(lazy(rbf(1), s.points()), s.labels()).predict(s.points()), (Vector{0, 1, 2, 3, 4, 5}));
  }
}

}  // namespace
}  // namespace mercer::svm_others_test
