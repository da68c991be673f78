// Figures with intervals.
#include "report/figures.hpp"

#include <gtest/gtest.h>

#include "report/subjects.hpp"
#include "workflow/json.hpp"

namespace mercer::report {
namespace {

const Metric& named(const std::vector<Metric>& all, const std::string& name) {
  for (const Metric& one : all) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

// The bootstrap of a mean has the standard deviation sd / sqrt(n) and is nearly normal.
TEST(ReportFigures, IntervalOfAMeanIsThatOfTheNormalDistribution) {
  const Index n = 400;
  const Vector values = mercer::test::random_vector(n, 7, 0, 1);
  double mean = 0, square = 0;
  for (const double v : values) mean += v / 400;
  for (const double v : values) square += (v - mean) * (v - mean) / 400;
  const std::vector<Interval> found = bootstrap(n, {}, [&](Counts count) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += static_cast<double>(count[i]) * values[i];
    return Vector{sum / 400};
  });
  const double half = 1.96 * std::sqrt(square / 400);
  EXPECT_NEAR(found[0].low, mean - half, 0.15 * half);
  EXPECT_NEAR(found[0].high, mean + half, 0.15 * half);
}

TEST(ReportFigures, StrataKeepTheirSizes) {
  const std::vector<Index> strata = {0, 0, 0, 1, 1, 2};
  bootstrap(6, strata, [&](Counts count) {
    EXPECT_EQ(count[0] + count[1] + count[2], 3);
    EXPECT_EQ(count[3] + count[4], 2);
    EXPECT_EQ(count[5], 1);
    return Vector{0};
  });
}

TEST(ReportFigures, IntervalsDoNotDependOnThreads) {
  const auto with = [](int threads) {
    Subject subject = test::classes();
    subject.how.threads = threads;
    return named(metrics_of(subject), "auc").interval->low;
  };
  EXPECT_EQ(with(1), with(2));
}

// All scores equal: whoever is drawn, a point of the class is above another in half of the pairs.
TEST(ReportFigures, TiesAreHalfAWinInTheIntervalToo) {
  Subject subject = test::classes();
  subject.model = subject.model.with([](Model::Parts& parts) {
    Expansion::Parts f = parts.f.parts();
    f.alpha = Matrix(f.alpha.rows(), f.alpha.cols());
    f.squared_norms.clear();
    parts.f = Expansion(std::move(f));
  });
  subject.fitted_to = false;
  subject.training.reset();
  const Metric auc = named(metrics_of(subject), "auc");
  EXPECT_EQ(auc.value, 0.5);
  EXPECT_EQ(auc.interval->low, 0.5);
  EXPECT_EQ(auc.interval->high, 0.5);
}

// Drawn once each, the points give the figure itself.
TEST(ReportFigures, EveryIntervalHoldsItsFigure) {
  for (const Subject& subject : {test::classes(), test::regression("gp", {{"objective", "none"}, {"noise", "0.01"}})}) {
    for (const Metric& metric : metrics_of(subject)) {
      ASSERT_TRUE(metric.interval) << metric.name;
      EXPECT_LE(metric.interval->low, metric.value + 1e-12) << metric.name;
      EXPECT_GE(metric.interval->high, metric.value - 1e-12) << metric.name;
      EXPECT_NE(metric.words, "") << metric.name;
    }
  }
}

// To the last digit.
TEST(ReportFigures, HeldOutFiguresAreThoseOfScore) {
  Subject subject = test::classes();
  subject.fitted_to = false;
  subject.training.reset();
  workflow::Column truth{.name = "class"};
  for (const Index c : subject.labels.of) truth.words.push_back(subject.labels.classes[static_cast<std::size_t>(c)]);
  const workflow::Marks marks = workflow::score(subject.model, {subject.x, {truth}}, "clouds.csv");
  const std::vector<Metric> found = metrics_of(subject);
  ASSERT_EQ(found.size(), marks.figures.size());
  for (const auto& [name, value] : marks.figures) EXPECT_EQ(named(found, name).value, value) << name;
}

TEST(ReportFigures, HeldOutFiguresOfNumbersAreThoseOfScore) {
  const Subject subject = test::regression("gp", {{"objective", "none"}, {"noise", "0.01"}}, 40, true);
  workflow::Column truth{.name = "y"};
  for (Index i = 0; i < subject.y.rows(); ++i) truth.numbers.push_back(subject.y(i, 0));
  const workflow::Marks marks = workflow::score(subject.model, {subject.x, {truth}}, "sine.csv");
  const std::vector<Metric> found = metrics_of(subject);
  ASSERT_EQ(found.size(), marks.figures.size());
  for (const auto& [name, value] : marks.figures) EXPECT_EQ(named(found, name).value, value) << name;
}

}  // namespace
}  // namespace mercer::report
