// What the rows of the catalog say of their models is so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "mercer/mercer.hpp"
#include "support.hpp"
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

// Where next to nothing is left to know: at points that were seen, and beside them, without noise.
TEST(MachineAbilities, VariancesAreNeverNegative) {
  Matrix x(300, 1), y(300, 1), beside(600, 1);
  for (Index i = 0; i < 300; ++i) {
    x(i, 0) = 0.01 * static_cast<double>(i);
    y(i, 0) = std::sin(3 * x(i, 0));
    beside(2 * i, 0) = x(i, 0);
    beside(2 * i + 1, 0) = x(i, 0) + 1e-9;
  }
  const Points points = rows(std::move(x)), places = rows(std::move(beside));
  const Settings quiet = {{"noise", "fixed(1e-15)"}, {"signal", "fixed(1)"}, {"objective", "none"}};
  for (const Settings& more : std::vector<Settings>{
           {{"solver", "dense"}}, {{"solver", "state_space"}}, {{"nearest", "8"}}, {{"inducing", "40"}}}) {
    for (const char* const kernel : {"matern(nu=0.5, ell=1)", "matern(nu=2.5, ell=1)"}) {
      Settings settings = quiet;
      settings.insert(more.begin(), more.end());
      const Model m = fit("gp", settings, {.K = lazy(parse(kernel), points), .y = y});
      const Matrix v = m.variances(places);
      for (Index i = 0; i < v.rows(); ++i) {
        ASSERT_TRUE(v(i, 0) >= 0) << more.begin()->second << " " << kernel << " at " << i << ": " << v(i, 0);
      }
    }
  }
}

// ---- figures of reports ----

// Some points count twice, some not at all.
Problem weighted_problem() {
  Problem out = Problem::draw(24, 3, 5);
  out.k = rbf(1);
  for (Index i = 0; i < out.size(); ++i) out.weights.push_back(i % 5 == 3 ? 0 : i % 4 == 1 ? 2 : 1);
  return out;
}

// The square of what is wrong with the answer at point i, over all targets.
double square_at(const Model& m, const Training& t, Index i) {
  const Matrix said = m.predict_targets(t.K.points()->slice({i, i + 1}));
  double out = 0;
  for (Index c = 0; c < said.cols(); ++c) out += std::pow(t.y(i, c) - said(0, c), 2);
  return out;
}

template <class Of>
double weighted_mean(const Problem& p, Of of) {
  double sum = 0, total = 0;
  for (Index i = 0; i < p.size(); ++i) {
    const double w = p.weights[at(i)];
    if (w == 0) continue;
    sum += w * of(i);
    total += w;
  }
  return sum / total;
}

Model without(const Machine& row, const Settings& settings, const Problem& p, Index i) {
  Problem others = p;
  others.weights[at(i)] = 0;
  return fit(row, settings, others.training(row.task_for(settings)));
}

// Those that tell the error of all targets add up its squares; those that are means over targets take one of them.
struct OfNumbers {
  const char* machine;
  Settings settings;
  bool mean_of_targets;
};

const std::vector<OfNumbers>& machines_with_errors() {
  static const std::vector<OfNumbers> list = {
      {"ridge", {{"ridge", "0.1"}, {"loo", "true"}}, false},
      {"gd", {{"max_iterations", "20"}}, false},
      {"rbf_network", {{"centres", "5"}}, false},
      {"nadaraya_watson", {}, true},
      {"knn_regression", {{"neighbours", "3"}, {"loo", "true"}}, true},
  };
  return list;
}

TEST(MachineAbilities, ErrorsAreThoseOfTheAnswers) {
  const Problem p = weighted_problem();
  int seen = 0;
  for (const OfNumbers& one : machines_with_errors()) {
    SCOPED_TRACE(one.machine);
    const Machine& row = machine(one.machine);
    const Training t = p.training(row.task);
    const Model m = fit(row, one.settings, t);
    const auto targets = one.mean_of_targets ? static_cast<double>(t.y.cols()) : 1;
    if (const auto told = m.report().figure("rmse")) {
      ++seen;
      EXPECT_NEAR(*told, std::sqrt(weighted_mean(p, [&](Index i) { return square_at(m, t, i); }) / targets), 1e-9);
    }
    if (const auto told = m.report().figure("leave_one_out_rmse")) {
      ++seen;
      const double mean =
          weighted_mean(p, [&](Index i) { return square_at(without(row, one.settings, p, i), t, i); }) / targets;
      EXPECT_NEAR(*told, std::sqrt(mean), 1e-8);
    }
  }
  EXPECT_EQ(seen, 6);
}

// Where a report keeps what is left of each point, it is what its answer leaves.
TEST(MachineAbilities, ResidualsAreWhatTheAnswersLeave) {
  int seen = 0;
  for (const Machine& row : machines()) {
    if (!(row.task == Task::regression)) continue;
    for (const bool weighted : {false, true}) {
      Problem p = weighted_problem();
      if (!weighted) p.weights.clear();
      const Training t = p.training(row.task);
      const Model m = fit(row, {}, t);
      const Report::Table* const table = m.report().table("residuals");
      if (table == nullptr) continue;
      ++seen;
      const Matrix said = m.predict_targets(t.K.points()->select(m.support()));
      ASSERT_EQ(table->rows.rows(), said.rows()) << row.name;
      for (Index i = 0; i < said.rows(); ++i) {
        const Index point = m.support()[at(i)];
        EXPECT_EQ(table->rows(i, 0), weighted ? p.weights[at(point)] : 1) << row.name;
        for (Index c = 0; c < said.cols(); ++c) {
          EXPECT_NEAR(table->rows(i, 1 + c), t.y(point, c) - said(i, c), 1e-9) << row.name << " row " << i;
        }
      }
    }
  }
  EXPECT_GE(seen, 1);
}

TEST(MachineAbilities, PointsLeftOutAreToldByTheOthers) {
  const Problem p = weighted_problem();
  const Machine &knn = machine("knn"), &kde = machine("kde");
  const Settings three = {{"neighbours", "3"}, {"loo", "true"}};
  const Training classes = p.training(knn.task), points = p.training(kde.task);
  const auto place = [&](Index i) { return points.K.points()->slice({i, i + 1}); };
  EXPECT_NEAR(*fit(knn, three, classes).report().figure("leave_one_out_error"),
              weighted_mean(p,
                            [&](Index i) {
                              return without(knn, three, p, i).predict_classes(place(i)).front() == p.class_of[at(i)]
                                         ? 0.0
                                         : 1.0;
                            }),
              1e-12);
  EXPECT_NEAR(*fit(kde, {}, points).report().figure("leave_one_out_log_likelihood"),
              weighted_mean(p, [&](Index i) { return std::log(without(kde, {}, p, i).scores(place(i))(0, 0)); }), 1e-9);
}

// ---- options ----

struct Limits {
  std::string option;
  std::vector<std::string> taken, refused;
  Settings beside = {};                    // what the option is read with
  std::vector<std::string> machines = {};  // empty: all that have it
};

const std::vector<Limits>& limits_of_options() {
  static const std::vector<Limits> list = {
      {"C", {"0.001", "1"}, {"0", "-1", "nan", "one"}},
      {"lambda", {"0.001"}, {"0", "-1", "inf"}},
      {"ridge", {"0.001"}, {"0", "-0.001", "inf"}},
      {"epsilon", {"0"}, {"-1e-9", "inf", "nan"}},
      {"nu", {"0.3"}, {"0", "-0.5", "1.0000001"}},
      {"nu", {"1"}, {}, {}, {"oneclass", "nusvr"}},
      {"tau", {"1e-3", "0.999"}, {"0", "1", "-0.1"}, {{"loss", "quantile"}}},
      {"delta", {"1e-3"}, {"0", "-1"}, {{"loss", "huber"}}},
      {"neighbours", {"1"}, {"0", "-1", "1.5"}, {}, {"knn", "knn_regression"}},
      {"starts", {"1"}, {"0", "-1", "1.5"}},
      {"clusters", {"1", "2"}, {"0", "-1", "1.5"}},
      {"epochs", {"1"}, {"0", "-1", "0.5"}},
      {"budget", {"0", "1"}, {"-1", "0.5"}},
      {"seed", {"0"}, {"-1", "0.5"}},
      {"permutations", {"0", "1"}, {"-1", "0.5"}},
      {"centres", {"1"}, {"0", "-1", "1.5"}, {}, {"rbf_network"}},
      {"validation", {"0", "0.5"}, {"-0.1", "1"}},
      {"path_size", {"1"}, {"0", "-1"}, {{"ridge", "auto"}}},
      {"patience", {"1"}, {"0", "-1"}, {{"validation", "0.3"}}},
      {"bias_scale", {"0.001"}, {"-1", "nan"}},
      {"tolerance",
       {"1e-3"},
       {"0", "-1"},
       {},
       {"svc", "nusvc", "svr", "nusvr", "oneclass", "rvm", "rvc", "linear_svc", "linear_svr", "pca", "mds", "rrm",
        "gmm", "logistic"}},
      {"tolerance", {"0", "1e-3"}, {"-1e-9"}, {}, {"gd"}},
      {"tolerance", {"0", "0.999"}, {"-1e-9", "1"}, {}, {"kmeans", "spectral"}},
      {"max_iterations",
       {"1"},
       {"0", "-1", "1.5"},
       {},
       {"gd", "linear_svc", "linear_svr", "rvm", "rvc", "logistic", "kmeans", "spectral", "gmm", "rrm"}},
      {"max_iterations", {"0", "1"}, {"-1", "1.5"}, {}, {"svc", "nusvc", "svr", "nusvr", "oneclass", "rbf_network"}},
  };
  return list;
}

bool has(const Machine& row, const std::string& option) {
  return std::any_of(row.options.begin(), row.options.end(), [&](const auto& one) { return one.name == option; });
}

TEST(MachineAbilities, OptionsEndWhereTheCatalogSaysTheyDo) {
  const Problem few = Problem::draw(16, 2, 3);
  for (const Limits& limits : limits_of_options()) {
    int machines_tried = 0;
    for (const Machine& row : machines()) {
      const bool named = std::ranges::find(limits.machines, row.name) != limits.machines.end();
      if (!has(row, limits.option) || !(limits.machines.empty() || named)) continue;
      ++machines_tried;
      const auto text = [&](const std::string& value) {
        Settings settings = {{limits.option, value}};
        for (const auto& [name, given] : limits.beside) {
          if (has(row, name)) settings.emplace(name, given);
        }
        return test::error_of([&] { (void)fit(row, settings, few.training(row.task_for(settings))); });
      };
      for (const std::string& value : limits.taken) {
        EXPECT_FALSE(text(value).starts_with("UsageError"))
            << row.name << " " << limits.option << "=" << value << ": " << text(value);
      }
      for (const std::string& value : limits.refused) {
        EXPECT_TRUE(text(value).starts_with("UsageError"))
            << row.name << " " << limits.option << "=" << value << ": " << text(value);
      }
    }
    EXPECT_GT(machines_tried, 0) << limits.option;
  }
}

}  // namespace
}  // namespace mercer::machine_abilities_test
