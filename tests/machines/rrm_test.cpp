#include "mercer/machines/rrm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "machines/risk/losses.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/logistic.hpp"
#include "support.hpp"

namespace mercer::rrm_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;
using test::random_vector;

constexpr Index kSize = 60;

Points inputs(unsigned seed = 1) { return rows(random_matrix(kSize, 2, seed)); }
Kernel kernel() { return parse("1 + 2*rbf(ell=0.7)"); }

Vector wave(unsigned seed, double noise) {
  const Matrix x = random_matrix(kSize, 2, 1);
  Vector y = random_vector(kSize, seed, -noise, noise);
  for (Index i = 0; i < kSize; ++i) y[at(i)] += 3 * std::sin(2 * x(i, 0)) + x(i, 1);
  return y;
}

std::vector<Index> sides(unsigned seed) {
  std::vector<Index> out;
  for (const double value : wave(seed, 2)) out.push_back(value > 0 ? 1 : 0);
  return out;
}
Labels labels_of(const std::vector<Index>& classes) { return Labels::from(Vector(classes.begin(), classes.end())); }

Vector full_alpha(const Model& m, Index output = 0) {
  Vector out(at(kSize));
  for (std::size_t s = 0; s < m.support().size(); ++s) {
    out[at(m.support()[s])] = m.expansion().parts().alpha(static_cast<Index>(s), output);
  }
  return out;
}

Matrix as_column(const Vector& y) {
  Matrix out(static_cast<Index>(y.size()), 1);
  std::copy(y.begin(), y.end(), out.data());
  return out;
}

double gap_of(const Model& m) { return *m.report().figure("duality_gap") / *m.report().figure("objective_primal"); }

// ---- losses ----

TEST(Losses, SlopesCurvaturesAndConjugatesAreThoseOfTheValues) {
  for (std::size_t kind = 0; kind < loss_names().size(); ++kind) {
    const RegularisedRisk config{.loss = static_cast<Loss>(kind), .delta = 0.7, .tau = 0.3, .epsilon = 0.2};
    SCOPED_TRACE(std::string(name_of(config.loss)));
    const detail::LossFunction loss(config);
    const Vector targets = is_for_classes(config.loss) ? Vector{-1, 1} : Vector{-1.3, 0, 0.4, 2};
    for (const double y : targets) {
      for (const double v : random_vector(40, 3, -4, 4)) {
        const double mu = loss.smooth() ? 0 : 0.6, h = 1e-5;
        const auto bend = loss.envelope(y, v, mu);
        // The envelope by brute force.
        double least = loss.smooth() ? loss.value(y, v) : 1e300;
        for (double z = -8; mu > 0 && z < 8; z += 1e-3) {
          least = std::min(least, loss.value(y, z) + (z - v) * (z - v) / (2 * mu));
        }
        EXPECT_NEAR(bend.value, least, 1e-5);
        const auto above = loss.envelope(y, v + h, mu), below = loss.envelope(y, v - h, mu);
        EXPECT_NEAR(bend.slope, (above.value - below.value) / (2 * h), 1e-5);
        if (above.curvature == below.curvature || config.loss == Loss::logistic) {
          EXPECT_NEAR(bend.curvature, (above.slope - below.slope) / (2 * h), 1e-4);
        }
        // Fenchel: s f - value(f) is largest, and is the conjugate, where s is the slope.
        double most = -1e300;
        for (double f = -12; f < 12; f += 1e-3) most = std::max(most, bend.slope * f - loss.value(y, f));
        EXPECT_NEAR(loss.conjugate(y, bend.slope), most, 1e-5);
      }
    }
  }
}

// ---- the same as other machines ----

TEST(Rrm, SquaredIsRidge) {
  const Vector y = wave(2, 0.3), weights = random_vector(kSize, 4, 0.2, 2);
  for (const double ridge : {1e-6, 1e-2, 10.0}) {
    const Model m = RegularisedRisk{.ridge = ridge}.fit(
        {.K = lazy(kernel(), inputs()), .y = Matrix(MatrixView(y.data(), kSize, 1)), .weights = weights});
    EXPECT_TRUE(m.report().converged) << m.report().str();
    // (K + ridge W^-1) alpha = y
    const Vector alpha = full_alpha(m), f = lazy(kernel(), inputs()).multiply(VectorView(alpha));
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(f[i] + ridge / weights[i] * alpha[i], y[i], 1e-6);
  }
}

TEST(Rrm, LogisticIsLogisticWithoutBias) {
  const Labels labels = labels_of(sides(5));
  const Gram K = lazy(kernel(), inputs());
  const Points test = inputs(6);
  for (const double ridge : {1e-4, 0.05, 5.0}) {
    const Model m = RegularisedRisk{.loss = Loss::logistic, .ridge = ridge, .tolerance = 1e-12}.fit(
        Training{.K = K, .labels = labels});
    const Model reference = KernelLogistic{.lambda = 2 * ridge, .bias = false}.fit(K, labels);
    EXPECT_TRUE(m.report().converged) << m.report().str();
    expect_near(m.scores(test), reference.scores(test), 1e-5);
    expect_near(m.probabilities(test), reference.probabilities(test), 1e-5);
    EXPECT_NEAR(*m.report().figure("objective_primal"), *reference.report().figure("objective"), 1e-8);
  }
}

// min 1/2 a'Ka - p'a + e |a|_1 in the box [low, high], by projected coordinate descent with soft thresholds, to
// rounding.
Vector box_oracle(const Matrix& K, const Vector& p, const Vector& low, const Vector& high, double e) {
  Vector a(p.size());
  for (int sweep = 0; sweep < 200000; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto row = static_cast<Index>(i);
      double rest = p[i] + K(row, row) * a[i];
      for (std::size_t j = 0; j < a.size(); ++j) rest -= K(row, static_cast<Index>(j)) * a[j];
      const double shrunk = std::copysign(std::max(0.0, std::abs(rest) - e), rest) / K(row, row);
      const double next = std::clamp(shrunk, low[i], high[i]);
      moved = std::max(moved, std::abs(next - a[i]));
      a[i] = next;
    }
    if (moved < 1e-12) break;
  }
  return a;
}

TEST(Rrm, HingeIsTheSupportVectorMachineWithoutBias) {
  const std::vector<Index> classes = sides(7);
  const Matrix K = gram(kernel(), inputs());
  const Vector weights = random_vector(kSize, 8, 0.3, 2);
  for (const double ridge : {0.5, 0.05}) {
    const double C = 1 / (2 * ridge);
    Vector y, low, high;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      y.push_back(classes[i] == 1 ? 1 : -1);
      low.push_back(y[i] > 0 ? 0 : -C * weights[i]);
      high.push_back(y[i] > 0 ? C * weights[i] : 0);
    }
    const Vector alpha = box_oracle(K, y, low, high, 0);
    const Model m = RegularisedRisk{.loss = Loss::hinge, .ridge = ridge, .tolerance = 1e-10}.fit(
        {.K = precomputed(K), .labels = labels_of(classes), .weights = weights});
    EXPECT_TRUE(m.report().converged) << m.report().str();
    const Vector found = full_alpha(m), f = precomputed(K).multiply(VectorView(found)),
                 expected = precomputed(K).multiply(VectorView(alpha));
    for (std::size_t i = 0; i < f.size(); ++i) {
      EXPECT_NEAR(f[i], expected[i], 2e-4);
      EXPECT_GE(found[i], low[i]);
      EXPECT_LE(found[i], high[i]);
    }
  }
}

TEST(Rrm, EpsilonIsSupportVectorRegressionWithoutBias) {
  const Matrix K = gram(kernel(), inputs());
  const Vector y = wave(9, 0.5);
  const double ridge = 0.1, C = 1 / (2 * ridge);
  for (const double epsilon : {0.0, 0.4}) {
    const Vector alpha = box_oracle(K, y, Vector(y.size(), -C), Vector(y.size(), C), epsilon);
    const Model m = RegularisedRisk{.loss = Loss::epsilon, .ridge = ridge, .epsilon = epsilon, .tolerance = 1e-10}.fit(
        precomputed(K), y);
    EXPECT_TRUE(m.report().converged) << m.report().str();
    const Vector found = full_alpha(m), f = precomputed(K).multiply(VectorView(found)),
                 expected = precomputed(K).multiply(VectorView(alpha));
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], expected[i], 2e-4);
  }
}

TEST(Rrm, HuberIsSquaredForLargeDeltaAndShrugsOffOutliers) {
  Vector y = wave(10, 0.1);
  const Gram K = exact(kernel(), inputs());
  const Model squared = RegularisedRisk{.ridge = 0.1}.fit(K, y);
  const Model wide = RegularisedRisk{.loss = Loss::huber, .ridge = 0.1, .delta = 1e3}.fit(K, y);
  expect_near(wide.scores(inputs()), squared.scores(inputs()), 1e-9);
  const Model before = RegularisedRisk{.loss = Loss::huber, .ridge = 0.1, .delta = 0.2}.fit(K, y);
  y[3] += 1e4;
  const Model after = RegularisedRisk{.loss = Loss::huber, .ridge = 0.1, .delta = 0.2}.fit(K, y);
  EXPECT_TRUE(after.report().converged);
  // One point pulls with a force of delta / ridge at most.
  EXPECT_LE(std::abs(full_alpha(after)[3]), 0.2 / 0.1 + 1e-9);
  EXPECT_LT(std::abs(after.scores(inputs())(20, 0) - before.scores(inputs())(20, 0)), 6);
}

// ---- quantiles ----

TEST(Rrm, AFractionTauLiesBelowTheQuantile) {
  const Index n = 400;
  const Matrix x = random_matrix(n, 1, 11);
  Vector y = random_vector(n, 12, -1, 1);
  for (Index i = 0; i < n; ++i) y[at(i)] = y[at(i)] * (1 + std::abs(x(i, 0))) + std::sin(x(i, 0));
  for (const double tau : {0.1, 0.5, 0.9}) {
    const RegularisedRisk machine{.loss = Loss::quantile, .ridge = 0.01, .tau = tau};
    const Model m = machine.fit(lazy(parse("10 + rbf(ell=1)"), rows(x)), y);
    EXPECT_TRUE(m.report().converged) << m.report().str();
    const Vector f = m.predict(rows(x));
    double below = 0;
    for (std::size_t i = 0; i < y.size(); ++i) below += y[i] < f[i] ? 1 : 0;
    EXPECT_NEAR(below / static_cast<double>(n), tau, 0.05);
  }
}

// ---- every loss ----

// b is what minimises the loss alone, and the rest is the fit to y - b.
TEST(Rrm, AnOffsetIsTheBestConstantAndMovesWithTheTargets) {
  const Points x = inputs();
  const Vector y = wave(2, 0.5);
  Vector weights(y.size(), 1.0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 3);
  const auto loss = [&](double tau, double b) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += weights[i] * (y[i] >= b ? tau : tau - 1) * (y[i] - b);
    return sum;
  };
  for (const double tau : {0.1, 0.5, 0.73}) {
    RegularisedRisk config{.loss = Loss::quantile, .ridge = 0.05, .tau = tau, .offset = true, .tolerance = 1e-9};
    const Model m = config.fit({.K = lazy(kernel(), x), .y = as_column(y), .weights = weights});
    const double b = m.expansion().parts().bias[0];
    for (const double other : y) EXPECT_LE(loss(tau, b), loss(tau, other) + 1e-12);
    Vector rest = y, far = y;
    double size = 0, all = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      rest[i] -= b;
      far[i] = 1e4 * (y[i] + 1024);
      size += weights[i] * std::abs(rest[i]);
      all += weights[i];
    }
    const Model moved = config.fit({.K = lazy(kernel(), x), .y = as_column(far), .weights = weights});
    config.offset = false;
    config.ridge /= size / all;
    const Model without = config.fit({.K = lazy(kernel(), x), .y = as_column(rest), .weights = weights});
    const Vector f = m.predict(x), g = without.predict(x), f_far = moved.predict(x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(f[i], b + g[i], 1e-12);
      EXPECT_NEAR(f_far[i], 1e4 * (1024 + f[i]),
                  1);  // the tolerance of the objective, of which y has lost three digits
    }
  }
  expect_error(
      [&] {
        RegularisedRisk{.loss = Loss::hinge, .offset = true}.fit(
            {.K = lazy(kernel(), x), .labels = labels_of(sides(3))});
      },
      "UsageError", {"offset", "hinge"});
}

TEST(Rrm, EveryLossIsCertified) {
  const std::vector<Index> classes = sides(13);
  Training training{
      .K = exact(kernel(), inputs()), .labels = labels_of(classes), .weights = random_vector(kSize, 14, 0, 2)};
  const Vector y = wave(15, 1);
  training.y = Matrix(MatrixView(y.data(), kSize, 1));
  for (std::size_t kind = 0; kind < loss_names().size(); ++kind) {
    for (const double ridge : {1e-6, 1e-3, 1.0, 1e4}) {
      const RegularisedRisk machine{.loss = static_cast<Loss>(kind), .ridge = ridge, .tau = 0.2, .tolerance = 1e-8};
      const Model m = machine.fit(training);
      SCOPED_TRACE(std::string(name_of(machine.loss)) + " " + std::to_string(ridge) + "\n" + m.report().str());
      EXPECT_TRUE(m.report().converged);
      EXPECT_LE(gap_of(m), 1e-8);
      EXPECT_GE(gap_of(m), -1e-12);
      // The objective, from the model itself.
      const detail::LossFunction loss(machine);
      const Matrix f = m.scores(inputs());
      double objective = ridge * std::pow(m.rkhs_norm(), 2);
      for (Index i = 0; i < kSize; ++i) {
        const double target = is_for_classes(machine.loss) ? (classes[at(i)] == 1 ? 1 : -1) : y[at(i)];
        objective += training.weights[at(i)] * loss.value(target, f(i, 0));
      }
      EXPECT_NEAR(objective, *m.report().figure("objective_primal"), 1e-6 * objective);
    }
  }
}

TEST(Rrm, SeveralTargetsAndClasses) {
  const Vector one = wave(18, 1), two = wave(19, 0.1);
  Matrix both(kSize, 2);
  for (Index i = 0; i < kSize; ++i) {
    both(i, 0) = one[at(i)];
    both(i, 1) = two[at(i)];
  }
  const Gram K = exact(kernel(), inputs());
  const RegularisedRisk machine{.loss = Loss::epsilon, .ridge = 0.05};
  const Model m = machine.fit(Training{.K = K, .y = both});
  EXPECT_EQ(full_alpha(m, 0), full_alpha(machine.fit(K, one)));
  EXPECT_EQ(full_alpha(m, 1), full_alpha(machine.fit(K, two)));
  ASSERT_NE(m.report().table("outputs"), nullptr);

  std::vector<Index> classes;
  for (const double value : two) classes.push_back(value < -1 ? 0 : value < 1 ? 1 : 2);
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge, Loss::logistic}) {
    const Model three =
        RegularisedRisk{.loss = loss, .ridge = 1e-3}.fit(Training{.K = K, .labels = labels_of(classes)});
    EXPECT_TRUE(three.report().converged) << three.report().str();
    const Vector predicted = three.predict(inputs());
    Index right = 0;
    for (Index i = 0; i < kSize; ++i) right += static_cast<Index>(predicted[at(i)]) == classes[at(i)] ? 1 : 0;
    EXPECT_GT(right, 55);
    if (loss == Loss::logistic) {
      const Matrix p = three.probabilities(inputs());
      EXPECT_NEAR(p(0, 0) + p(0, 1) + p(0, 2), 1, 1e-12);
    }
  }
}

TEST(Rrm, EdgesNeitherHangNorBreak) {
  // One point, constant targets, all zero, a kernel of rank one, repeated points with different labels.
  const RegularisedRisk machine{.loss = Loss::quantile, .ridge = 0.1};
  EXPECT_TRUE(machine.fit(exact(kernel(), rows(Matrix{{1, 2}})), Vector{3}).report().converged);
  const Model zero = machine.fit(exact(kernel(), inputs()), Vector(at(kSize)));
  EXPECT_TRUE(zero.report().converged);
  EXPECT_EQ(zero.expansion().size(), 0);
  for (const Loss loss : {Loss::squared, Loss::huber, Loss::quantile, Loss::epsilon}) {
    const Model flat = RegularisedRisk{.loss = loss, .ridge = 1e-3, .tolerance = 1e-6}.fit(
        exact(parse("const(c=1)"), inputs()), wave(20, 1));
    EXPECT_TRUE(flat.report().converged) << name_of(loss) << flat.report().str();
  }
  const Points twice = rows(Matrix{{1, 1}, {1, 1}, {0, 0}, {0, 0}});
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge, Loss::logistic}) {
    const Model m = RegularisedRisk{.loss = loss, .ridge = 1e-5}.fit(
        Training{.K = exact(kernel(), twice), .labels = labels_of({0, 1, 1, 1})});
    EXPECT_TRUE(m.report().converged) << name_of(loss) << m.report().str();
  }
}

TEST(Rrm, Limits) {
  const Training training{.K = lazy(kernel(), inputs()), .labels = labels_of(sides(21))};
  const Model limited = RegularisedRisk{.loss = Loss::hinge, .ridge = 1e-3, .max_iterations = 2}.fit(training);
  EXPECT_FALSE(limited.report().converged);
  EXPECT_EQ(limited.report().stopped, "iteration limit");
  EXPECT_GT(gap_of(limited), 1e-8);
}

TEST(Rrm, ByNameAndBadInput) {
  const Vector y = wave(22, 1);
  const Training training{.K = lazy(kernel(), inputs()), .y = Matrix(MatrixView(y.data(), kSize, 1))};
  const Model m = fit("rrm", {{"loss", "huber"}, {"delta", "0.5"}, {"ridge", "0.2"}}, training);
  EXPECT_EQ(full_alpha(m), full_alpha(RegularisedRisk{.loss = Loss::huber, .ridge = 0.2, .delta = 0.5}.fit(training)));
  EXPECT_EQ(machine("rrm").task_for({{"loss", "hinge"}}), Task::classification);
  EXPECT_EQ(machine("rrm").task_for({}), Task::regression);
  expect_error([&] { fit("rrm", {{"loss", "hinge"}}, training); }, "UsageError", {"needs class labels"});
  expect_error([&] { fit("rrm", {{"loss", "hing"}}, training); }, "UsageError", {"hinge"});
  expect_error([&] { fit("rrm", {{"tau", "1"}, {"loss", "quantile"}}, training); }, "UsageError", {"tau"});
  expect_error([&] { fit("rrm", {{"ridge", "0"}}, training); }, "UsageError", {"ridge"});
  expect_error([&] { fit("rrm", {{"epsilon", "-1"}}, training); }, "UsageError", {"epsilon"});
  expect_error([&] { fit("rrm", {{"delta", "0"}}, training); }, "UsageError", {"delta"});
}

}  // namespace
}  // namespace mercer::rrm_test
