// Cross-validation of support vector machines on shared rows: what refitting on copies of the other points gives.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "machines/svm/kernel_rows.hpp"
#include "machines/svm/memory_rows.hpp"
#include "mercer/kernels.hpp"
#include "mercer/tune.hpp"
#include "selection/held_out.hpp"
#include "support.hpp"

namespace mercer::svm_cross_test {
namespace {

using test::expect_error;

const Settings kExact = {{"tolerance", "1e-6"}};

Settings with(Settings settings, const Settings& more) {
  for (const auto& [name, value] : more) settings[name] = value;
  return settings;
}

// Overlapping classes, so that alphas stand at both bounds and between.
Training blobs(Index n, Index classes, unsigned seed = 5) {
  Matrix x = test::random_matrix(n, 3, seed);
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) {
    const Index c = (i * i + i / 3) % classes;
    x(i, 0) += 0.8 * static_cast<double>(c);
    names.push_back("c" + std::to_string(c));
  }
  return {.K = lazy(rbf(0.7), rows(x)), .labels = Labels::from(names)};
}

Training curve(Index n) {
  const Matrix x = test::random_matrix(n, 2, 8);
  const Vector noise = test::random_vector(n, 9, -0.3, 0.3);
  Matrix y(n, 2);
  for (Index i = 0; i < n; ++i) {
    y(i, 0) = std::sin(2 * x(i, 0)) + noise[at(i)];
    y(i, 1) = x(i, 1) * x(i, 0) - noise[at(i)];
  }
  return {.K = lazy(rbf(0.5), rows(x)), .y = std::move(y)};
}

void expect_equal(const HeldOut& got, const HeldOut& wanted, double tolerance, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(got.failure, wanted.failure);
  EXPECT_EQ(got.classes, wanted.classes);
  EXPECT_EQ(got.converged, wanted.converged);
  test::expect_near(got.class_scores, wanted.class_scores, tolerance);
  test::expect_near(got.probabilities, wanted.probabilities, tolerance);
  test::expect_near(got.values, wanted.values, tolerance);
}

void expect_like_refitting(const std::string& name, const std::vector<Settings>& settings, const Training& data,
                           const std::vector<Fold>& folds, double tolerance = 2e-4) {
  const std::vector<HeldOut> got = machine(name).cross({data, settings, folds});
  ASSERT_EQ(got.size(), settings.size() * folds.size());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const detail::Cut cut(data, folds[f]);
    for (std::size_t s = 0; s < settings.size(); ++s) {
      const Model model = fit(name, settings[s], cut.rest());
      std::string what = name + ", fold " + std::to_string(f);
      for (const auto& [option, value] : settings[s]) what += ", " + option + " = " + value;
      expect_equal(got[s * folds.size() + f], cut.say(model, {}), tolerance, what);
    }
  }
}

TEST(SvmCrossTest, TwoClassesAlongC) {
  const Training data = blobs(90, 2);
  const std::vector<Fold> folds = stratified_folds(data.labels, 4);
  for (const Settings& kind :
       std::vector<Settings>{{}, {{"no_bias", "true"}}, {{"C_over_m", "true"}}, {{"class_weight", "c1=3"}}}) {
    std::vector<Settings> path;
    for (const char* C : {"0.01", "0.3", "4", "30"}) path.push_back(with(with(kExact, kind), {{"C", C}}));
    expect_like_refitting("svc", path, data, folds);
  }
}

// At a small C balanced costs leave no alpha between its bounds, and b a range to be in.
TEST(SvmCrossTest, BalancedClasses) {
  const Training data = blobs(90, 2);
  std::vector<Settings> path;
  for (const char* C : {"2", "10"}) path.push_back(with(kExact, {{"C", C}, {"class_weight", "balanced"}}));
  expect_like_refitting("svc", path, data, stratified_folds(data.labels, 4));
}

TEST(SvmCrossTest, ManyClasses) {
  const Training data = blobs(120, 4);
  const std::vector<Fold> folds = stratified_folds(data.labels, 3);
  for (const char* way : {"one_vs_one", "one_vs_rest"}) {
    std::vector<Settings> path;
    for (const char* C : {"0.5", "20"}) path.push_back(with(kExact, {{"C", C}, {"multi_class", way}}));
    expect_like_refitting("svc", path, data, folds);
  }
}

TEST(SvmCrossTest, OtherMachinesAndOptions) {
  const Training data = blobs(80, 2);
  const std::vector<Fold> folds = stratified_folds(data.labels, 3);
  expect_like_refitting("nusvc", {with(kExact, {{"nu", "0.3"}}), with(kExact, {{"nu", "0.6"}})}, data, folds);
  const Training numbers = curve(70);
  const std::vector<Fold> some = random_folds(70, 3);
  for (const Settings& kind : std::vector<Settings>{{}, {{"no_bias", "true"}}, {{"C_over_m", "true"}}}) {
    std::vector<Settings> path;
    for (const char* C : {"0.1", "3", "50"}) path.push_back(with(with(kExact, kind), {{"C", C}}));
    expect_like_refitting("svr", path, numbers, some);
  }
  expect_like_refitting("nusvr", {with(kExact, {{"C", "1"}}), with(kExact, {{"C", "10"}})}, numbers, some);
  EXPECT_FALSE(machine("oneclass").cross);
  Training apart = numbers;  // in units of its own, each target
  for (Index i = 0; i < 70; ++i) apart.y(i, 1) = 30 + 5 * apart.y(i, 1);
  const Settings units = {{"scale_target", "standard"}};
  expect_like_refitting("svr", {with(with(kExact, units), {{"C", "3"}})}, apart, some, 2e-3);
  expect_like_refitting("nusvr", {with(with(kExact, units), {{"C", "3"}})}, apart, some, 2e-3);
}

TEST(SvmCrossTest, Weights) {
  Training data = blobs(90, 3);
  data.weights = test::random_vector(90, 4, 0, 2);
  for (std::size_t i = 0; i < 90; i += 7) data.weights[i] = 0;
  expect_like_refitting("svc", {with(kExact, {{"C", "2"}, {"class_weight", "balanced"}})}, data, random_folds(90, 3));
  Training numbers = curve(60);
  numbers.weights = test::random_vector(60, 4, 0, 2);
  expect_like_refitting("svr", {with(kExact, {{"C", "2"}, {"C_over_m", "true"}})}, numbers, random_folds(60, 3));
}

// The inner folds of the sigmoids are dealt out in the same order in both cases.
TEST(SvmCrossTest, Probabilities) {
  const Training data = blobs(80, 2);
  expect_like_refitting("svc", {with(kExact, {{"C", "2"}, {"probability", "true"}})}, data,
                        stratified_folds(data.labels, 2), 1e-3);
}

TEST(SvmCrossTest, KInMemoryKByNumbersAndHardlyAnyMemory) {
  Training data = blobs(90, 3);
  const std::vector<Fold> folds = stratified_folds(data.labels, 3);
  const std::vector<Settings> path = {with(kExact, {{"C", "1"}}), with(kExact, {{"C", "30"}})};
  const std::vector<HeldOut> wanted = machine("svc").cross({data, path, folds});
  const Points x = *data.K.points();
  for (const Gram& K : {exact(rbf(0.7), x), precomputed(gram(rbf(0.7), x)), cached(lazy(rbf(0.7), x), 1 << 20)}) {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{1000}}) {
      data.K = K;
      data.memory = memory;
      const std::vector<HeldOut> got = machine("svc").cross({data, path, folds});
      ASSERT_EQ(got.size(), wanted.size());
      for (std::size_t i = 0; i < got.size(); ++i) expect_equal(got[i], wanted[i], 2e-4, std::to_string(i));
    }
  }
}

TEST(SvmCrossTest, ThreadsDoNotShow) {
  Training data = blobs(150, 3);
  const std::vector<Fold> folds = stratified_folds(data.labels, 5);
  std::vector<Settings> path;
  for (const char* way : {"one_vs_one", "one_vs_rest"}) {
    for (const char* C : {"0.1", "1", "10", "100"}) path.push_back({{"C", C}, {"multi_class", way}});
  }
  data.how.threads = 1;
  const std::vector<HeldOut> one = machine("svc").cross({data, path, folds});
  for (const int threads : {2, 3, 12}) {
    data.how.threads = threads;
    const std::vector<HeldOut> got = machine("svc").cross({data, path, folds});
    ASSERT_EQ(got.size(), folds.size() * path.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].class_scores, one[i].class_scores) << threads;
  }
}

TEST(SvmCrossTest, AClassOnlyInTheFoldIsUnknownOutside) {
  Training data = blobs(60, 3);
  data.labels.classes.push_back("rare");
  data.labels.of[5] = data.labels.of[17] = 3;
  const std::vector<Fold> folds = {{3, 5, 8, 17, 20}, {0, 1, 2, 5, 40}};
  for (const char* way : {"one_vs_one", "one_vs_rest"}) {
    expect_like_refitting("svc", {with(kExact, {{"multi_class", way}})}, data, folds);
  }
  // Two of three classes left: a model of two classes.
  Training two = blobs(40, 2);
  two.labels.classes.push_back("rare");
  two.labels.of[7] = 2;
  expect_like_refitting("svc", {kExact}, two, {{1, 7, 9}});
}

TEST(SvmCrossTest, WhatFailsIsSaidForThatFoldAlone) {
  Training data = blobs(40, 2);
  Fold all_of_one;
  for (Index i = 0; i < 40; ++i) {
    if (data.labels.of[at(i)] == 0) all_of_one.push_back(i);
  }
  const std::vector<HeldOut> got =
      machine("svc").cross({data, {{{"C", "1"}}, {{"C", "-1"}}, {{"C", "2"}}}, {{0, 1, 2}, all_of_one}});
  ASSERT_EQ(got.size(), 6u);
  for (const std::size_t fine : {0u, 4u}) EXPECT_EQ(got[fine].classes.size(), 3u) << got[fine].failure;
  for (const std::size_t one_class : {1u, 5u}) {
    EXPECT_NE(got[one_class].failure.find("two classes are needed"), std::string::npos) << got[one_class].failure;
    EXPECT_TRUE(got[one_class].cause);
  }
  EXPECT_TRUE(got[2].failure.starts_with("UsageError: svc: C"));
  expect_error([&] { cross_validate("svc", {}, data, {all_of_one}); }, "DataError", {"nothing can be told apart"});
  expect_error(
      [&] {
        cross_validate("svc", {{"class_weight", "blue=1"}}, data, {{1, 2}});
      },
      "UsageError", {"class_weight"});
  for (const Fold& bad : {Fold{}, Fold{3, 2}, Fold{70}}) {
    expect_error([&] { cross_validate("svc", {}, data, {bad}); }, "UsageError", {"fold"});
  }
  Training numbers = curve(20);
  expect_error([&] { cross_validate("svr", {{"epsilon", "-1"}}, numbers, {{1, 2}}); }, "UsageError", {"epsilon"});
}

TEST(SvmCrossTest, AHardMarginFollowsOrIsRefused) {
  Training data = blobs(50, 2);
  const std::vector<Fold> folds = stratified_folds(data.labels, 2);
  data.K = lazy(rbf(0.05), *data.K.points());  // everything can be separated
  expect_like_refitting("svc", {with(kExact, {{"C", "10"}}), with(kExact, {{"C", "inf"}})}, data, folds);
  data.K = lazy(linear(), *data.K.points());
  const std::vector<HeldOut> got = machine("svc").cross({data, {{{"C", "1"}}, {{"C", "inf"}}}, folds});
  EXPECT_TRUE(got[0].failure.empty());
  EXPECT_NE(got[2].failure.find("does not separate"), std::string::npos) << got[2].failure;
}

TEST(SvmCrossTest, ReportsProgressAndStopsWhenAsked) {
  Training data = blobs(100, 2);
  const Tuning tuning{
      .machine = "svc", .axes = parse_grid("C=1:1000, ell=0.5,2"), .folds = stratified_folds(data.labels, 5)};
  double last = 0;
  bool forwards = true;
  data.how.monitor = Monitor([&](const Progress& p) {
    if (p.stage == "tune") {
      forwards = forwards && p.fraction >= last - 1e-12;
      last = p.fraction;
    }
    return true;
  });
  tune(tuning, data);
  EXPECT_TRUE(forwards);
  EXPECT_NEAR(last, 1, 1e-12);
  for (const int stop : {1, 2, 5, 12}) {
    int calls = 0;
    data.how.monitor = Monitor([&](const Progress&) { return ++calls < stop; });
    expect_error([&] { tune(tuning, data); }, "Cancelled", {"stopped"});
    EXPECT_EQ(calls, stop);
  }
}

// ---- rows of a K in memory ----

TEST(MemoryRowsTest, AreTheRowsOfK) {
  constexpr Index kSize = 131;
  const Points x = rows(test::random_matrix(kSize, 4, 21));
  const Matrix K = gram(rbf(2.0), x);
  std::vector<Index> segment(at(kSize));
  for (Index i = 0; i < kSize; ++i) segment[at(i)] = i % 3;
  const Vector weights = test::random_vector(40, 22, -1, 1);
  for (const bool copied : {false, true}) {
    const auto store = std::make_shared<detail::RowStore>(exact(rbf(2.0), x), segment, 0, Execution{});
    if (copied) store->copy_all({});
    for (const std::vector<Index>& segments : std::vector<std::vector<Index>>{{0, 1, 2}, {2, 0}, {1}}) {
      const detail::Rows some(store, segments);
      std::vector<Index> which;
      for (Index k = 0; k < 40; ++k) which.push_back((k * 7 + 3) % some.size());
      std::vector<float> tile(40 * 48);
      Vector exact_tile(40 * 48), f(at(some.size())), exact_f(at(some.size()));
      some.tile(which, tile.data(), 48, 2);
      some.tile(which, exact_tile.data(), 48, 2);
      some.add(which, weights, f, 2);
      some.add_exact(which, weights, exact_f, 2);
      for (std::size_t a = 0; a < 40; ++a) {
        for (std::size_t b = 0; b < 40; ++b) {
          const double wanted = K(some.points()[at(which[a])], some.points()[at(which[b])]);
          EXPECT_EQ(exact_tile[a * 48 + b], wanted);
          EXPECT_EQ(tile[a * 48 + b], static_cast<float>(wanted));
        }
      }
      for (Index i = 0; i < some.size(); ++i) {
        double wanted = 0;
        for (std::size_t a = 0; a < 40; ++a)
          wanted += weights[a] * K(some.points()[at(which[a])], some.points()[at(i)]);
        EXPECT_NEAR(exact_f[at(i)], wanted, 1e-13);
        EXPECT_NEAR(f[at(i)], wanted, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace mercer::svm_cross_test
