// Cross-validation and search: against refitting by hand, whatever the threads and the sharing.
#include "mercer/tune.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/metrics.hpp"
#include "selection/held_out.hpp"
#include "support.hpp"

namespace mercer::tune_test {
namespace {

using test::expect_error;

Training regression(Index n, unsigned seed = 1) {
  const Matrix x = test::random_matrix(n, 2, seed);
  const Vector noise = test::random_vector(n, seed + 1, -0.2, 0.2);
  Matrix y(n, 1);
  for (Index i = 0; i < n; ++i) y(i, 0) = std::sin(2 * x(i, 0)) + x(i, 1) + noise[at(i)];
  return {.K = lazy(rbf(1.0), rows(x)), .y = std::move(y)};
}

// Rings around the origin: `classes` of them, of unequal sizes.
Training rings(Index n, Index classes, unsigned seed = 3) {
  const Matrix x = test::random_matrix(n, 2, seed);
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) {
    const double radius = std::hypot(x(i, 0), x(i, 1));
    names.push_back("ring" + std::to_string(std::min<Index>(classes - 1, static_cast<Index>(radius))));
  }
  return {.K = lazy(rbf(1.0), rows(x)), .labels = Labels::from(names)};
}

std::vector<Index> outside(const Fold& fold, Index n) {
  const std::set<Index> inside(fold.begin(), fold.end());
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) {
    if (!inside.contains(i)) out.push_back(i);
  }
  return out;
}

// ---- folds ----

void expect_partition(std::span<const Fold> folds, Index n) {
  std::vector<int> seen(at(n));
  for (const Fold& fold : folds) {
    EXPECT_TRUE(std::is_sorted(fold.begin(), fold.end()));
    EXPECT_GE(fold.size(), at(n) / folds.size());
    EXPECT_LE(fold.size(), at(n) / folds.size() + 1);
    for (const Index i : fold) ++seen[at(i)];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), n);
}

TEST(FoldsTest, EveryPointIsHeldOutOncePerRepeat) {
  const std::vector<Fold> folds = random_folds(53, 5, 7, 3);
  ASSERT_EQ(folds.size(), 15u);
  for (std::size_t r = 0; r < 3; ++r) expect_partition(std::span(folds).subspan(5 * r, 5), 53);
  EXPECT_NE(folds[0], folds[5]);
  EXPECT_EQ(folds, random_folds(53, 5, 7, 3));
  EXPECT_NE(folds, random_folds(53, 5, 8, 3));
}

TEST(FoldsTest, StratifiedFoldsHoldTheirShareOfEveryClass) {
  const Labels labels = rings(203, 3).labels;
  std::vector<Index> total(3);
  for (const Index c : labels.of) ++total[at(c)];
  const std::vector<Fold> folds = stratified_folds(labels, 4);
  expect_partition(folds, 203);
  for (const Fold& fold : folds) {
    std::vector<Index> count(3);
    for (const Index i : fold) ++count[at(labels.of[at(i)])];
    for (std::size_t c = 0; c < 3; ++c) EXPECT_LE(std::abs(4 * count[c] - total[c]), 4) << c;
  }
}

// What an observation at a point held out varies by is the noise over the weight of the point.
TEST(FoldsTest, AWeightOfAPointHeldOutDividesItsNoise) {
  Training data = regression(30);
  for (Index i = 0; i < 30; ++i) data.weights.push_back(0.5 + static_cast<double>(i % 4));
  const Fold fold = {0, 5, 6, 7, 20};
  const detail::Cut cut(data, fold);
  const Model model = fit("gp", {{"objective", "none"}, {"noise", "fixed(0.3)"}, {"signal", "fixed(1)"}}, cut.rest());
  const Matrix found = cut.variances(model, {}), of_f = model.variances(data.K.points()->select(fold));
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(found(i, 0), of_f(i, 0) + 0.3 / data.weights[at(fold[at(i)])], 1e-12);
}

TEST(FoldsTest, GivenFoldsAndBadOnes) {
  const std::vector<std::string> names = {"10", "9", "9", "10", "9"};
  EXPECT_EQ(given_folds(names), (std::vector<Fold>{{1, 2, 4}, {0, 3}}));
  expect_error([] { given_folds(std::vector<std::string>{"a", "a"}); }, "UsageError", {"one fold"});
  expect_error([] { random_folds(3, 4); }, "UsageError", {"4 folds of 3 points"});
  expect_error([] { random_folds(3, 1); }, "UsageError", {"from 2 to 3"});
  for (const Fold& bad : {Fold{}, Fold{3, 2}, Fold{7}, Fold{0, 0}, Fold{0, 1, 2, 3, 4, 5}}) {
    expect_error([&] { cross_validate("ridge", {}, regression(6), {bad}); }, "UsageError", {"fold"});
  }
}

// ---- grids ----

TEST(GridTest, RangesAndLists) {
  const std::vector<Axis> axes = parse_grid("C=1:1000, ell=0.5,2 ,rbf.ell=1, s=0:1:3", 4);
  ASSERT_EQ(axes.size(), 4u);
  EXPECT_EQ(axes[0].values, (std::vector<std::string>{"1", "10", "100", "1000"}));
  EXPECT_TRUE(axes[0].range);
  EXPECT_EQ(axes[1].values, (std::vector<std::string>{"0.5", "2"}));
  EXPECT_FALSE(axes[1].range);
  EXPECT_EQ(axes[2].name, "rbf.ell");
  EXPECT_EQ(axes[3].values, (std::vector<std::string>{"0", "0.5", "1"}));
  EXPECT_EQ(parse_grid("clusters=2:5:4")[0].values, (std::vector<std::string>{"2", "3", "4", "5"}));
  EXPECT_EQ(parse_grid("max-iterations=5")[0].name, "max_iterations");
  EXPECT_TRUE(parse_grid("").empty());
}

TEST(GridTest, BadTexts) {
  for (const char* text :
       {"C", "C=", "C=1,,2", "=3", "C=5:1", "C=a:b", "C=1:2:3:4", "C=1:2:1.5", "C=1,2:3", "C=1,C=2"}) {
    EXPECT_TRUE(test::error_of([&] { parse_grid(text); }).starts_with("UsageError: grid: ")) << text;
  }
}

TEST(GridTest, NamesThatNothingHas) {
  const Training data = regression(20);
  const auto tune_over = [&](const std::string& grid) {
    return [&data, grid] { tune({.machine = "ridge", .axes = parse_grid(grid), .folds = random_folds(20, 2)}, data); };
  };
  expect_error(tune_over("rigde=1,2"), "UsageError", {"\"rigde\"", "did you mean ridge?"});
  expect_error(tune_over("el=1,2"), "UsageError", {"did you mean ell?"});
  expect_error(tune_over("ell=one,two"), "UsageError", {"a number"});
  expect_error(tune_over("ell=-1,1"), "KernelError", {});
  Training numbers = data;
  numbers.K = precomputed(gram(rbf(1.0), *data.K.points()));
  expect_error(
      [&] { tune({.machine = "ridge", .axes = parse_grid("ell=1,2"), .folds = random_folds(20, 2)}, numbers); },
      "UsageError", {"given as numbers"});
}

// ---- cross-validation ----

TEST(CrossValidateTest, EqualsRefittingByHand) {
  const Training data = regression(60);
  const std::vector<Fold> folds = random_folds(60, 4);
  const Candidate got = cross_validate("ridge", {{"ridge", "0.05"}}, data, folds);
  ASSERT_EQ(got.scores.size(), 4u);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const std::vector<Index> rest = outside(folds[f], 60);
    const Points x = *data.K.points();
    Matrix y(static_cast<Index>(rest.size()), 1);
    for (Index i = 0; i < y.rows(); ++i) y(i, 0) = data.y(rest[at(i)], 0);
    const Model model = fit("ridge", {{"ridge", "0.05"}}, {.K = exact(rbf(1.0), x.select(rest)), .y = y});
    Vector truth;
    for (const Index i : folds[f]) truth.push_back(data.y(i, 0));
    EXPECT_NEAR(got.scores[f], rmse(truth, model.predict(x.select(folds[f]))), 1e-10);
  }
  EXPECT_NEAR(got.mean, (got.scores[0] + got.scores[1] + got.scores[2] + got.scores[3]) / 4, 1e-15);
  double squares = 0;
  for (const double score : got.scores) squares += (score - got.mean) * (score - got.mean);
  EXPECT_NEAR(got.sd, std::sqrt(squares / 3), 1e-15);
}

TEST(CrossValidateTest, ClassesEqualRefittingByHand) {
  const Training data = rings(90, 3);
  const std::vector<Fold> folds = stratified_folds(data.labels, 3);
  const Candidate got = cross_validate("svc", {{"C", "3"}}, data, folds);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Points x = *data.K.points();
    const std::vector<Index> rest = outside(folds[f], 90);
    std::vector<std::string> names;
    for (const Index i : rest) names.push_back(data.labels.classes[at(data.labels.of[at(i)])]);
    const Model model = fit("svc", {{"C", "3"}}, {.K = lazy(rbf(1.0), x.select(rest)), .labels = Labels::from(names)});
    const std::vector<std::string> said = model.predict_labels(x.select(folds[f]));
    double right = 0;
    for (std::size_t i = 0; i < said.size(); ++i) {
      right += said[i] == data.labels.classes[at(data.labels.of[at(folds[f][i])])];
    }
    EXPECT_NEAR(got.scores[f], right / static_cast<double>(said.size()), 1e-12);
  }
}

// Of several targets every metric is the mean of what it is of each.
TEST(CrossValidateTest, TargetsAreAveraged) {
  Training both = regression(30);
  Training first = both, second = both;
  for (Index i = 0; i < 30; ++i) second.y(i, 0) = 3 - 2 * std::cos(first.y(i, 0));
  both.y = Matrix(30, 2);
  for (Index i = 0; i < 30; ++i) {
    both.y(i, 0) = first.y(i, 0);
    both.y(i, 1) = second.y(i, 0);
  }
  const Settings settings = {{"noise", "fixed(0.05)"}, {"signal", "fixed(1)"}, {"objective", "none"}};
  const std::vector<Fold> folds = random_folds(30, 3);
  for (const bool weighted : {false, true}) {
    for (Training* const data : {&both, &first, &second}) {
      data->weights.clear();
      for (Index i = 0; weighted && i < 30; ++i) data->weights.push_back(i % 4 == 1 ? 0 : i % 3 == 0 ? 2 : 1);
    }
    for (const char* const metric : {"rmse", "mae", "r2", "log_density"}) {
      const auto score = [&](const Training& data) { return cross_validate("gp", settings, data, folds, metric).mean; };
      EXPECT_NEAR(score(both), (score(first) + score(second)) / 2, 1e-9) << metric;
    }
  }
}

TEST(CrossValidateTest, PrecomputedEqualsTheKernel) {
  const Training data = regression(50);
  Training numbers = data;
  numbers.K = precomputed(gram(rbf(1.0), *data.K.points()));
  const std::vector<Fold> folds = random_folds(50, 5);
  const Vector a = cross_validate("ridge", {{"ridge", "0.1"}}, data, folds).scores;
  const Vector b = cross_validate("ridge", {{"ridge", "0.1"}}, numbers, folds).scores;
  for (std::size_t f = 0; f < a.size(); ++f) EXPECT_NEAR(a[f], b[f], 1e-12);
}

TEST(CrossValidateTest, LittleMemoryGivesTheSame) {
  Training data = regression(50);
  const std::vector<Fold> folds = random_folds(50, 5);
  const Vector a = cross_validate("ridge", {{"ridge", "0.1"}}, data, folds).scores;
  data.memory = 30000;  // no room for K and a copy: every fold computes its own
  const Vector b = cross_validate("ridge", {{"ridge", "0.1"}}, data, folds).scores;
  for (std::size_t f = 0; f < a.size(); ++f) EXPECT_NEAR(a[f], b[f], 1e-10);
}

TEST(CrossValidateTest, AClassThatIsAllHeldOutIsMissed) {
  Training data = rings(40, 2);
  data.labels.classes.push_back("rare");
  data.labels.of[5] = 2;
  const Candidate got = cross_validate("svc", {}, data, {{3, 5, 8}});
  EXPECT_LE(got.mean, 2.0 / 3);
  EXPECT_NO_THROW(cross_validate("svc", {}, data, {{3, 5, 8, 9, 10, 11, 12}}, "auc"));
}

// What is said of different folds is put side by side: a class that a fold's model does not know is below all others.
TEST(CrossValidateTest, AClassThatAModelDoesNotKnowIsBelowAll) {
  Training data = rings(40, 2);
  data.labels.classes.push_back("rare");
  data.labels.of[5] = 2;
  const Fold fold = {3, 5, 8};
  const detail::Cut cut(data, fold);
  for (const char* const name : {"svc", "perceptron"}) {
    const HeldOut said = cut.say(fit(name, {}, cut.rest()), {});
    ASSERT_EQ(said.class_scores.cols(), 3);
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        for (const Index known : {0, 1}) EXPECT_LT(said.class_scores(i, 2), said.class_scores(j, known)) << name;
      }
    }
  }
}

// ---- tuning ----

void expect_same(const Tuned& a, const Tuned& b) {
  ASSERT_EQ(a.candidates.size(), b.candidates.size());
  for (std::size_t c = 0; c < a.candidates.size(); ++c) EXPECT_EQ(a.candidates[c].scores, b.candidates[c].scores) << c;
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.model.expansion().parts().alpha, b.model.expansion().parts().alpha);
}

TEST(TuneTest, TheTableIsCrossValidationAndTheBestIsRefitted) {
  const Training data = regression(60);
  const Tuning tuning{
      .machine = "ridge", .axes = parse_grid("ell=0.05,1,20, ridge=0.001,0.1"), .folds = random_folds(60, 3)};
  const Tuned got = tune(tuning, data);
  EXPECT_EQ(got.metric, "rmse");
  EXPECT_FALSE(got.larger_is_better);
  ASSERT_EQ(got.candidates.size(), 6u);
  EXPECT_EQ(got.candidates[1].values, (std::vector<std::string>{"0.05", "0.1"}));
  for (const Candidate& candidate : got.candidates) {
    Training one = data;
    one.K = lazy(*candidate.kernel, *data.K.points());
    const Candidate alone = cross_validate("ridge", candidate.settings, one, tuning.folds);
    for (std::size_t f = 0; f < 3; ++f) EXPECT_NEAR(candidate.scores[f], alone.scores[f], 1e-12);
    EXPECT_GE(candidate.mean, got.candidates[got.best].mean);
  }
  Training all = data;
  all.K = lazy(*got.candidates[got.best].kernel, *data.K.points());
  const Model refitted = fit("ridge", got.candidates[got.best].settings, all);
  EXPECT_EQ(refitted.expansion().parts().alpha, got.model.expansion().parts().alpha);
  EXPECT_EQ(got.candidates[got.best].values[0], "1");
}

TEST(TuneTest, ThreadsDoNotShow) {
  Training data = rings(80, 3);
  const Tuning tuning{
      .machine = "svc", .axes = parse_grid("C=0.1:100, ell=0.3:3", 3), .folds = stratified_folds(data.labels, 4)};
  data.how.threads = 1;
  const Tuned one = tune(tuning, data);
  data.how.threads = 3;
  expect_same(one, tune(tuning, data));
}

TEST(TuneTest, WarmStartsGoTheRightWayWhateverTheOrder) {
  const Training data = rings(80, 2);
  Tuning tuning{.machine = "svc", .axes = parse_grid("C=1,10,100"), .folds = stratified_folds(data.labels, 4)};
  const Tuned up = tune(tuning, data);
  tuning.axes = parse_grid("C=100,10,1");
  const Tuned down = tune(tuning, data);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(up.candidates[c].scores, down.candidates[2 - c].scores);
}

TEST(TuneTest, GammaIsEll) {
  const Training data = regression(40);
  const std::vector<Fold> folds = random_folds(40, 2);
  const Tuned a = tune({.machine = "ridge", .axes = parse_grid("gamma=0.125,2"), .folds = folds}, data);
  const Tuned b = tune({.machine = "ridge", .axes = parse_grid("ell=2,0.5"), .folds = folds}, data);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(a.candidates[c].scores, b.candidates[c].scores);
  Training other = data;
  other.K = lazy(matern(1.5), *data.K.points());
  expect_error([&] { tune({.machine = "ridge", .axes = parse_grid("gamma=1,2"), .folds = folds}, other); },
               "UsageError", {"1/(2 ell^2)"});
}

TEST(TuneTest, RandomDrawsStayInsideAndRepeat) {
  const Training data = regression(30);
  Tuning tuning{.machine = "ridge",
                .axes = parse_grid("ridge=0.001:10, ell=0.5,2"),
                .random = 12,
                .seed = 5,
                .folds = random_folds(30, 2)};
  const Tuned got = tune(tuning, data);
  ASSERT_EQ(got.candidates.size(), 12u);
  std::set<std::string> ridges;
  for (const Candidate& candidate : got.candidates) {
    const double ridge = std::stod(candidate.values[0]);
    EXPECT_GE(ridge, 0.001);
    EXPECT_LE(ridge, 10);
    EXPECT_TRUE(candidate.values[1] == "0.5" || candidate.values[1] == "2");
    ridges.insert(candidate.values[0]);
  }
  EXPECT_GT(ridges.size(), 10u);
  expect_same(got, tune(tuning, data));
}

TEST(TuneTest, OneBadCandidateIsNotTheEnd) {
  const Training data = rings(60, 2);
  const Tuning tuning{.machine = "svc", .axes = parse_grid("C=-1,1"), .folds = stratified_folds(data.labels, 3)};
  const Tuned got = tune(tuning, data);
  EXPECT_TRUE(got.candidates[0].failure.starts_with("UsageError: svc: C")) << got.candidates[0].failure;
  EXPECT_TRUE(std::isnan(got.candidates[0].mean));
  EXPECT_EQ(got.best, 1u);
  expect_error([&] { cross_validate("svc", {{"C", "-1"}}, data, tuning.folds); }, "UsageError", {"C"});
}

TEST(TuneTest, MetricsByTask) {
  const Training data = rings(60, 2);
  const std::vector<Fold> folds = stratified_folds(data.labels, 3);
  EXPECT_GT(cross_validate("svc", {}, data, folds, "auc").mean, 0.9);
  expect_error([&] { cross_validate("svc", {}, data, folds, "acuracy"); }, "UsageError", {"did you mean accuracy?"});
  expect_error([&] { cross_validate("svc", {}, data, folds, "rmse"); }, "UsageError", {"balanced_accuracy"});
  expect_error([&] { cross_validate("svc", {}, data, folds, "log_loss"); }, "UsageError", {"probabilities"});
  expect_error([&] { cross_validate("oneclass", {}, data, folds); }, "UsageError", {"no truth"});
}

TEST(TuneTest, ADensityIsChosenByTheLikelihoodOfHeldOutPoints) {
  const Vector u = test::random_vector(200, 4, 0, 1), v = test::random_vector(200, 5, 0, 1);
  Matrix x(200, 1);
  for (Index i = 0; i < 200; ++i) x(i, 0) = std::sqrt(-2 * std::log(u[at(i)] + 1e-9)) * std::cos(6.283185 * v[at(i)]);
  const Training data{.K = lazy(rbf(1.0), rows(x))};
  const Tuned got =
      tune({.machine = "kde", .axes = parse_grid("ell=0.01,0.3,10"), .folds = random_folds(200, 5)}, data);
  EXPECT_EQ(got.metric, "log_density");
  EXPECT_EQ(got.candidates[got.best].values[0], "0.3");
}

TEST(TuneTest, WeightsGoAlong) {
  Training data = regression(40);
  data.weights.assign(40, 1.0);
  for (std::size_t i = 0; i < 40; i += 2) {
    data.weights[i] = 0;
    data.y(static_cast<Index>(i), 0) = 1e6;
  }
  Fold clean;
  for (Index i = 1; i < 12; i += 2) clean.push_back(i);
  EXPECT_LT(cross_validate("ridge", {{"ridge", "0.1"}}, data, {clean}).mean, 10);
}

TEST(TuneTest, StopsWhenAsked) {
  Training data = rings(100, 2);
  int calls = 0;
  data.how.monitor = Monitor([&](const Progress&) { return ++calls < 4; });
  expect_error(
      [&] {
        tune({.machine = "svc", .axes = parse_grid("C=1:1000"), .folds = stratified_folds(data.labels, 5)}, data);
      },
      "Cancelled", {"stopped"});
}

// What is done stays in the table; the rest is marked.
TEST(TuneTest, AStoppedSearchTellsWhatItFound) {
  for (const char* machine : {"svc", "logistic"}) {
    Training data = rings(100, 2);
    data.how.threads = 1;
    const Tuning tuning{.machine = machine,
                        .axes = parse_grid(machine == std::string("svc") ? "ell=0.5,1,2,C=1,10" : "ell=0.5,1,2,4"),
                        .folds = stratified_folds(data.labels, 3)};
    const Tuned whole = tune(tuning, data);
    double reached = 0;
    data.how.monitor = Monitor([&](const Progress& p) {
      reached = std::max(reached, p.fraction);
      return reached < 0.6;
    });
    try {
      tune(tuning, data);
      FAIL() << machine;
    } catch (const SearchStopped& stopped) {
      EXPECT_EQ(stopped.kind(), ErrorKind::cancelled);
      const std::vector<Candidate>& found = stopped.table.candidates;
      ASSERT_EQ(found.size(), whole.candidates.size());
      EXPECT_TRUE(found.front().failure.empty()) << machine << found.front().failure;
      EXPECT_NE(found.back().failure.find("stopped"), std::string::npos) << machine;
      EXPECT_TRUE(std::isnan(found.back().mean));
      EXPECT_TRUE(found[stopped.table.best].failure.empty());
      for (std::size_t c = 0; c < found.size(); ++c) {
        if (!found[c].failure.empty()) continue;
        EXPECT_EQ(found[c].scores, whole.candidates[c].scores) << machine << c;
      }
    }
  }
}

TEST(TuneTest, AKernelThatOverflowsKeepsItsPlace) {
  for (const char* machine : {"ridge", "svr"}) {
    Training data = regression(40);
    data.K = lazy(parse("exp(1*linear())"), *data.K.points());
    const Tuned got =
        tune({.machine = machine, .axes = parse_grid("scale=0.1,1000"), .folds = random_folds(40, 4)}, data);
    EXPECT_TRUE(got.candidates[0].failure.empty()) << got.candidates[0].failure;
    EXPECT_NE(got.candidates[1].failure.find("beyond double precision"), std::string::npos)
        << got.candidates[1].failure;
    EXPECT_EQ(got.best, 0u);
  }
}

TEST(TuneTest, LogDensityOfMachinesThatKnowHowSureTheyAre) {
  const Training data = regression(40);
  const std::vector<Fold> folds = random_folds(40, 4);
  const Settings settings = {{"noise", "0.05"}, {"signal", "1"}, {"objective", "none"}};
  double expected = 0;
  for (const Fold& fold : folds) {
    const std::vector<Index> rest = outside(fold, 40);
    Training part{.K = lazy(rbf(1.0), data.K.points()->select(rest)), .y = Matrix(static_cast<Index>(rest.size()), 1)};
    for (std::size_t r = 0; r < rest.size(); ++r) part.y(static_cast<Index>(r), 0) = data.y(rest[r], 0);
    const Model m = fit("gp", settings, part);
    const Points held = data.K.points()->select(fold);
    const Vector mean = m.predict(held);
    const Matrix variance = m.variances(held);
    double sum = 0;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      const double v = variance(static_cast<Index>(i), 0) + 0.05, error = data.y(fold[i], 0) - mean[i];
      sum -= 0.5 * (error * error / v + std::log(2 * 3.141592653589793 * v));
    }
    expected += sum / static_cast<double>(fold.size()) / 4;
  }
  EXPECT_NEAR(cross_validate("gp", settings, data, folds, "log_density").mean, expected, 1e-10);
  EXPECT_GT(cross_validate("rvm", {}, data, folds, "log_density").mean, -3);
  expect_error([&] { cross_validate("ridge", {}, data, folds, "log_density"); }, "UsageError", {"how sure", "gp"});
}

TEST(SelectTest, IsTheGramOfSomePoints) {
  const Points x = rows(test::random_matrix(30, 3, 9));
  const std::vector<Index> which = {4, 0, 17, 29, 8};
  const Matrix wanted = gram(rbf(1.0), x.select(which));
  const Matrix v = test::random_matrix(5, 2, 10);
  const Points fresh = rows(test::random_matrix(7, 3, 11));
  for (const Gram& K : {exact(rbf(1.0), x), lazy(rbf(1.0), x), cached(lazy(rbf(1.0), x), 1 << 20)}) {
    const Gram part = select(K, which);
    ASSERT_EQ(part.size(), 5);
    test::expect_near(part.rows(std::vector<Index>{0, 1, 2, 3, 4}), wanted, 1e-12);
    test::expect_near(part.multiply(v.view()), test::product(wanted, v), 1e-12);
    test::expect_near(part.expansion(v)(fresh), test::product(cross(rbf(1.0), fresh, x.select(which)), v), 1e-12);
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(part.diagonal()[at(i)], 1, 1e-15);
    EXPECT_EQ(part.points()->size(), 5);
    EXPECT_EQ(*part.kernel(), rbf(1.0));
  }
  expect_error([&] { select(exact(rbf(1.0), x), {30}); }, "ShapeError", {"no point 30 among 30"});
}

}  // namespace
}  // namespace mercer::tune_test
