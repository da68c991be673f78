// Plans: what every machine of the catalog says that it takes, what is refused before it is begun, and how K is made.
#include "mercer/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "mercer/mercer.hpp"
#include "selection/trials.hpp"
#include "support.hpp"

namespace mercer::plan_test {
namespace {

using test::error_of;
using test::expect_error;

constexpr std::size_t kPlenty = std::size_t{1} << 60;

Extent extent(const Machine& row, Index n, std::size_t memory = kPlenty) {
  const bool classes = row.task->target == Task::Target::classes;
  return {.points = n, .weighted = n, .outputs = classes ? 3 : 1, .dimension = 5, .stored = 5, .memory = memory};
}

// Without what the process has in use.
double taken(const Plan& plan) {
  double sum = 0;
  for (const Room& part : plan.parts) sum += part.what == "in use before" ? 0 : part.bytes;
  return sum;
}

// ---- a law over the catalog ----

class PlanLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(PlanLaw, EveryMachineHasOne) {
  const Machine& row = machine(GetParam());
  ASSERT_TRUE(row.needs) << "a row says what a fit takes";
  for (const Index n : {1, 2, 50, 1000, 30000}) {
    const Plan plan = plan_for(row, {}, extent(row, n));
    EXPECT_GT(plan.bytes, 0) << n;
    EXPECT_FALSE(plan.solver.empty()) << n;
    EXPECT_FALSE(plan.why.empty()) << n;
    EXPECT_EQ(plan.approximates, "") << n;
    EXPECT_EQ(plan.points, n);
    EXPECT_FALSE(plan.kept) << n;
    double sum = 0;
    for (const Room& part : plan.parts) sum += part.bytes;
    EXPECT_DOUBLE_EQ(plan.bytes, sum) << n;
    EXPECT_TRUE(std::isfinite(plan.flops + plan.pairs) && plan.flops >= 0 && plan.pairs >= 0) << n;
  }
}

// More targets, or classes, are more numbers to keep, in memory and in rows that are read again and again.
TEST_P(PlanLaw, MoreOutputsTakeMore) {
  const Machine& row = machine(GetParam());
  if (row.task->target != Task::Target::numbers) return;
  // Each target is read, or held, with its point.
  const auto more_by = [&](Index at_once, const Wishes& wishes) {
    Extent few = extent(row, 3000), many = few;
    few.rows_at_once = many.rows_at_once = at_once;
    many.outputs = 21;
    return plan_for(row, {}, many, wishes).bytes - plan_for(row, {}, few, wishes).bytes;
  };
  EXPECT_GE(more_by(0, {}), sizeof(double) * 20 * 3000);
  if (row.centres == OnCentres::itself) {
    EXPECT_GE(more_by(1000, {.centres = 100}), sizeof(double) * 20 * 3000);
  }
}

// Where another form or another solver takes over, it may do with less.
TEST_P(PlanLaw, MorePointsTakeMore) {
  const Machine& row = machine(GetParam());
  std::map<std::pair<Form, std::string>, Plan> last;
  for (Index n = 20; n < 200'000; n += n / 3) {
    const Plan plan = plan_for(row, {}, extent(row, n));
    const auto [before, is_new] = last.emplace(std::pair(plan.form, plan.solver), plan);
    if (is_new) continue;
    EXPECT_GT(taken(plan), taken(before->second)) << n;
    EXPECT_GE(plan.flops, before->second.flops) << n;
    EXPECT_GE(plan.pairs, before->second.pairs) << n;
    before->second = plan;
  }
}

// As many points as a refusal names are planned, and one more is not.
TEST_P(PlanLaw, WhatWouldFitDoes) {
  const Machine& row = machine(GetParam());
  constexpr std::size_t memory = 100'000'000;
  constexpr Index many = 100'000;
  const std::string text = error_of([&] { (void)plan_for(row, {}, extent(row, many, memory)); });
  if (text == "no error") return;
  EXPECT_TRUE(text.starts_with("UsageError: " + row.name + ": 100000 points need ")) << text;
  EXPECT_NE(text.find("and 100 MB are allowed; "), std::string::npos) << text;
  const std::string word = " points would fit";
  const std::size_t end = text.find(word), begin = text.rfind(' ', end - 1) + 1;
  const Index fit = std::stol(text.substr(begin, end - begin));
  EXPECT_EQ(error_of([&] { (void)plan_for(row, {}, extent(row, fit, memory)); }), "no error");
  EXPECT_NE(error_of([&] { (void)plan_for(row, {}, extent(row, fit + 1, memory)); }), "no error");
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Machine& row : machines()) out.push_back(row.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Catalog, PlanLaw, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

// ---- refusing ----

struct Data {
  Points x = rows(test::random_matrix(60, 3, 1));
  Matrix y = test::random_matrix(60, 1, 2);
  Labels labels = [] {
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c");
    return Labels::from(names);
  }();

  Training training(const Machine& row, const Kernel& k) const {
    Training out{.K = gram_for(k, x, {})};
    if (row.task->target == Task::Target::numbers) out.y = y;
    if (row.task->target == Task::Target::classes) out.labels = labels;
    return out;
  }
};

// The machine asks for what its row says: without a plan it refuses in the same words.
TEST(Plan, AMachineAsksForWhatItsRowSays) {
  const Data data;
  for (const auto& one : std::vector<std::pair<std::string, Settings>>{{"ridge", {{"solver", "cholesky"}}},
                                                                       {"ridge", {{"ridge", "auto"}}},
                                                                       {"ols", {}},
                                                                       {"logistic", {}},
                                                                       {"rrm", {}},
                                                                       {"gp", {}},
                                                                       {"gp", {{"objective", "loo"}}},
                                                                       {"gpc", {}},
                                                                       {"pca", {}},
                                                                       {"mds", {}},
                                                                       {"kcca", {}},
                                                                       {"kfda", {}},
                                                                       {"gmm", {}},
                                                                       {"linear_svr", {}},
                                                                       {"linear_svc", {}}}) {
    const auto& name = one.first;
    const Settings& settings = one.second;  // a lambda cannot name a part of a binding
    const Machine& row = machine(name);
    Training training = data.training(row, rbf(1));
    training.memory = 28'000;  // one matrix is 28,800 bytes
    const std::string planned = error_of([&] { (void)plan_for(row, settings, extent_of(training)); });
    EXPECT_TRUE(planned.starts_with("UsageError: " + name + ": 60 points need ")) << planned;
    EXPECT_EQ(error_of([&] { (void)row.fit(settings, training); }), planned);
    EXPECT_EQ(error_of([&] { (void)fit(row, settings, training); }), planned);
  }
}

TEST(Plan, ARefusalNamesWhatDoesFit) {
  const Data data;
  Training training = data.training(machine("ridge"), rbf(1));
  training.memory = 10'000;
  expect_error(
      [&] {
        (void)plan_for(machine("ridge"), {{"solver", "cholesky"}}, extent_of(training));
      },
      "UsageError", {"ridge: 60 points need 29 KB", "10 KB are allowed", "35 points would fit", "nadaraya_watson"});
}

// Rows and tiles get what points and vectors leave of it; what these alone exceed is refused.
TEST(Plan, SupportVectorMachinesKeepToTheMemoryThatIsAllowed) {
  Extent extent{.points = 1'000'000, .weighted = 1'000'000, .dimension = 20, .stored = 20, .cost = 36};
  const double data = sizeof(double) * extent.stored * static_cast<double>(extent.points);
  for (const auto& [name, outputs] : {std::pair{"svc", 2}, {"svc", 10}, {"svr", 1}, {"oneclass", 1}}) {
    for (const double cost : {36.0, 800.0}) {  // rows are computed again, or kept
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(outputs) + " outputs, cost " + std::to_string(cost));
      extent.outputs = outputs;
      extent.cost = cost;
      const double most = outputs == 10 ? 3e9 : 1e9;
      const Plan plan = plan_for(machine(name), {}, extent, {.memory = static_cast<std::size_t>(most)});
      EXPECT_LE(plan.bytes + data, most);
      EXPECT_GT(plan.bytes + data, 0.5 * most);
      if (outputs == 2) {
        expect_error([&] { (void)plan_for(machine("svc"), {}, extent, {.memory = std::size_t{300'000'000}}); },
                     "UsageError", {"svc: 1000000 points need ", "300 MB are allowed", " points would fit"});
      }
    }
  }
}

// Beside what a fit on centres holds there must be room for the rows that a thread reads.
TEST(Plan, RowsThatAreReadTakeRoomToo) {
  const Extent extent{
      .points = 1'000'000, .weighted = 1'000'000, .dimension = 100, .stored = 100, .cost = 116, .rows_at_once = 16'384};
  const auto plan = [&](double memory) {
    return plan_for(machine("ridge"), {{"ridge", "0.1"}}, extent,
                    {.memory = static_cast<std::size_t>(memory), .centres = 100});
  };
  const Plan found = plan(1e10);
  EXPECT_GT(found.bytes_at_once, 8.0 * 100 * 16'384);
  EXPECT_EQ(plan(found.bytes + 1.01 * found.bytes_at_once).centres, 100);
  expect_error([&] { (void)plan(found.bytes + 0.9 * found.bytes_at_once); }, "UsageError", {"centres would fit"});
}

// Neighbours are few columns' way: of ten, and not of eleven.
TEST(Plan, AGaussianProcessOfFewColumnsTakesNeighbours) {
  const Machine& gp = machine("gp");
  for (const Index columns : {1, 9, 10, 11, 30}) {
    Extent many = extent(gp, 200'000, std::size_t{1} << 33);
    many.dimension = columns;
    many.stored = static_cast<double>(columns);
    const auto way = gp.shortcut({}, many, {});
    ASSERT_TRUE(way) << columns;
    EXPECT_EQ(way->settings.contains("nearest"), columns <= 10) << columns << ": " << way->words;
    EXPECT_EQ(way->settings.contains("inducing"), columns > 10) << columns << ": " << way->words;
  }
}

// As many points as trials may have are all tried with: finals on more come with one more.
TEST(Plan, FinalsAreForPointsThatTrialsDidNotHave) {
  int seen = 0;
  for (const char* const name : {"svc", "ridge", "gpc"}) {
    const Machine& row = machine(name);
    if (!row.choosing) continue;
    const Choosing plan = row.choosing({}, nullptr);
    if (plan.finals == 0) continue;
    ++seen;
    const auto pairs = [&](Index n) { return detail::trials_of(row, {}, false, std::nullopt, extent(row, n)).pairs; };
    const double below = pairs(plan.most - 1), at = pairs(plan.most), above = pairs(plan.most + 1);
    EXPECT_LT(at, 1.01 * below) << name;
    EXPECT_GT(above, 1.01 * at) << name;
  }
  EXPECT_GT(seen, 0);
}

// Rows of K are kept where they are wanted again: in a second pass, or to forget a point.
TEST(Plan, APerceptronKeepsRowsThatItNeedsAgain) {
  const auto keeps = [](const Settings& settings) {
    const Plan plan = plan_for(machine("perceptron"), settings, extent(machine("perceptron"), 1000));
    return std::ranges::any_of(plan.parts, [](const Room& part) { return part.what == "rows of K"; });
  };
  EXPECT_FALSE(keeps({}));
  EXPECT_TRUE(keeps({{"epochs", "2"}}));
  EXPECT_TRUE(keeps({{"budget", "5"}}));
}

// Of the points that count there may be fewer than points.
TEST(Plan, InducingPointsAreNoMoreThanPointsOfWeight) {
  const Machine& gpc = machine("gpc");
  Extent some = extent(gpc, 5000);
  some.weighted = 110;
  Wishes none;
  none.seconds = 1e-9;
  const auto way = gpc.shortcut({}, some, none);
  ASSERT_TRUE(way);
  EXPECT_LE(std::stod(way->settings.at("inducing")), 55);
}

// Rows of K are kept where there is room, and fewer of them refuse nothing.
TEST(Plan, WhatCanBeDoneWithoutRefusesNoCentres) {
  const Extent extent{.points = 12'000, .weighted = 12'000, .dimension = 6, .stored = 6, .cost = 22};
  for (const char* const name : {"svr", "svc", "oneclass"}) {
    const auto plan = [&](double memory) {
      return plan_for(machine(name), {}, extent, {.memory = static_cast<std::size_t>(memory), .centres = 200});
    };
    // The features are 19 MB, and half of it again as the loops want them.
    expect_error([&] { (void)plan(2.5e7); }, "UsageError", {"200 centres need", "centres would fit"});
    for (const double memory : {1e8, 1.5e8, 2e8, 3e8, 4.5e8, 7e8}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(memory));
      EXPECT_LE(plan(memory).bytes, 1.1 * memory);
      EXPECT_GT(plan(memory).bytes, 3e7);
    }
  }
}

// What chooses centres is given back before the fit takes its memory: of falkon, 4.2 GB have been taken.
TEST(Plan, CentresAreChosenBeforeTheFit) {
  const Extent extent{.points = 1'000'000, .weighted = 1'000'000, .dimension = 20, .stored = 20, .cost = 36};
  const Settings falkon = {{"ridge", "0.04"}, {"solver", "falkon"}};
  const Plan plan =
      plan_for(machine("ridge"), falkon, extent, {.memory = std::size_t{20'000'000'000}, .centres = 10'000});
  EXPECT_GT(plan.bytes, 4.2e9 / 1.1);
  EXPECT_LT(plan.bytes, 4.2e9 * 1.15);
  // Where choosing takes more than the fit, that is the peak.
  const Plan few = plan_for(machine("ridge"), {{"ridge", "0.04"}}, extent, {.centres = 300});
  EXPECT_GT(few.bytes, 8.0 * 300 * (10'000 + 300));
  EXPECT_LT(few.bytes, 8.0 * 300 * (10'000 + 300) + 3.1 * 8 * 21 * 1'000'000);
}

TEST(Plan, CopiesCountInTimeAndMemory) {
  const Extent extent{
      .points = 60'000, .weighted = 60'000, .outputs = 10, .dimension = 784, .stored = 784, .cost = 800};
  const auto plan = [&](const std::string& maps) { return plan_for(machine("svc"), {{"invariance", maps}}, extent); };
  const Plan none = plan(""), one = plan("shift(28x28, 1)"), two = plan("shift(28x28, 2)");
  // As many fits as there are of all points, to the squares of 9 and 25 times a share of them.
  EXPECT_GT(one.pairs, 2 * none.pairs);
  EXPECT_GT(two.pairs - none.pairs, 5 * (one.pairs - none.pairs));
  EXPECT_GT(two.bytes, one.bytes);
  EXPECT_GT(one.bytes, none.bytes);
  // 5,000 digits, half of which are support vectors, have taken 1.05 GB.
  Extent few = extent;
  few.points = few.weighted = 5000;
  EXPECT_GT(plan_for(machine("svc"), {{"invariance", "shift(28x28, 1)"}}, few).bytes, 1.05e9);
}

// Where all pairs find no room, ridge goes step by step: exact, and not refused.
TEST(Plan, RidgeNeedsNoMatrixWhereThereIsNoRoomForIt) {
  const Data data;
  Training training = data.training(machine("ridge"), rbf(1));
  const Model all = fit("ridge", {}, training);
  training.memory = 28'000;
  const Plan plan = plan_for(machine("ridge"), {}, extent_of(training));
  EXPECT_EQ(plan.form, Form::cached);
  EXPECT_EQ(plan.approximates, "");
  const Model stepped = fit("ridge", {{"tolerance", "1e-12"}}, training);
  EXPECT_TRUE(stepped.report().figure("residual"));
  test::expect_near(stepped.scores(data.x), all.scores(data.x), 1e-8);
}

// ---- what is decided ----

Plan plan_of(const std::string& name, const Settings& settings, const std::string& kernel, const Points& x,
             std::size_t memory = 0) {
  return plan_for(machine(name), settings, extent_of(Training{.K = gram_for(parse(kernel), x, {}), .memory = memory}));
}

TEST(Plan, TheFormFollowsTheKernelAndTheSizes) {
  const Points few = rows(test::random_matrix(100, 3, 1)), many = rows(test::random_matrix(6000, 3, 2)),
               wide = rows(test::random_matrix(2000, 120, 3));
  EXPECT_EQ(plan_of("ridge", {}, "rbf(ell=1)", few).form, Form::exact);
  EXPECT_EQ(plan_of("ridge", {}, "linear() + const(c=1)", few).form, Form::factor);
  EXPECT_EQ(plan_of("ridge", {}, "linear() + const(c=1)", few).solver, "Woodbury");
  EXPECT_EQ(plan_of("ridge", {}, "poly(degree=4, c=1)", few).form, Form::exact) << "256 features of 100 points";
  EXPECT_EQ(plan_of("kmeans", {}, "rbf(ell=1)", few).form, Form::exact);
  EXPECT_EQ(plan_of("kmeans", {}, "rbf(ell=1)", many).form, Form::lazy);
  EXPECT_EQ(plan_of("kmeans", {}, "linear()", many).form, Form::factor);
  EXPECT_EQ(plan_of("pca", {}, "rbf(ell=1)", few).solver, "all eigenvalues");
  EXPECT_EQ(plan_of("pca", {}, "rbf(ell=1)", many).solver, "Krylov");
  EXPECT_EQ(plan_of("pca", {}, "rbf(ell=1)", many).form, Form::lazy);
  EXPECT_EQ(plan_of("pca", {}, "rbf(ell=1)", wide).form, Form::exact);
  EXPECT_EQ(plan_of("gd", {}, "rbf(ell=1)", few).form, Form::exact);
  EXPECT_EQ(plan_of("gd", {}, "rbf(ell=1)", few, 79'000).form, Form::lazy);
  EXPECT_EQ(plan_of("rvm", {}, "rbf(ell=1)", few).form, Form::exact);
  EXPECT_EQ(plan_of("rvm", {}, "rbf(ell=1)", few, 79'000).form, Form::lazy);
  EXPECT_EQ(plan_of("svc", {}, "rbf(ell=1)", many).form, Form::lazy) << "cheaper to compute than to fetch";
  EXPECT_EQ(plan_of("svc", {}, "rbf(ell=1)", wide).form, Form::cached);
  EXPECT_EQ(plan_of("svc", {}, "laplace(ell=1)", many).form, Form::cached);
  EXPECT_EQ(plan_of("perceptron", {}, "rbf(ell=1)", few).form, Form::lazy);
  EXPECT_EQ(plan_of("perceptron", {{"epochs", "3"}}, "rbf(ell=1)", few).form, Form::cached);
  EXPECT_EQ(plan_of("linear_svr", {}, "linear()", few).form, Form::factor);
}

TEST(Plan, WeightsAndGivenMatricesCount) {
  const Points x = rows(test::random_matrix(40, 3, 1));
  Training training{.K = gram_for(rbf(1), x, {}), .weights = Vector(40, 1.0)};
  std::fill(training.weights.begin() + 10, training.weights.end(), 0.0);
  EXPECT_EQ(extent_of(training).weighted, 10);
  EXPECT_EQ(machine("ridge").needs({}, extent_of(training)).size, 10);
  const Training given{.K = precomputed(gram(rbf(1), x))};
  EXPECT_TRUE(extent_of(given).numbers && extent_of(given).in_memory && !extent_of(given).plain);
  EXPECT_EQ(plan_for(machine("svc"), {}, extent_of(given)).form, Form::given);
  EXPECT_EQ(plan_for(machine("svc"), {}, extent_of(given)).pairs, 0);
}

// ---- K ----

TEST(Plan, KIsMadeAsThePlanHasIt) {
  const Points x = rows(test::random_matrix(30, 2, 1));
  const Gram plain = gram_for(rbf(1), x, {});
  EXPECT_TRUE(plain.dense().empty());
  const Plan kept = plan_to_share(extent_of(rbf(1), x));
  EXPECT_TRUE(kept.kept);
  EXPECT_EQ(Matrix(gram_for(rbf(1), x, kept).dense()), gram(rbf(1), x));
  Extent narrow = extent_of(rbf(1), x);
  narrow.memory = 2 * 30 * 30 * sizeof(double) - 1;
  EXPECT_FALSE(plan_to_share(narrow).kept);
  narrow.memory += 1;
  EXPECT_TRUE(plan_to_share(narrow).kept);
}

// ---- seconds, words, files ----

TEST(Plan, SecondsComeFromRatesThatWereMeasured) {
  const Points x = rows(test::random_matrix(300, 4, 1));
  const Plan plan = plan_for(machine("ridge"), {}, rbf(1), x);
  EXPECT_GT(plan.seconds, 0);
  EXPECT_LT(plan.seconds, 60);
  EXPECT_EQ(plan_for(machine("ridge"), {}, extent_of(rbf(1), x)).seconds, 0) << "not asked for";
  // Of the same rates, more work takes longer.
  Plan longer = plan_for(machine("ridge"), {}, extent_of(rbf(1), x));
  longer.pairs *= 1000;
  longer.flops *= 1000;
  EXPECT_GT(timed(longer, gram_for(rbf(1), x, {}), {}).seconds, plan.seconds);
}

TEST(Plan, IsPartOfTheReportAndOfTheFile) {
  const Data data;
  const Model model = fit("ridge", {}, data.training(machine("ridge"), rbf(1)));
  ASSERT_TRUE(model.report().plan);
  EXPECT_EQ(model.report().plan->form, Form::exact);
  EXPECT_EQ(model.report().plan->solver, "Cholesky");
  EXPECT_NE(model.report().str().find("K: exact, all 60 x 60 numbers"), std::string::npos) << model.report().str();
  std::ostringstream file;
  save(file, model);
  EXPECT_EQ(load_bytes(file.str(), "test").report().plan, model.report().plan);
  // A model of before.
  const Model old = model.with([](Model::Parts& parts) { parts.report.plan.reset(); });
  std::ostringstream before;
  save(before, old);
  EXPECT_EQ(before.str().find("\"plan\""), std::string::npos);
  EXPECT_FALSE(load_bytes(before.str(), "test").report().plan);
}

TEST(Plan, SaysEverythingThatWasDecided) {
  const Plan plan{.form = Form::exact,
                  .solver = "Cholesky",
                  .points = 1000,
                  .bytes = 9e6,
                  .parts = {{"in use before", 1e6}, {"one matrix of 1000 x 1000 numbers", 8e6}},
                  .seconds = 0.25,
                  .why = "it fits"};
  EXPECT_EQ(plan.str(),
            "K: exact, all 1000 x 1000 numbers\nbecause: it fits\nsolver: Cholesky\n"
            "memory: 9 MB at the peak (in use before 1 MB, one matrix of 1000 x 1000 numbers 8 MB)\n"
            "time: about 250 ms\napproximated: nothing\n");
}

}  // namespace
}  // namespace mercer::plan_test
