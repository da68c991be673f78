// What every machine that takes centres obeys: all points as centres are the machine itself, and weights are
// multiplicities whatever the centres. One that takes none says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/machines.hpp"
#include "mercer/plan.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::on_centres_test {
namespace {

constexpr Index kPoints = 60;

// Numbers of the settings by which a machine is tried: what it cannot do without, and ends that are close.
Settings settings_of(const Machine& row) {
  Settings out;
  for (const MachineOption& option : row.options) {
    if (option.name == "tolerance" && option.fallback != "auto") out["tolerance"] = "1e-10";
    if (option.name == "clusters") out["clusters"] = "3";
    if (option.name == "components" && option.fallback != "auto") out["components"] = row.name == "gmm" ? "3" : "5";
    if (option.name == "directions") out["directions"] = "4";
    // Of centres, who is nearest cannot be told.
    if (option.name == "neighbours" && option.fallback == "auto") out["neighbours"] = "0";
  }
  if (row.name == "nusvc" || row.name == "nusvr") out["nu"] = "0.3";
  return out;
}

// Three clouds.
Matrix inputs() {
  Matrix x = test::random_matrix(kPoints, 2, 1, -0.8, 0.8);
  for (Index i = 0; i < kPoints; ++i) {
    if (i % 3 == 1) x(i, 0) += 2;
    if (i % 3 == 2) x(i, 1) += 2.5;
  }
  return x;
}

Training training_on(const Machine& row, const Points& x) {
  Training out{.K = lazy(parse("rbf(ell=1.1)"), x)};
  const Task task = row.task_for(settings_of(row));
  if (task->target == Task::Target::classes) {
    std::vector<std::string> names;
    for (Index i = 0; i < x.size(); ++i) names.push_back(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c");
    out.labels = Labels::from(names);
  } else if (task.takes_target()) {
    out.y = Matrix(x.size(), 1);
    const Matrix noise = test::random_matrix(x.size(), 1, 2);
    for (Index i = 0; i < x.size(); ++i) out.y(i, 0) = std::sin(static_cast<double>(i % 3)) + 0.1 * noise(i, 0);
  }
  return out;
}

std::vector<std::string> names(bool taking) {
  std::vector<std::string> out;
  for (const Machine& row : machines()) {
    if ((row.centres != OnCentres::refused) == taking) out.push_back(row.name);
  }
  return out;
}

void expect_same_scores(const Model& a, const Model& b, double tolerance) {
  const Points fresh = rows(test::random_matrix(40, 2, 3, -1, 3));
  const Matrix of_a = a.scores(fresh), of_b = b.scores(fresh);
  ASSERT_EQ(of_a.cols(), of_b.cols());
  for (Index i = 0; i < of_a.rows(); ++i) {
    for (Index c = 0; c < of_a.cols(); ++c) EXPECT_NEAR(of_a(i, c), of_b(i, c), tolerance * (1 + std::abs(of_b(i, c))));
  }
}

class OnCentresLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(OnCentresLaw, AllPointsAreTheMachineItself) {
  const Machine& row = machine(GetParam());
  const Points x = rows(inputs());
  Training training = training_on(row, x);
  const Model plain = fit(row, settings_of(row), training);
  training.centres = Centres(*training.K.kernel(), x);
  const Model centred = fit(row, settings_of(row), training);
  expect_same_scores(centred, plain, 1e-4);
  EXPECT_EQ(centred.report().figure("centres"), static_cast<double>(kPoints));
  EXPECT_EQ(centred.expansion().size(), kPoints);
}

TEST_P(OnCentresLaw, WeightsAreMultiplicities) {
  const Machine& row = machine(GetParam());
  if (!row.obeys(Exception::Law::weights, settings_of(row))) GTEST_SKIP() << "weights are not multiplicities to it";
  const Matrix all = inputs();
  const Centres few(parse("rbf(ell=1.1)"), rows(Matrix(all.view().block({0, 25}, {0, 2}))));
  Training weighted = training_on(row, rows(all));
  Matrix twice(kPoints + 10, 2);
  std::vector<Index> which;
  for (Index i = 0; i < kPoints; ++i) {
    weighted.weights.push_back(i < 10 ? 2 : i < 20 ? 0 : 1);
    if (i >= 20 || i < 10) which.push_back(i);
    if (i < 10) which.push_back(i);
  }
  Training repeated = training_on(row, rows(all));
  repeated.K = lazy(parse("rbf(ell=1.1)"), rows(all).select(which));
  Matrix y(static_cast<Index>(which.size()), 1);
  Labels labels{repeated.labels.classes, {}};
  for (std::size_t r = 0; r < which.size(); ++r) {
    if (repeated.y.rows() > 0) y(static_cast<Index>(r), 0) = repeated.y(which[r], 0);
    if (repeated.labels.size() > 0) labels.of.push_back(repeated.labels.of[static_cast<std::size_t>(which[r])]);
  }
  if (repeated.y.rows() > 0) repeated.y = y;
  repeated.labels = labels;
  weighted.centres = repeated.centres = few;
  expect_same_scores(fit(row, settings_of(row), weighted), fit(row, settings_of(row), repeated), 1e-4);
}

// A number between 0 and that of the centres; of fewer than all points it is said to be an estimate.
TEST_P(OnCentresLaw, TheReportHasTheEffectiveDimension) {
  const Machine& row = machine(GetParam());
  Training training = training_on(row, rows(inputs()));
  training.centres = choose_centres(*training.K.kernel(), *training.K.points(), {.count = 12});
  const Report report = fit(row, settings_of(row), training).report();
  ASSERT_TRUE(report.figure("effective_dimension"));
  EXPECT_GT(*report.figure("effective_dimension"), 1);
  EXPECT_LT(*report.figure("effective_dimension"), 12);
}

INSTANTIATE_TEST_SUITE_P(Catalog, OnCentresLaw, ::testing::ValuesIn(names(true)),
                         [](const auto& info) { return info.param; });

class NoCentres : public ::testing::TestWithParam<std::string> {};

TEST_P(NoCentres, AreRefusedInOneLine) {
  const Machine& row = machine(GetParam());
  Training training = training_on(row, rows(inputs()));
  training.centres = Centres(*training.K.kernel(), *training.K.points());
  test::expect_error([&] { fit(row, settings_of(row), training); }, "UsageError", {row.name, "all points"});
}

INSTANTIATE_TEST_SUITE_P(Catalog, NoCentres, ::testing::ValuesIn(names(false)),
                         [](const auto& info) { return info.param; });

TEST(OnCentres, TheKernelMustBeTheirs) {
  const Points x = rows(inputs());
  Training training = training_on(machine("ridge"), x);
  training.centres = Centres(parse("rbf(ell=2)"), x);
  test::expect_error([&] { fit("ridge", {}, training); }, "UsageError",
                     {"rbf(ell=2)", "not the matrix of that kernel"});
}

TEST(OnCentres, SolversOfAllPointsAndOfCentresAreKeptApart) {
  Training training = training_on(machine("ridge"), rows(inputs()));
  test::expect_error([&] { fit("ridge", {{"solver", "falkon"}}, training); }, "UsageError", {"falkon", "few centres"});
  training.centres = Centres(*training.K.kernel(), *training.K.points());
  test::expect_error([&] { fit("ridge", {{"solver", "pcg"}}, training); }, "UsageError", {"pcg", "normal and falkon"});
  test::expect_error(
      [&] {
        fit("ridge", {{"solver", "falkon"}, {"ridge", "auto"}}, training);
      },
      "UsageError", {"falkon", "take normal"});
}

// The whole path and what leaves points out are those of all points, where the centres are: with weights, and with
// points that are equal and left out together.
TEST(OnCentres, ThePathOfRidgesIsThatOfAllPoints) {
  for (const bool weighted : {false, true}) {
    Matrix x = inputs();
    if (weighted) {
      for (Index i = 0; i < 6; ++i) std::copy_n(x.row(i), 2, x.row(6 + i));
    }
    Training training = training_on(machine("ridge"), rows(x));
    for (Index i = 0; weighted && i < kPoints; ++i) training.weights.push_back(static_cast<double>(i % 4));
    const Model plain = fit("ridge", {{"ridge", "auto"}}, training);
    training.centres = Centres(*training.K.kernel(), *training.K.points());
    const Model centred = fit("ridge", {{"ridge", "auto"}}, training);
    const Report::Table *a = plain.report().table("path"), *b = centred.report().table("path");
    ASSERT_NE(a, nullptr);
    ASSERT_NE(b, nullptr);
    for (Index r = 10; r < a->rows.rows(); ++r) {  // smaller ridges are within the rounding of K(Z, Z)
      for (Index c = 0; c < 4; ++c) EXPECT_NEAR(b->rows(r, c), a->rows(r, c), 1e-5 * std::abs(a->rows(r, c)));
    }
  }
}

TEST(OnCentres, AStartIsRefused) {
  Training training = training_on(machine("svc"), rows(inputs()));
  training.start = fit("svc", {}, training);
  training.centres = Centres(*training.K.kernel(), *training.K.points());
  test::expect_error([&] { fit("svc", {}, training); }, "UsageError", {"svc", "a fit with centres begins anew"});
}

TEST(OnCentres, TheReportSaysThatThereWereFewerThanWished) {
  const Points x = rows(inputs());
  Training training = training_on(machine("ridge"), x);
  training.K = lazy(parse("linear()"), x);
  training.centres = choose_centres(parse("linear()"), x, {.count = 40});
  const Report report = fit("ridge", {}, training).report();
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes.back().find("f is made of 2 centres"), std::string::npos) << report.notes.back();
  EXPECT_NE(report.notes.back().find("40 were wished"), std::string::npos) << report.notes.back();
}

// Only there, and only where the caller lets a plan approximate.
TEST(OnCentres, StandForAllWhereAllTakeTooLong) {
  const auto centres = [](Index points, double seconds, bool may, bool ends = false) {
    Extent extent = extent_of(parse("rbf(ell=1)"), rows(Matrix(1, 3)));
    extent.points = extent.weighted = points;
    extent.memory = std::size_t{16} << 30U;
    return plan_for(machine("ridge"), {{"ridge", "0.1"}}, extent,
                    {.approximate = may, .seconds = seconds, .ends = ends})
        .centres;
  };
  EXPECT_EQ(centres(1000, 120, true), 0);
  EXPECT_GT(centres(1000, 1e-6, true), 0);
  EXPECT_EQ(centres(1000, 1e-6, false), 0);
  EXPECT_EQ(centres(1000000, 120, true), usual_centres(1000000));
  // However little time there is: not fewer than a hundred, where there are so many points.
  for (const Index points : {150, 300, 799, 1000, 1000000})
    EXPECT_GE(centres(points, 1e-12, true, true), 100) << points;
}

// However little memory there is for so many: that is not why.
TEST(OnCentres, MoreThanThereArePointsAreNotPlanned) {
  Extent extent = extent_of(parse("rbf(ell=1)"), rows(test::random_matrix(150, 3, 9)));
  extent.memory = 1 << 24;
  for (const std::string& name : names(true)) {
    const auto planned = [&](Index count) {
      return test::error_of([&] { (void)plan_for(machine(name), {}, extent, {.centres = count}); });
    };
    for (const Index count : {151, 99999}) {
      EXPECT_EQ(planned(count),
                "UsageError: `centres`: " + std::to_string(count) + " of 150 points; choose at most all")
          << name;
    }
    EXPECT_EQ(planned(150), "no error") << name;
  }
}

// Choosing holds the factor of rpcholesky, a row for each centre, and the root of K(Z, Z), before there is what the fit
// holds.
TEST(OnCentres, ThePlanCountsChoosing) {
  const auto held = [](Index points) {
    const Plan plan =
        plan_for(machine("ridge"), {{"ridge", "0.1"}}, {.points = points, .weighted = points}, {.centres = 100});
    double sum = 0;
    for (const Room& part : plan.parts) sum += part.what == "points and model" ? 0 : part.bytes;
    return sum;
  };
  // Rows of the points that are looked at, a root, and strips of two threads.
  EXPECT_EQ(held(1000), 8.0 * 100 * (1000 + 100 + 2 * 1024));
  EXPECT_EQ(held(100'000), 8.0 * 100 * (10'000 + 100 + 2 * 1024));
  const auto with = [](Index centres) {
    const Plan plan =
        plan_for(machine("ridge"), {{"ridge", "0.1"}, {"solver", "normal"}}, {.points = 100'000, .weighted = 100'000},
                 {.memory = std::size_t{1} << 40, .centres = centres});
    return plan.bytes;
  };
  // Five matrices of the fit, beside which what has chosen them is less.
  EXPECT_NEAR(with(16'000) - 8.0 * 3 * 100'000, 8.0 * 5 * 16'000 * 16'000, 1);
}

}  // namespace
}  // namespace mercer::on_centres_test
