// Each worry: by data that give cause for it, and by data that do not.
#include "report/worries.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

// Where each worry begins: data on its border, and data a step to the other side.
namespace mercer::report::worry_borders_test {
namespace {

Index count_of(const std::vector<Worry>& all, const std::string& text) {
  return std::count_if(all.begin(), all.end(), [&](const Worry& w) { return w.what.find(text) != std::string::npos; });
}
bool says(const std::vector<Worry>& all, const std::string& text) { return count_of(all, text) > 0; }

Subject with_labels(std::vector<Index> counts) {
  Subject out = test::classes();
  std::vector<std::string> names;
  for (std::size_t c = 0; c < counts.size(); ++c) names.insert(names.end(), counts[c], std::string(1, 'a' + c));
  out.labels = Labels::from(names);
  out.x = rows(Matrix(static_cast<Index>(names.size()), 2));
  return out;
}

TEST(WorryBorders, AClassIsRareBelowATenthOfTheLargest) {
  EXPECT_FALSE(says(about_targets(with_labels({100, 10})), "Class b has"));
  EXPECT_TRUE(says(about_targets(with_labels({100, 9})), "Class b has 9 of 109 points (8.3 %)"));
  EXPECT_FALSE(says(about_targets(with_labels({9, 90})), "Class a has"));
  EXPECT_TRUE(says(about_targets(with_labels({9, 91})), "Class a has"));
}

TEST(WorryBorders, ClassesThatTheModelDoesNotKnowAreThoseBehindItsOwn) {
  const std::vector<Worry> found = about_targets(with_labels({20, 20, 20, 20}));
  EXPECT_EQ(count_of(found, "was not among those the model was fitted to"), 2);
  EXPECT_TRUE(says(found, "Class c was not") && says(found, "Class d was not"));
  EXPECT_FALSE(says(about_targets(with_labels({20, 20})), "was not among"));
}

// The middle is 0 and the deviation, by the median of distances, 1.4826.
TEST(WorryBorders, ATargetIsFarBeyondTenDeviations) {
  Subject subject = test::regression("ridge", {}, 41);
  const auto with = [&](double far) {
    subject.y = Matrix(41, 1);
    for (Index i = 0; i < 40; ++i) subject.y(i, 0) = i < 3 ? 0 : i < 13 ? -1 : i < 23 ? 1 : i < 32 ? -2 : 2;
    subject.y(40, 0) = far;
    return about_targets(subject);
  };
  EXPECT_TRUE(with(14.826 * (1 - 1e-9)).empty());
  EXPECT_TRUE(with(-14.826 * (1 - 1e-9)).empty());
  EXPECT_TRUE(says(with(14.826 * (1 + 1e-9)), "1 of 41 targets"));
  EXPECT_TRUE(says(with(-14.826 * (1 + 1e-9)), "1 of 41 targets"));
}

TEST(WorryBorders, FewPointsAreThoseBelowThirty) {
  EXPECT_TRUE(says(about_fit(test::regression("ridge", {}, 29)), "fitted to 29 points"));
  EXPECT_TRUE(about_fit(test::regression("ridge", {}, 30)).empty());
}

TEST(WorryBorders, AFigureMayWellBeNothing) {
  const Subject numbers = test::regression("ridge", {});
  const auto r2 = [&](double low) { return about_figures(numbers, {{"r2", 0.3, Interval{low, 0.6}, ""}}); };
  EXPECT_TRUE(says(r2(0), "may well be 0"));
  EXPECT_TRUE(r2(1e-9).empty());
  EXPECT_TRUE(about_figures(numbers, {{"rmse", 0.3, Interval{-1, 0.6}, ""}}).empty());
  const Subject classes = with_labels({75, 25});
  const auto accuracy = [&](double low) { return about_figures(classes, {{"accuracy", 0.8, Interval{low, 0.9}, ""}}); };
  EXPECT_TRUE(says(accuracy(0.75), "Accuracy is 80.0 %, and always saying the commonest class gives 75.0 %"));
  EXPECT_TRUE(accuracy(0.75 + 1e-9).empty());
  EXPECT_TRUE(about_figures(with_labels({50}), {{"accuracy", 1, Interval{0.9, 1}, ""}}).empty());
}

Subject with_column(const Vector& values, const std::string& name) {
  const auto n = static_cast<Index>(values.size());
  Subject out = test::regression("ridge", {}, n);
  Matrix x(n, 1);
  std::copy(values.begin(), values.end(), x.data());
  out.x = named(rows(std::move(x)), {name});
  return out;
}

TEST(WorryBorders, TwentyRowsAreEnoughToSeeWhatAColumnIs) {
  for (const Index n : {19, 20}) {
    SCOPED_TRACE(n);
    Vector counting, ids;
    for (Index i = 0; i < n; ++i) {
      counting.push_back(static_cast<double>(i - 7));
      ids.push_back(static_cast<double>(1000 + i * 7 % n * 3));
    }
    EXPECT_EQ(says(about_columns(with_column(counting, "t")), "counts or names the rows"), n == 20);
    for (const char* const name : {"id", "ID", "Index", "row", "nr", "number", "customer_id", "order id"}) {
      EXPECT_EQ(says(about_columns(with_column(ids, name)), "counts or names the rows"), n == 20) << name;
    }
    EXPECT_FALSE(says(about_columns(with_column(ids, "width")), "counts or names the rows"));
    Subject leak = test::regression("ridge", {}, n);
    leak.x = named(rows(Matrix(leak.y)), {"leak"});
    EXPECT_EQ(says(about_columns(leak), "goes with the target"), n == 20);
  }
  Vector ids;
  for (Index i = 0; i < 20; ++i) ids.push_back(static_cast<double>(1000 + i * 7 % 20 * 3));
  Vector twice = ids, halves = ids;
  twice[4] = twice[11];
  halves[4] += 0.5;
  EXPECT_TRUE(about_columns(with_column(twice, "id")).empty());
  EXPECT_TRUE(about_columns(with_column(halves, "id")).empty());
  Vector gap;
  for (Index i = 0; i < 20; ++i) gap.push_back(static_cast<double>(i + (i == 19 ? 1 : 0)));
  EXPECT_TRUE(about_columns(with_column(gap, "t")).empty());
}

// y = cos(angle) a + sin(angle) b of columns a, b of length 1 that are orthogonal and of mean 0: a correlation of
// cos(angle).
TEST(WorryBorders, AColumnGoesWithTheTargetAboveACorrelationOf999) {
  constexpr Index n = 40;
  Vector a;
  for (Index i = 0; i < n; ++i) a.push_back(std::cos(2 * std::numbers::pi * static_cast<double>(i) / n));
  for (const double r : {0.9989, 0.9991, -0.9989, -0.9991}) {
    Subject subject = with_column(a, "a");
    for (Index i = 0; i < n; ++i) {
      subject.y(i, 0) = 5 + r * a[static_cast<std::size_t>(i)] +
                        std::sqrt(1 - r * r) * std::sin(2 * std::numbers::pi * static_cast<double>(i) / n);
    }
    EXPECT_EQ(says(about_columns(subject), fmt::format("goes with the target (correlation {:.5f})", r)),
              std::abs(r) > 0.999)
        << r;
  }
}

TEST(WorryBorders, AColumnDividesClassesButForOnePointInTwoHundred) {
  const auto with = [](Index n, Index strays) {
    Subject out = test::classes(n);
    Matrix x(n, 1);
    std::vector<std::string> names;
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = static_cast<double>(i * i);
      const bool stray = i >= 10 && i < 10 + 2 * strays && i % 2 == 0;
      names.emplace_back((i < n / 2) != stray ? "a" : "b");
    }
    out.x = named(rows(std::move(x)), {"x"});
    out.labels = Labels::from(names);
    return says(about_columns(out), "Column x alone divides the classes");
  };
  EXPECT_TRUE(with(199, 0));
  EXPECT_FALSE(with(199, 1));
  EXPECT_TRUE(with(200, 1));
  EXPECT_FALSE(with(200, 2));
  EXPECT_FALSE(with(399, 2));
  EXPECT_TRUE(with(400, 2));
}

// The model rests on one place, 0; k(x, 0) = exp(-x^2 / 2).
Subject around_zero(std::vector<double> places) {
  const Training t{.K = lazy(rbf(1), rows(Matrix{{0}})), .y = Matrix{{1}}};
  Matrix x(static_cast<Index>(places.size()), 1);
  std::copy(places.begin(), places.end(), x.data());
  return {.model = fit("ridge", {{"ridge", "1"}}, t), .x = rows(std::move(x)), .y = Matrix(x.rows(), 1)};
}

TEST(WorryBorders, ARowIsFarBelowALikenessOfATwentieth) {
  const double border = std::sqrt(-2 * std::log(0.05));
  EXPECT_FALSE(says(about_points(around_zero({border * (1 - 1e-9)})), "are far"));
  EXPECT_TRUE(says(about_points(around_zero({border * (1 + 1e-9)})), "1 of 1 rows (1e+02 %) are far"));
}

TEST(WorryBorders, OneFarRowInAHundredIsSaid) {
  for (const std::size_t n : {100, 101}) {
    std::vector<double> places(n, 0.5);
    places[17] = 9;
    EXPECT_EQ(says(about_points(around_zero(places)), "1 of 100 rows (1 %) are far"), n == 100);
  }
}

TEST(WorryBorders, OneKnownRowInTwentyIsAWarning) {
  for (const std::size_t n : {20, 21}) {
    std::vector<double> places(n, 0.5);
    places[3] = 0;
    const std::vector<Worry> found = about_points(around_zero(places));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(says(found, fmt::format("1 of {} rows were among", n)));
    EXPECT_EQ(found[0].warning, n == 20);
  }
}

// Points on a line, so far apart that neighbours are alike to `near`.
std::vector<Worry> about_kernel_of(Index n, double near) {
  Matrix x(n, 1), y(n, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) = y(i, 0) = static_cast<double>(i) * std::sqrt(-2 * std::log(near));
  const Points points = rows(std::move(x));
  const Training t{.K = lazy(rbf(1), points), .y = y};
  return about_kernel({.model = fit("ridge", {{"ridge", "1"}}, t), .x = points, .y = y});
}

TEST(WorryBorders, AMatrixIsNearlyDiagonalBelowATenth) {
  EXPECT_TRUE(says(about_kernel_of(10, 0.1 * (1 - 1e-9)), "nearly diagonal"));
  EXPECT_TRUE(about_kernel_of(10, 0.1 * (1 + 1e-9)).empty());
  EXPECT_TRUE(about_kernel_of(9, 0.01).empty());
}

// The ends are 9 steps apart: alike to near^81.
TEST(WorryBorders, AMatrixIsNearlyConstantAboveAThousandthLessThanOne) {
  EXPECT_TRUE(says(about_kernel_of(10, std::pow(0.999, 1.0 / 81) * (1 + 1e-9)), "nearly constant"));
  EXPECT_TRUE(about_kernel_of(10, std::pow(0.999, 1.0 / 81) * (1 - 1e-9)).empty());
}

// On the coordinate of the range, which is the logarithm here, a thousandth counts as the end.
TEST(WorryBorders, AParameterIsAtItsEndWithinAThousandth) {
  const auto with = [](double ell) {
    Subject subject = test::regression("ridge", {});
    const Kernel k = parse(fmt::format("rbf(ell={:.17g} in [0.1, 2])", ell));
    subject.model = fit("ridge", {{"ridge", "1"}}, {.K = lazy(k, subject.x), .y = subject.y});
    return says(about_fit(subject), "is at the end of its range");
  };
  EXPECT_TRUE(with(0.1 * std::exp(0.0009)));
  EXPECT_FALSE(with(0.1 * std::exp(0.0011)));
  EXPECT_TRUE(with(2 * std::exp(-0.0009)));
  EXPECT_FALSE(with(2 * std::exp(-0.0011)));
}

}  // namespace
}  // namespace mercer::report::worry_borders_test
