// Classes by ridge regression on codes.
#include "mercer/machines/ridge_classifier.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/tune.hpp"
#include "support.hpp"

namespace mercer::ridge_classifier_test {
namespace {

constexpr Index kPoints = 90;

// Three clouds, or two of them against the third; the last point is a class of its own where `alone`.
Training problem(Index classes, bool alone = false) {
  Matrix x = test::random_matrix(kPoints, 2, 1, -0.9, 0.9);
  std::vector<std::string> names;
  for (Index i = 0; i < kPoints; ++i) {
    if (i % 3 == 1) x(i, 0) += 1.2;
    if (i % 3 == 2) x(i, 1) += 1.4;
    const Index own = i % 3 == 2 && classes == 2 ? 0 : i % 3;
    names.push_back(alone && i == kPoints - 1 ? "z" : std::string(1, static_cast<char>('a' + own)));
  }
  return {.K = lazy(parse("rbf(ell=0.8)"), rows(x)), .labels = Labels::from(names)};
}

// The codes of one class against all others.
Training codes_of(const Training& training, Index c) {
  Training out = training;
  out.y = Matrix(kPoints, 1);
  for (Index i = 0; i < kPoints; ++i) out.y(i, 0) = training.labels.of[at(i)] == c ? 1 : -1;
  out.labels = {};
  return out;
}

TEST(RidgeClassifier, IsRidgeOnCodes) {
  const Points fresh = rows(test::random_matrix(50, 2, 2, -1, 2));
  for (const bool weighted : {false, true}) {
    for (const Index classes : {2, 3}) {
      Training training = problem(classes);
      for (Index i = 0; weighted && i < kPoints; ++i)
        training.weights.push_back(static_cast<double>(i % 4 == 3 ? 0 : i % 4));
      const Model found = KernelRidgeClassifier{{.ridge = 0.1}}.fit(training);
      EXPECT_EQ(found.parts().machine, "ridge_classifier");
      ASSERT_TRUE(found.is_classifier());
      const Matrix scores = found.scores(fresh);
      ASSERT_EQ(scores.cols(), classes == 2 ? 1 : 3);
      const std::vector<Index> answers = found.predict_classes(fresh);
      Matrix expected(50, scores.cols());
      for (Index c = 0; c < scores.cols(); ++c) {
        const Model one = KernelRidge{.ridge = 0.1}.fit(codes_of(training, classes == 2 ? 1 : c));
        const Matrix f = one.expansion()(fresh);
        for (Index i = 0; i < 50; ++i) expected(i, c) = f(i, 0);
      }
      test::expect_near(scores, expected, 1e-12);
      for (Index i = 0; i < 50; ++i) {
        Index best = 0;
        for (Index c = 1; c < scores.cols(); ++c) best = expected(i, c) > expected(i, best) ? c : best;
        EXPECT_EQ(answers[at(i)], classes == 2 ? (expected(i, 0) > 0 ? 1 : 0) : best);
      }
    }
  }
}

// Every solver of ridge, and centres, by name: the same classes.
TEST(RidgeClassifier, TakesWhatRidgeTakes) {
  const Training training = problem(3, true);
  const Model plain = fit("ridge_classifier", {{"ridge", "0.1"}}, training);
  EXPECT_EQ(plain.classes().size(), 4U);  // one of them of one point
  const Points x = *training.K.points();
  const Matrix scores = plain.scores(x);
  test::expect_near(
      fit("ridge_classifier", {{"ridge", "0.1"}, {"solver", "pcg"}, {"tolerance", "1e-10"}}, training).scores(x),
      scores, 1e-7);
  Training centred = training;
  centred.centres = Centres(*training.K.kernel(), x);
  for (const char* const solver : {"normal", "falkon"}) {
    const Model found =
        fit("ridge_classifier", {{"ridge", "0.1"}, {"solver", solver}, {"tolerance", "1e-10"}}, centred);
    test::expect_near(found.scores(x), scores, 1e-5);
    EXPECT_EQ(found.predict_classes(x), plain.predict_classes(x));
  }
  const Model chosen = fit("ridge_classifier", {{"ridge", "auto"}}, training);
  EXPECT_TRUE(chosen.report().figure("leave_one_out_rmse").has_value());
  EXPECT_NE(chosen.report().table("path"), nullptr);
}

// In closed form and fold by fold; points left out one by one are folds of one point.
TEST(RidgeClassifier, PointsAreHeldOutAsByFittingAnew) {
  const Machine& row = machine("ridge_classifier");
  for (const Index classes : {2, 3}) {
    const Training training = problem(classes);
    const std::vector<Settings> settings = {{{"ridge", "0.1"}}, {{"ridge", "1"}}};
    std::vector<Fold> folds(9);
    for (Index i = 0; i < kPoints; ++i) folds[at(i % 9)].push_back(i);
    const std::vector<HeldOut> found = row.cross({training, settings, folds});
    ASSERT_EQ(found.size(), 18U);
    for (std::size_t f = 0; f < folds.size(); ++f) {
      std::vector<Index> rest;
      Labels labels{training.labels.classes, {}};
      for (Index i = 0; i < kPoints; ++i) {
        if (i % 9 == static_cast<Index>(f)) continue;
        rest.push_back(i);
        labels.of.push_back(training.labels.of[at(i)]);
      }
      const Training part{.K = lazy(*training.K.kernel(), training.K.points()->select(rest)), .labels = labels};
      const Model model = fit(row, settings[1], part);
      const Points held = training.K.points()->select(folds[f]);
      const HeldOut& one = found[9 + f];
      EXPECT_EQ(one.classes, model.predict_classes(held));
      const Matrix scores = model.scores(held);
      ASSERT_EQ(one.class_scores.cols(), classes);
      for (Index i = 0; i < scores.rows(); ++i) {
        EXPECT_NEAR(one.class_scores(i, classes - 1), scores(i, scores.cols() - 1), 1e-8);
        if (classes == 2) {
          EXPECT_EQ(one.class_scores(i, 0), -one.class_scores(i, 1));
        }
      }
    }
    const Model model = fit(row, settings[0], training);
    const std::optional<HeldOut> each = row.leave_one_out(model, training);
    ASSERT_TRUE(each.has_value());
    EXPECT_EQ(each->values.rows(), 0);
    Training without = training;  // the first point
    std::vector<Index> rest;
    for (Index i = 1; i < kPoints; ++i) rest.push_back(i);
    without.K = lazy(*training.K.kernel(), training.K.points()->select(rest));
    without.labels.of.erase(without.labels.of.begin());
    const Matrix scores = fit(row, settings[0], without).scores(training.K.points()->slice({0, 1}));
    EXPECT_NEAR(each->class_scores(0, classes - 1), scores(0, scores.cols() - 1), 1e-8);
  }
}

}  // namespace
}  // namespace mercer::ridge_classifier_test
