// Points that are equal are held out together, and count as much as their weights together.
#include "selection/equal_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/at.hpp"
#include "mercer/choose.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/metrics.hpp"
#include "mercer/tune.hpp"
#include "selection/deciding.hpp"
#include "support.hpp"

namespace mercer::equal_points_test {
namespace {

using test::expect_error;

// Labels that chance draws: nothing to be learnt, so that a high score shows a leak.
Training noise(Index n, Index classes, unsigned seed = 1) {
  const Matrix x = test::random_matrix(n, 3, seed);
  std::mt19937_64 engine(seed + 1);
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) names.push_back("class" + std::to_string(engine() % static_cast<unsigned>(classes)));
  Matrix y(n, 1);
  const Vector targets = test::random_vector(n, seed + 2);
  for (Index i = 0; i < n; ++i) y(i, 0) = targets[at(i)];
  return {.K = lazy(rbf(0.5), rows(x)), .y = std::move(y), .labels = Labels::from(names)};
}

// Point i as often as times[i], one round after the other: twins are not neighbours.
Training repeated(const Training& once, const std::vector<Index>& times) {
  std::vector<Index> which;
  for (Index round = 1; round <= *std::max_element(times.begin(), times.end()); ++round) {
    for (Index i = 0; i < once.K.size(); ++i) {
      if (times[at(i)] >= round) which.push_back(i);
    }
  }
  Training out{.K = lazy(*once.K.kernel(), once.K.points()->select(which))};
  out.labels.classes = once.labels.classes;
  out.y = Matrix(static_cast<Index>(which.size()), 1);
  for (std::size_t r = 0; r < which.size(); ++r) {
    out.labels.of.push_back(once.labels.of[at(which[r])]);
    out.y(static_cast<Index>(r), 0) = once.y(which[r], 0);
  }
  return out;
}

Training weighing(Training training, const std::vector<Index>& times) {
  training.weights.assign(times.begin(), times.end());
  return training;
}

std::vector<Index> some_times(Index n, bool some_none) {
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) out.push_back(some_none && i % 6 == 5 ? 0 : 1 + (i % 4 == 1) + (i % 7 == 2));
  return out;
}

void expect_together(const Training& training, const Division& division, Index k) {
  ASSERT_EQ(static_cast<Index>(division.folds.size()), k);
  const std::vector<Index> equal_to = detail::first_equal(training.K);
  std::map<Index, std::set<std::size_t>> folds_of;
  std::set<Index> all;
  for (std::size_t f = 0; f < division.folds.size(); ++f) {
    for (const Index i : division.folds[f]) {
      folds_of[equal_to[at(i)]].insert(f);
      EXPECT_TRUE(all.insert(i).second) << i;
    }
  }
  EXPECT_EQ(static_cast<Index>(all.size()), training.K.size());
  for (const auto& [first, folds] : folds_of) EXPECT_EQ(folds.size(), 1u) << first;
  EXPECT_EQ(points_split(training, division.folds), 0);
}

// Held out are those of which an equal one is fitted to, one by one. Rows without weight are fitted to by nobody.
TEST(EqualPoints, AreSplitWhereATwinIsFittedTo) {
  const Gram K = lazy(rbf(1), rows(Matrix{{1}, {2}, {1}, {1}, {2}, {3}}));
  const std::vector<Fold> folds = {{0, 1, 5}, {2, 4}, {3}};
  EXPECT_EQ(points_split({.K = K}, folds), 5);
  EXPECT_EQ(points_split({.K = K, .weights = {1, 1, 1, 0, 0, 1}}, folds), 4);
  EXPECT_EQ(points_split({.K = K, .weights = {1, 1, 0, 0, 0, 1}}, {{0, 1}, {2, 3, 4, 5}}), 3);
}

TEST(EqualPoints, AreFoundInEveryDomain) {
  const Matrix x{{0.0, 1.0}, {2.0, 0.0}, {-0.0, 1.0}, {2.0, 0.0}, {0.0, 2.0}};
  const std::vector<Index> expected = {0, 1, 0, 1, 4};
  const std::vector<float> single = test::to_float(x);
  const Points text = strings({"ab", "b", "ab", "b", ""});
  EXPECT_EQ(detail::first_equal(lazy(rbf(1), rows(x))), expected);
  EXPECT_EQ(detail::first_equal(lazy(rbf(1), rows(FloatMatrixView(single.data(), 5, 2)))), expected);
  EXPECT_EQ(detail::first_equal(lazy(rbf(1), rows(test::to_sparse(x)))), expected);
  EXPECT_EQ(detail::first_equal(lazy(parse("spectrum(k=1)"), text)), expected);
  EXPECT_EQ(detail::first_equal(precomputed(gram(rbf(1), rows(x)))), expected);
  const Points both = table({{"text", text}, {"place", rows(Matrix{{1.0}, {1.0}, {1.0}, {2.0}, {1.0}})}});
  EXPECT_EQ(detail::first_equal(lazy(parse("on(text, spectrum(k=1))"), both)), (std::vector<Index>{0, 1, 0, 3, 4}));
}

// Points that are equal and have equal targets, all of them, become one.
TEST(EqualPoints, AreMergedWhereAllTargetsAgree) {
  const Gram K = lazy(rbf(1), rows(Matrix{{1}, {2}, {1}, {1}, {2}, {3}}));
  const Training data{
      .K = K, .y = Matrix{{5, 1}, {6, 1}, {5, 2}, {5, 1}, {6, 1}, {7, 1}}, .weights = {1, 2, 1, 3, 1, 0}};
  const Training found = detail::merged(data, detail::first_equal(K));
  EXPECT_EQ(found.y, (Matrix{{5, 1}, {6, 1}, {5, 2}}));
  EXPECT_EQ(found.weights, (Vector{4, 3, 1}));
}

TEST(EqualPoints, OfOtherClassesStayApart) {
  const Gram K = lazy(rbf(1), rows(Matrix{{1}, {1}, {2}, {1}, {2}}));
  const Training data{.K = K, .labels = Labels::from(std::vector<std::string>{"a", "b", "b", "a", "b"})};
  const Training found = detail::merged(data, detail::first_equal(K));
  EXPECT_EQ(found.labels.of, (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(found.weights, (Vector{2, 1, 2}));
}

// Four places, one of which holds two light points of the class a and a heavy one of b: it is dealt out among those of
// b, so that each of two folds has one place of each class.
TEST(EqualPoints, AreOfTheClassOfMostOfTheirWeight) {
  Training data{.K = lazy(rbf(1), rows(Matrix{{1}, {1}, {1}, {2}, {3}, {4}})),
                .labels = Labels::from(std::vector<std::string>{"a", "a", "b", "b", "a", "a"}),
                .weights = {1, 1, 5, 5, 3, 3}};
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    for (const Fold& fold : divide(data, 2, seed).folds) {
      const std::set<Index> held(fold.begin(), fold.end());
      EXPECT_EQ(held.count(4) + held.count(5), 1u);
      EXPECT_EQ(held.count(2) + held.count(3), 1u);
    }
  }
}

// A third held out is the first fold of three, of each division anew.
TEST(EqualPoints, AThirdIsHeldOutOfEachDivision) {
  const Training data = noise(30, 1);
  const detail::Deciding::Sample sample = detail::Deciding(data).sample(100);
  const std::vector<Fold> thirds = detail::folds_of(sample, 1, Task::regression);
  const std::vector<Fold> all = divide(sample.training, 3, 1, static_cast<Index>(thirds.size())).folds;
  ASSERT_GT(thirds.size(), 1u);
  for (std::size_t r = 0; r < thirds.size(); ++r) EXPECT_EQ(thirds[r], all[3 * r]);
}

TEST(EqualPoints, GoToOneFold) {
  const Training once = noise(40, 3);
  const Training thrice = repeated(once, std::vector<Index>(40, 3));
  const Division division = divide(thrice, 5, 1, 2);
  expect_together(thrice, {{division.folds.begin(), division.folds.begin() + 5}, ""}, 5);
  expect_together(thrice, {{division.folds.begin() + 5, division.folds.end()}, ""}, 5);
  EXPECT_NE(division.remark.find("of 120 points 40 are different"), std::string::npos) << division.remark;
  EXPECT_EQ(divide(once, 5).remark, "");
  // Each fold has its share of every class, to within one point and its twins.
  std::vector<Index> in_class(3);
  for (const Index c : thrice.labels.of) ++in_class[at(c)];
  for (const Fold& fold : division.folds) {
    std::vector<Index> here(3);
    for (const Index i : fold) ++here[at(thrice.labels.of[at(i)])];
    for (std::size_t c = 0; c < 3; ++c) EXPECT_LE(std::abs(static_cast<double>(5 * here[c] - in_class[c])), 15) << c;
  }
  EXPECT_GT(points_split(thrice, stratified_folds(thrice.labels, 5)), 60);
  expect_error(
      [&] {
        divide(repeated(noise(4, 2), {3, 3, 3, 3}), 5);
      },
      "UsageError", {"5 folds of 12 points", "4 are different", "from 2 to 4"});
}

TEST(EqualPoints, DifferentPointsAreDealtAsEver) {
  const Training data = noise(53, 3);
  EXPECT_EQ(divide(data, 5, 7, 3).folds, stratified_folds(data.labels, 5, 7, 3));
  Training numbers = data;
  numbers.labels = {};
  EXPECT_EQ(divide(numbers, 5, 7, 3).folds, random_folds(53, 5, 7, 3));
}

// The folds of a weighted set are those of the repeated one, and so are its scores, by every metric.
TEST(EqualPoints, WeightsAreMultiplicitiesInEveryMetric) {
  const std::vector<Index> times = some_times(60, true);
  const Training once = noise(60, 2, 5);
  Training weighted = weighing(once, times), twins = repeated(once, times);
  const std::vector<Fold> folds_weighted = divide(weighted, 4, 3, 2).folds, folds_twins = divide(twins, 4, 3, 2).folds;
  const auto expect_equal = [&](const std::string& machine, const Settings& settings, const std::string& metric) {
    Training a = weighted, b = twins;
    if (machine != "logistic") a.labels = b.labels = {};
    const Candidate of_a = cross_validate(machine, settings, a, folds_weighted, metric),
                    of_b = cross_validate(machine, settings, b, folds_twins, metric);
    ASSERT_EQ(of_a.scores.size(), of_b.scores.size());
    for (std::size_t f = 0; f < of_a.scores.size(); ++f) {
      EXPECT_NEAR(of_a.scores[f], of_b.scores[f], 1e-4) << machine << " " << metric << " " << f;
    }
  };
  for (const std::string metric : {"accuracy", "balanced_accuracy", "f1", "auc", "log_loss", "brier"}) {
    expect_equal("logistic", {{"tolerance", "1e-10"}}, metric);
  }
  for (const std::string metric : {"rmse", "mae", "r2"}) expect_equal("ridge", {{"ridge", "0.5"}}, metric);
  expect_equal("kde", {}, "log_density");
  // By hand: one point of weight 3 that is wrong, one of weight 1 that is right.
  EXPECT_DOUBLE_EQ(accuracy(std::vector<Index>{0, 1}, std::vector<Index>{1, 1}, Vector{3, 1}), 0.25);
  EXPECT_DOUBLE_EQ(rmse(Vector{0, 0}, Vector{2, 0}, Vector{3, 1}), std::sqrt(3));
  EXPECT_DOUBLE_EQ(r2(Vector{0, 4}, Vector{1, 4}, Vector{3, 1}), 1 - 3.0 / 12);
  EXPECT_DOUBLE_EQ(auc(std::vector<Index>{0, 0, 1}, Matrix{{1.0}, {3.0}, {2.0}}, Vector{3, 1, 1}), 0.75);
  EXPECT_DOUBLE_EQ(auc(std::vector<Index>{0, 1, 1}, Matrix{{1.0}, {3.0}, {0.0}}, Vector{1, 1, 0}), 1);
  expect_error(
      [] {
        accuracy(std::vector<Index>{0}, std::vector<Index>{0}, Vector{1, 1});
      },
      "ShapeError", {"2 weights"});
  expect_error([] { accuracy(std::vector<Index>{0}, std::vector<Index>{0}, Vector{0}); }, "DataError", {"weight"});
  expect_error([] { auc(std::vector<Index>{0, 1}, Matrix{{1.0}, {2.0}}, Vector{1, 0}); }, "DataError", {"class 0"});
}

TEST(EqualPoints, ALeakIsNoScore) {
  const Training once = noise(60, 2, 9), thrice = repeated(once, std::vector<Index>(60, 3));
  const Settings sharp = {{"C", "100"}};
  const double honest = cross_validate("svc", sharp, once, divide(once, 5).folds).mean;
  EXPECT_LT(honest, 0.7);
  EXPECT_NEAR(cross_validate("svc", sharp, thrice, divide(thrice, 5).folds).mean, honest, 1e-12);
  EXPECT_GT(cross_validate("svc", sharp, thrice, stratified_folds(thrice.labels, 5)).mean, 0.85);
  const Choice of_once = choose(machine("svc"), {}, false, once), of_thrice = choose(machine("svc"), {}, false, thrice);
  EXPECT_NE(of_thrice.words.find("on the 60 different points of 180"), std::string::npos) << of_thrice.words;
  EXPECT_EQ(of_once.words.find("different"), std::string::npos) << of_once.words;
}

// Beyond the number of points that decide, weights and repeats still make the same sample.
TEST(EqualPoints, ASampleCountsDifferentPoints) {
  const Training once = noise(700, 2, 11);
  const std::vector<Index> times = some_times(700, true);
  Training weighted = weighing(once, times), twins = repeated(once, times);
  weighted.labels = twins.labels = {};
  const Choice a = choose(machine("ols"), {}, false, weighted), b = choose(machine("ols"), {}, false, twins);
  EXPECT_EQ(a.tried, b.tried);
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_NE(b.words.find(" of the 584 different points of "), std::string::npos) << b.words;
  EXPECT_NE(a.words.find(" of 584 points"), std::string::npos) << a.words;
}

// Points that are there a thousand times are as likely in a sample as others, and not all of it.
TEST(EqualPoints, ASampleIsNotOfHeavyPointsAlone) {
  Training some = noise(3000, 2, 12);
  some.weights.assign(3000, 1);
  for (std::size_t i = 0; i < 3000; i += 100) some.weights[i] = 1000;
  for (const bool classes : {true, false}) {
    if (!classes) some.labels = {};
    const detail::Deciding::Sample found = detail::Deciding(some).sample(300);
    EXPECT_GE(found.different, 290);
    EXPECT_LE(found.different, 310);
    EXPECT_LE(std::count(found.training.weights.begin(), found.training.weights.end(), 1000.0), 12);
  }
}

TEST(EqualPoints, OnePlaceWithSeveralTargetsIsHeldOutWhole) {
  Training twins = repeated(noise(30, 2, 13), std::vector<Index>(30, 2));
  for (Index i = 0; i < 30; ++i) {
    twins.y(30 + i, 0) += 1;
    if (i % 3 == 0) twins.labels.of[at(30 + i)] = 1 - twins.labels.of[at(30 + i)];
  }
  expect_together(twins, divide(twins, 6), 6);
  EXPECT_EQ(detail::merged(twins, detail::first_equal(twins.K)).K.size(), 60);  // no two rows are the same
  Training numbers = twins;
  numbers.labels = {};
  EXPECT_NE(choose(machine("svr"), {}, false, numbers).words.find("on the 30 different points of 60"),
            std::string::npos);
}

TEST(EqualPoints, ProbabilitiesAreFittedToTwinsHeldOutTogether) {
  const std::vector<Index> times = some_times(50, true);
  for (const Index classes : {2, 3}) {
    const Training once = noise(50, classes, 17);
    const Svc machine{.C = 3, .probability = true, .tolerance = 1e-8};
    const Model weighted = machine.fit(weighing(once, times)), twins = machine.fit(repeated(once, times));
    const Points at = rows(test::random_matrix(20, 3, 19));
    test::expect_near(weighted.probabilities(at), twins.probabilities(at), 1e-4);
    const auto says = [](const Model& m) { return m.report().str().find("held out together") != std::string::npos; };
    EXPECT_TRUE(says(twins));
    EXPECT_FALSE(says(weighted));
  }
}

}  // namespace
}  // namespace mercer::equal_points_test
