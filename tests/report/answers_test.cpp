// What the model says of points that it was fitted to: each from the others.
#include "report/answers.hpp"

#include <gtest/gtest.h>

#include "report/subjects.hpp"

namespace mercer::report {
namespace {

// Fitting n times to all but one.
Vector by_refitting(const Subject& subject, const std::string& machine, const Settings& settings) {
  Vector out;
  const Index n = subject.y.rows();
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> rest;
    for (Index j = 0; j < n; ++j) {
      if (j != i) rest.push_back(j);
    }
    Matrix y(n - 1, 1);
    for (Index r = 0; r < n - 1; ++r) y(r, 0) = subject.y(rest[static_cast<std::size_t>(r)], 0);
    const Model model = fit(machine, settings, {.K = lazy(parse("rbf(ell=0.5)"), subject.x.select(rest)), .y = y});
    out.push_back(model.predict(subject.x.slice({i, i + 1}))[0]);
  }
  return out;
}

void expect_left_out(const std::string& machine, const Settings& settings) {
  const Subject subject = test::regression(machine, settings, 25);
  const Answers& said = answers(subject);
  EXPECT_EQ(said.evidence, Evidence::leave_one_out);
  const Vector expected = by_refitting(subject, machine, settings);
  for (Index i = 0; i < subject.y.rows(); ++i) {
    EXPECT_NEAR(said.said.values(i, 0), expected[static_cast<std::size_t>(i)], 1e-8) << i;
  }
}

TEST(ReportAnswers, RidgeIsLeftOneOut) { expect_left_out("ridge", {{"ridge", "0.1"}}); }

TEST(ReportAnswers, GaussianProcessIsLeftOneOut) {
  expect_left_out("gp", {{"objective", "none"}, {"noise", "0.01"}, {"signal", "1"}});
}

TEST(ReportAnswers, OthersAreFittedAnewInFolds) {
  const Subject subject = test::classes();
  const Answers& said = answers(subject);
  EXPECT_EQ(said.words, "5 folds, fitted anew");
  const std::vector<Fold> folds = stratified_folds(subject.labels, 5);
  for (const Fold& fold : folds) {
    std::vector<Index> rest;
    std::vector<std::string> names;
    for (Index i = 0; i < subject.x.size(); ++i) {
      if (std::find(fold.begin(), fold.end(), i) != fold.end()) continue;
      rest.push_back(i);
      names.push_back(subject.labels.classes[static_cast<std::size_t>(subject.labels.of[static_cast<std::size_t>(i)])]);
    }
    const Model model = fit("svc", {{"C", "1"}},
                            {.K = lazy(parse("rbf(ell=1)"), subject.x.select(rest)), .labels = Labels::from(names)});
    const std::vector<Index> expected = model.predict_classes(subject.x.select(fold));
    for (std::size_t i = 0; i < fold.size(); ++i) {
      EXPECT_EQ(said.said.classes[static_cast<std::size_t>(fold[i])], expected[i]);
    }
  }
}

TEST(ReportAnswers, HeldOutDataArePredicted) {
  const Subject subject = test::regression("ridge", {{"ridge", "0.1"}}, 25, true);
  const Answers& said = answers(subject);
  EXPECT_EQ(said.evidence, Evidence::held_out);
  EXPECT_EQ(said.said.values(3, 0), subject.model.predict(subject.x)[3]);
}

TEST(ReportAnswers, WhatCannotBeLeftOutSaysWhy) {
  Subject subject = test::classes();
  const std::vector<Index> two = {0, 59};
  subject.x = subject.x.select(two);
  subject.labels = {subject.labels.classes, {0, 1}};
  const Training all{.K = lazy(parse("rbf(ell=1)"), subject.x), .labels = subject.labels};
  subject.model = fit("svc", {}, all);
  subject.training = all;
  EXPECT_EQ(answers(subject).evidence, Evidence::training);
  EXPECT_NE(answers(subject).why, "");
}

}  // namespace
}  // namespace mercer::report
