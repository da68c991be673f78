// Machines that work on few features of K are the same machines on the matrix of all pairs.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/gd.hpp"
#include "mercer/machines/kfda.hpp"
#include "mercer/machines/logistic.hpp"
#include "mercer/machines/pca.hpp"
#include "mercer/machines/rrm.hpp"
#include "support.hpp"

namespace mercer::few_features_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

constexpr Index kSize = 90;

struct Case {
  Index n;
  Matrix x, others = random_matrix(9, 3, 11);
  Training training;

  Case(const Kernel& k, bool numbers, Index classes, Index size = kSize)
      : n(size), x(random_matrix(size, 3, 10)), training{.K = gram_of(k, numbers)} {
    for (Index i = 0; i < n; ++i) {
      const double f = x(i, 0) - 2 * x(i, 2) + 0.3 * std::sin(17.0 * static_cast<double>(i));
      training.labels.of.push_back(f < -0.4 ? 0 : f > 0.9 && classes > 2 ? 2 : 1);
      training.weights.push_back(i % 7 == 0 ? 0 : 0.5 + static_cast<double>(i % 3));
    }
    for (Index c = 0; c < classes; ++c) training.labels.classes.push_back(std::string(1, static_cast<char>('a' + c)));
  }
  Gram gram_of(const Kernel& k, bool numbers) const {
    return numbers ? precomputed(gram(k, rows(x.view()))) : lazy(k, rows(x.view()));
  }
  Matrix scores(const Kernel& k, const Model& m) const {
    const Points fresh = rows(others.view());
    return m.expansion().parts().kernel ? m.expansion()(fresh)
                                        : m.expansion().from_rows(cross(k, fresh, rows(x.view())));
  }
};

template <class Machine>
void expect_same(const Machine& machine, const Kernel& k, Index classes, double tolerance, Index size = kSize) {
  const Case few(k, false, classes, size), all(k, true, classes, size);
  const Model a = machine.fit(few.training), b = machine.fit(all.training);
  EXPECT_TRUE(a.report().converged);
  expect_near(few.scores(k, a), all.scores(k, b), tolerance);
}

const std::vector<std::string> kKernels = {"linear() + 1", "0.3*linear()", "(1 + on(1:2, linear()))^2",
                                           "random_features(rbf(ell=2), count=20, seed=3)"};

TEST(FewFeatures, Logistic) {
  for (const std::string& text : kKernels) {
    SCOPED_TRACE(text);
    for (const double lambda : {1.0, 1e-3}) expect_same(KernelLogistic{.lambda = lambda}, parse(text), 2, 1e-6);
    expect_same(KernelLogistic{.lambda = 0.1}, parse(text), 3, 1e-5);
    expect_same(KernelLogistic{.lambda = 0.1, .bias = false}, parse(text), 2, 1e-6);
  }
}

TEST(FewFeatures, RegularisedRisk) {
  for (const std::string& text : kKernels) {
    for (const Loss loss : {Loss::squared, Loss::huber, Loss::quantile, Loss::epsilon}) {
      SCOPED_TRACE(text);
      const Kernel k = parse(text);
      Case few(k, false, 2), all(k, true, 2);
      for (Case* each : {&few, &all}) {
        each->training.labels = {};
        each->training.y = random_matrix(kSize, 2, 12);
      }
      const RegularisedRisk machine{.loss = loss, .ridge = 0.1, .tolerance = 1e-9};
      const Model a = machine.fit(few.training), b = machine.fit(all.training);
      EXPECT_TRUE(a.report().converged);
      EXPECT_NEAR(*a.report().figure("objective_primal"), *b.report().figure("objective_primal"),
                  1e-8 * *b.report().figure("objective_primal"));
      expect_near(few.scores(k, a), all.scores(k, b), 1e-3);
    }
    expect_same(RegularisedRisk{.loss = Loss::squared_hinge, .ridge = 0.1, .tolerance = 1e-10}, parse(text), 2, 1e-4);
  }
}

TEST(FewFeatures, Discriminant) {
  for (const std::string& text : kKernels) {
    SCOPED_TRACE(text);
    for (const Index classes : {2, 3}) expect_same(KernelFda{.ridge = 1e-3}, parse(text), classes, 1e-7);
  }
}

TEST(FewFeatures, Descent) {
  for (const std::string& text : kKernels) {
    const Kernel k = parse(text);
    Case few(k, false, 2), all(k, true, 2);
    for (Case* each : {&few, &all}) {
      each->training.labels = {};
      each->training.y = random_matrix(kSize, 1, 12);
    }
    const GradientDescent machine{.max_iterations = 50};
    expect_near(few.scores(k, machine.fit(few.training)), all.scores(k, machine.fit(all.training)), 1e-9);
  }
}

// Enough points that not all eigenvalues of K are computed anyway. Axes have a sign of their own.
TEST(FewFeatures, Components) {
  constexpr Index kMany = 450;
  for (const std::string& text : kKernels) {
    for (const double components : {2.0, 0.9, std::numeric_limits<double>::infinity()}) {
      SCOPED_TRACE(text + ", " + std::to_string(components));
      const Kernel k = parse(text);
      Case few(k, false, 2, kMany), all(k, true, 2, kMany);
      for (Case* each : {&few, &all}) each->training.labels = {};
      const KernelPca machine{.components = components, .tolerance = 1e-12};
      const Model a = machine.fit(few.training), b = machine.fit(all.training);
      const Matrix& values = a.report().table("components")->rows;
      expect_near(values, b.report().table("components")->rows, 1e-7);
      EXPECT_NEAR(*a.report().figure("total_variance"), *b.report().figure("total_variance"), 1e-9);
      ASSERT_EQ(a.parts().fitted.cols(), values.rows());
      for (Index j = 0; j < values.rows(); ++j) {
        const double sign = a.parts().fitted(1, j) * b.parts().fitted(1, j) < 0 ? -1 : 1;
        for (Index i = 0; i < kMany; ++i) {
          EXPECT_NEAR(a.parts().fitted(i, j), sign * b.parts().fitted(i, j), 1e-5) << i << ", " << j;
        }
      }
      expect_near(a.predict_targets(rows(few.x.view())), a.parts().fitted, 1e-7);
    }
  }
  const Kernel k = linear();
  Case few(k, false, 2, kMany);
  few.training.labels = {};
  expect_error([&] { KernelPca{.components = 5}.fit(few.training); }, "UsageError", {"3 directions"});
}

// What machines say they need is what they do: no matrix of all pairs of a hundred thousand points.
TEST(FewFeatures, NeedNoMatrix) {
  const Extent extent{
      .points = 100000, .weighted = 100000, .outputs = 2, .dimension = 300, .stored = 300, .features = 301};
  for (const char* const name : {"logistic", "rrm", "kfda", "gd", "pca", "ridge", "ols", "kmeans", "linear_svc"}) {
    const Plan plan = plan_for(machine(name), {}, extent);
    EXPECT_EQ(name_of(plan.form), "factor") << name;
    EXPECT_LT(plan.bytes, 4e9) << name;
  }
}

}  // namespace
}  // namespace mercer::few_features_test
