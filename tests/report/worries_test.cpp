// Each worry: by data that give cause for it, and by data that do not.
#include "report/worries.hpp"

#include <gtest/gtest.h>

#include "points/rep.hpp"
#include "report/facts.hpp"
#include "report/subjects.hpp"

namespace mercer::report {
namespace {

bool any_says(const std::vector<Worry>& all, const std::string& text) {
  return std::any_of(all.begin(), all.end(), [&](const Worry& w) {
    EXPECT_FALSE(w.why.empty() || w.advice.empty()) << w.what;
    return w.what.find(text) != std::string::npos;
  });
}

TEST(ReportWorries, ImbalancedClasses) {
  EXPECT_TRUE(any_says(about_targets(test::classes(100, 0.05)), "Class b has 5 of 100 points"));
  EXPECT_TRUE(about_targets(test::classes()).empty());
}

TEST(ReportWorries, OutliersAndConstants) {
  Subject subject = test::regression("ridge", {});
  EXPECT_TRUE(about_targets(subject).empty());
  subject.y(3, 0) = 1e4;
  EXPECT_TRUE(any_says(about_targets(subject), "1 of 40 targets"));
  subject.y = Matrix(40, 1, 2.0);
  EXPECT_TRUE(any_says(about_targets(subject), "the same for all points"));
}

TEST(ReportWorries, ColumnsThatGiveTheTargetAway) {
  Subject subject = test::regression("ridge", {});
  EXPECT_TRUE(about_columns(subject).empty());
  Matrix x(40, 3);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = static_cast<double>(i * i % 7);
    x(i, 1) = 3 * subject.y(i, 0) - 1;
    x(i, 2) = static_cast<double>(i + 100);
  }
  subject.x = named(rows(std::move(x)), {"plain", "leak", "nr"});
  EXPECT_TRUE(any_says(about_columns(subject), "Column leak alone goes with the target"));
  EXPECT_TRUE(any_says(about_columns(subject), "Column nr counts or names the rows"));
  EXPECT_FALSE(any_says(about_columns(subject), "plain"));
}

TEST(ReportWorries, AColumnThatDividesTheClasses) {
  Subject subject = test::classes();
  EXPECT_TRUE(about_columns(subject).empty());
  Matrix x(60, 1);
  for (Index i = 0; i < 60; ++i) x(i, 0) = (i < 30 ? 0.0 : 5.0) + 0.01 * static_cast<double>(i % 7);
  subject.x = rows(std::move(x));
  EXPECT_TRUE(any_says(about_columns(subject), "Column column 1 alone divides the classes"));
}

TEST(ReportWorries, PointsFarFromTheModelOrAmongIts) {
  Subject subject = test::regression("ridge", {}, 40, true);
  EXPECT_TRUE(about_points(subject).empty());
  const Points held = subject.x;
  subject.x = rows(mercer::test::random_matrix(40, 1, 3, 50, 60));
  EXPECT_TRUE(any_says(about_points(subject), "40 of 40 rows (1e+02 %) are far") ||
              any_says(about_points(subject), "40 of 40 rows"));
  subject.x = test::regression("ridge", {}).x.slice({0, 10});
  EXPECT_TRUE(any_says(about_points(subject), "10 of 10 rows were among the points of the fit"));
}

TEST(ReportWorries, MatricesThatAreNearlyDiagonalOrConstant) {
  const auto with = [](const std::string& kernel) {
    Subject subject = test::regression("ridge", {});
    subject.model = fit("ridge", {}, {.K = lazy(parse(kernel), subject.x), .y = subject.y});
    return about_kernel(subject);
  };
  EXPECT_TRUE(any_says(with("rbf(ell=0.0001)"), "nearly diagonal"));
  EXPECT_TRUE(any_says(with("rbf(ell=1000)"), "nearly constant"));
  EXPECT_TRUE(with("rbf(ell=0.5)").empty());
}

TEST(ReportWorries, FitsThatDidNotEndAndFewPoints) {
  Subject subject = test::classes();
  EXPECT_TRUE(about_fit(subject).empty());
  subject.model = subject.model.with([](Model::Parts& parts) {
    parts.report.converged = false;
    parts.report.stopped = "time limit";
    parts.report.add("jitter", 1e-10);
    parts.report.notes.push_back("rbf.ell = 1e-05 is at its lower bound");
  });
  EXPECT_TRUE(any_says(about_fit(subject), "not converged: time limit"));
  EXPECT_TRUE(any_says(about_fit(subject), "1e-10 was added to the diagonal"));
  EXPECT_TRUE(any_says(about_fit(subject), "at its lower bound"));
  EXPECT_TRUE(any_says(about_fit(test::regression("ridge", {}, 12)), "fitted to 12 points"));
}

// What was learnt to the end of its range is a worry; what somebody put there is not.
TEST(ReportWorries, ParametersAtTheEndOfTheirRange) {
  const auto with = [](const std::string& kernel) {
    Subject subject = test::regression("ridge", {});
    subject.model = fit("ridge", {}, {.K = lazy(parse(kernel), subject.x), .y = subject.y});
    return about_fit(subject);
  };
  EXPECT_TRUE(any_says(with("rbf(ell=0.5 in [0.1, 0.5])"), "rbf.ell = 0.5 is at the end of its range"));
  EXPECT_TRUE(any_says(with("rbf(ell=0.1 in [0.1, 0.5])"), "rbf.ell = 0.1 is at the end of its range"));
  EXPECT_TRUE(with("rbf(ell=0.3 in [0.1, 0.5])").empty());
  std::vector<std::string> words;
  Matrix y(40, 1);
  for (Index i = 0; i < 40; ++i) {
    words.push_back(std::string("abcab").substr(static_cast<std::size_t>(i % 3)) + std::to_string(i));
    y(i, 0) = static_cast<double>(i % 7);
  }
  const Points x = strings(words);
  const auto of_strings = [&](const std::string& kernel) {
    return about_fit({.model = fit("ridge", {{"ridge", "1"}}, {.K = lazy(parse(kernel), x), .y = y}), .x = x, .y = y});
  };
  EXPECT_TRUE(any_says(of_strings("subsequence(length=2, decay=1)"), "decay = 1 is at the end of its range"));
  EXPECT_TRUE(of_strings("subsequence(length=2, decay=fixed(1))").empty());
}

// All rows of the fit are known, not only those that the model rests on.
TEST(ReportWorries, RowsOfTheFitAreAllFoundAgain) {
  Subject subject = test::classes();
  const std::vector<std::string> names = [&] {
    std::vector<std::string> out;
    for (const Index c : subject.labels.of) out.push_back(subject.labels.classes[static_cast<std::size_t>(c)]);
    return out;
  }();
  const workflow::FitResult fitted = workflow::fit(
      {.machine = "svc",
       .settings = {{"C", "1"}},
       .kernel = parse("rbf(ell=1)"),
       .source = {.path = "clouds", .data = Dataset{.points = subject.x, .target_texts = names, .target_name = "kind"}},
       .scale = Scaling::Kind::standard});
  ASSERT_LT(fitted.model.expansion().size(), 60) << "all points are support vectors: the case says nothing";
  const std::vector<Index> backwards = [] {
    std::vector<Index> out;
    for (Index i = 59; i >= 10; --i) out.push_back(i);
    return out;
  }();
  const workflow::Inputs inputs{subject.x.select(backwards), {}};
  EXPECT_TRUE(any_says(about_points(subject_of(fitted.model, inputs, "x")), "50 of 50 rows were among the points"));
  EXPECT_TRUE(subject_of(fitted.model, {subject.x, {}}, "x").fitted_to);
  // One number of one row that is no support vector is another.
  const std::vector<Index>& support = fitted.model.support();
  Index free = 0;
  while (std::find(support.begin(), support.end(), free) != support.end()) ++free;
  Matrix other(dense_rows(subject.x).values);
  other(free, 0) += 1e-9;
  EXPECT_FALSE(subject_of(fitted.model, {rows(std::move(other)), {}}, "x").fitted_to);
}

TEST(ReportWorries, NoBetterThanNothing) {
  const Metric poor{"r2", 0.05, Interval{-0.1, 0.2}, ""}, good{"r2", 0.9, Interval{0.8, 0.95}, ""};
  const Subject subject = test::regression("ridge", {});
  EXPECT_TRUE(any_says(about_figures(subject, {poor}), "may well be 0"));
  EXPECT_TRUE(about_figures(subject, {good}).empty());
}

// 0.7 standard deviations of a column whose deviation is 13 are 9.1 of it.
TEST(ReportFacts, LengthsInUnitsOfTheData) {
  Matrix x(2, 1);
  x(0, 0) = 30 - 13;
  x(1, 0) = 30 + 13;
  const Points raw = named(rows(std::move(x)), {"age"});
  const Scaling scaling = Scaling::of(Scaling::Kind::standard, raw);
  Matrix y{{0}, {1}};
  const Model model =
      fit("ridge", {}, {.K = lazy(parse("rbf(ell=0.7)"), scaling.apply(raw)), .y = y}).with([&](Model::Parts& parts) {
        parts.scaling = scaling;
        parts.inputs = Schema::of(raw);
      });
  const Subject subject{.model = model, .x = raw, .y = y};
  EXPECT_EQ(length_words(subject, "rbf.ell", 0.7), "0.7 standard deviations: 9.1 of age");
  EXPECT_EQ(length_words(subject, "rbf.alpha", 0.7), "");
  EXPECT_EQ(length_words(subject, "periodic.period", 2), "2 standard deviations: 26 of age");
  EXPECT_EQ(length_words(subject, "periodic.ell", 0.7), "");
}

// A model of auto shows what it won against.
TEST(ReportFacts, TheRaceIsShown) {
  Subject subject = test::regression("ridge", {});
  EXPECT_FALSE(race_facts(subject).has_value());
  subject.model = subject.model.with([](Model::Parts& parts) {
    parts.report.tables.push_back({"race", {"mean", "process"}, Matrix{{2, 0.25}, {0.5, 0}, {0.001, 1.5}}});
    parts.report.notes.emplace_back("auto: process (gp) was the best of 2 in 5 folds, by rmse 0.25; and more");
  });
  const std::optional<Exhibit> race = race_facts(subject);
  ASSERT_TRUE(race.has_value());
  EXPECT_EQ(race->finding, "process (gp) was the best of 2 in 5 folds, by rmse 0.25.");
  EXPECT_EQ(race->data["rows"][0]["value"].text(), "2 +- 0.5");
  EXPECT_EQ(race->data["rows"][1]["name"].text(), "process");
  EXPECT_EQ(race->data["rows"][1]["value"].text(), "0.25");
  EXPECT_EQ(race->data["rows"][1]["words"].text(), "1.5 s");
}

}  // namespace
}  // namespace mercer::report
