// Several classes, probabilities, starts, limits and interruptions of support vector classifiers.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "machines/svm/class_weights.hpp"
#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::svm_classes_test {
namespace {

using namespace test;

double accuracy(const Model& m, const Sample& s) {
  const Labels labels = s.labels();
  const Vector predicted = m.predict(s.points());
  double right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == static_cast<double>(labels.of[i]);
  return right / static_cast<double>(predicted.size());
}

// ---- several classes ----

TEST(SvcClasses, APairIsTheProblemOfItsTwoClasses) {
  const Sample s = blobs(120, 4, 0.8);
  const Svc svc{.C = 2, .tolerance = 1e-6};
  const Model m = svc.fit(lazy(rbf(1), s.points()), s.labels());
  EXPECT_EQ(m.parts().reading, Reading::votes);
  ASSERT_EQ(m.expansion().outputs(), 6);
  const Matrix f = m.scores(s.points());
  Index pair = 0;
  for (Index a = 0; a < 4; ++a) {
    for (Index b = a + 1; b < 4; ++b, ++pair) {
      std::vector<Index> which;
      std::vector<std::string> names;
      for (Index i = 0; i < s.size(); ++i) {
        if (i % 4 != a && i % 4 != b) continue;
        which.push_back(i);
        names.push_back(i % 4 == a ? "positive" : "negative");
      }
      const Model alone = svc.fit(lazy(rbf(1), s.points().select(which)), Labels::from(names));
      expect_close(column(f, pair), column(alone.scores(s.points())), 1e-4);
    }
  }
  const Report::Table* table = m.report().table("pairs");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->rows.rows(), 6);
  EXPECT_GT(accuracy(m, s), 0.85);
}

TEST(SvcClasses, OneAgainstTheRest) {
  const Sample s = blobs(120, 4, 0.8);
  const Svc svc{.C = 2, .multi_class = MultiClass::one_vs_rest, .tolerance = 1e-6};
  const Model m = svc.fit(lazy(rbf(1), s.points()), s.labels());
  EXPECT_EQ(m.parts().reading, Reading::largest);
  ASSERT_EQ(m.expansion().outputs(), 4);
  for (Index c = 0; c < 4; ++c) {
    std::vector<std::string> names;
    for (Index i = 0; i < s.size(); ++i) names.push_back(i % 4 == c ? "this" : "rest");
    const Model alone = svc.fit(lazy(rbf(1), s.points()), Labels::from(names));
    expect_close(column(m.scores(s.points()), c), column(alone.scores(s.points())), 1e-4);
  }
  EXPECT_GT(accuracy(m, s), 0.85);
  // With two classes there is nothing to choose.
  const Sample two = moons(40, 0.2);
  EXPECT_EQ(svc.fit(lazy(rbf(1), two.points()), two.labels()).parts().reading, Reading::binary);
}

// Pairs of classes, enough of them to be worth it, go to threads as these come free. A listener that takes its time
// makes sure that the others do.
TEST(SvcClasses, ThreadsChangeNothing) {
  const Sample s = rings(600, 5);
  for (const bool probability : {false, true}) {
    const Svc svc{.C = 5, .probability = probability};
    const Model one = svc.fit({.K = lazy(rbf(1), s.points()), .labels = s.labels(), .how = {.threads = 1}});
    for (const int threads : {2, 3}) {
      std::set<std::thread::id> seen;
      const Monitor slow([&](const Progress&) {
        seen.insert(std::this_thread::get_id());
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        return true;
      });
      const Model many =
          svc.fit({.K = lazy(rbf(1), s.points()), .labels = s.labels(), .how = {.threads = threads, .monitor = slow}});
      EXPECT_GT(seen.size(), 1u);
      EXPECT_EQ(one.expansion().parts().alpha, many.expansion().parts().alpha);
      EXPECT_EQ(one.expansion().parts().bias, many.expansion().parts().bias);
      EXPECT_EQ(one.support(), many.support());
      EXPECT_EQ(one.parts().calibration, many.parts().calibration);
    }
  }
}

TEST(SvcClasses, AClassWithoutPointsIsNotLearnt) {
  const Sample s = blobs(60, 3, 0.5);
  Labels labels = s.labels();
  labels.classes = {"0", "1", "2", "3"};
  for (const MultiClass way : {MultiClass::one_vs_one, MultiClass::one_vs_rest}) {
    for (const bool probability : {false, true}) {
      const Model m = Svc{.multi_class = way, .probability = probability}.fit(lazy(rbf(1), s.points()), labels);
      const auto& notes = m.report().notes;
      EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const auto& n) { return n.find("\"3\"") != n.npos; }));
      const Vector predicted = m.predict(s.points());
      EXPECT_EQ(std::count(predicted.begin(), predicted.end(), 3.0), 0);
      EXPECT_GT(accuracy(m, s), 0.9);
    }
  }
}

// n / (classes w_c), as scikit-learn has it; a class without weight is no class.
TEST(SvcClasses, BalancedFactorsCountTheClassesThatHaveWeight) {
  const Labels labels{{"a", "b", "none"}, {0, 0, 0, 1, 2}};
  EXPECT_EQ(detail::class_factors("svc", {.balanced = true}, labels, Vector{1, 1, 1, 3, 0}), (Vector{1, 1, 1}));
  EXPECT_EQ(detail::class_factors("svc", {.balanced = true}, labels, Vector{1, 1, 1, 1, 0}), (Vector{4 / 6.0, 2, 1}));
}

// ---- probabilities ----

TEST(SvcProbability, AreThoseOfHeldOutPoints) {
  // Labels drawn at random: a machine that fits them all is sure on its own points and must not be of others.
  const Sample s = sample("noise", 200, 2, 5, [](Random& random, Index, double* x) {
    x[0] = random.normal();
    x[1] = random.normal();
    return random.uniform() < 0.3 ? 1.0 : 0.0;
  });
  const Model m = Svc{.C = 100, .probability = true}.fit(lazy(rbf(0.05), s.points()), s.labels());
  const Model plain = Svc{.C = 100}.fit(lazy(rbf(0.05), s.points()), s.labels());
  EXPECT_EQ(accuracy(plain, s), 1);
  EXPECT_EQ(m.scores(s.points()), plain.scores(s.points()));
  const Matrix p = m.probabilities(s.points());
  for (Index i = 0; i < p.rows(); ++i) EXPECT_NEAR(p(i, 1), 0.3, 0.2);
}

TEST(SvcProbability, FollowTheTruth) {
  // P(1 | x) = 1 / (1 + exp(-2 x)).
  const Sample s = sample("logistic", 400, 1, 6, [](Random& random, Index, double* x) {
    x[0] = random.uniform(-3, 3);
    return random.uniform() < 1 / (1 + std::exp(-2 * x[0])) ? 1.0 : 0.0;
  });
  for (const bool nu : {false, true}) {
    const Gram K = lazy(linear(), s.points());
    const Model m =
        nu ? NuSvc{.nu = 0.5, .probability = true}.fit(K, s.labels()) : Svc{.probability = true}.fit(K, s.labels());
    const Matrix x{{-2}, {-1}, {0}, {1}, {2}}, p = m.probabilities(rows(x.view()));
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(p(i, 1), 1 / (1 + std::exp(-2 * x(i, 0))), 0.1);
  }
}

TEST(SvcProbability, FewPointsOfAClass) {
  Sample s = blobs(21, 2, 0.5);
  for (Index i = 0; i < 21; ++i) s.target[at(i)] = i == 20 ? 1 : 0;  // held out, one class is left
  const Model m = Svc{.probability = true}.fit(lazy(rbf(1), s.points()), s.labels());
  const Matrix p = m.probabilities(s.points());
  for (Index i = 0; i < p.rows(); ++i) EXPECT_TRUE(std::isfinite(p(i, 0)));
}

// ---- starts and limits ----

TEST(SvcStart, ReachesTheSameInFewerSteps) {
  const Sample s = moons(300, 0.35), t = blobs(150, 3, 1.2);
  for (const Sample* sample : {&s, &t}) {
    const Gram K = lazy(rbf(0.4), sample->points());
    const Training training{.K = K, .labels = sample->labels()};
    const Svc svc{.C = 10};
    const Model cold = svc.fit(training);
    Training warm = training;
    for (const double C : {10.0, 9.9, 10.1}) {
      warm.start = Svc{.C = C}.fit(training);
      const Model m = svc.fit(warm);
      EXPECT_LE(m.report().iterations, C == 10 ? 2 : 3 * cold.report().iterations / 4) << C;
      EXPECT_TRUE(m.report().converged);
      EXPECT_NEAR(figure(m, "objective_dual"), figure(cold, "objective_dual"), 1e-4 * figure(cold, "objective_dual"));
    }
    warm.start = NuSvc{.nu = 0.3}.fit(training);
    const Model nu = NuSvc{.nu = 0.3}.fit(warm);
    EXPECT_LE(nu.report().iterations, warm.start->report().iterations / 4);
    EXPECT_NEAR(figure(nu, "objective_dual"), figure(*warm.start, "objective_dual"),
                1e-2 * std::abs(figure(nu, "objective_dual")));
  }
}

TEST(SvcStart, ResumesAfterALimit) {
  const Sample s = moons(300, 0.35);
  Training training{.K = lazy(rbf(0.4), s.points()), .labels = s.labels()};
  const Model full = Svc{.C = 10}.fit(training);
  Model m = Svc{.C = 10, .max_iterations = 40}.fit(training);
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().stopped, "iteration limit");
  EXPECT_GT(figure(m, "gap"), 1e-3);
  double dual = figure(m, "objective_dual");
  int rounds = 1;
  for (; !m.report().converged && rounds < 200; ++rounds) {
    training.start = m;
    m = Svc{.C = 10, .max_iterations = 40}.fit(training);
    EXPECT_GE(figure(m, "objective_dual"), dual - 1e-9);
    dual = figure(m, "objective_dual");
  }
  EXPECT_TRUE(m.report().converged);
  EXPECT_GT(rounds, 2);
  EXPECT_NEAR(dual, figure(full, "objective_dual"), 1e-4 * dual);
}

TEST(SvcStart, RefusesOtherModels) {
  const Sample s = moons(40, 0.3), t = moons(42, 0.3), three = blobs(40, 3, 1);
  const auto training = [](const Sample& of, const Model& start) {
    return Training{.K = lazy(rbf(1), of.points()), .labels = of.labels(), .start = start};
  };
  const Model nu = NuSvc{.nu = 0.3}.fit(lazy(rbf(1), s.points()), s.labels());
  const Model svc = Svc{}.fit(lazy(rbf(1), s.points()), s.labels());
  expect_error([&] { Svc{}.fit(training(s, nu)); }, "UsageError", {"svc", "nusvc"});
  expect_error([&] { Svc{}.fit(training(t, svc)); }, "UsageError", {"40", "42"});
  expect_error([&] { Svc{}.fit(training(three, svc)); }, "UsageError", {"classes", "0 1 2"});
  Training renamed = training(s, svc);  // as many classes of as many points, and yet others
  for (std::string& name : renamed.labels.classes) name = "class " + name;
  expect_error([&] { Svc{}.fit(renamed); }, "UsageError", {"other classes", "0 1", "class 0 class 1"});
  const Model votes = Svc{}.fit(lazy(rbf(1), three.points()), three.labels());
  expect_error([&] { Svc{.multi_class = MultiClass::one_vs_rest}.fit(training(three, votes)); }, "UsageError",
               {"votes", "largest"});
}

TEST(SvcLimits, TimeLimitGivesAValidModel) {
  const Sample s = rings(200, 4);
  const Model m = Svc{.C = 1e6, .probability = true, .max_seconds = 1e-9}.fit(lazy(rbf(1), s.points()), s.labels());
  EXPECT_FALSE(m.report().converged);
  EXPECT_EQ(m.report().stopped, "time limit");
  EXPECT_EQ(m.predict(s.points()).size(), 200u);
}

TEST(SvcLimits, ReportsProgress) {
  const Sample s = rings(240, 4);
  std::vector<std::string> stages;
  double last = 0;
  const Monitor monitor([&](const Progress& p) {
    if (!p.stage.starts_with("svc")) return true;  // the rows of K being made ready
    if (stages.empty() || stages.back() != p.stage) {
      stages.emplace_back(p.stage);
      last = 0;
    }
    EXPECT_GE(p.fraction, last);
    last = p.fraction;
    return true;
  });
  const Model m =
      Svc{.probability = true}.fit({.K = lazy(rbf(1), s.points()), .labels = s.labels(), .how = {.monitor = monitor}});
  EXPECT_TRUE(m.report().converged);
  EXPECT_EQ(stages, (std::vector<std::string>{"svc", "svc: probabilities"}));
  EXPECT_NEAR(last, 1, 0.1);
}

}  // namespace
}  // namespace mercer::svm_classes_test
