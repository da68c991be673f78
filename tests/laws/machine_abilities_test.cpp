// What the rows of the catalog say of their models is so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "mercer/mercer.hpp"
#include "testing/problem.hpp"

namespace mercer::machine_abilities_test {
namespace {

using testing::Problem;

const Problem& problem() {
  static const Problem one = Problem::draw(36, 2, 3);
  return one;
}

// Of one target, where there are any.
Training training_for(const Machine& row, const Settings& settings = {}) {
  Training out = problem().training(row.task_for(settings));
  Matrix first(out.y.rows(), std::min<Index>(1, out.y.cols()));
  for (Index i = 0; i < first.rows() * first.cols(); ++i) first(i, 0) = out.y(i, 0);
  out.y = first;
  return out;
}

TEST(MachineAbilities, PosteriorsAreWhereTheRowsSaySo) {
  for (const Machine& row : machines()) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(fit(row, {}, training_for(row)).has_posterior(), row.posterior);
  }
}

// Keeps whatever it is given, and begins with what it has.
class InMemory final : public Checkpoints {
 public:
  explicit InMemory(Vector last = {}) : last_(std::move(last)) {}

  Vector last() const override { return last_; }
  bool due() const override { return true; }
  void keep(const Vector& state) override { kept.push_back(state); }

  std::vector<Vector> kept;

 private:
  Vector last_;
};

TEST(MachineAbilities, WhatResumesComesToTheSameBitsFromAnyCheckpoint) {
  Index resumed = 0;
  for (const Machine& row : machines()) {
    if (!row.resumes) continue;
    SCOPED_TRACE(row.name);
    Training training = training_for(row);
    const Model undisturbed = fit(row, {}, training);
    const auto all = std::make_shared<InMemory>();
    training.checkpoints = all;
    const auto same = [&](const Model& m) {
      EXPECT_EQ(m.expansion().parts().alpha, undisturbed.expansion().parts().alpha);
      EXPECT_EQ(m.expansion().parts().bias, undisturbed.expansion().parts().bias);
    };
    same(fit(row, {}, training));
    for (const Vector& state : all->kept) {
      training.checkpoints = std::make_shared<InMemory>(state);
      same(fit(row, {}, training));
      ++resumed;
    }
  }
  EXPECT_GT(resumed, 5);
}

TEST(MachineAbilities, WhatKeepsTheTimeReturnsWhatItHas) {
  Index early = 0;
  for (const Machine& row : machines()) {
    if (!row.keeps_time) continue;
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(row.iterative);
    Training training = training_for(row);
    const Model whole = fit(row, {}, training);
    training.seconds = 1e9;
    EXPECT_EQ(fit(row, {}, training).expansion().parts().alpha, whole.expansion().parts().alpha);
    training.seconds = 0;
    const Model nothing = fit(row, {}, training);
    EXPECT_FALSE(nothing.report().converged);
    EXPECT_EQ(nothing.report().stopped, "the time of 0 s was over");
    EXPECT_TRUE(nothing.report().figure("gap").has_value());
    ++early;
  }
  EXPECT_GT(early, 0);
}

TEST(MachineAbilities, PathsAreInTheReport) {
  for (const Machine& row : machines()) {
    if (row.path.empty()) continue;
    SCOPED_TRACE(row.name);
    const Model model = fit(row, row.path, training_for(row));
    const Report::Table* const path = model.report().table("path");
    ASSERT_NE(path, nullptr);
    ASSERT_GE(path->columns.size(), 4U);
    EXPECT_TRUE(row.path.contains(path->columns[0]));
    EXPECT_TRUE(model.report().figure(path->columns[0]).has_value());
  }
}

// Where the loss begins: a point clearly before that has no share in f.
void expect_borders(const std::string& name, const Settings& settings) {
  SCOPED_TRACE(name + (settings.contains("loss") ? " " + settings.at("loss") : ""));
  const Machine& row = machine(name);
  const Training training = training_for(row, settings);
  const Model model = fit(row, settings, training);
  const Borders borders = row.borders(model, &training);
  const Matrix f = model.scores(problem().points());
  std::vector<double> alpha(at(f.rows()));
  double most = 0;
  const std::vector<Index>& support = model.support();
  for (std::size_t s = 0; s < support.size(); ++s) {
    alpha[at(support[s])] = std::abs(model.expansion().parts().alpha(static_cast<Index>(s), 0));
    most = std::max(most, alpha[at(support[s])]);
  }
  Index free = 0, beyond = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    double inside = 0;  // how far from where the loss begins
    if (borders.margin) inside = (training.labels.of[at(i)] == 1 ? 1 : -1) * f(i, 0) - 1;
    if (!borders.tube.empty()) inside = borders.tube[0] - std::abs(training.y(i, 0) - f(i, 0));
    if (inside > 0.02) {
      ++free;
      EXPECT_LT(alpha[at(i)], 1e-3 * most) << i << " " << inside;
    } else if (inside < -0.02) {
      ++beyond;
      EXPECT_GT(alpha[at(i)], 1e-3 * most) << i << " " << inside;
    }
  }
  EXPECT_GT(free, 0);
  EXPECT_GT(beyond, 0);
}

TEST(MachineAbilities, TubesAndMarginsAreWhereTheLossBegins) {
  expect_borders("svc", {{"C", "0.5"}});
  expect_borders("nusvc", {{"nu", "0.4"}});
  expect_borders("linear_svc", {{"loss", "hinge"}, {"tolerance", "1e-6"}});
  expect_borders("rrm", {{"loss", "hinge"}, {"ridge", "0.5"}});
  expect_borders("rrm", {{"loss", "squared_hinge"}, {"ridge", "0.02"}});
  expect_borders("svr", {{"epsilon", "0.2"}});
  expect_borders("svr", {{"epsilon", "0.3"}, {"scale_target", "standard"}});
  expect_borders("nusvr", {{"nu", "0.5"}});
  expect_borders("nusvr", {{"nu", "0.5"}, {"scale_target", "standard"}});
  expect_borders("linear_svr", {{"epsilon", "0.2"}, {"tolerance", "1e-6"}});
  expect_borders("rrm", {{"loss", "epsilon"}, {"epsilon", "0.1"}, {"ridge", "1"}});
}

TEST(MachineAbilities, ALossWithoutBordersHasNone) {
  const Machine& row = machine("rrm");
  for (const char* const loss : {"squared", "huber", "logistic"}) {
    const Settings settings = {{"loss", loss}};
    const Borders borders = row.borders(fit(row, settings, training_for(row, settings)), nullptr);
    EXPECT_TRUE(borders.tube.empty() && !borders.margin && !borders.quantile) << loss;
  }
  const Model model = fit(row, {{"loss", "quantile"}, {"tau", "0.3"}}, training_for(row));
  EXPECT_EQ(row.borders(model, nullptr).quantile, 0.3);
  const Machine& linear = machine("linear_svr");
  EXPECT_TRUE(linear.borders(fit(linear, {}, training_for(linear)), nullptr).tube.empty());
}

// In units of the target, which only the training data tell.
TEST(MachineAbilities, ATubeThatIsNotKnownIsNotDrawn) {
  const Machine& row = machine("svr");
  const Training training = training_for(row);
  EXPECT_TRUE(row.borders(fit(row, {{"scale_target", "standard"}}, training), nullptr).tube.empty());
  const Model by_struct = Svr{.epsilon = 0.4}.fit(training);
  EXPECT_TRUE(row.borders(by_struct, &training).tube.empty());
}

TEST(MachineAbilities, EvidenceIsThatOfTheReport) {
  const Machine& row = machine("gp");
  Training training = training_for(row);
  const Model model = fit(row, {{"starts", "1"}}, training);
  training.K = lazy(*model.expansion().parts().kernel, *training.K.points());
  const double found = model.report().figure("log_marginal_likelihood").value();
  EXPECT_NEAR(row.by_evidence->log_evidence(model, {}, training), found, 1e-8 * std::abs(found));
  const std::vector<Report::Figure> learnt = row.by_evidence->learnt(model);
  ASSERT_FALSE(learnt.empty());
  for (const Report::Figure& one : learnt) {
    EXPECT_EQ(model.report().figure(one.name), one.value);
    EXPECT_LT(row.by_evidence->log_evidence(model, {{one.name, 3 * one.value}}, training), found) << one.name;
  }
}

TEST(MachineAbilities, GuessesMakeAFitPossible) {
  const Machine& row = machine("gp");
  const Settings settings = {{"objective", "none"}};
  const Training training = training_for(row);
  EXPECT_THROW(fit(row, settings, training), Error);
  Settings all = row.guesses(settings, training);
  EXPECT_GT(all.count("noise"), 0U);
  all.insert(settings.begin(), settings.end());
  fit(row, all, training);
  EXPECT_TRUE(row.guesses({{"objective", "none"}, {"noise", "0.1"}}, training).empty());
  EXPECT_TRUE(row.guesses({}, training).empty());
}

TEST(MachineAbilities, WithoutLearningTheKernelStaysAsGiven) {
  Index learning = 0;
  for (const Machine& row : machines()) {
    if (row.without_learning.empty()) continue;
    SCOPED_TRACE(row.name);
    const Training training = training_for(row, row.without_learning);
    Settings settings = row.without_learning;
    if (row.guesses) settings.merge(row.guesses(settings, training));
    const auto kernel_after = [&](const Settings& given) {
      return fit(row, given, training).expansion().parts().kernel->str();
    };
    const std::string before = training.K.kernel()->str();
    EXPECT_EQ(kernel_after(settings), before);
    EXPECT_NE(kernel_after({}), before);
    ++learning;
  }
  EXPECT_GT(learning, 0);
}

}  // namespace
}  // namespace mercer::machine_abilities_test
