// What users do not give is chosen: by the criterion that the row names, the same whatever the threads, and what they
// give stays.
#include "mercer/choose.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/at.hpp"
#include "kernel/print.hpp"
#include "machines/golden_mixtures.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/tune.hpp"
#include "support.hpp"

namespace mercer::choose_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Training wave(Index n, double unit = 1, double offset = 0, unsigned seed = 1) {
  const Matrix x = test::random_matrix(n, 2, seed);
  const Vector noise = test::random_vector(n, seed + 1, -0.2, 0.2);
  Matrix y(n, 1);
  for (Index i = 0; i < n; ++i) y(i, 0) = offset + unit * (std::sin(3 * x(i, 0)) + x(i, 1) + noise[at(i)]);
  const Points points = rows(x);
  return {.K = lazy(parse("rbf(ell=auto)").resolve(points), points), .y = std::move(y)};
}

// Squares of a chess board in turn: a wide kernel with a small C sees nothing.
Training chess(Index n, Index classes = 2, unsigned seed = 3) {
  const Matrix x = test::random_matrix(n, 2, seed);
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) {
    const auto square = static_cast<Index>(std::floor(x(i, 0)) + std::floor(x(i, 1)) + 8);
    names.push_back("class" + std::to_string(square % classes));
  }
  const Points points = rows(x);
  return {.K = lazy(parse("rbf(ell=auto)").resolve(points), points), .labels = Labels::from(names)};
}

Training data_for(const Machine& machine, Index n) { return machine.task == Task::classification ? chess(n) : wave(n); }

// Trials take as many points as find room; where hardly any do, the reason stands there as one sentence.
TEST(ChooseTest, TriesOnWhatFindsRoom) {
  Training data = wave(600);
  data.memory = 1'000'000;
  const Choice some = choose(machine("ols"), {}, false, data);
  EXPECT_TRUE(has(some.words, "on 120 of 600 points")) << some.words;
  data.memory = 10'000;
  const Choice none = choose(machine("ols"), {}, false, data);
  EXPECT_TRUE(has(none.words, "nothing: ols: ")) << none.words;
  EXPECT_FALSE(has(none.words, "Error")) << none.words;
}

TEST(ChooseTest, BeatsThePlainValuesWhereTheseAreBlind) {
  const Training data = chess(150);
  const Choice choice = choose(machine("svc"), {}, false, data);
  EXPECT_TRUE(has(choice.words, "C=" + choice.settings.at("C"))) << choice.words;
  EXPECT_TRUE(has(choice.words, detail::print_short(*choice.kernel))) << choice.words;
  EXPECT_TRUE(has(choice.words, "accuracy in 5-fold cross-validation")) << choice.words;
  EXPECT_TRUE(has(choice.words, "tried rbf, matern(nu=1.5), laplace, ell ")) << choice.words;
  ASSERT_TRUE(choice.tried);
  EXPECT_EQ(choice.tried->columns, (std::vector<std::string>{"ell", "C", "accuracy"}));

  const std::vector<Fold> folds = stratified_folds(data.labels, 5, 77);
  Training chosen = data;
  chosen.K = lazy(*choice.kernel, *data.K.points());
  EXPECT_GT(cross_validate("svc", choice.settings, chosen, folds).mean,
            cross_validate("svc", {}, data, folds).mean + 0.05);
}

TEST(ChooseTest, WhatIsGivenStays) {
  const Training data = chess(60);
  const Choice both = choose(machine("svc"), {{"C", "7"}}, true, data);
  EXPECT_EQ(both.words, "");
  EXPECT_EQ(both.settings, (Settings{{"C", "7"}}));
  EXPECT_EQ(both.kernel, data.K.kernel());

  const Choice cost = choose(machine("svc"), {{"C", "7"}}, false, data);
  EXPECT_EQ(cost.settings.at("C"), "7");
  EXPECT_EQ(cost.tried->columns.front(), "ell");
  EXPECT_FALSE(has(cost.words, "C=")) << cost.words;

  const Choice kernel = choose(machine("svc"), {}, true, data);
  EXPECT_EQ(kernel.kernel, data.K.kernel());
  EXPECT_TRUE(kernel.settings.contains("C"));
  EXPECT_FALSE(has(kernel.words, "rbf")) << kernel.words;
}

// In the eyes of the evidence a kernel so narrow that each point explains itself is best: every point then has a
// variance of its own. Held-out points see that nothing was learnt, and that the machine was sure of it.
// By choosing alone: this row reads the ridge off its trials whatever was given.
TEST(ChooseTest, ARowCannotOverrideWhatIsGiven) {
  Machine careless = machine("ridge");
  careless.choosing = [](const Settings&, const Training*) {
    return Choosing{.stages = {{{"ell", {2, 1}, Trial::Unit::automatic}}},
                    .while_trying = {{"ridge", "auto"}, {"loo", "true"}},
                    .figure = "leave_one_out_rmse",
                    .read = {"ridge"}};
  };
  const Training data = wave(40);
  EXPECT_NE(choose(careless, {}, false, data).settings.at("ridge"), "0.25");
  for (const bool kernel_given : {false, true}) {
    const Choice choice = choose(careless, {{"ridge", "0.25"}}, kernel_given, data);
    EXPECT_EQ(choice.settings, (Settings{{"ridge", "0.25"}}));
    EXPECT_FALSE(has(choice.words, "ridge")) << choice.words;  // nobody chose it
    EXPECT_EQ(*fit_chosen(careless, choice, data).report().figure("ridge"), 0.25);
  }
}

TEST(ChooseTest, RelevanceVectorsAreChosenByWhatIsHeldOut) {
  constexpr Index n = 120;
  const Matrix x = test::random_matrix(n, 5, 8), fresh = test::random_matrix(400, 5, 9);
  const Vector noise = test::random_vector(n, 10), others = test::random_vector(400, 11);
  const auto wave_at = [](const Matrix& at, Index i) { return std::sin(at(i, 0)) + 0.5 * at(i, 1); };
  const Kernel start = parse("rbf(ell=auto)").resolve(rows(x));
  Training data{.K = lazy(start, rows(x)), .y = Matrix(n, 1)};
  for (Index i = 0; i < n; ++i) data.y(i, 0) = wave_at(x, i) + noise[at(i)];
  const Choice choice = choose(machine("rvm"), {}, false, data);
  EXPECT_TRUE(has(choice.words, "log density in 5-fold cross-validation")) << choice.words;

  const auto at_kernel = [&](const Kernel& k) {
    Training training = data;
    training.K = lazy(k, rows(x));
    return fit("rvm", {}, training);
  };
  const auto covered = [&](const Model& m) {  // by bands of 90 %
    const Matrix mean = m.scores(rows(fresh)), variance = m.variances(rows(fresh));
    double share = 0;
    for (Index i = 0; i < 400; ++i) {
      const double width = 1.645 * std::sqrt(variance(i, 0) + m.posterior().noise[0]);
      share += std::abs(wave_at(fresh, i) + others[at(i)] - mean(i, 0)) <= width ? 1.0 / 400 : 0;
    }
    return share;
  };
  const Model chosen = at_kernel(*choice.kernel);
  const Model narrow = at_kernel(rbf(start.params()[0].value / 8));
  EXPECT_GT(*narrow.report().figure("log_marginal_likelihood"), *chosen.report().figure("log_marginal_likelihood"));
  EXPECT_LT(covered(narrow), 0.5);
  EXPECT_GT(covered(chosen), 0.8);
}

TEST(ChooseTest, ThreadsChangeNothing) {
  for (const std::string name : {"svc", "svr", "ridge", "logistic", "rbf_network"}) {
    Training data = data_for(machine(name), 50);
    data.how.threads = 1;
    const Choice one = choose(machine(name), {}, false, data);
    data.how.threads = 2;
    const Choice two = choose(machine(name), {}, false, data);
    EXPECT_EQ(one.settings, two.settings) << name;
    EXPECT_EQ(one.words, two.words) << name;
    EXPECT_EQ(one.tried, two.tried) << name;
  }
}

TEST(ChooseTest, RidgeTakesTheLeastLeaveOneOutErrorOfAll) {
  const Training data = wave(70);
  const Choice choice = choose(machine("ridge"), {}, false, data);
  Training chosen = data;
  chosen.K = lazy(*choice.kernel, *data.K.points());
  const auto error_at = [&](double ridge, const Training& at_kernel) {
    double squares = 0;
    const Matrix left_out = leave_one_out(KernelRidge{.ridge = ridge}, at_kernel);
    for (Index i = 0; i < left_out.rows(); ++i) squares += left_out(i, 0) * left_out(i, 0);
    return std::sqrt(squares / static_cast<double>(left_out.rows()));
  };
  const double best = error_at(std::stod(choice.settings.at("ridge")), chosen);
  const Report::Table& tried = *choice.tried;
  ASSERT_EQ(tried.columns, (std::vector<std::string>{"ell", "ridge", "leave_one_out_rmse"}));
  ASSERT_GE(tried.rows.rows(), 5);
  for (Index r = 0; r < tried.rows.rows(); ++r) {
    Training other = data;
    other.K = lazy(choice.kernel->with("ell", tried.rows(r, 0)), *data.K.points());
    EXPECT_NEAR(error_at(tried.rows(r, 1), other), tried.rows(r, 2), 1e-6) << r;
    EXPECT_GE(tried.rows(r, 2), best - 1e-6) << r;
  }
  // A ridge that is given leaves the width alone to be chosen.
  const Choice width = choose(machine("ridge"), {{"ridge", "0.5"}}, false, data);
  EXPECT_EQ(width.settings, (Settings{{"ridge", "0.5"}}));
  EXPECT_TRUE(has(width.words, "(ell=")) << width.words;
  // And with a kernel that is given, the penalty is.
  EXPECT_TRUE(choose(machine("ridge"), {}, true, data).settings.contains("ridge"));
}

// What is tried is a multiple of auto to the last bit, and what is tried is taken; words have fewer digits.
TEST(ChooseTest, TheNumberThatWasTriedIsTaken) {
  const Training data = chess(150);
  const Machine& svc = machine("svc");
  const Choice choice = choose(svc, {}, false, data);
  std::string base = choice.kernel->str();
  base.replace(base.find("ell="), std::string::npos, "ell=auto)");
  const double unit = parse(base).resolve(*data.K.points()).params()[0].value;
  std::set<double> multiples;
  for (const std::vector<Trial>& stage : svc.choosing({}, &data).stages) {
    for (const Trial& trial : stage) {
      for (const double value : trial.values) multiples.insert(trial.name == "ell" ? unit * value : 0);
    }
  }
  EXPECT_TRUE(multiples.contains(choice.kernel->params()[0].value)) << choice.words;
  EXPECT_FALSE(has(choice.words, choice.kernel->str())) << choice.words;
}

// scikit-learn's leave-one-out cross-validation over a fine grid of widths.
TEST(ChooseTest, WidthsOfDensitiesAreFinerThanTheGrid) {
  for (const auto& golden : test::golden_mixtures()["densities"]) {
    const Points x = rows(test::matrix_in(golden["x"]));
    const double width = golden["width"].get<double>();
    const Kernel automatic = parse("rbf(ell=auto)").resolve(x);
    const double ell = automatic.params()[0].value;
    const Kernel k = golden["kernel"] == "gaussian" ? rbf(ell) : exponential(ell);
    const Choice choice = choose(machine("kde"), {}, false, {.K = lazy(k, x)});
    EXPECT_NEAR(choice.kernel->params()[0].value, width, 0.03 * width) << choice.words;
    const Model fitted = fit_chosen(machine("kde"), choice, {.K = lazy(k, x)});
    const double likelihood = golden["log_likelihood"].get<double>();
    EXPECT_GE(*fitted.report().figure("leave_one_out_log_likelihood"), likelihood - 1e-4);
    EXPECT_LE(*fitted.report().figure("leave_one_out_log_likelihood"), likelihood + 1e-3);
  }
}

TEST(ChooseTest, UnitsOfTheTargetDoNotMatterToSupportVectors) {
  for (const std::string name : {"svr", "nusvr"}) {
    const Training small = wave(50), large = wave(50, 1e6, 3e7);
    const Choice a = choose(machine(name), {}, false, small), b = choose(machine(name), {}, false, large);
    EXPECT_EQ(a.settings, b.settings) << name;
    EXPECT_EQ(a.kernel, b.kernel) << name;
    EXPECT_EQ(a.settings.at("scale_target"), "standard");
    const Points x = rows(test::random_matrix(20, 2, 9));
    const Vector of_small = fit_chosen(machine(name), a, small).predict(x),
                 of_large = fit_chosen(machine(name), b, large).predict(x);
    for (std::size_t i = 0; i < of_small.size(); ++i) {
      EXPECT_NEAR(of_small[i], (of_large[i] - 3e7) / 1e6, 2e-2) << name << " " << i;
    }
  }
}

TEST(ChooseTest, ACostThatIsGivenKeepsTheUnitsOfTheTarget) {
  const Choice choice = choose(machine("svr"), {{"C", "5e6"}}, false, wave(80, 1e6));
  EXPECT_EQ(choice.settings.at("C"), "5e6");
  EXPECT_FALSE(choice.settings.contains("scale_target"));
  EXPECT_GT(std::stod(choice.settings.at("epsilon")), 1e3);
}

TEST(ChooseTest, DensityAndNadarayaWatsonTakeTheirBestWidth) {
  for (const std::string name : {"kde", "nadaraya_watson"}) {
    const Choice choice = choose(machine(name), {}, false, wave(120));
    const Report::Table& tried = *choice.tried;
    const double sign = name == "kde" ? 1 : -1;
    double best = -1e300, width = 0;
    for (Index r = 0; r < tried.rows.rows(); ++r) {
      if (!(sign * tried.rows(r, 1) > best)) continue;
      best = sign * tried.rows(r, 1);
      width = tried.rows(r, 0);
    }
    EXPECT_EQ(*choice.kernel, rbf(width)) << name;
  }
}

TEST(ChooseTest, PointsOfWeightZeroAreAbsent) {
  Training data = chess(90);
  std::vector<Index> some;
  for (Index i = 0; i < 90; ++i) {
    data.weights.push_back(i % 3 == 0 ? 0 : 1 + i % 2);
    if (i % 3 != 0) some.push_back(i);
  }
  Training less{.K = lazy(*data.K.kernel(), data.K.points()->select(some))};
  std::vector<std::string> names;
  for (const Index i : some) {
    names.push_back(data.labels.classes[at(data.labels.of[at(i)])]);
    less.weights.push_back(data.weights[at(i)]);
  }
  less.labels = Labels::from(names);
  const Choice all = choose(machine("svc"), {}, false, data), part = choose(machine("svc"), {}, false, less);
  EXPECT_EQ(all.settings, part.settings);
  EXPECT_EQ(all.kernel, part.kernel);
  EXPECT_EQ(all.tried, part.tried);
}

TEST(ChooseTest, AHandfulOfPointsIsEnoughForEveryMachine) {
  for (const Machine& row : machines()) {
    if (!row.choosing) continue;
    for (const Index n : {2, 3, 5, 10}) {
      Training data = data_for(row, n);
      if (row.task == Task::classification) data.labels.of.front() = 1 - data.labels.of.back();  // two of them
      const Choice choice = choose(row, {}, false, data);
      EXPECT_FALSE(choice.words.empty()) << row.name;
      EXPECT_NO_THROW(fit_chosen(row, choice, data)) << row.name << " " << n;
    }
  }
}

TEST(ChooseTest, AClassOfOnePointAndManyClassesAreNoHindrance) {
  Training data = chess(80, 7);
  data.labels.classes.push_back("alone");
  data.labels.of.front() = 7;
  const Choice choice = choose(machine("svc"), {}, false, data);
  EXPECT_TRUE(has(choice.words, "accuracy")) << choice.words;
  EXPECT_EQ(fit_chosen(machine("svc"), choice, data).classes().size(), 8u);
}

TEST(ChooseTest, AskedToStopItKeepsTheBestSoFar) {
  Training data = chess(120);
  data.how.threads = 1;
  const Index all = choose(machine("svc"), {}, false, data).tried->rows.rows();
  int calls = 0, until = 0;
  data.how.monitor = Monitor([&](const Progress&) { return ++calls < until; });
  until = 1;
  const Choice none = choose(machine("svc"), {}, false, data);
  EXPECT_TRUE(none.interrupted);
  EXPECT_TRUE(none.words.starts_with("nothing")) << none.words;
  EXPECT_EQ(none.kernel, data.K.kernel());
  bool partly = false;
  for (until = 2; until < 100000 && !partly; until *= 2) {
    calls = 0;
    const Choice some = choose(machine("svc"), {}, false, data);
    if (!some.interrupted) break;
    partly = some.tried->rows.rows() > 0 && some.tried->rows.rows() < all;
    EXPECT_EQ(has(some.words, "stopped after"), some.tried->rows.rows() > 0) << some.words;
  }
  EXPECT_TRUE(partly);
}

// By a figure of the fit, too, what was done counts.
TEST(ChooseTest, AskedToStopItKeepsTheBestFiguresSoFar) {
  Training data{.K = lazy(linear(), rows(test::random_matrix(300, 2, 3)))};
  data.how.threads = 1;
  const Index all = choose(machine("gmm"), {}, true, data).tried->rows.rows();
  ASSERT_GT(all, 2);
  int calls = 0;
  bool partly = false;
  for (int until = 2; until < 100000 && !partly; until += 1 + until / 4) {
    calls = 0;
    data.how.monitor = Monitor([&](const Progress&) { return ++calls < until; });
    const Choice some = choose(machine("gmm"), {}, true, data);
    if (!some.interrupted) break;
    partly = some.tried->rows.rows() > 0 && some.tried->rows.rows() < all;
    EXPECT_EQ(has(some.words, "stopped after"), some.tried->rows.rows() > 0) << some.words;
  }
  EXPECT_TRUE(partly);
}

TEST(ChooseTest, ALargeSetIsJudgedByASample) {
  const Choice choice = choose(machine("ols"), {}, false, wave(700));
  EXPECT_TRUE(has(choice.words, " of 700 points")) << choice.words;
}

// Kernels are compared by the same criterion as all else, and every trial is kept.
TEST(ChooseTest, TheKernelIsTheOneWithTheLeastError) {
  for (const bool is_rough : {false, true}) {
    Training data = wave(120);
    const Matrix x = test::random_matrix(120, 2, 1);
    for (Index i = 0; i < 120; ++i) {  // steps, or a smooth wave
      data.y(i, 0) = is_rough ? std::floor(2 * x(i, 0)) + std::floor(2 * x(i, 1)) : std::sin(2 * x(i, 0) + x(i, 1));
    }
    const Choice choice = choose(machine("ridge"), {}, false, data);
    ASSERT_EQ(choice.others.size(), 2u);
    const auto least = [](const Report::Table& table) {
      double out = table.rows(0, 2);
      for (Index r = 0; r < table.rows.rows(); ++r) out = std::min(out, table.rows(r, 2));
      return out;
    };
    EXPECT_EQ(choice.kernel->str().starts_with("rbf"), !is_rough) << choice.words;
    for (const Report::Table& other : choice.others) {
      EXPECT_TRUE(other.name.starts_with("choice: ")) << other.name;
      EXPECT_GE(least(other), least(*choice.tried)) << other.name;
    }
    EXPECT_TRUE(has(choice.words, "tried rbf, matern(nu=1.5), laplace, ell 0.25 to 16")) << choice.words;
    const Model fitted = fit_chosen(machine("ridge"), choice, data);
    EXPECT_NE(fitted.report().table(choice.others.front().name), nullptr);
  }
  // Of a kernel that is given there is no other.
  EXPECT_TRUE(choose(machine("ridge"), {}, true, wave(40)).others.empty());
}

// The best of three grids is so partly by luck: a later kernel is taken only if its error is less by 2 %.
TEST(ChooseTest, ALaterKernelMustBeWorthIt) {
  const std::vector<std::string> order = {"rbf", "matern(nu=1.5)", "laplace"};
  bool luck = false;  // a later one was best, and not taken
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Training noise = wave(40, 1, 0, seed);
    const Vector y = test::random_vector(40, seed + 20);
    for (Index i = 0; i < 40; ++i) noise.y(i, 0) = y[at(i)];
    const Choice choice = choose(machine("ridge"), {}, false, noise);
    ASSERT_EQ(choice.others.size(), 2u);
    const Index grid = choice.others.front().rows.rows();
    std::vector<double> least(3, INFINITY);
    const auto add = [&](const Report::Table& table, std::size_t kernel) {
      for (Index r = 0; r < grid; ++r) least[kernel] = std::min(least[kernel], table.rows(r, table.rows.cols() - 1));
    };
    std::size_t taken = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (choice.kernel->str().starts_with(order[k].substr(0, order[k].find('(')))) taken = k;
      for (const Report::Table& other : choice.others) {
        if (other.name.starts_with("choice: " + order[k])) add(other, k);
      }
    }
    add(*choice.tried, taken);
    std::size_t expected = 0;
    for (std::size_t k = 1; k < 3; ++k) {
      if (least[k] < least[expected] - 0.02 * least[expected]) expected = k;
      luck = luck || (least[k] < least[expected] && expected != k);
    }
    EXPECT_EQ(taken, expected) << choice.words;
  }
  EXPECT_TRUE(luck);
}

// Units come from all targets together: the same one twice has the units of one.
TEST(ChooseTest, ATargetThatIsThereTwiceIsChosenForAsOnce) {
  const Training once = wave(40, 50);
  Training twice = once;
  twice.y = Matrix(40, 2);
  for (Index i = 0; i < 40; ++i) twice.y(i, 0) = twice.y(i, 1) = once.y(i, 0);
  const Settings own_units = {{"tolerance", "0.001"}};
  const Choice a = choose(machine("svr"), own_units, false, once), b = choose(machine("svr"), own_units, false, twice);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.kernel->str(), b.kernel->str());
}

// What a small sample takes is too smooth for a large one.
TEST(ChooseTest, MorePointsHaveTheLastWord) {
  const Training data = chess(1200);
  Machine few = machine("svc");
  few.choosing = [](const Settings&, const Training*) {
    return Choosing{.stages = {{{"ell", {4, 2}, Trial::Unit::automatic}, {"C", {1, 10}}}}, .most = 160};
  };
  Machine more = few;
  more.choosing = [plan = few.choosing](const Settings& given, const Training* training) {
    Choosing out = plan(given, training);
    out.finals = 900;
    return out;
  };
  const Choice by_few = choose(few, {}, false, data), by_more = choose(more, {}, false, data);
  EXPECT_TRUE(has(by_few.words, "on 160 of 1200 points")) << by_few.words;
  EXPECT_TRUE(has(by_more.words, "accuracy of a third held out")) << by_more.words;
  EXPECT_TRUE(has(by_more.words, "on 892 of 1200 points, the best of 4 by accuracy in 5-fold cross-validation on 160"))
      << by_more.words;
  EXPECT_LT(by_more.kernel->params()[0].value, by_few.kernel->params()[0].value);
  const auto score = [&](const Choice& choice) {
    Training chosen = data;
    chosen.K = lazy(*choice.kernel, *data.K.points());
    return cross_validate("svc", choice.settings, chosen, divide(chosen, 5, 9).folds).mean;
  };
  EXPECT_GT(score(by_more), score(by_few) + 0.01);
  // With few points there are no more to ask.
  EXPECT_EQ(choose(more, {}, false, chess(100)).words, choose(few, {}, false, chess(100)).words);
}

// Columns without a meaning cost a process with an ell for each of them dearly, unless they are many of few points.
TEST(ChooseTest, OneLengthOrOneForEachColumnByPointsHeldOut) {
  for (const bool one : {true, false}) {
    const Index n = 90, d = one ? 14 : 4;
    const Matrix x = test::random_matrix(n, d, 21);
    const Vector noise = test::random_vector(n, 22, -0.6, 0.6);
    Matrix y(n, 1);
    for (Index i = 0; i < n; ++i) {
      double f = 0;
      for (Index j = 0; j < d; ++j) f += x(i, j) / std::sqrt(static_cast<double>(d));
      y(i, 0) = one ? std::sin(f) + noise[at(i)] : std::sin(3 * x(i, 0)) + 0.1 * noise[at(i)];
    }
    const Points points = rows(x);
    const Training data{.K = lazy(parse("rbf(ell=[auto])").resolve(points), points), .y = y};
    const Choice choice = choose(machine("gp"), {}, false, data);
    EXPECT_EQ(choice.words.starts_with("rbf (by rmse of a third held out"), one) << choice.words;
    EXPECT_EQ(choice.words.starts_with("rbf with an ell for each column (by rmse"), !one) << choice.words;
    EXPECT_EQ(fit_chosen(machine("gp"), choice, data).expansion().parts().kernel->params().size(), one ? 1 : d);
  }
}

TEST(ChooseTest, TheReportSaysIt) {
  const Training data = wave(40);
  const Choice choice = choose(machine("ridge"), {}, false, data);
  const Model model = fit_chosen(machine("ridge"), choice, data);
  EXPECT_EQ(model.report().chosen, choice.words);
  EXPECT_EQ(*model.report().table("choice"), *choice.tried);
  EXPECT_EQ(model.parts().settings.at("ridge"), choice.settings.at("ridge"));
  EXPECT_TRUE(has(model.report().str(), "chosen: " + choice.words));
}

}  // namespace
}  // namespace mercer::choose_test
